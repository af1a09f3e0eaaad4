import * as fc from "fast-check";
import { expect, test } from "vitest";
import { joinLines, splitLines } from "../../src/text/index.js";
import { runTool, type ToolReply } from "../../src/tools/index.js";
import type { Call } from "../reproductions/scene.js";
import { sha } from "../support.js";
import { openMemory } from "./ground.js";

/** Whatever a tool answers, the lines that its reply says it shows stand there, byte for byte. */
const piece = fc.constantFrom(
  ...["a", "b", "# H", "<file", "</file>", "```", "é", "🦊", "", "  x", "\u2028", "line"],
);
const line = fc
  .tuple(piece, fc.nat(30))
  .map(([text, number]) => `${text}${number > 25 ? text.repeat(300) : number}`);
const content = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n", "\r")), { minLength: 1, maxLength: 30 })
  .chain((lines) => {
    const text = lines.map((parts) => parts.join("")).join("");
    return fc.constantFrom(text, text.replace(/[\r\n]+$/, ""));
  });

/** One step: something that the caller asks for, or that somebody else does. */
interface Step {
  readonly tool: string;
  readonly text: string;
  readonly at: number;
  readonly isBlind: boolean;
}
const tools = [
  ...["read_file", "read_file", "read_many_files", "safe_patch", "edit_file", "write_file", "append_to_file"],
  ...["prepend_to_file", "insert_lines", "update_section", "undo_edit", "apply_changes", "search_files"],
  ...["str_replace_based_edit_tool", "memory", "replace", "fs_write", "others", "others"],
];
const step: fc.Arbitrary<Step> = fc.record({
  tool: fc.constantFrom(...tools),
  text: content,
  at: fc.nat(20),
  isBlind: fc.boolean(),
});
const form = fc.record({
  wire: fc.constantFrom("text" as const, "text" as const, "json" as const),
  resultContent: fc.constantFrom(...(["full", "auto", "auto", "changed", "none"] as const)),
  budgetChars: fc.constantFrom(120, 500, 2_000, 262_144),
});

/** A long run draws anew; the short one draws what reaches the codes below. */
const runs = Number(process.env.HOLDFAST_RUNS ?? 80);
const seed = process.env.HOLDFAST_RUNS === undefined ? 13 : Date.now() | 0;

test("shows name the bytes that stand there, for every tool and form", async () => {
  const codes = new Set<string>();
  const shown = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      content,
      fc.array(step, { minLength: 4, maxLength: 10 }),
      form,
      async (first, steps, options) => {
        const path = "memories/f.md";
        const guards = { strictView: first.length % 2 === 0 };
        const { workspace, put, get } = openMemory({ [path]: first }, { guards });
        const states = new Map<string, string>();
        const note = () => {
          for (const text of [get(path), get("none")]) states.set(sha(text), text);
          return get(path);
        };
        let last = first;
        for (const one of steps) {
          const now = note();
          if (one.tool === "others") {
            put(path, changed(now, one));
            note();
            continue;
          }
          const reply = await runTool(...callOf(one, one.isBlind ? last : now), { workspace, ...options });
          note();
          last = now;
          codes.add(reply.code);
          if (reply.shows.length > 0) shown.add(`${one.tool} ${reply.code}`);
          expect(reply.text.length).toBeLessThanOrEqual(options.budgetChars);
          check(reply, states, options.wire);
        }
      },
    ),
    { numRuns: runs, seed },
  );
  for (const code of ["ok", "applied", "state_mismatch", "unseen_lines"]) expect(codes).toContain(code);
  for (const seen of ["edit_file state_mismatch", "read_file ok", "read_many_files ok", "edit_file applied"])
    expect([...shown]).toContain(seen);
});

function check({ shows, text }: ToolReply, states: ReadonlyMap<string, string>, wire: string): void {
  if (wire === "json") expect(shows).toEqual([]);
  for (const { sha256, from, to, start, end, chars } of shows) {
    const state = states.get(sha256);
    expect(state).toBeDefined();
    const lines = splitLines(state ?? "");
    const line = [...(lines.contents[from - 1] ?? "")];
    const whole =
      chars === undefined ? joinLines(lines, from - 1, to) : line.slice(chars.from, chars.to).join("");
    if (chars !== undefined) expect(chars.of).toBe(line.length);
    expect(text.slice(start, end)).toBe(whole);
  }
}

/** A line changed, taken out, or put in. */
function changed(text: string, { at, text: fresh }: Step): string {
  const lines = splitLines(text);
  const place = at % Math.max(1, lines.contents.length);
  const [line = "x"] = fresh.split(/\r|\n/);
  const rest = place + (at % 3 === 0 ? 0 : 1);
  const middle = at % 3 === 1 ? "" : `${line}\n`;
  return joinLines(lines, 0, place) + middle + joinLines(lines, rest);
}

function callOf({ tool, text, at }: Step, base: string): Call {
  const file_path = "memories/f.md";
  const lines = splitLines(base);
  const old = lines.contents[at % Math.max(1, lines.contents.length)] ?? "";
  const [fresh = ""] = text.split(/\r|\n/);
  const edits = [{ old_string: old, new_string: fresh }];
  const named = { file_path, base_content_sha256: sha(base) };
  const args: Readonly<Record<string, Call[1]>> = {
    read_file: at > 10 ? { file_path, offset: at - 10, limit: 4 } : { file_path },
    read_many_files: { paths: [file_path, "none"] },
    safe_patch: { ...named, unified_diff: `@@ -${at},1 +${at},1 @@\n-${old}\n+${fresh}\n` },
    edit_file: at % 2 === 0 ? { ...named, edits } : { file_path, edits },
    write_file: { ...named, content: text },
    append_to_file: { file_path, content: text },
    prepend_to_file: { file_path, content: text },
    insert_lines: { ...named, after_line: at, content: text },
    update_section: { file_path, section_header: old, new_content: text },
    undo_edit: { file_path },
    apply_changes: {
      changes: [
        { ...named, edits },
        { file_path: "none", content: fresh },
      ],
    },
    search_files: { pattern: "a", context: 2 },
    str_replace_based_edit_tool:
      at > 10
        ? { command: "view", path: file_path, view_range: [at - 10, at] }
        : { command: "str_replace", path: file_path, old_str: old, new_str: fresh },
    memory: { command: "str_replace", path: `/${file_path}`, old_str: old, new_str: fresh },
    replace: { file_path, old_string: old, new_string: fresh },
    fs_write: { command: "insert", path: file_path, insert_line: at, new_str: text },
  };
  return [tool, args[tool] ?? {}];
}
