import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRoot } from "../../../../../test/tools.js";
import { type ForeignAccess, listForeign, readForeign, readForeignText } from "../../../src/node/index.js";
import { freshFolder } from "../support.js";

const isLinux = process.platform === "linux";
const limitBytes = 1_000;

/** A folder with an entry for each kind of thing that a name can be. */
function zoo(): string {
  const root = realpathSync(freshFolder());
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "folder", "file"), "in the folder");
  writeFileSync(join(root, "file"), "text");
  writeFileSync(join(root, "marked"), "\ufefftext");
  writeFileSync(join(root, "empty"), "");
  writeFileSync(join(root, "binary"), "a\0b");
  writeFileSync(join(root, "latin1"), Buffer.from([0x63, 0xe9]));
  writeFileSync(join(root, "huge"), "");
  // 100 MB that take no room.
  truncateSync(join(root, "huge"), 100_000_000);
  execFileSync("mkfifo", [join(root, "fifo")]);
  const links: Readonly<Record<string, string>> = {
    link: "file",
    dangling: "nothing",
    circle: "circle",
    "link-to-folder": "folder",
    "link-to-fifo": "fifo",
    "link-to-stdin": "/dev/stdin",
    "link-to-zero": "/dev/zero",
    "link-to-proc": "/proc/self/environ",
    "link-to-sys": "/sys/kernel/uevent_seqnum",
    "proc-folder": "/proc/self",
    above: "..",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  return root;
}

const special = "it is no regular file";
const link = "it is a link that is not followed";
const linkedFolder = "a folder in its path is a link that is not followed";

describe("what is read by its name", () => {
  const root = zoo();
  const cases: readonly (readonly [name: string, without: string, followed: string])[] = [
    ["file", "text", "text"],
    ["marked", "text", "text"],
    ["empty", "", ""],
    ["folder/file", "in the folder", "in the folder"],
    ["nothing", "absent", "absent"],
    ["file/below", "absent", "absent"],
    ["folder", special, special],
    ["fifo", special, special],
    ["binary", "it is binary", "it is binary"],
    ["latin1", "it is not valid UTF-8", "it is not valid UTF-8"],
    ["huge", "it has 100000000 bytes; 1000 are allowed", "it has 100000000 bytes; 1000 are allowed"],
    ["link", link, "text"],
    ["dangling", link, "absent"],
    ["circle", link, link],
    ["link-to-folder", link, special],
    ["link-to-fifo", link, special],
    ["link-to-folder/file", linkedFolder, "in the folder"],
    ...(isLinux
      ? ([
          ["link-to-stdin", link, special],
          ["link-to-zero", link, special],
          ["link-to-proc", link, special],
          ["link-to-sys", link, special],
          ["proc-folder/environ", linkedFolder, special],
        ] as const)
      : []),
  ];
  const said = (name: string, access: ForeignAccess) => {
    const read = readForeignText(join(root, name), { limitBytes, ...access });
    return read.kind === "read" ? read.text : read.kind === "absent" ? "absent" : read.why;
  };
  it.each(cases)("%s", (name, without, followed) => {
    expect(said(name, { below: root })).toBe(without);
    expect(said(name, { links: "followed" })).toBe(followed);
  });

  it("only the last name is no link where no folder is given, and what the system makes up is not read", () => {
    expect(said("link", {})).toBe(link);
    expect(said("link-to-folder/file", {})).toBe("in the folder");
    if (isLinux) expect(said("proc-folder/environ", {})).toBe(special);
  });

  it("no path leads out of the folder that is given", () => {
    const folder = join(root, "folder");
    const outside = `it leads out of ${folder}`;
    for (const links of [{}, { links: "followed" }] as const) {
      expect(said("folder/../file", { below: folder, ...links })).toBe(outside);
      expect(said("file", { below: folder, ...links })).toBe(outside);
    }
    expect(said("above/file", { below: root })).toBe(linkedFolder);
    symlinkSync("../file", join(folder, "out"));
    expect(said("folder/out", { below: folder, links: "followed" })).toBe(outside);
    expect(said("folder/out", { below: root, links: "followed" })).toBe("text");
  });

  it("the beginning of a longer file, where no more is wanted", () => {
    const read = readForeign(join(root, "huge"), { limitBytes, isHead: true });
    expect(read.kind === "read" && read.bytes.length).toBe(limitBytes);
  });
});

