import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { FileBytes } from "../../../src/files/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { newStageName } from "../../../src/node/commit/stage.js";
import {
  at,
  bytesOf,
  commitAt,
  create,
  diskAt,
  expectedOf,
  freshFolder,
  inPlace,
  isRoot,
  limit,
  mountTmpfs,
  must,
  openDescriptors,
  plain,
  rewrite,
  runFixture,
  stagesIn,
  textAt,
  verdict,
} from "../support.js";

let root: string;
let disk: ReturnType<typeof diskAt>;
const path = (name: string) => join(root, name);

beforeEach(() => {
  root = realpathSync(freshFolder());
  disk = diskAt(root);
  return () => {
    expect(stagesIn(root)).toEqual([]);
    disk.close();
  };
});

describe("a commit", () => {
  it("replaces the content in one step and gives the new identity", async () => {
    writeFileSync(path("file"), "old");
    const before = openDescriptors();
    const done = must(await rewrite(disk, "file", "new content"));
    expect(textAt(path("file"))).toBe("new content");
    expect(done).toEqual({ kind: "committed" });
    expect(openDescriptors()).toBe(before);
  });

  it("creates with the umask's mode, and answers changed where somebody was first", async () => {
    const umask = process.umask(0o027);
    try {
      expect(verdict(await create(disk, "new", "mine"))).toBe("committed");
    } finally {
      process.umask(umask);
    }
    expect(statSync(path("new")).mode & 0o7777).toBe(0o640);
    expect(statSync(path("new")).nlink).toBe(1);
    expect(verdict(await create(disk, "new", "again"))).toBe("changed");
    const racer = { ...plain, guard: after(() => writeFileSync(path("raced"), "theirs")) };
    expect(verdict(await create(disk, "raced", "mine", racer))).toBe("changed");
    expect([textAt(path("new")), textAt(path("raced"))]).toEqual(["mine", "theirs"]);
  });

  it("finds room for its stage beside a name of 255 bytes", async () => {
    const name = "n".repeat(255);
    expect(verdict(await create(disk, name, "x"))).toBe("committed");
    expect(verdict(await rewrite(disk, name, "y"))).toBe("committed");
    expect(textAt(path(name))).toBe("y");
  });

  it("does not use a stage name that is taken, be it by a link out", async () => {
    const stageName = newStageName();
    const elsewhere = join(realpathSync(freshFolder()), "victim");
    symlinkSync(elsewhere, path(stageName));
    writeFileSync(path("file"), "old");
    await expect(rewrite(disk, "file", "new", { ...plain, stageName })).rejects.toThrow("EEXIST");
    expect(textAt(path("file"))).toBe("old");
    unlinkSync(path(stageName));
    expect(() => statSync(elsewhere)).toThrow("ENOENT");
  });

  it("keeps mode with setuid, owner and group", async () => {
    writeFileSync(path("file"), "old");
    if (isRoot) chownSync(path("file"), 1234, 4321);
    chmodSync(path("file"), 0o4751);
    must(await rewrite(disk, "file", "new"));
    const stat = statSync(path("file"));
    expect(stat.mode & 0o7777).toBe(0o4751);
    if (isRoot) expect([stat.uid, stat.gid]).toEqual([1234, 4321]);
  });

  it("keeps extended attributes and an ACL, and takes on none from the folder", async () => {
    const native = createRequire(import.meta.url)("fs-native-extensions");
    const acl = Buffer.from(
      "0200000001000600ffffffff02000600d204000004000400ffffffff10000600ffffffff20000400ffffffff",
      "hex",
    );
    writeFileSync(path("file"), "old");
    const fd = openSync(path("file"), "r+");
    native.setAttrSync(fd, "user.colour", Buffer.from("red"));
    native.setAttrSync(fd, "system.posix_acl_access", acl);
    closeSync(fd);
    writeFileSync(path("plain"), "old");
    const folder = openSync(root, "r");
    native.setAttrSync(folder, "system.posix_acl_default", acl);
    closeSync(folder);
    must(await rewrite(disk, "file", "new"));
    must(await rewrite(disk, "plain", "new"));
    const attributes = (name: string) => {
      const opened = openSync(path(name), "r");
      const names: string[] = native.listAttrsSync(opened).sort();
      const values = names.map((each) => [each, native.getAttrSync(opened, each).toString("hex")]);
      closeSync(opened);
      return Object.fromEntries(values);
    };
    expect(attributes("file")).toEqual({
      "system.posix_acl_access": acl.toString("hex"),
      "user.colour": Buffer.from("red").toString("hex"),
    });
    expect(attributes("plain")).toEqual({});
  });

  it.each([
    ["with a mask", "01000700ffffffff0200060039300000" + "04000500ffffffff10000600ffffffff20000000ffffffff"],
    ["without one", "01000700ffffffff04000700ffffffff20000000ffffffff"],
  ])("creates as any program does where the folder has a default ACL %s", async (_, entries) => {
    const native = createRequire(import.meta.url)("fs-native-extensions");
    const folder = openSync(root, "r");
    native.setAttrSync(folder, "system.posix_acl_default", Buffer.from(`02000000${entries}`, "hex"));
    closeSync(folder);
    const umask = process.umask(0o027);
    try {
      writeFileSync(path("theirs"), "x");
      must(await create(disk, "ours", "x"));
    } finally {
      process.umask(umask);
    }
    const facts = ["theirs", "ours"].map((name) => {
      const fd = openSync(path(name), "r");
      const acl: Buffer | null = native.getAttrSync(fd, "system.posix_acl_access");
      closeSync(fd);
      return { mode: statSync(path(name)).mode & 0o777, acl: acl?.toString("hex") };
    });
    expect(facts[0]?.mode).toBe(0o660);
    expect(facts[1]).toEqual(facts[0]);
  });

  it("writes through a link inside to the real entry; the link stays", async () => {
    mkdirSync(path("sub"));
    writeFileSync(path("sub/real"), "old");
    symlinkSync("sub/real", path("link"));
    must(await rewrite(disk, "link", "new"));
    expect(textAt(path("sub/real"))).toBe("new");
    expect(
      readdirSync(root, { withFileTypes: true })
        .find((entry) => entry.name === "link")
        ?.isSymbolicLink(),
    ).toBe(true);
    expect(stagesIn(path("sub"))).toEqual([]);
  });

  it("refuses a file with several names unless it may write in place", async () => {
    writeFileSync(path("one"), "old");
    linkSync(path("one"), path("two"));
    expect(verdict(await rewrite(disk, "one", "new"))).toBe("cannot_preserve");
    expect([textAt(path("one")), textAt(path("two"))]).toEqual(["old", "old"]);
    const inode = statSync(path("one")).ino;
    expect(verdict(await rewrite(disk, "one", "new and longer", inPlace))).toBe("committed");
    expect([textAt(path("one")), textAt(path("two"))]).toEqual(["new and longer", "new and longer"]);
    expect(verdict(await rewrite(disk, "one", "x", inPlace))).toBe("committed");
    expect([textAt(path("two")), statSync(path("one")).ino]).toEqual(["x", inode]);
  });

  it("refuses a file without any write permission, even as root", async () => {
    writeFileSync(path("file"), "old");
    chmodSync(path("file"), 0o444);
    for (const options of [plain, inPlace]) {
      expect(verdict(await rewrite(disk, "file", "new", options))).toBe("permission_denied");
    }
    const file = must(await at(disk, "file", (place) => place.read(limit)));
    const removed = await at(disk, "file", (place) => commitAt(place, null, expectedOf(file)));
    expect(verdict(removed)).toBe("permission_denied");
    expect(textAt(path("file"))).toBe("old");
  });

  it("asks the guard once and writes nothing when the lock is lost", async () => {
    writeFileSync(path("file"), "old");
    let asked = 0;
    const guard = async () => {
      asked += 1;
      return false;
    };
    expect(verdict(await rewrite(disk, "file", "new", { guard, inPlace: false }))).toBe("busy");
    expect(verdict(await rewrite(disk, "file", "new", { guard, inPlace: true }))).toBe("busy");
    expect(verdict(await create(disk, "other", "new", { guard, inPlace: false }))).toBe("busy");
    expect(asked).toBe(3);
    expect(readdirSync(root)).toEqual(["file"]);
    expect(textAt(path("file"))).toBe("old");
  });
});

