import { expect, expectTypeOf, it } from "vitest";
import { defined } from "../../src/text/index.js";

it("leaves out what is undefined, and nothing else", () => {
  const title: string | undefined = undefined;
  const left = defined({ a: 1, title, none: null, no: false, zero: 0, empty: "" });
  expect(Object.entries(left)).toEqual([
    ["a", 1],
    ["none", null],
    ["no", false],
    ["zero", 0],
    ["empty", ""],
  ]);
});

it("makes optional what could have been undefined", () => {
  const of = (members: { readonly path: string; readonly title: string | undefined }) => defined(members);
  expectTypeOf<ReturnType<typeof of>>().toMatchTypeOf<{ readonly path: string; readonly title?: string }>();
});
