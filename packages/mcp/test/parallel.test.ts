import type { ToolName } from "@holdfast/core/tools";
import { describe, expect, test } from "vitest";
import { connect, makeGround, revisions, sha256 } from "./server-process.js";

/** Five changes of one turn, written against one state and sent at once through the SDK's client. */
const lines = Array.from({ length: 2_000 }, (_, at) => `const value${at + 1} = ${at + 1};`);
const code = `${lines.join("\n")}\n`;
const sections = [1, 2, 3, 4, 5];
const document = sections.map((at) => `## Part ${at}\n\nText ${at}.\n\n`).join("");
const places = [20, 24, 28, 500, 1_900];

interface Turn {
  readonly tool: ToolName;
  readonly before: string;
  readonly args: readonly Readonly<Record<string, unknown>>[];
  readonly after: string;
}

const changed = lines.map((line, at) => (places.includes(at + 1) ? `${line} // changed` : line));
const inserted = lines.flatMap((line, at) => (places.includes(at + 1) ? [line, "added();"] : [line]));

const turns: readonly Turn[] = [
  {
    tool: "safe_patch",
    before: code,
    args: places.map((at) => {
      const [above, line, below] = lines.slice(at - 2, at + 1);
      return {
        unified_diff: `@@ -${at - 1},3 +${at - 1},3 @@\n ${above}\n-${line}\n+${line} // changed\n ${below}\n`,
      };
    }),
    after: `${changed.join("\n")}\n`,
  },
  {
    tool: "edit_file",
    before: code,
    args: places.map((at) => ({
      edits: [{ old_string: `${lines[at - 1]}\n`, new_string: `${lines[at - 1]} // changed\n` }],
    })),
    after: `${changed.join("\n")}\n`,
  },
  {
    tool: "insert_lines",
    before: code,
    args: places.map((at) => ({ after_line: at, content: "added();\n" })),
    after: `${inserted.join("\n")}\n`,
  },
  {
    tool: "update_section",
    before: document,
    args: sections.map((at) => ({ section_header: `## Part ${at}`, new_content: `New ${at}.\n` })),
    after: document.replaceAll("Text", "New"),
  },
];

describe.each(revisions)("five calls at once in revision %s", (revision) => {
  test.each(turns)("$tool: all land, for a small answer", async ({ tool, before, args, after }) => {
    const ground = await makeGround();
    await ground.put("f.md", before);
    const session = await connect(revision, ground, { tools: ["read_file", tool] });
    await session.call("read_file", { file_path: "f.md" });
    const base = { file_path: "f.md", base_content_sha256: sha256(before) };
    const answers = await Promise.all(args.map((one) => session.call(tool, { ...base, ...one })));
    expect(answers.map(({ code }) => code)).toEqual(args.map(() => "applied"));
    expect(await ground.get("f.md")).toBe(after);
    const rebased = answers.filter(({ text }) =>
      text.includes("Rebased: since your base only calls of this"),
    );
    expect(rebased).toHaveLength(args.length - 1);
    expect(answers.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(6_000);
  });

  test("two of one line: the first lands, the second is told why it did not", async () => {
    const ground = await makeGround();
    await ground.put("f", code);
    const { call } = await connect(revision, ground);
    await call("read_file", { file_path: "f" });
    const edit = (text: string) =>
      call("edit_file", {
        file_path: "f",
        edits: [{ old_string: "value7 = 7", new_string: text }],
        base_content_sha256: sha256(code),
      });
    const answers = await Promise.all([edit("value7 = 70"), edit("value7 = 700")]);
    expect(answers.map((answer) => answer.code).sort()).toEqual(["applied", "state_mismatch"]);
    const refused = answers.find((answer) => answer.code === "state_mismatch");
    expect(refused?.text).toContain("line 7 of your base, which it changes or names, was changed since");
    expect(refused?.text.length).toBeLessThan(2_000);
  });

  test("what others wrote is refused, with the change alone where the base was shown", async () => {
    const ground = await makeGround();
    await ground.put("f", code);
    const { call } = await connect(revision, ground);
    await call("read_file", { file_path: "f", offset: 1, limit: 100 });
    await ground.put("f", code.replace("value1500 = 1500", "value1500 = 0"));
    const edits = [{ old_string: "value7 = 7", new_string: "value7 = 70" }];
    const answer = await call("edit_file", { file_path: "f", edits, base_content_sha256: sha256(code) });
    expect(answer.code).toBe("state_mismatch");
    expect(answer.text).toContain("-const value1500 = 1500;\n+const value1500 = 0;");
    expect(answer.text.length).toBeLessThan(1_500);
  });
});