/** A guard that lets the step pass after another program did something. */
function after(act: () => void): () => Promise<boolean> {
  return async () => {
    act();
    return true;
  };
}

/** Another program at work between our read and our step. */
const foreign: readonly (readonly [name: string, act: (file: string) => void, verdict: string])[] = [
  ["writes other bytes of the same length", (file) => writeFileSync(file, "OLD"), "changed"],
  [
    "writes other bytes and puts the time back",
    (file) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, "OLD");
      utimesSync(file, atime, mtime);
    },
    "changed",
  ],
  ["appends", (file) => appendFileSync(file, "more"), "changed"],
  ["empties it", (file) => writeFileSync(file, ""), "changed"],
  ["deletes it", (file) => unlinkSync(file), "changed"],
  [
    "replaces it",
    (file) => {
      writeFileSync(`${file}.new`, "OLD");
      renameSync(`${file}.new`, file);
    },
    "changed",
  ],
  [
    "puts a link there",
    (file) => {
      unlinkSync(file);
      symlinkSync("/etc/passwd", file);
    },
    "changed",
  ],
  [
    "puts a folder there",
    (file) => {
      unlinkSync(file);
      mkdirSync(file);
    },
    "changed",
  ],
  [
    "puts a FIFO there",
    (file) => {
      unlinkSync(file);
      execFileSync("mkfifo", [file]);
    },
    "changed",
  ],
  ["writes the same bytes again", (file) => writeFileSync(file, "old"), "committed"],
  ["touches it", (file) => utimesSync(file, new Date(), new Date()), "committed"],
  ["changes its mode", (file) => chmodSync(file, 0o600), "committed"],
];

