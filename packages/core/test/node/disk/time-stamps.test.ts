import { openSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { OpenReplacedFile } from "../../../src/node/commit/replaced-file.js";
import { sha256 } from "../../../src/node/disk/digest.js";
import { isYoung } from "../../../src/node/disk/time-stamps.js";
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
  expect(Buffer.from(file.changed("sure") ?? []).toString()).toBe("theirs");
});

it("a look while the stamp is young does not make it tell", () => {
  const path = join(freshFolder(), "f");
  const stamp = 1_700_000_000.5;
  const now = (ms: number) => vi.setSystemTime(stamp * 1_000 + ms);
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const large = "theirs\n".repeat(200_000);
  const put = (text: string) => {
    writeFileSync(path, text);
    utimesSync(path, stamp, stamp);
  };
  now(10);
  put(large);
  const { size, mtimeNs } = statSync(path, { bigint: true });
  const file = new OpenReplacedFile(openSync(path, "r"), {
    size,
    mtimeNs,
    sha256: sha256(Buffer.from(large)),
  });
  onTestFinished(() => file.close());
  expect(file.changed("sure")).toBeUndefined();
  put(large.replace("theirs", "THEIRS"));
  now(1_500);
  expect(Buffer.from(file.changed("sure") ?? []).toString()).toMatch(/^THEIRS/);
});