it("what others could have written is not taken for the person's own", () => {
  const root = realpathSync(freshFolder());
  const path = join(root, "sub", "file");
  mkdirSync(join(root, "sub"), { mode: 0o700 });
  writeFileSync(path, "own", { mode: 0o600 });
  const kindOf = () => readForeign(path, { limitBytes, below: root, isOwn: true });
  expect(kindOf().kind).toBe("read");
  for (const place of [path, join(root, "sub"), root]) {
    execFileSync("chmod", ["g+w", place]);
    expect(kindOf()).toEqual({ kind: "unreadable", why: "others can write it" });
    execFileSync("chmod", ["g-w", place]);
  }
});

it.runIf(isRoot)("nor what belongs to another user (needs root)", () => {
  const root = realpathSync(freshFolder());
  const path = join(root, "file");
  writeFileSync(path, "theirs");
  for (const place of [path, root]) {
    execFileSync("chown", ["65534", place]);
    const read = readForeign(path, { limitBytes, below: root, isOwn: true });
    expect(read).toEqual({ kind: "unreadable", why: "it belongs to another user" });
    execFileSync("chown", ["0", place]);
  }
});

describe("a folder", () => {
  const root = zoo();
  it("is listed by name, and a link in it is a link", () => {
    const listed = listForeign(root, { limitEntries: 100 });
    if (listed.kind !== "listed") throw new Error(listed.kind);
    const names = listed.entries.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(listed.entries.find(({ name }) => name === "link-to-folder")?.isDirectory()).toBe(false);
  });
  it.each([
    ["a link", "link-to-folder", {}, linkedFolder],
    ["one of too many entries", "", {}, "it has more than 3 entries"],
    ["one of the system's", "proc-folder", { links: "followed" }, special],
  ] as const)("is not listed: %s", (_, name, access, why) => {
    const listed = listForeign(join(root, name), { limitEntries: 3, ...access });
    expect(listed).toEqual({ kind: "unreadable", why });
  });
  it.each(["nothing", "file"])("%s is none", (name) => {
    expect(listForeign(join(root, name), { limitEntries: 3 }).kind).toBe("absent");
  });
});

it("law: what is read below a folder is a regular file, and no name on the way is a link", () => {
  const root = zoo();
  const names = [
    "folder",
    "file",
    "fifo",
    "link",
    "link-to-folder",
    "above",
    "..",
    ".",
    "nothing",
    "proc-folder",
  ];
  const isPlain = (parts: readonly string[]) =>
    parts.every((_, at) => {
      const stat = lstatSync(join(root, ...parts.slice(0, at + 1)), { throwIfNoEntry: false });
      return at === parts.length - 1 ? stat?.isFile() === true : stat?.isDirectory() === true;
    });
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 5 }), (parts) => {
      const path = join(root, ...parts);
      const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split("/") : undefined;
      const read = readForeign(path, { limitBytes, below: root });
      expect(read.kind === "read").toBe(inside !== undefined && isPlain(inside));
    }),
  );
});

it.skipIf(!isLinux)("a link that is swapped in while it is read leads nowhere", async () => {
  const root = realpathSync(freshFolder());
  for (const place of ["inside", "outside"]) {
    mkdirSync(join(root, place, "folder"), { recursive: true });
    writeFileSync(join(root, place, "folder", "file"), place);
  }
  const below = join(root, "inside");
  const swap = `cd ${below}; mv folder real; until test -e ../over; do mv -T real folder; mv -T folder real; ln -s ../outside/folder folder; rm folder; done`;
  const swapper = spawn("bash", ["-c", swap], { stdio: "ignore" });
  try {
    const met = new Set<string>();
    for (let tries = 0; tries < 20_000; tries++) {
      const read = readForeign(join(below, "folder", "file"), { limitBytes, below });
      met.add(read.kind === "read" ? String(read.bytes) : read.kind);
    }
    expect(met).not.toContain("outside");
  } finally {
    // Not killed: one of its commands would go on.
    writeFileSync(join(root, "over"), "");
    if (swapper.exitCode === null) await once(swapper, "exit");
  }
});
