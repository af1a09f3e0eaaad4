import { describe, expect, it } from "vitest";
import { ContextRenderer, type RenderOptions } from "../../src/context/index.js";
import { call, file, hash, overlay, rendered, result, Tree, user } from "./support.js";

const path = "src/a.ts";
const sha256 = hash("a");
const shows = (from: number, to: number, start: number, end: number) => ({
  shows: [{ path, sha256, from, to, start, end }],
});

const read = () =>
  new Tree()
    .add("u", user("read it"))
    .add("c", call("A"))
    .add("r", result("A", "one\ntwo\n", shows(1, 2, 0, 8)))
    .add("f", file("four\n", { form: "window", lines: { from: 4, to: 4, total: 9 } }));

const linesOf = (tree: Tree, options: RenderOptions = {}) =>
  rendered(tree, options).visibility.state(path, sha256)?.lines;

describe("visibility", () => {
  it("joins lines that meet, wherever they stand", () => {
    expect(linesOf(read())).toEqual([
      { from: 1, to: 2 },
      { from: 4, to: 4 },
    ]);
    const closed = read().add("g", file("three\n", { form: "window", lines: { from: 3, to: 3, total: 9 } }));
    expect(linesOf(closed)).toEqual([{ from: 1, to: 4 }]);
    expect(rendered(closed).visibility.isVisible({ path, sha256, from: 1, to: 4 })).toBe(true);
  });

  it("knows states apart, and what is beyond the lines", () => {
    const { visibility } = rendered(read());
    expect(visibility.isVisible({ path, sha256, from: 1, to: 3 })).toBe(false);
    expect(visibility.isVisible({ path, sha256: hash("b"), from: 1, to: 2 })).toBe(false);
    expect(visibility.isVisible({ path: "src/b.ts", sha256, from: 1, to: 2 })).toBe(false);
  });

  it("forgets what was hidden, and takes what an overlay shows instead", () => {
    expect(linesOf(read().add("o", overlay("r", { form: "hidden" })))).toEqual([{ from: 4, to: 4 }]);
    const form = { form: "replaced", by: "delta", text: "+ seven\n", ...shows(7, 7, 2, 8) } as const;
    expect(linesOf(read().add("o", overlay("r", form)))).toEqual([
      { from: 4, to: 4 },
      { from: 7, to: 7 },
    ]);
    const cleared = { form: "replaced", by: "cleared", text: "[cleared]" } as const;
    expect(linesOf(read().add("o", overlay("f", cleared)))).toEqual([{ from: 1, to: 2 }]);
  });
});

describe("a renderer", () => {
  it("takes what it knows over, and can forget it", () => {
    const tree = read();
    const renderer = new ContextRenderer();
    const before = renderer.render(tree.context).contents;
    tree.add("v", user("and now?"));
    const after = renderer.render(tree.context).contents;
    expect(after[1]).toBe(before[1]);
    renderer.forget();
    const anew = renderer.render(tree.context).contents;
    expect(anew).toEqual(after);
    expect(anew[1]).not.toBe(before[1]);
  });
});
