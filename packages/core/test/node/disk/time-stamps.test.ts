import { closeSync, openSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { OpenReplacedFile } from "../../../src/node/commit/stage.js";
import { isYoung, sha256 } from "../../../src/node/disk/reading.js";
import { freshFolder } from "../support.js";

it.each([
  [1_000.5, 1_000.55, true],
  [1_000.5, 1_000.7, false],
  [1_000, 1_002, true],
  [1_000, 1_002.2, false],
])("a stamp of %d s is young at %d s: %s", (stamp, now, young) => {
  vi.useFakeTimers({ toFake: ["Date"], now: now * 1_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(isYoung(BigInt(stamp * 1_000) * 1_000_000n)).toBe(young);
});

it("a write within the second of a coarse clock is found in a file that was replaced", () => {
  const path = join(freshFolder(), "f");
  const second = 1_700_000_000;
  vi.useFakeTimers({ toFake: ["Date"], now: second * 1_000 + 900 });
  onTestFinished(() => void vi.useRealTimers());
  writeFileSync(path, "theirs");
  utimesSync(path, second, second);
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const known = { size, mtimeNs, sha256: sha256(Buffer.from("before")) };
  const file = new OpenReplacedFile(openSync(path, "r"), known);
  onTestFinished(() => file.close());
  expect(Buffer.from(file.changedAtOnce() ?? []).toString()).toBe("theirs");
});

it("a write without a new time stamp is found in a large file, with turns for others", async () => {
  const path = join(freshFolder(), "f");
  const large = "theirs\n".repeat(200_000);
  writeFileSync(path, large);
  const stamp = 1_700_000_000.5;
  utimesSync(path, stamp, stamp);
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const file = new OpenReplacedFile(openSync(path, "r"), {
    size,
    mtimeNs,
    sha256: sha256(Buffer.from(large)),
  });
  onTestFinished(() => file.close());
  expect(await file.changedByHash()).toBeUndefined();
  writeFileSync(path, large.replace("theirs", "THEIRS"));
  utimesSync(path, stamp, stamp);
  let turns = 0;
  // A timer fires after a millisecond at least, which is longer than a quick machine needs.
  let turning = setImmediate(function turn() {
    turns += 1;
    turning = setImmediate(turn);
  });
  const found = await file.changedByHash();
  clearImmediate(turning);
  expect(Buffer.from(found ?? []).toString()).toMatch(/^THEIRS/);
  expect(turns).toBeGreaterThan(0);
});

it("a program that gives the time of writing back is seen by the time of the change", () => {
  const path = join(freshFolder(), "f");
  writeFileSync(path, "before");
  const stamp = 1_700_000_000.5;
  utimesSync(path, stamp, stamp);
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const known = { size, mtimeNs, sha256: sha256(Buffer.from("before")) };
  const file = new OpenReplacedFile(openSync(path, "r"), known);
  onTestFinished(() => file.close());
  expect(file.changed()).toBeUndefined();
  const { ctimeNs } = statSync(path, { bigint: true });
  // Where the clock is coarse, the next tick.
  while (statSync(path, { bigint: true }).ctimeNs === ctimeNs) {
    writeFileSync(path, "THEIRS".slice(0, 6));
    utimesSync(path, stamp, stamp);
  }
  expect(Buffer.from(file.changed() ?? []).toString()).toBe("THEIRS");
});

it("a file that is let go while it is hashed is not read under the number of another one", async () => {
  const path = join(freshFolder(), "f");
  const large = "theirs\n".repeat(200_000);
  writeFileSync(path, large);
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const file = new OpenReplacedFile(openSync(path, "r"), {
    size,
    mtimeNs,
    sha256: sha256(Buffer.from(large)),
  });
  const looking = file.changedByHash();
  file.letGo();
  writeFileSync(path, "another");
  const other = openSync(path, "r");
  onTestFinished(() => closeSync(other));
  expect(await looking).toBeUndefined();
});