describe("a foreign writer", () => {
  for (const when of ["before the commit", "at the last moment"] as const) {
    it.each(foreign)(`that %s ${when} is noticed`, async (_, act, wanted) => {
      writeFileSync(path("file"), "old");
      const answer = await at(disk, "file", async (place) => {
        const file: FileBytes = must(await place.read(limit));
        if (when === "before the commit") act(path("file"));
        const guard = async () => {
          if (when === "at the last moment") act(path("file"));
          return true;
        };
        return commitAt(place, bytesOf("new"), expectedOf(file), { guard, inPlace: false });
      });
      expect(verdict(answer)).toBe(wanted);
      if (wanted === "committed") expect(textAt(path("file"))).toBe("new");
      else expect(statSync(root).isDirectory() && stagesIn(root)).toEqual([]);
    });
  }

  it("that changes the mode at the last moment keeps that mode", async () => {
    writeFileSync(path("file"), "old");
    must(
      await rewrite(disk, "file", "new", {
        ...plain,
        guard: after(() => chmodSync(path("file"), 0o640)),
      }),
    );
    expect(statSync(path("file")).mode & 0o7777).toBe(0o640);
  });

  it("that gives the file a second name at the last moment stops the commit", async () => {
    writeFileSync(path("file"), "old");
    const guard = after(() => linkSync(path("file"), path("second")));
    expect(verdict(await rewrite(disk, "file", "new", { guard, inPlace: false }))).toBe("cannot_preserve");
    expect(textAt(path("second"))).toBe("old");
  });

  it("is noticed when it writes in place, too", async () => {
    for (const [, act, wanted] of foreign.slice(0, 4)) {
      writeFileSync(path("file"), "old");
      const guard = after(() => act(path("file")));
      expect(verdict(await rewrite(disk, "file", "new", { guard, inPlace: true }))).toBe(wanted);
    }
  });
});

describe("removing", () => {
  it("deletes the expected file and nothing else", async () => {
    writeFileSync(path("file"), "old");
    const file = must(await at(disk, "file", (place) => place.read(limit)));
    const remove = (guard: () => Promise<boolean>) =>
      at(disk, "file", (place) => commitAt(place, null, expectedOf(file), { guard, inPlace: false }));
    expect(verdict(await remove(async () => false))).toBe("busy");
    expect(verdict(await remove(after(() => appendFileSync(path("file"), "!"))))).toBe("changed");
    expect(textAt(path("file"))).toBe("old!");
    writeFileSync(path("file"), "old");
    expect(await remove(async () => true)).toEqual({ kind: "committed" });
    expect(verdict(await remove(async () => true))).toBe("changed");
  });
});

