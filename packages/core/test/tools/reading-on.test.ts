import { runTool } from "@holdfast/core/tools";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ground, sha } from "../support.js";
import { openMemory } from "./ground.js";

const runs = { numRuns: Number(process.env.HOLDFAST_RUNS ?? 50), seed: 34 };

/** A line, now and then far longer than any answer. */
const line = fc
  .tuple(
    fc.constantFrom("a", "日本", "😀", "x y\t"),
    fc.oneof({ weight: 9, arbitrary: fc.nat(30) }, fc.integer({ min: 3_000, max: 9_000 })),
  )
  .map(([word, times]) => word.repeat(times));

it("reaches every line of any file by what the answers say", async () => {
  const cases = fc.tuple(
    fc.array(line, { minLength: 1, maxLength: 60 }),
    fc.boolean(),
    fc.integer({ min: 3_000, max: 20_000 }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([lines, isEnded, budgetChars]) => {
      const text = lines.join("\n") + (isEnded ? "\n" : "");
      const on = await ground({ f: text });
      let seen = "";
      let next: object | undefined = { offset: 1 };
      for (let reads = 0; next !== undefined && reads < 1_000; reads++) {
        const { text: answer } = await runTool(
          "read_file",
          { file_path: "f", ...next },
          { workspace: on.workspace, budgetChars },
        );
        const header = /^<file(\S*) [^\n]* end="([^\n]*)">\n/.exec(answer);
        if (header === null) break;
        const [head, , end = ""] = header;
        seen += answer.slice(head.length, answer.indexOf(end, head.length));
        next = pointer(head);
      }
      // A part of a line comes without its terminator.
      expect(seen.replaceAll("\n", "")).toBe(text.replaceAll("\n", ""));
    }),
    runs,
  );
});

/** Where the next read begins by the header of one answer; undefined at the end. */
function pointer(header: string): object | undefined {
  const number = (name: string, part: RegExp) =>
    Number(new RegExp(`${name}="${part.source}"`).exec(header)?.[1]);
  const [total, from, to] = [
    number("total_lines", /(\d+)/),
    number("lines", /(\d+)-\d+/),
    number("lines", /\d+-(\d+)/),
  ];
  const [char, of] = [number("chars", /\d+-(\d+) of \d+/), number("chars", /\d+-\d+ of (\d+)/)];
  if (char < of) return { offset: from, char_offset: char };
  return to < total ? { offset: to + 1 } : undefined;
}

it("mixes the line endings of no file that had one kind, by any tool", async () => {
  const ending = fc.constantFrom("\n", "\r\n", "\r");
  const content = fc.array(fc.constantFrom("x", "y z", ""), { minLength: 1, maxLength: 4 });
  // A lone return of a new text is content, which no tool changes.
  const cases = fc.tuple(ending, fc.constantFrom("\n", "\r\n"), ending, content, fc.boolean(), fc.boolean());
  await fc.assert(
    fc.asyncProperty(cases, async ([own, given, other, words, isEnded, isGivenEnded]) => {
      const before = ["# a", "one", "two", "## b", "three"].join(own) + (isEnded ? own : "");
      const text = words.join(given) + (isGivenEnded ? given : "");
      const base_content_sha256 = sha(before);
      const moved = words.map((word) => `>${word}${other}`).join("") + other;
      const added = words.map((word) => `+${word}`).join(given);
      const calls: readonly (readonly [string, object])[] = [
        ["edit_file", { edits: [{ old_string: "two", new_string: text }] }],
        ["edit_file", { edits: [{ lines: "2-3", new_string: text }] }],
        ["edit_file", { edits: [{ lines: "after 5", new_string: text }] }],
        [
          "safe_patch",
          {
            unified_diff: `@@ -2,2 +2,${1 + words.length} @@${given} one${given}-two${given}${added}${given}`,
          },
        ],
        ["append_to_file", { content: text }],
        ["prepend_to_file", { content: text }],
        ["insert_lines", { after_line: 2, content: text }],
        ["update_section", { section_header: "## b", new_content: text }],
        ["write_file", { content: text }],
        [
          "move_lines",
          {
            file_path: "g",
            lines: "1-2",
            base_content_sha256: sha(moved),
            to: "f",
            to_base_content_sha256: base_content_sha256,
            after: "end",
          },
        ],
      ];
      for (const [tool, args] of calls) {
        const on = openMemory({ f: before, g: moved });
        await on.workspace.read({ path: "f" });
        await on.workspace.read({ path: "g" });
        await runTool(tool, { file_path: "f", base_content_sha256, ...args }, { workspace: on.workspace });
        const after = on.get("f");
        const kinds = [/\r\n/, /(^|[^\r])\n/, /\r(?!\n)/].filter((kind) => kind.test(after));
        expect({ tool, after, isMixed: kinds.length > 1 }).toEqual({ tool, after, isMixed: false });
        if (tool === "move_lines") expect(after).toContain(">");
      }
    }),
    runs,
  );
});

it("globs among the paths, and a list of globs in one text, are taken as what they are", async () => {
  const on = await ground({
    "src/a.ts": "needle a\n",
    "src/b.tsx": "needle b\n",
    "src/c,d.ts": "needle c\n",
    "x*.md": "star\n",
  });
  const call = async (name: string, args: object) =>
    (await runTool(name, args, { workspace: on.workspace })).text;
  expect(await call("read_many_files", { paths: ["src/*.ts", "x*.md"] })).toMatch(
    /needle a[\s\S]*needle c[\s\S]*star/,
  );
  expect(await call("read_many_files", { paths: ["src/a.ts", "lib/{a,b}.ts"] })).toContain("needle a");
  for (const glob of ["*.ts,*.tsx", "*.ts, *.tsx", "c,d.ts"])
    expect([glob, await call("search_files", { pattern: "needle", glob })]).toEqual([
      glob,
      expect.stringMatching(glob === "c,d.ts" ? /^.*1 match/ : /^.*3 matches/),
    ]);
  expect(await call("search_files", { pattern: "needle", glob: "/lib/**" })).toContain(
    "links are not followed",
  );
});
