import { describe, expect, it } from "vitest";
import type { ShownText } from "../../src/conversation/values/index.js";
import { call, hash, overlay, rendered, result, Tree, user } from "./support.js";

const path = "data.json";
const sha256 = hash("a");
const state = { path, sha256 };

/** A conversation whose one result shows these spans of its output. */
function read(output: string, shows: readonly ShownText[], rest: object = {}): Tree {
  return new Tree()
    .add("u", user("read it"))
    .add("c", call("A"))
    .add("r", result("A", output, { shows, ...rest }));
}

const part = (from: number, to: number, of: number, start: number, end: number): ShownText => ({
  ...state,
  from: 3,
  to: 3,
  start,
  end,
  chars: { from, to, of },
});

const line3 = { ...state, from: 3, to: 3 };

describe("a part of a long line", () => {
  it("is no line", () => {
    const { visibility, report } = rendered(read("[abcd]", [part(0, 4, 10, 1, 5)]));
    expect(visibility.isVisible(line3)).toBe(false);
    expect(visibility.isVisible({ ...state, from: 1, to: 0 })).toBe(true);
    expect(visibility.state(path, sha256)).toMatchObject({
      lines: [],
      parts: [{ line: 3, from: 0, to: 4, of: 10 }],
    });
    expect(report.dropped).toEqual([]);
  });

  it.each([
    ["that meet", [part(0, 4, 10, 0, 4), part(4, 10, 10, 5, 11)]],
    ["that overlap, in any order", [part(2, 10, 10, 3, 11), part(0, 4, 10, 0, 4)]],
  ])("is one with others %s, if they are all of it", (_, shows) => {
    const { visibility } = rendered(read("abcd-efghij", shows));
    expect(visibility.isVisible(line3)).toBe(true);
    expect(visibility.state(path, sha256)).toMatchObject({ lines: [{ from: 3, to: 3 }], parts: [] });
  });

  it("does not make up a line with a part of another, or of one of another length", () => {
    const first = part(0, 4, 8, 0, 4);
    const cases: readonly ShownText[] = [
      part(5, 8, 8, 4, 7),
      part(4, 9, 9, 4, 9),
      { ...part(4, 8, 8, 4, 8), from: 4, to: 4 },
    ];
    for (const other of cases) {
      const { visibility } = rendered(read("abcdefghij", [first, other]));
      expect(visibility.isVisible(line3)).toBe(false);
    }
  });

  it("counts characters as people do, not halves of them", () => {
    const whole = { ...part(0, 2, 2, 0, 4) };
    expect(rendered(read("😀😀", [whole])).visibility.isVisible(line3)).toBe(true);
  });

  it.each([
    ["of two lines", { ...part(0, 4, 4, 0, 4), to: 4 }],
    ["longer than the line", part(0, 4, 3, 0, 4)],
    ["of more characters than stand there", part(0, 4, 4, 0, 3)],
    ["that ends before it begins", part(4, 0, 4, 0, 0)],
  ])("is not believed %s", (_, shown) => {
    const { visibility, report } = rendered(read("abcdef", [shown]));
    expect(visibility.states()).toEqual([]);
    expect(report.dropped).toEqual([{ nodeId: "r", what: "wrong_lines" }]);
  });
});

describe("a numbered view", () => {
  it("shows its lines, one by one, without the numbers", () => {
    const output = "  1| one\n  2| \n  3| three\n";
    const shows = [
      { ...state, from: 1, to: 1, start: 5, end: 9 },
      { ...state, from: 2, to: 2, start: 14, end: 15 },
      { ...state, from: 3, to: 3, start: 20, end: 26 },
    ];
    const { visibility } = rendered(read(output, shows));
    expect(shows.map(({ start, end }) => output.slice(start, end))).toEqual(["one\n", "\n", "three\n"]);
    expect(visibility.state(path, sha256)?.lines).toEqual([{ from: 1, to: 3 }]);
    expect(visibility.isVisible({ ...state, from: 1, to: 3 })).toBe(true);
  });
});

describe("an encoding that the caller insisted on", () => {
  it("makes other lines of the same bytes", () => {
    const shown = { ...state, from: 1, to: 1, start: 0, end: 4 };
    const { visibility } = rendered(read("one\n", [{ ...shown, encoding: "utf-16le" }]));
    const asked = { ...state, from: 1, to: 1 };
    expect(visibility.isVisible(asked)).toBe(false);
    expect(visibility.isVisible({ ...asked, encoding: "utf-16le" })).toBe(true);
    expect(visibility.state(path, sha256, "utf-16le")?.encoding).toBe("utf-16le");
  });
});

describe("what a text speaks of", () => {
  const shows = [{ ...state, from: 1, to: 2, start: 0, end: 8 }];
  const refers = [{ ...state, from: 1, to: 2 }];
  const stubbed = () =>
    read("one\ntwo\n", shows)
      .add("d", call("B"))
      .add("s", result("B", "unchanged", { refers }));

  it("is looked for in this very prompt", () => {
    expect(rendered(stubbed()).report.broken).toEqual([]);
    const cleared = stubbed().add("o", overlay("r", { form: "replaced", by: "cleared", text: "[cleared]" }));
    expect(rendered(cleared).report.broken).toEqual([{ nodeId: "s", lines: refers[0] }]);
  });

  it("does not matter once the text itself is gone", () => {
    const hidden = stubbed()
      .add("o", overlay("r", { form: "hidden" }))
      .add("p", overlay("s", { form: "hidden" }));
    expect(rendered(hidden).report.broken).toEqual([]);
  });

  it("is that of the form in force", () => {
    const other = [{ ...state, from: 7, to: 9 }];
    const form = { form: "replaced", by: "delta", text: "+ nine", refers: other } as const;
    expect(rendered(stubbed().add("o", overlay("s", form))).report.broken).toEqual([
      { nodeId: "s", lines: other[0] },
    ]);
    const back = stubbed()
      .add("o", overlay("s", form))
      .add("p", overlay("s", { form: "original" }));
    expect(rendered(back).report.broken).toEqual([]);
  });
});