describe("a file system that refuses", () => {
  it("a full disk is told, the old file stands, and nothing is left", async ({ skip }) => {
    const small = mountTmpfs(64);
    if (small === undefined) return skip("needs root and mount");
    try {
      const tiny = diskAt(small.path);
      expect(verdict(await create(tiny, "file", "old".repeat(1000)))).toBe("committed");
      for (const options of [plain, inPlace]) {
        const before = openDescriptors();
        const large = new Uint8Array(200_000).fill(0x61);
        expect(verdict(await rewrite(tiny, "file", large, options))).toBe("disk_full");
        expect(textAt(join(small.path, "file"))).toBe("old".repeat(1000));
        expect(readdirSync(small.path)).toEqual(["file"]);
        expect(openDescriptors()).toBe(before);
      }
      expect(
        verdict(
          await at(tiny, "new", (place) => commitAt(place, new Uint8Array(100_000), { kind: "absent" })),
        ),
      ).toBe("disk_full");
      expect(readdirSync(small.path)).toEqual(["file"]);
      tiny.close();
    } finally {
      small.unmount();
    }
  });

  it("a read-only mount is read_only", async ({ skip }) => {
    const small = mountTmpfs(64);
    if (small === undefined) return skip("needs root and mount");
    try {
      writeFileSync(join(small.path, "file"), "old");
      execFileSync("mount", ["-o", "remount,ro", small.path]);
      const readOnly = diskAt(small.path);
      expect(verdict(await rewrite(readOnly, "file", "new"))).toBe("read_only");
      expect(verdict(await create(readOnly, "new", "new"))).toBe("read_only");
      expect(verdict(await create(readOnly, "new/folder/file", "new"))).toBe("read_only");
      readOnly.close();
    } finally {
      small.unmount();
    }
  });

  it.for([
    ["changed by nobody", "i"],
    ["appended to alone", "a"],
  ] as const)("a file that may be %s is permission_denied", async ([, attribute], { skip }) => {
    writeFileSync(path("file"), "old");
    try {
      execFileSync("chattr", [`+${attribute}`, path("file")], { stdio: "ignore" });
    } catch {
      return skip("needs root and chattr");
    }
    try {
      expect(verdict(await rewrite(disk, "file", "new"))).toBe("permission_denied");
      expect(textAt(path("file"))).toBe("old");
    } finally {
      execFileSync("chattr", [`-${attribute}`, path("file")]);
    }
  });

  it("as an ordinary user: foreign owner, closed folder, unreadable and read-only files", async ({
    skip,
  }) => {
    if (!isRoot) return skip("needs root to become another user");
    chmodSync(root, 0o777);
    for (const name of ["foreign", "unreadable", "unwritable", "writable"]) writeFileSync(path(name), "old");
    chmodSync(path("foreign"), 0o666);
    chmodSync(path("unreadable"), 0o600);
    chmodSync(path("unwritable"), 0o644);
    chownSync(path("writable"), 65534, 65534);
    mkdirSync(path("closed"));
    writeFileSync(path("closed/file"), "old");
    chownSync(path("closed/file"), 65534, 65534);
    writeFileSync(path("linked"), "old");
    chownSync(path("linked"), 65534, 65534);
    linkSync(path("linked"), path("other name"));
    const result = runFixture("as-nobody.mjs", root);
    expect(result.stderr).toBe("");
    expect(JSON.parse(result.stdout)).toEqual({
      foreign: "cannot_preserve",
      "foreign in place": "committed",
      unreadable: "permission_denied",
      unwritable: "permission_denied",
      writable: "committed",
      "closed/file": "permission_denied",
      "closed/new": "permission_denied",
      "foreign, ask": "cannot_preserve: Ask.",
      "closed/file, ask": "permission_denied: Ask.",
      "linked, ask": "cannot_preserve: Ask.",
      "writable, ask": "applied",
      "unwritable, ask": "permission_denied",
      "foreign, auto": "applied: It was written in place",
      "closed/file, auto": "applied: It was written in place",
      "linked, auto": "applied: It was written in place",
      "writable, auto": "applied",
      "unwritable, auto": "permission_denied",
    });
    expect(["foreign", "closed/file", "other name"].map((name) => textAt(path(name)))).toEqual([
      "in place+",
      "old+",
      "old+",
    ]);
    expect(statSync(path("foreign")).uid).toBe(0);
    expect(stagesIn(path("closed"))).toEqual([]);
  });
});

it("says of a mount point that it is one, and writes it in place where it may", async ({ skip }) => {
  writeFileSync(path("source"), "old");
  writeFileSync(path("mounted"), "");
  if (!isRoot || spawnSync("mount", ["--bind", path("source"), path("mounted")]).status !== 0)
    return skip("needs root and mount");
  try {
    expect(await rewrite(disk, "mounted", "new")).toMatchObject({
      code: "cannot_preserve",
      message: expect.stringContaining("mount point"),
    });
    expect(await rewrite(disk, "mounted", "new", { guard: async () => true, inPlace: true })).toMatchObject({
      kind: "committed",
    });
    expect(textAt(path("source"))).toBe("new");
  } finally {
    spawnSync("umount", [path("mounted")]);
  }
});

it("commits many files at once without mixing them up or leaking descriptors", async () => {
  const before = openDescriptors();
  const names = Array.from({ length: 60 }, (_, at) => `f${at}`);
  await Promise.all(names.map((name) => create(disk, name, name)));
  const answers = await Promise.all(names.map((name) => rewrite(disk, name, `${name}!`)));
  expect(answers.every((answer) => !isRefusal(answer) && answer.kind === "committed")).toBe(true);
  for (const name of names) expect(textAt(path(name))).toBe(`${name}!`);
  expect(openDescriptors()).toBe(before);
  expect(fstatSync(0)).toBeDefined();
});
