import { describe, expect, it } from "vitest";
import type { VisibleBlock } from "../../src/context/index.js";
import { deltaReads } from "../../src/economy/index.js";
import { hash } from "../context/support.js";

const path = "a.ts";
const old = hash("a");
const fresh = hash("b");

const lines = (count: number, name = "line") =>
  Array.from({ length: count }, (_, at) => `${name} number ${at + 1} of this file\n`);

const block = (from: number, text: readonly string[], sha256 = old): VisibleBlock => ({
  path,
  sha256,
  from,
  to: from + text.length - 1,
  text: text.join(""),
  nodeId: "shown",
});

const whole = (text: readonly string[]) => ({
  text: text.join(""),
  shows: [{ path, sha256: fresh, from: 1, to: text.length, start: 0, end: text.join("").length }],
});

/** The lines that need not be sent, and where they stand: `from-to=from`. */
function found(text: readonly string[], blocks: readonly VisibleBlock[]): readonly string[] {
  const repeats = deltaReads({ ...whole(text), blocks: () => blocks, versionOf: () => 1 });
  return repeats.map(({ from, to, as }) => `${from}-${to}=${as.from}`);
}

describe("a read that comes again", () => {
  const file = lines(40);

  it("is one reference where nothing has changed", () => {
    expect(found(file, [block(1, file)])).toEqual(["1-40=1"]);
  });

  it("shows the changed lines only", () => {
    const changed = file.with(19, "changed\n");
    expect(found(changed, [block(1, file)])).toEqual(["1-19=1", "21-40=21"]);
  });

  it("finds lines that moved, by their content", () => {
    expect(found(["new\n", "new too\n", ...file], [block(1, file)])).toEqual(["3-42=1"]);
  });

  it("takes together what several answers brought of one state", () => {
    expect(found(file, [block(1, file.slice(0, 25)), block(21, file.slice(20))])).toEqual(["1-40=1"]);
    expect(found(file, [block(5, file.slice(4, 25)), block(26, file.slice(25))])).toEqual(["5-40=5"]);
  });

  it("leaves runs of seven lines, and what would save less than two fifths", () => {
    expect(found(file.slice(0, 7), [block(1, file)])).toEqual([]);
    const other = lines(40, "other");
    expect(found([...file.slice(0, 16), ...other.slice(16)], [block(1, file)])).toEqual([]);
    expect(found([...file.slice(0, 24), ...other.slice(24)], [block(1, file)])).toEqual(["1-24=1"]);
  });

  it("needs the same bytes: endings and missing final newlines count", () => {
    expect(
      found(
        file.map((line) => line.replace("\n", "\r\n")),
        [block(1, file)],
      ),
    ).toEqual([]);
    const unended = file.with(39, file.at(-1)?.trimEnd() ?? "");
    expect(found(unended, [block(1, file)])).toEqual(["1-39=1"]);
  });

  it("knows nothing of another encoding", () => {
    expect(found(file, [{ ...block(1, file), encoding: "latin1" }])).toEqual([]);
  });

  it("goes through lines that are all alike in time that grows with their number", () => {
    const alike = Array.from({ length: 5_000 }, () => "}\n");
    expect(found(alike, [block(1, alike)])).toHaveLength(1);
  });
});
