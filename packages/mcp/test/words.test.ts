import type { ToolName } from "@holdfast/core/tools";
import { describe, expect, test } from "vitest";
import { foreignNames } from "../../core/test/tools/door-words.js";
import { refusedCalls, refusedFiles } from "../../core/test/tools/refused-calls.js";
import { connect, type Ground, makeGround, type ServerOptions } from "./server-process.js";

/** No answer of a server names a tool or an argument that it does not offer. */
const only = (...tools: readonly ToolName[]): ServerOptions => ({ tools });
const servers: readonly (readonly [string, ServerOptions, readonly string[]])[] = [
  ["by default", {}, ["state_mismatch", "missing_base", "section_missing"]],
  ["as JSON", { wire: "json", resultContent: "full" }, ["state_mismatch", "not_found"]],
  ["with small answers as structured content", { structured: true }, ["not_found", "file_missing"]],
  ["that only reads", { readOnly: true }, ["file_missing", "too_large", "binary"]],
  [
    "of reading and editing",
    only("read_file", "edit_file"),
    ["not_found", "occurrence_mismatch", "not_read"],
  ],
  ["of the text editor", only("str_replace_based_edit_tool"), ["not_read", "Found", "Invalid"]],
  ["of the memory", only("memory"), ["outside_workspace", "No", "Invalid"]],
  ["of replace beside reading", only("read_file", "replace"), ["File", "Failed"]],
  ["of fs_write beside reading", only("read_file", "fs_write"), ["unencodable", "out_of_range"]],
  ["of change sets", only("read_file", "apply_changes"), ["missing_base"]],
];

describe.each(servers)("a server %s", (_, options, codes) => {
  test("names nothing else", async () => {
    const ground = await makeGround();
    const { client, call } = await connect("2025-11-25", ground, options);
    const { tools } = await client.listTools();
    const offered = new Set(tools.map(({ name }) => name));
    const own = tools.map(({ name, inputSchema }) => `${name} ${JSON.stringify(inputSchema)}`);
    const reached = new Set<string>();
    for (const { call: refused, first = [], meanwhile = {} } of refusedCalls) {
      const [name, args] = refused;
      if (!offered.has(name)) continue;
      await putAll(ground, refusedFiles);
      for (const [before, given] of first) if (offered.has(before)) await call(before, given);
      await putAll(ground, meanwhile);
      const { text, structured } = await call(name, args);
      // A file's text has no such names.
      expect([name, args, ...foreignNames(text, own)]).toEqual([name, args]);
      if (structured !== undefined) expect(JSON.stringify(structured)).toBe(text);
      reached.add(codeOf(text));
    }
    for (const code of codes) expect([...reached]).toContain(code);
  });
});

/** What a refusal is known by: its code; in a vendor's words, which have none, the first of them. */
function codeOf(text: string): string {
  const code = /^(?:OK|FAILED) \(([a-z_]+)\)/.exec(text) ?? /"code":"([a-z_]+)"/.exec(text);
  return code?.[1] ?? text.split(" ", 1)[0] ?? "";
}

async function putAll(ground: Ground, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await ground.put(path, content);
}
