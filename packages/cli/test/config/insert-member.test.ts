import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { changeSettings } from "../../src/config/change-settings.js";

const model = ["model", "name"];

/** Before, the member and its value, and after: what stood there stands there still. */
const cases: readonly (readonly [string, string, readonly string[], unknown, string])[] = [
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
  it.each(cases)("leaves %s as it is", (_, before, path, value, after) => {
    const changed = changeSettings(before, [{ path: [...path], value }]);
    expect(changed).toEqual({ kind: "changed", text: after });
    const [section = "", name = ""] = path;
    expect(parse(after)[section][name]).toBe(value);
  });
});
