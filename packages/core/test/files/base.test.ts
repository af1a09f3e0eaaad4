import { describe, expect, it } from "vitest";
import { resolveBase } from "../../src/files/values/base.js";
import { currentBase, emptySha256 } from "../../src/files/values/index.js";
import { sha } from "../support.js";

const [disk, older, other] = [sha("disk"), sha("older"), sha("other")];
const twin = `${older.slice(0, 20)}${"0".repeat(44)}`;

type Known = readonly [string, Parameters<typeof resolveBase>[0], string | null, readonly string[], object];

describe("a base", () => {
  it.each<Known>([
    ["nothing", undefined, disk, [], { kind: "none" }],
    ["the word for whatever is there", currentBase, disk, [], { kind: "current" }],
    ["the disk's hash", disk, disk, [], { kind: "matches" }],
    [
      "the disk's hash in capitals with its label",
      `SHA256:${disk.toUpperCase()}`,
      disk,
      [],
      { kind: "matches" },
    ],
    ["12 digits of the disk's hash", disk.slice(0, 12), disk, [], { kind: "matches" }],
    ["a known older state", older, disk, [older], { kind: "stale", sha256: older }],
    [
      "12 digits of a known older state",
      older.slice(0, 12),
      disk,
      [older, other],
      { kind: "stale", sha256: older },
    ],
    ["a hash that nobody knows", other, disk, [older], { kind: "unknown", given: other }],
    ["no content, where there is no file", emptySha256, null, [], { kind: "matches" }],
    ["no content, where there is some", emptySha256, disk, [], { kind: "stale", sha256: emptySha256 }],
    ["a hash, where the file is gone", older, null, [older], { kind: "stale", sha256: older }],
  ])("that is %s", (_, given, onDisk, known, verdict) => {
    expect(resolveBase(given, onDisk, () => known)).toEqual(verdict);
  });

  it.each([
    ["too short", disk.slice(0, 11)],
    ["too long", `${disk}0`],
    ["no hash", "HEAD~1 please, ok"],
    ["empty", ""],
    ["the beginning of two states", older.slice(0, 12)],
    ["the beginning of the disk's state and of another one", disk.slice(0, 12)],
  ])("that is %s is refused", (_, given) => {
    expect(
      resolveBase(given, disk, () => [older, twin, `${disk.slice(0, 20)}${"0".repeat(44)}`]),
    ).toMatchObject({
      kind: "refusal",
      code: "invalid_hash",
    });
  });
});
