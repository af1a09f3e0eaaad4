import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { changeSettings, type Setting } from "../../src/config/change-settings.js";

function changed(text: string, settings: readonly Setting[]): string {
  const done = changeSettings(text, settings);
  if (done.kind === "refusal") throw new Error(done.message);
  return done.text;
}

const model = ["model", "name"];

/** Before, the member and its value, and after: what stood there stands there still. */
const added: readonly (readonly [string, string, readonly string[], unknown, string])[] = [
  [
    "a comment behind a trailing comma",
    '{"limits": {"maxTurns": 5, }, // trailing\n}\n',
    model,
    "x/y",
    '{"limits": {"maxTurns": 5, }, // trailing\n  "model": {\n    "name": "x/y"\n  },\n}\n',
  ],
  [
    "an object on one line",
    '{"shell": {"enabled": true}}\n',
    ["shell", "timeoutMs"],
    5,
    '{"shell": {"enabled": true, "timeoutMs": 5}}\n',
  ],
  [
    "a neighbour on one line",
    '{\r\n\t"shell": {"enabled": true} // why\r\n}\r\n',
    model,
    "x/y",
    '{\r\n\t"shell": {"enabled": true}, // why\r\n\t"model": {\r\n\t\t"name": "x/y"\r\n\t}\r\n}\r\n',
  ],
  [
    "a trailing comma on one line",
    '{"limits": {"maxTurns": 5, }}',
    ["limits", "maxCostUsd"],
    1,
    '{"limits": {"maxTurns": 5, "maxCostUsd": 1 }}',
  ],
  [
    "a comma below a comment",
    '{\n  "limits": {} // a\n  , /* b */ // c\n  // d\n}',
    model,
    "x/y",
    '{\n  "limits": {} // a\n  , /* b */ // c\n  "model": {\n    "name": "x/y"\n  },\n  // d\n}',
  ],
  [
    "a brace behind the last member",
    '{\n  "limits": {"maxTurns": 5}}',
    model,
    "x/y",
    '{\n  "limits": {"maxTurns": 5},\n  "model": {\n    "name": "x/y"\n  }}',
  ],
];

describe("a member that is put into a file", () => {
  it.each(added)("leaves %s as it is", (_, before, path, value, after) => {
    expect(changed(before, [{ path: [...path], value }])).toBe(after);
    const [section = "", name = ""] = path;
    expect(parse(after)[section][name]).toBe(value);
  });
});

const without = (text: string, path: readonly string[]) => changed(text, [{ path }]);

/** Before, the member, and after: what stood there stands there still. */
const taken: readonly (readonly [string, string, readonly string[], string])[] = [
  [
    "a comment about the member before",
    '{\n  "a": 1, // why\n  "b": 2\n}\n',
    ["b"],
    '{\n  "a": 1 // why\n}\n',
  ],
  ["a comment above", '{\n  // about b\n  "b": 2,\n  "c": 3\n}\n', ["b"], '{\n  // about b\n  "c": 3\n}\n'],
  ["a comment behind", '{\n  "b": 2, // why\n  "c": 3\n}\n', ["b"], '{\n   // why\n  "c": 3\n}\n'],
  ["a trailing comma", '{\n  "a": 1,\n  "b": 2,\n}\n', ["b"], '{\n  "a": 1,\n}\n'],
  ["line breaks of Windows", '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}\r\n', ["b"], '{\r\n\t"a": 1\r\n}\r\n'],
  ["an odd layout", '{ "a" :1,"b":  [ 2 ],\n\n "c":3}', ["b"], '{ "a" :1,\n\n "c":3}'],
  ["the first on one line", '{ "a": 1, "b": 2 }', ["a"], '{ "b": 2 }'],
  ["the last on one line", '{"a": 1, "b": 2}', ["b"], '{"a": 1}'],
  ["the only one on one line", '{ "a": 1 }', ["a"], "{ }"],
  ["the only one on its line", '{\n  "a": 1\n}\n', ["a"], "{\n}\n"],
  [
    "a section around it",
    '{\n  "m": {\n    "n": "x" /* y */\n  }\n}\n',
    ["m", "n"],
    '{\n  "m": {\n     /* y */\n  }\n}\n',
  ],
  ["a value of several lines", '{\n  "a": {\n    "b": 1\n  },\n  "c": 3\n}\n', ["a"], '{\n  "c": 3\n}\n'],
  ["a comma below a comment", '{\n  "a": 1 // a\n  , "b": 2\n}', ["a"], '{\n   // a\n   "b": 2\n}'],
];

describe("a member that is taken out of a file", () => {
  it.each(taken)("leaves %s as it is", (_, before, path, after) => {
    expect(without(before, path)).toBe(after);
  });

  it("is taken out alone, whatever the layout", () => {
    const layout = fc.constantFrom("", " ", "\n", "\r\n  ", "\n\t", " /* c */ ", " // c\n");
    const value = fc.constantFrom<unknown>(1, "a, } // b", [1, 2], { x: {} }, null);
    const members = fc.array(fc.tuple(value, layout, layout, layout), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(members, fc.nat(3), fc.boolean(), layout, (list, pick, trailing, end) => {
        const parts = list.map(
          ([one, before, colon, behind], at) => `${before}"k${at}":${colon}${JSON.stringify(one)}${behind}`,
        );
        const text = `{${parts.join(",")}${trailing ? "," : ""}${end}}`;
        const name = `k${pick % list.length}`;
        const after = without(text, [name]);
        const wanted = { ...parse(text) };
        delete wanted[name];
        expect(parse(after, undefined, { allowTrailingComma: true })).toEqual(wanted);
        const comments = /\/\* c \*\/|\/\/ c/g;
        const inside = list[pick % list.length]?.[2].match(comments)?.length ?? 0;
        expect(after.match(comments)?.length ?? 0).toBe((text.match(comments)?.length ?? 0) - inside);
      }),
    );
  });

  it("that is not there changes nothing", () => {
    for (const text of ["", "// none\n", "{}", '{"a": {}}']) expect(without(text, ["a", "b"])).toBe(text);
  });
});
