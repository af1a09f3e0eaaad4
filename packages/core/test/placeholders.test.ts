import { describe, expect, it } from "vitest";
import type { ToolName } from "../src/tools/index.js";
import { ground, sha } from "./support.js";

describe("a line that speaks of what is left out", () => {
  const guide = "# Guide\n\n## Bad\n\nDo not do this:\n\n## Good\n\nx\n";
  const shown = (mark: string) => `Do not do this:\n\n${mark}js\n// ... existing code ...\n${mark}\n`;
  const added = (lines: string) =>
    lines
      .split("\n")
      .slice(1, -1)
      .map((line) => `+${line}\n`)
      .join("");
  type Call = readonly [tool: ToolName, args: Record<string, unknown>];
  const calls = (lines: string, kept: string): readonly Call[] => [
    ["edit_file", { edits: [{ old_string: "Do not do this:\n", new_string: kept + lines }] }],
    ["replace", { old_string: "Do not do this:", new_string: kept + lines }],
    ["write_file", { content: guide.replace("Do not do this:\n", kept + lines) }],
    ["update_section", { section_header: "## Bad", new_content: kept + lines }],
    [
      "safe_patch",
      {
        unified_diff: `@@ -3,3 +3,7 @@\n ## Bad\n \n${kept === "" ? " " : "-"}Do not do this:\n${added(lines)}`,
      },
    ],
  ];
  const answers = async (each: readonly Call[]) => {
    const codes: string[] = [];
    for (const [tool, args] of each) {
      const there = await ground({ "todo.txt": guide });
      await there.workspace.read({ path: "todo.txt" });
      const base = tool === "replace" ? {} : { base_content_sha256: sha(guide) };
      const reply = await there.call(tool, { file_path: "todo.txt", ...base, ...args });
      codes.push(reply.code);
      if (reply.code === "placeholder") expect(reply.message).toContain("fenced code block (```)");
    }
    return new Set(codes);
  };

  it("is content in a fenced code block, where nothing is taken away", async () => {
    for (const mark of ["```", "~~~"])
      expect(await answers(calls(shown(mark), ""))).toEqual(new Set(["applied"]));
  });

  it("is no rest or spread of JavaScript", async () => {
    for (const line of ["...rest,", "  [...existing],", "({ ...remaining });", "...this.rest,"]) {
      const there = await ground({ "a.ts": "const f = {\n  a,\n};\n" });
      const content = `const f = {\n  a,\n${line}\n};\n`;
      const written = await there.workspace.write({ path: "a.ts", content, base: sha(there.bytes("a.ts")) });
      expect([line, written.code]).toEqual([line, "applied"]);
    }
  });

  it("is refused without the fence, and where a line goes", async () => {
    expect(await answers(calls(shown(""), ""))).toEqual(new Set(["placeholder"]));
    const without = shown("```").replace("Do not do this:", "Never:");
    expect(await answers(calls(without, "Or:\n"))).toEqual(new Set(["placeholder"]));
  });
});
