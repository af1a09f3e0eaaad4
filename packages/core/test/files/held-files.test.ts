import { expect, it } from "vitest";
import { ReplacedFiles } from "../../src/files/access/replaced-files.js";
import { DiskFault } from "../../src/files/values/disk-fault.js";

const place = { realPath: "/r/a", relativePath: "a" };

/** A replaced file that somebody writes into once. */
function replaced(bytes: Uint8Array) {
  const found = [bytes];
  const file = {
    bytes: 3,
    closed: 0,
    changed: () => found.pop(),
    changedByHash: async () => found.pop(),
    close() {
      file.closed += 1;
    },
  };
  return file;
}

it("a displaced write that the disk cannot keep is kept at a later look, and fails nobody's call", async () => {
  let now = 0;
  let isBroken = true;
  const kept: Uint8Array[] = [];
  const held = new ReplacedFiles({ clock: { now: () => now } }, async ({ bytes }) => {
    if (isBroken) throw new DiskFault("write", "EIO", "a", "unchanged", new Error("EIO"));
    kept.push(bytes);
    return "found";
  });
  held.watch(place, "before", replaced(Uint8Array.of(1)));
  await held.look("now");
  expect(held.takeNotices()).toBe("");
  isBroken = false;
  now = 5_000;
  await held.look("now");
  expect([held.takeNotices(), kept]).toEqual(["found", [Uint8Array.of(1)]]);
});

it("the last look lets every file go, even where the work on one fails", async () => {
  const held = new ReplacedFiles({ clock: { now: () => 0 } }, async () => {
    throw new Error("a bug");
  });
  const files = [replaced(Uint8Array.of(1)), replaced(Uint8Array.of(2))];
  for (const file of files) held.watch(place, "before", file);
  await expect(held.end()).rejects.toThrow("a bug");
  expect(files.map(({ closed }) => closed)).toEqual([1, 1]);
});

/** A replaced file that nobody writes into. */
const untouched = () => ({
  bytes: 3,
  changed: () => undefined,
  changedByHash: async () => undefined,
  close() {},
});

it("what was written into a file for which there is no room is kept and told before it is closed", async () => {
  const kept: Uint8Array[] = [];
  const held = new ReplacedFiles({ clock: { now: () => 5_000 } }, async ({ bytes }) => {
    kept.push(bytes);
    return "found";
  });
  const first = replaced(Uint8Array.of(1));
  held.watch(place, "before", first);
  for (let more = 0; more < 64; more += 1) held.watch(place, "before", untouched());
  await held.look("now");
  expect(first.closed).toBeGreaterThan(0);
  expect([held.takeNotices(), kept]).toEqual(["found", [Uint8Array.of(1)]]);
});

it("what is found is told once, although two calls look at the same time", async () => {
  const held = new ReplacedFiles({ clock: { now: () => 5_000 } }, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return "found";
  });
  held.watch(place, "before", replaced(Uint8Array.of(1)));
  await Promise.all([held.look("now"), held.look("now")]);
  expect(held.takeNotices()).toBe("found");
});
