import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenedDisk, openDisk } from "../../../src/node/commit/disk-target.js";
import { hangMs } from "../../support.js";
import {
  at,
  create,
  diskAt,
  freshFolder,
  limit,
  must,
  openDescriptors,
  textAt,
  verdict,
} from "../support.js";

const base = realpathSync(freshFolder());
const root = join(base, "root");
const outsideFolder = join(base, "root-evil");
let disk: OpenedDisk;

beforeAll(() => {
  mkdirSync(join(root, "sub/deep"), { recursive: true });
  mkdirSync(outsideFolder);
  writeFileSync(join(outsideFolder, "secret"), "SECRET");
  writeFileSync(join(root, "file"), "inside");
  writeFileSync(join(root, "sub/deep/leaf"), "leaf");
  writeFileSync(join(root, "sub/file"), "sub file");
  const links: Record<string, string> = {
    "link-out": join(outsideFolder, "secret"),
    "folder-out": outsideFolder,
    "relative-out": "../root-evil/secret",
    "dangling-out": join(outsideFolder, "not-there"),
    "relative-dangling-out": "../root-evil/not-there",
    "prefix-out": `${root}-evil/secret`,
    "twice-out": "link-out",
    "proc-root": "/proc/self/root/etc/passwd",
    "link-in": "file",
    "absolute-in": join(root, "sub/file"),
    "folder-in": "sub",
    "dangling-in": "sub/not-there-yet",
    "up-and-in": "sub/../file",
    "deep-up": "sub/deep/../../sub/file",
    "self-folder": ".",
    loop: "loop",
    ping: "pong",
    pong: "ping",
    "sub/up": "../file",
    "sub/to-folder": "deep",
    "out-and-back": "../root/file",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  for (let at = 0; at < 60; at++) symlinkSync(at === 0 ? "file" : `chain${at - 1}`, join(root, `chain${at}`));
  disk = diskAt(root);
});
afterAll(() => disk.close());

const read = (path: string) => at(disk, path, (place) => place.read(limit));

describe("the walk", () => {
  const cases: readonly (readonly [name: string, path: string, verdict: string, text?: string])[] = [
    ["a plain file", "file", "bytes", "inside"],
    ["an absolute path inside", join(root, "sub/file"), "bytes", "sub file"],
    ["doubled, dotted and trailing separators", ".//sub/./file/", "bytes", "sub file"],
    ["up and down again inside", "sub/../sub/file", "bytes", "sub file"],
    ["a path that climbs out", "../root-evil/secret", "outside_workspace"],
    ["a path that climbs out further on", "sub/../../root-evil/secret", "outside_workspace"],
    ["a path that climbs above everything", "../../../../../../../../etc/passwd", "outside_workspace"],
    ["an absolute path outside", "/etc/passwd", "outside_workspace"],
    ["an absolute path that climbs out", `${root}/../root-evil/secret`, "outside_workspace"],
    ["a folder whose name begins like the root's", `${root}-evil/secret`, "outside_workspace"],
    ["out of the root and back into it", "../root/file", "bytes", "inside"],
    ["a link to a file outside", "link-out", "outside_workspace"],
    ["a link to a folder outside, as a parent", "folder-out/secret", "outside_workspace"],
    ["a link to a folder outside, itself", "folder-out", "outside_workspace"],
    ["a relative link out", "relative-out", "outside_workspace"],
    ["a link through a link out", "twice-out", "outside_workspace"],
    ["a link to a like-named folder", "prefix-out", "outside_workspace"],
    ["a dangling link out", "dangling-out", "outside_workspace"],
    ["a relative dangling link out", "relative-dangling-out", "outside_workspace"],
    ["the root of /proc", "/proc/self/root/etc/passwd", "outside_workspace"],
    ["a link into /proc", "proc-root", "outside_workspace"],
    ["a descriptor of this process", "/dev/fd/0", "outside_workspace"],
    ["a link inside", "link-in", "bytes", "inside"],
    ["an absolute link inside", "absolute-in", "bytes", "sub file"],
    ["a link to a folder inside", "folder-in/deep/leaf", "bytes", "leaf"],
    ["a link that goes up inside", "sub/up", "bytes", "inside"],
    ["a link whose target goes up", "up-and-in", "bytes", "inside"],
    ["a link that goes down and up", "deep-up", "bytes", "sub file"],
    ["a link that leaves and comes back", "out-and-back", "bytes", "inside"],
    ["a link to the folder it is in", "self-folder/self-folder/file", "bytes", "inside"],
    ["a chain of 40 links", "chain39", "bytes", "inside"],
    ["a chain of 41 links", "chain40", "not_a_file"],
    ["a link to itself", "loop", "not_a_file"],
    ["two links in a circle, as parents", "ping/file", "not_a_file"],
    ["a file as a parent", "file/x", "not_a_file"],
    ["a missing file", "missing", "file_missing"],
    ["a missing parent", "missing/x", "file_missing"],
    ["a missing parent that is climbed out of", "missing/../file", "file_missing"],
    ["a dangling link inside", "dangling-in", "file_missing"],
    ["the root", ".", "is_directory"],
    ["a folder", "sub", "is_directory"],
    ["a NUL", "fi\0le", "invalid_arguments"],
    ["a lone surrogate", "fi\ud800le", "invalid_arguments"],
    ["a name of 256 bytes", "x".repeat(256), "invalid_arguments"],
    ["a name of 255 bytes", "x".repeat(255), "file_missing"],
    ["a path of 5,000 bytes", "x/".repeat(2500), "invalid_arguments"],
    ["a tilde, as it is", "~/x", "file_missing"],
    ["percent signs, as they are", "%2e%2e/root-evil/secret", "file_missing"],
    ["a URL, as it is", "file:///etc/passwd", "file_missing"],
  ];
  for (const [name, path, wanted, text] of cases) {
    it(`answers ${name}`, async () => {
      const answer = await read(path);
      expect(verdict(answer)).toBe(wanted);
      if (answer.kind === "bytes") expect(Buffer.from(answer.bytes).toString()).toBe(text);
    });
  }

  it("names the real entry behind a link, by the place and by the root", async () => {
    const place = must(await disk.enter("folder-in/to-folder/leaf", "refuse"));
    expect(place.realPath).toBe(join(root, "sub/deep/leaf"));
    expect(place.relativePath).toBe("sub/deep/leaf");
    await place.close();
    const folder = must(await disk.enter("sub/deep/..", "refuse"));
    expect(folder.relativePath).toBe("sub");
    await folder.close();
  });

  it("creates nothing through a dangling link out, and the target of one inside", async () => {
    expect(verdict(await create(disk, "dangling-out", "x"))).toBe("outside_workspace");
    expect(readdirSync(outsideFolder)).toEqual(["secret"]);
    expect(verdict(await create(disk, "dangling-in", "made"))).toBe("committed");
    expect(textAt(join(root, "sub/not-there-yet"))).toBe("made");
    expect(readlinkSync(join(root, "dangling-in"))).toBe("sub/not-there-yet");
    unlinkSync(join(root, "sub/not-there-yet"));
  });

  it("tells, makes or refuses missing parents as it is asked to", async () => {
    const ghost = must(await disk.enter("new/a/file", "allow"));
    expect(await ghost.look()).toEqual({ kind: "missing" });
    expect(ghost.realPath).toBe(join(root, "new/a/file"));
    await ghost.close();
    expect(existsSync(join(root, "new"))).toBe(false);
    expect(verdict(await create(disk, "new/a/file", "x"))).toBe("committed");
    expect(textAt(join(root, "new/a/file"))).toBe("x");
  });

  it("keeps two roots apart, joins them by links, and takes a root that is a link", async () => {
    const other = join(base, "other");
    mkdirSync(other);
    writeFileSync(join(other, "file"), "other");
    symlinkSync("../other/file", join(root, "to-other"));
    symlinkSync(other, join(base, "named-other"));
    expect(verdict(await read("to-other"))).toBe("outside_workspace");
    const both = diskAt(root, join(base, "named-other"));
    for (const path of ["to-other", "../other/file", join(base, "named-other/file"), join(other, "file")]) {
      const place = must(await both.enter(path, "refuse"));
      expect([path, place.realPath, place.relativePath]).toEqual([path, join(other, "file"), "file"]);
      await place.close();
    }
    both.close();
  });

  it("takes a root under every name that links give it, and names the roots to who is outside", async () => {
    symlinkSync(root, join(base, "linked"));
    symlinkSync(join(root, "sub"), join(base, "linked-sub"));
    for (const path of [join(base, "linked/sub/deep/leaf"), join(base, "linked-sub/deep/leaf")]) {
      const place = must(await disk.enter(path, "refuse"));
      expect(place.relativePath).toBe("sub/deep/leaf");
      await place.close();
    }
    const refused = await disk.enter(join(base, "linked/../other/file"), "refuse");
    expect(refused).toMatchObject({
      code: "outside_workspace",
      message: expect.stringContaining(`(${root})`),
    });
  });

  it("reads and writes nowhere when another folder gets the root's name", async () => {
    const moving = join(base, "moving");
    mkdirSync(moving);
    writeFileSync(join(moving, "file"), "mine");
    const opened = diskAt(moving);
    renameSync(moving, join(base, "moved"));
    symlinkSync(outsideFolder, moving);
    expect(verdict(await at(opened, "secret", (place) => place.read(limit)))).toBe("root_changed");
    expect(verdict(await create(opened, "new", "x"))).toBe("root_changed");
    expect(readdirSync(outsideFolder)).toEqual(["secret"]);
    expect(readdirSync(join(base, "moved"))).toEqual(["file"]);
    opened.close();
  });

  it("refuses roots that are missing, files, or none at all", () => {
    expect(verdict(openDisk([join(base, "nowhere")]))).toBe("file_missing");
    expect(verdict(openDisk([root, join(root, "file")]))).toBe("not_a_file");
    expect(verdict(openDisk([]))).toBe("invalid_arguments");
  });

  it("answers a path that is made to be slow in bounded time", async () => {
    const deep = Array.from({ length: 600 }, () => "d").join("/");
    mkdirSync(join(root, deep), { recursive: true });
    const began = performance.now();
    await read(`${deep}/${"x/../".repeat(500)}file`);
    await read(`${deep}/${"d/../".repeat(500)}file`);
    expect(performance.now() - began).toBeLessThan(hangMs);
  });

  it("answers the same by compared paths, the weaker way of other systems", async () => {
    const weaker = must(openDisk([root], { byHandle: false }));
    for (const [name, path, wanted] of cases) {
      expect([name, verdict(await at(weaker, path, (place) => place.read(limit)))]).toEqual([name, wanted]);
    }
    expect(verdict(await create(weaker, "weak/new", "x"))).toBe("committed");
    expect(must(await at(weaker, "sub", (place) => place.entries(10))).entries.length).toBeGreaterThan(0);
    weaker.close();
  });

  it("leaves no descriptor open, whatever it answers", async () => {
    const before = openDescriptors();
    for (const [, path] of cases) {
      for (const missing of ["refuse", "allow"] as const) {
        await at(
          disk,
          path,
          async (place) => {
            await place.look();
            await place.read(3);
            await place.read(limit);
            await place.window(1, 10, 100);
            await place.entries(10);
            const child = await place.child("deep");
            if (child.kind === "target") await child.close();
            return { kind: "done" };
          },
          missing,
        );
      }
    }
    expect(openDescriptors()).toBe(before);
  });
});

describe("the kinds of entries", () => {
  it("never opens a FIFO, a socket or a device, and names them at once", async () => {
    execFileSync("mkfifo", [join(root, "fifo")]);
    const server = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    const began = performance.now();
    for (const [path, what] of [
      ["fifo", "FIFO"],
      ["socket", "socket"],
    ] as const) {
      expect(await at(disk, path, (place) => place.look())).toEqual({ kind: "other", what });
      expect(verdict(await read(path))).toBe("not_a_file");
      expect(verdict(await at(disk, path, (place) => place.window(1, 1, 10)))).toBe("not_a_file");
      expect(verdict(await create(disk, path, "x"))).toBe("changed");
    }
    const devices = diskAt("/dev");
    for (const path of ["zero", "null", "tty"]) {
      expect(verdict(await at(devices, path, (place) => place.read(limit)))).toBe("not_a_file");
    }
    devices.close();
    server.close();
    expect(performance.now() - began).toBeLessThan(hangMs);
  });

  it("bounds files of /proc, which say that they are empty and are not", async () => {
    const proc = diskAt("/proc/self");
    const stat = await at(proc, "stat", (place) => place.read(limit));
    expect(must(stat).kind).toBe("bytes");
    expect(verdict(await at(proc, "stat", (place) => place.read(16)))).toBe("too_large");
    expect(verdict(await at(proc, "root/etc/passwd", (place) => place.read(limit)))).toBe(
      "outside_workspace",
    );
    expect(verdict(await at(proc, "cwd", (place) => place.entries(1)))).toBe("outside_workspace");
    proc.close();
  });

  it("refuses a file of 1 GB by its size, without reading", async () => {
    const fd = openSync(join(root, "huge"), "w");
    ftruncateSync(fd, 1024 ** 3);
    closeSync(fd);
    const began = performance.now();
    expect(verdict(await read("huge"))).toBe("too_large");
    expect(performance.now() - began).toBeLessThan(hangMs);
  });

  it("reads up to the limit and not a byte more", async () => {
    writeFileSync(join(root, "ten"), "0123456789");
    expect(verdict(await at(disk, "ten", (place) => place.read(10)))).toBe("bytes");
    expect(verdict(await at(disk, "ten", (place) => place.read(9)))).toBe("too_large");
    writeFileSync(join(root, "none"), "");
    expect(must(await at(disk, "none", (place) => place.read(0))).bytes.length).toBe(0);
  });

  it("tells how many names a file has", async () => {
    writeFileSync(join(root, "one-name"), "x");
    linkSync(join(root, "one-name"), join(root, "two-names"));
    expect(await at(disk, "one-name", (place) => place.look())).toMatchObject({
      kind: "file",
      links: 2,
      size: 1,
    });
  });
});

describe("listing", () => {
  it("gives names in byte order, with kinds and sizes, as many as are asked for", async () => {
    const folder = join(root, "listed");
    mkdirSync(join(folder, "B"), { recursive: true });
    for (const name of ["a", "Z", "é", "tab\there", "\u202e"]) writeFileSync(join(folder, name), name);
    symlinkSync("/etc", join(folder, "link"));
    const listing = must(await at(disk, "listed", (place) => place.entries(100)));
    expect(listing.more).toBe(false);
    expect(listing.entries.map((entry) => entry.name)).toEqual([
      "B",
      "Z",
      "a",
      "link",
      "tab\there",
      "é",
      "\u202e",
    ]);
    expect(listing.entries[0]).toEqual({ name: "B", kind: "directory", openable: true });
    expect(listing.entries[1]).toEqual({ name: "Z", kind: "file", sizeBytes: 1, openable: true });
    expect(listing.entries[3]).toEqual({ name: "link", kind: "link", openable: true, leadsTo: "/etc" });
    const some = must(await at(disk, "listed", (place) => place.entries(2)));
    expect(some.entries.map((entry) => entry.name)).toEqual(["B", "Z"]);
    expect(some.more).toBe(true);
  });

  it("shows names that are no UTF-8 without making them openable", async () => {
    const folder = join(root, "bytes");
    mkdirSync(folder);
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9, 0xff]), Buffer.from("é")]),
      "x",
    );
    const listing = must(await at(disk, "bytes", (place) => place.entries(10)));
    expect(listing.entries).toEqual([
      { name: "caf\\xe9\\xffé", kind: "file", sizeBytes: 1, openable: false },
    ]);
  });

  it("goes down by child places, following no link", async () => {
    const sub = must(await disk.enter("sub", "refuse"));
    const leaf = must(await sub.child("deep"));
    expect(leaf.relativePath).toBe("sub/deep");
    expect(must(await leaf.entries(10)).entries.map((entry) => entry.name)).toEqual(["leaf"]);
    const link = must(await sub.child("to-folder"));
    expect(await link.look()).toEqual({ kind: "link" });
    expect(verdict(await link.entries(10))).toBe("not_a_file");
    for (const name of ["..", ".", "", "a/b", "\0"])
      expect(verdict(await sub.child(name))).toBe("invalid_arguments");
    for (const place of [leaf, link, sub]) await place.close();
  });

  it("stands a folder of 10,000 entries", async () => {
    const folder = join(root, "many");
    mkdirSync(folder);
    for (let at = 0; at < 10_000; at++) closeSync(openSync(join(folder, String(at)), "w"));
    const began = performance.now();
    const listing = must(await at(disk, "many", (place) => place.entries(50)));
    expect(performance.now() - began).toBeLessThan(hangMs);
    expect(listing.more).toBe(true);
    const sorted = Array.from({ length: 10_000 }, (_, at) => String(at))
      .sort()
      .slice(0, 50);
    expect(listing.entries.map((entry) => entry.name)).toEqual(sorted);
  });

  it("refuses to list what may not be listed", async () => {
    expect(verdict(await at(disk, "file", (place) => place.entries(10)))).toBe("not_a_file");
    expect(verdict(await at(disk, "missing", (place) => place.entries(10)))).toBe("file_missing");
  });
});
