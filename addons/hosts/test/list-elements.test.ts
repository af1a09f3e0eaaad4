import fc from "fast-check";
import { type ParseError, parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { changeSettings } from "../../../packages/cli/src/config/change-settings.js";
import type { Setting } from "../src/setup/client-settings.js";
import { changeJsonText } from "../src/setup/list-elements.js";

function changed(text: string, settings: readonly Setting[]): string {
  const done = changeJsonText(text, settings, changeSettings);
  if (done.kind === "refusal") throw new Error(done.message);
  return done.text;
}

const server: Setting = {
  file: "settings.json",
  path: ["mcpServers", "holdfast"],
  value: { command: "node", args: ["x"] },
};
/** As `holdfast setup claude --guard` puts them in: an element of our own in a list of hooks. */
const hooks: readonly Setting[] = ["PreToolUse", "PostToolUse"].map((moment) => ({
  file: "settings.json",
  path: ["hooks", moment],
  value: { matcher: "Read|Write|Edit", hooks: [{ type: "command", command: "node holdfast.js guard" }] },
  among: (element) => /holdfast[^"]* guard"/.test(JSON.stringify(element)),
}));

const removed = (text: string, settings: readonly Setting[]) =>
  changed(
    text,
    settings.map(({ value: _, ...setting }) => setting),
  );

/** What a person has: setup and `--remove` leave these very bytes. */
const whole = [
  '{\n  "a": 1 // why\n}\n',
  '{\n  "a": 1, // why\n}\n',
  '{\n  "a": 1 // why\n  , /* b */ // c\n  // d\n}',
  '{"a": {"b": 2}}\n',
  '{\r\n\t"a": [1] /* x */\r\n}\r\n',
  '{\n  "a": {"b": 5}}',
  '// mine\n{\n    "a": 1,\n\n    // last\n    "mcpServers": {\n        "db": {}\n    }\n}\n',
  '{ "a": 1,\n  "mcpServers": { "db": {} } }\n',
  '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
];

/** Before and after: what stands beside ours stays as it is. */
const beside: readonly (readonly [string, string, string])[] = [
  ["first of a line", '{"mcpServers": {"holdfast": {}, "db": 1}}', '{"mcpServers": {"db": 1}}'],
  ["first of several lines", '{\n  "mcpServers": {"holdfast": {}},\n  "b": 1\n}', '{\n  "b": 1\n}'],
  [
    "a comment behind it",
    '{\n  "b": 1,\n  "mcpServers": {"holdfast": {}} // c\n}',
    '{\n  "b": 1\n   // c\n}',
  ],
  [
    "a comment before its comma",
    '{"mcpServers": {"holdfast": {} /* c */, "b": 1}}',
    '{"mcpServers": { /* c */ "b": 1}}',
  ],
  ["a comment with it", '{"mcpServers": {"holdfast": {} /* c */}}', '{"mcpServers": { /* c */}}'],
  [
    "a comment above the brace",
    '{\n  "b": 1, // c\n  "mcpServers": {"holdfast": {}}}',
    '{\n  "b": 1 // c\n  }',
  ],
  ["an empty object that was there before", '{"mcpServers": {}}', '{"mcpServers": {}}'],
  ["all of it", '{\n  "mcpServers": {\n    "holdfast": {},\n  },\n}\n', "{\n}\n"],
];

describe("a setting of ours that is taken out", () => {
  it.each(whole)("leaves %j as it was before it was put in", (text) => {
    for (const settings of [[server], hooks, [server, ...hooks]])
      expect(removed(changed(text, settings), settings)).toBe(text);
  });

  it.each(beside)("leaves %s", (_, before, after) => {
    expect(removed(before, [server])).toBe(after);
    const errors: ParseError[] = [];
    parse(after, errors, { allowTrailingComma: true });
    expect(errors).toEqual([]);
  });

  it("leaves elements of others, and hooks beside ours, with their comments and layout", () => {
    const ours = '{ "command": "npx holdfast guard" }';
    const before = `{"hooks": {"PreToolUse": [ {"hooks": [${ours}]}, {"hooks": [ {"command":"a"}, /* b */ ${ours} ]} /* c */ ]}}`;
    expect(removed(before, hooks)).toBe(
      '{"hooks": {"PreToolUse": [ {"hooks": [ {"command":"a"} /* b */ ]} /* c */ ]}}',
    );
  });

  it("leaves JSON in which it is not, whatever stands between", () => {
    const gap = fc.constantFrom("", " ", "\n  ", " // c\n", "/* d */", "\r\n\t");
    const name = fc.constantFrom("a", "mcpServers", "hooks");
    const value = fc.constantFrom(
      "{}",
      '{ "holdfast": {} }',
      '{"db": 1,\n"holdfast": {}/* e */,}',
      '{"PreToolUse": [ {"hooks": [{"command": "holdfast guard"} // f\n]}, 1 ]}',
    );
    const members = fc.uniqueArray(fc.tuple(gap, name, gap, value, gap), {
      maxLength: 3,
      selector: (one) => one[1],
    });
    fc.assert(
      fc.property(members, gap, (all, end) => {
        const written = all.map(
          ([before, key, colon, inner, after]) => `${before}"${key}":${colon}${inner}${after}`,
        );
        const errors: ParseError[] = [];
        const text = removed(`{${written.join(",")}${end}}`, [server, ...hooks]);
        const left = parse(text, errors, { allowTrailingComma: true });
        expect([text, errors]).toEqual([text, []]);
        expect(left.mcpServers?.holdfast).toBeUndefined();
        expect(JSON.stringify(left.hooks ?? {})).not.toContain("guard");
      }),
    );
  });

  it("takes the place of ours of old, and leaves hooks of others where they are", () => {
    const [first] = hooks;
    const before =
      '{"hooks": {"PreToolUse": [{"hooks": [{"command": "npx holdfast guard"}, {"command": "a"}]}, 1]}}';
    const now = parse(changed(before, [first!])).hooks.PreToolUse;
    expect(now).toEqual([{ hooks: [{ command: "a" }] }, 1, first!.value]);
    const alone = '{"hooks": {"PreToolUse": [{"hooks": [{"command": "npx holdfast guard"}]}, 1]}}';
    expect(parse(changed(alone, [first!])).hooks.PreToolUse).toEqual([first!.value, 1]);
  });

  it("is refused where something else than a list stands", () => {
    const done = changeJsonText('{"hooks": {"PreToolUse": {}}}', hooks, changeSettings);
    expect(done).toMatchObject({ kind: "refusal", code: "invalid_arguments" });
    expect(done).toHaveProperty("message", "The file is left alone: its hooks.PreToolUse is not a list.");
  });
});
