import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connect, makeGround, revisions } from "../../../../packages/mcp/test/support.js";
import { createCompatServer } from "../../src/compat/server.js";

const bytesOf = (text: string) => Buffer.byteLength(text);
const linesOf = (text: string) => text.split("\n").length;

describe("the tools of the official server", () => {
  const limits = [
    { name: "opencode", chars: 50_000, bytes: 50_000, lines: 1_950 },
    { name: "codex-mcp-client", answerBudget: 1_000, chars: 1_000 },
  ];
  const numbered = Array.from({ length: 2_500 }, (_, at) => `${at + 1}: “grün” \\ und "blau"`).join("\n");
  const compat = { createServer: createCompatServer } as const;

  test.each(limits)("keep within what $name lets through: $chars characters", async (limit) => {
    const { name, chars, bytes = Infinity, lines = Infinity, ...options } = limit;
    const ground = await makeGround({ "a.txt": numbered, "short.txt": "x\n".repeat(20_000) });
    for (const at of Array(2_000).keys()) writeFileSync(join(ground.root, `${at} ${"n".repeat(20)}`), "");
    const { call } = await connect("2025-11-25", ground, { ...compat, ...options }, name);
    const answers = [
      await call("read_text_file", { path: "a.txt" }),
      await call("read_text_file", { path: "short.txt" }),
      await call("read_multiple_files", { paths: ["a.txt", "short.txt"] }),
      await call("list_directory", { path: "." }),
      await call("list_directory_with_sizes", { path: "." }),
      await call("directory_tree", { path: "." }),
      await call("search_files", { path: ".", pattern: "*" }),
      await call("edit_file", { path: "a.txt", edits: [{ oldText: numbered, newText: `new\n${numbered}` }] }),
    ];
    await ground.put("a.txt", `met\n${numbered}`);
    answers.push(await call("write_file", { path: "a.txt", content: "x" }));
    for (const { text, structured } of answers) {
      if (structured !== undefined) expect(structured).toEqual({ content: text });
      expect(JSON.stringify({ content: text }).length).toBeLessThanOrEqual(chars);
      expect(bytesOf(text)).toBeLessThanOrEqual(bytes);
      expect(linesOf(text)).toBeLessThanOrEqual(lines);
    }
    // Not much less than the client lets through, either.
    const [first = "", short = ""] = answers.map(({ text }) => text);
    expect(first.length).toBeGreaterThan(Math.min(chars, numbered.length) / 3);
    if (lines < Infinity) expect(linesOf(short)).toBeGreaterThan(lines * 0.9);
  });

  test("count as shown what was sent, no more: the rest of the file is not overwritten", async () => {
    const small = numbered.split("\n").slice(0, 20).join("\n");
    const ground = await makeGround({ "a.txt": numbered, "small.txt": small });
    const { call } = await connect("2025-11-25", ground, compat, "codex-mcp-client");
    const page = await call("read_text_file", { path: "a.txt" });
    expect(page.text).toMatch(/Shown are lines 1-\d+ of 2500/);
    const write = (path: string) => call("write_file", { path, content: "x" });
    expect((await write("a.txt")).text).toContain("FAILED (unseen_lines)");
    expect(await ground.get("a.txt")).toBe(numbered);
    await call("read_text_file", { path: "small.txt" });
    expect((await write("small.txt")).text).toContain("Successfully wrote");
  });

  test.each(revisions)(
    "in %s only a client that heeds it is asked to load them and to cut nothing",
    async (revision) => {
      const listed = async (name: string) => {
        const { client } = await connect(revision, await makeGround(), compat, name);
        return (await client.listTools()).tools;
      };
      const claude = await listed("claude-code");
      const metaOf = (name: string) => claude.find((tool) => tool.name === name)?._meta;
      const uncut = { "anthropic/maxResultSizeChars": 262_144 };
      expect(metaOf("read_text_file")).toEqual({ "anthropic/alwaysLoad": true, ...uncut });
      expect(metaOf("get_file_info")).toEqual(uncut);
      for (const { _meta } of await listed("some-client")) expect(_meta).toBeUndefined();
    },
  );
});
