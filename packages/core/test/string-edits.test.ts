import { chmodSync, linkSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolName } from "../src/tools/index.js";
import { ground } from "./support.js";

/**
 * Probes on which other tools for exact edits were seen to fail (bytes lost, the wrong place taken, a
 * mismatch let through). Each runs through `edit_file`, `replace`, `replace` with `match: flexible`, and
 * the text editor, on a file that was read.
 */
interface Probe {
  readonly name: string;
  readonly before: string | Uint8Array;
  readonly old: string;
  readonly fresh: string;
  /** The file afterwards; undefined where the edit must be refused. */
  readonly after?: string | Uint8Array;
  /** Where the forgiving mode may do what the exact one must not. */
  readonly flexible?: string;
}

const latin = (text: string) => Buffer.from(text, "latin1");

const probes: readonly Probe[] = [
  { name: "a duplicate is refused", before: "a = 1\nb\na = 1\n", old: "a = 1", fresh: "a = 2" },
  {
    name: "lines of mixed endings keep theirs",
    before: "one\r\ntwo\nthree\r\nfour\n",
    old: "three",
    fresh: "THREE",
    after: "one\r\ntwo\nTHREE\r\nfour\n",
  },
  {
    name: "a CRLF file stays one",
    before: "a\r\nb\r\n",
    old: "a\nb\n",
    fresh: "a\nx\nb\n",
    after: "a\r\nx\r\nb\r\n",
  },
  { name: "the final newline can be taken away", before: "a\nb\n", old: "b\n", fresh: "b", after: "a\nb" },
  { name: "and added", before: "a\nb", old: "b", fresh: "b\n", after: "a\nb\n" },
  {
    name: "other lines are left alone, trailing blanks and all",
    before: "x  \n\tb\n“c”  \n",
    old: "\tb",
    fresh: "\tB",
    after: "x  \n\tB\n“c”  \n",
  },
  {
    name: "two blanks at the end of a new line stay",
    before: "a\nb\n",
    old: "a",
    fresh: "a  ",
    after: "a  \nb\n",
  },
  { name: "the byte order mark stays", before: "\ufeffa\nb\n", old: "a", fresh: "A", after: "\ufeffA\nb\n" },
  { name: "blanks in a literal count", before: 'f("a b");\n', old: 'f("a  b");', fresh: "g();" },
  { name: "a newline is no blank", before: "return a + b;\n", old: "return a +\nb;", fresh: "return c;" },
  {
    name: "a stale value is never taken for the present one",
    before: "const retries = 3;\n",
    old: "const retries = 5;",
    fresh: "const retries = 7;",
  },
  {
    name: "a stale value among right lines neither",
    before: "a();\nconst timeout = 3000;\nb();\n",
    old: "a();\nconst timeout = 2000;\nb();",
    fresh: "a();\nconst timeout = 4000;\nb();",
  },
  {
    name: "another indentation is no match; where it is forgiven the new text is indented as the old",
    before: "if (x) {\n    go();\n}\n",
    old: "  go();",
    fresh: "  stop();\n  end();",
    after: "if (x) {\n    stop();\n  end();\n}\n",
  },
  {
    name: "and where no line begins so",
    before: "if (x) {\n\tgo();\n}\n",
    old: "  go();",
    fresh: "  stop();\n  end();",
    flexible: "if (x) {\n\tstop();\n\tend();\n}\n",
  },
  {
    name: "blanks between tokens are no match unless they are forgiven",
    before: "f( a,b );\n",
    old: "f(a, b);",
    fresh: "g(a, b);",
    flexible: "g(a, b);\n",
  },
  {
    name: "forgiven blanks at two places are refused",
    before: "\tgo();\n\t\tgo();\n",
    old: "  go();  ",
    fresh: "stop();",
  },
  {
    name: "a byte that is not UTF-8 elsewhere stays",
    before: latin("caf\xe9 au lait, cr\xe8me br\xfbl\xe9e\nport = 80\n"),
    old: "port = 80",
    fresh: "port = 8080",
    after: latin("caf\xe9 au lait, cr\xe8me br\xfbl\xe9e\nport = 8080\n"),
  },
  { name: "$& is text", before: "a\nb\n", old: "a", fresh: "$& $1 $$ $`", after: "$& $1 $$ $`\nb\n" },
  { name: "backslashes are text", before: "a\\nb\n", old: "a\\nb", fresh: "c\\td", after: "c\\td\n" },
  { name: "curly quotes are not straight ones", before: "say “hi”\n", old: 'say "hi"', fresh: "say ho" },
];

type Call = readonly [name: ToolName, args: Record<string, unknown>];

const tools: Readonly<Record<"edit_file" | "replace" | "flexible" | "text_editor", (probe: Probe) => Call>> =
  {
    edit_file: ({ old, fresh }: Probe) => [
      "edit_file",
      { file_path: "f", edits: [{ old_string: old, new_string: fresh }] },
    ],
    replace: ({ old, fresh }: Probe) => ["replace", { file_path: "f", old_string: old, new_string: fresh }],
    flexible: ({ old, fresh }: Probe) => ["replace", { file_path: "f", old_string: old, new_string: fresh }],
    text_editor: ({ old, fresh }: Probe) => [
      "str_replace_based_edit_tool",
      { command: "str_replace", path: "f", old_str: old, new_str: fresh },
    ],
  };

describe.each(Object.keys(tools) as (keyof typeof tools)[])("exact edits by %s", (way) => {
  it.each(probes)("$name", async (probe) => {
    const there = await ground({ f: probe.before }, way === "flexible" ? { match: "flexible" } : {});
    await there.workspace.read({ path: "f" });
    const [name, args] = tools[way](probe);
    const reply = await there.call(name, args);
    const wanted = (way === "flexible" ? probe.flexible : undefined) ?? probe.after;
    expect(reply.success, reply.message).toBe(wanted !== undefined);
    expect(there.bytes("f")).toEqual(Buffer.from(wanted ?? probe.before));
    if (way === "flexible" && probe.flexible !== undefined) expect(reply.message).toContain("was not exact");
  });
});

it("mode stays; a second hard link is never broken without a word", async () => {
  const there = await ground({ f: "a\n", g: "a\n" });
  chmodSync(join(there.root, "f"), 0o755);
  linkSync(join(there.root, "g"), join(there.root, "h"));
  const edits = [{ oldString: "a", newString: "b" }];
  for (const path of ["f", "g"]) await there.workspace.read({ path });
  expect(await there.workspace.edit({ path: "f", edits })).toMatchObject({ code: "applied" });
  expect(statSync(join(there.root, "f")).mode & 0o777).toBe(0o755);
  expect(await there.workspace.edit({ path: "g", edits })).toMatchObject({ code: "cannot_preserve" });
  expect(await there.workspace.edit({ path: "g", edits, inPlace: true })).toMatchObject({ code: "applied" });
  expect(there.text("h")).toBe("b\n");
});
