import { isDeepStrictEqual } from "node:util";
import { isRefusal } from "@holdfast/core/files/values";
import { createScanner, getNodeValue, type ParseError, parseTree } from "jsonc-parser";
import { clientNames } from "../../addons/hosts/src/clients.js";
import { settingsFor } from "../../addons/hosts/src/setup/client-settings.js";
import { changeJsonText } from "../../addons/hosts/src/setup/list-elements.js";
import { changeSettings } from "../../packages/cli/src/config/change-settings.js";
import { ensure, isRecord, type Target } from "../target.js";

/**
 * The settings file of another program. Held against: a refusal, or a file that can be read, has our settings, all
 * else that it had and every comment; setting them again changes nothing.
 */
export const settings: Target = {
  name: "settings",
  words: [
    ...[
      '"mcpServers"',
      '"holdfast"',
      '"servers"',
      '"hooks"',
      '"PreToolUse"',
      '"PostToolUse"',
      '"BeforeTool"',
      "// a\n",
    ],
    ...[
      "/* b */",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"command"',
      '"args"',
      '["mcp"]',
      '"matcher"',
      "null",
      "\t",
      "\r\n",
    ],
    ...[
      '"__proto__"',
      '{"command":"node /x/holdfast.js guard"}',
      "\ufeff",
      '"\\ud800"',
      '"constructor"',
      "1e999",
    ],
  ],
  run(input) {
    for (const client of clientNames) {
      // Their settings are TOML and YAML, which tests of their own try.
      if (client === "codex" || client === "continue") continue;
      const program = { command: "node", args: ["/h/holdfast.js"] };
      const wished = settingsFor({
        client,
        project: false,
        tools: true,
        guard: true,
        allowReads: client !== "gemini",
        acceptEdits: true,
        program,
      });
      for (const file of new Set(wished.map((setting) => setting.file))) {
        const own = wished.filter((setting) => setting.file === file);
        const changed = changeJsonText(input, own, changeSettings);
        if (isRefusal(changed)) {
          ensure(changed.message.length < 1_000, "a refusal is short", changed.message);
          continue;
        }
        const [before, after] = [readValue(input) ?? {}, readValue(changed.text)];
        ensure(isRecord(before) && isRecord(after), "what was changed can be read", changed.text);
        for (const { path, among } of own) {
          const value = path.reduce<unknown>(
            (inner, key) => (isRecord(inner) ? inner[key] : undefined),
            after,
          );
          const isThere =
            among === undefined ? value !== undefined : Array.isArray(value) && value.some(among);
          ensure(isThere, "the setting is there", { path, text: changed.text });
        }
        const roots = new Set(own.map(({ path }) => path[0]));
        for (const key of Object.keys(before))
          if (!roots.has(key))
            ensure(isDeepStrictEqual(before[key], after[key]), "other settings stay", {
              key,
              text: changed.text,
            });
        const again = changeJsonText(changed.text, own, changeSettings);
        ensure(!isRefusal(again) && again.text === changed.text, "once is enough", {
          once: changed.text,
          again,
        });
        if (!/hooks|mcpServers|servers/.test(input)) checkComments(input, changed.text);
      }
    }
  },
};

/** The value as our setup reads it; undefined where it is no JSON with comments. */
function readValue(text: string): unknown {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  return errors.length > 0 || root === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(root)));
}

function checkComments(before: string, after: string): void {
  const kept = commentsIn(after);
  for (const comment of commentsIn(before))
    ensure(kept.includes(comment), "comments stay", { comment, after });
}

/**
 * Kinds of tokens of jsonc-parser: 12 a line comment, 13 a block, 17 the end. Its value of a comment begins one letter
 * too early.
 */
function commentsIn(text: string): readonly string[] {
  const scanner = createScanner(text);
  const found: string[] = [];
  for (let kind: number = scanner.scan(); kind !== 17; kind = scanner.scan())
    if (kind === 12 || kind === 13) found.push(text.slice(scanner.getTokenOffset(), scanner.getPosition()));
  return found;
}
