import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { splitLines } from "@holdfast/core/text";
import type { HostLimits } from "@holdfast/core/tools";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type Ground,
  makeGround,
  type Revision,
  revisions,
} from "../../../../packages/mcp/test/server-process.js";

/** The tools of the official server, in answers that each client lets through. */
const program = fileURLToPath(new URL("../../../../packages/cli/bin/holdfast.js", import.meta.url));

const large = Array.from({ length: 4_000 }, (_, at) => `${at + 1}: “grün” \\ und "blau"`).join("\n");

interface Started {
  readonly client: Client;
  /** The text of an answer; the same text is its structured content. */
  call(name: string, args: Record<string, unknown>): Promise<string>;
}

async function start(
  ground: Ground,
  name: string,
  flags: readonly string[] = [],
  revision: Revision = "2025-11-25",
): Promise<Started> {
  const mode = revision === "2025-11-25" ? ("legacy" as const) : { pin: revision };
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode } });
  const places = ["--root", ground.root, "--state-dir", ground.stateDir];
  const args = [program, "mcp", "--compat", "filesystem", ...places, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  onTestFinished(() => client.close());
  return {
    client,
    async call(name, args) {
      const { content, structuredContent } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      if (structuredContent !== undefined) expect(structuredContent).toEqual({ content: text });
      return text;
    },
  };
}

interface Case extends HostLimits {
  readonly name: string;
  readonly chars: number;
  readonly flags?: readonly string[];
}

const cases: readonly Case[] = [
  { name: "claude-code", chars: 262_144 },
  { name: "any", chars: 36_000 },
  { name: "codex-mcp-client", chars: 11_000, bytes: 11_000 },
  { name: "opencode", chars: 50_000, bytes: 50_000, lines: 1_950 },
  { name: "claude-code", flags: ["--answer-budget", "5000"], chars: 5_000 },
  { name: "codex-mcp-client", flags: ["--answer-budget", "1000"], chars: 1_000 },
];

describe("the tools of the official server keep within what the client lets through", () => {
  test.each(cases)("$name $flags: $chars characters", async ({ name, flags = [], chars, bytes, lines }) => {
    const ground = await makeGround();
    await ground.put("a.txt", large);
    await ground.put("short.txt", "x\n".repeat(20_000));
    for (const at of Array(2_000).keys()) writeFileSync(join(ground.root, `${at} ${"n".repeat(20)}`), "");
    const { call } = await start(ground, name, flags);
    const answers = [
      await call("read_text_file", { path: "a.txt" }),
      await call("read_text_file", { path: "short.txt" }),
      await call("read_multiple_files", { paths: ["a.txt", "short.txt"] }),
      await call("list_directory", { path: "." }),
      await call("list_directory_with_sizes", { path: "." }),
      await call("directory_tree", { path: "." }),
      await call("search_files", { path: ".", pattern: "*" }),
      await call("edit_file", { path: "a.txt", edits: [{ oldText: large, newText: `new\n${large}` }] }),
    ];
    await ground.put("a.txt", `met\n${large}`);
    answers.push(await call("write_file", { path: "a.txt", content: "x" }));
    for (const text of answers) {
      expect(JSON.stringify({ content: text }).length).toBeLessThanOrEqual(chars);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes ?? Infinity);
      expect(text.split("\n").length).toBeLessThanOrEqual(lines ?? Infinity);
    }
    // Not less than it lets through, either.
    const [first = "", short = ""] = answers;
    expect(first.length).toBeGreaterThan(Math.min(chars, large.length) / 3);
    if (lines !== undefined) expect(short.split("\n").length).toBeGreaterThan(lines * 0.9);
  });

  test("and count as shown what was sent, no more: the rest of the file is not overwritten", async () => {
    const ground = await makeGround();
    await ground.put("a.txt", large);
    const { call } = await start(ground, "codex-mcp-client");
    const page = await call("read_text_file", { path: "a.txt" });
    expect(page).toMatch(/Shown are lines 1-\d+ of 4000/);
    expect(await call("write_file", { path: "a.txt", content: "x" })).toContain("FAILED (unseen_lines)");
    expect(await ground.get("a.txt")).toBe(large);
    const small = splitLines(large).contents.slice(0, 20).join("\n");
    await ground.put("small.txt", small);
    await call("read_text_file", { path: "small.txt" });
    expect(await call("write_file", { path: "small.txt", content: "x" })).toContain("Successfully wrote");
  });

  test.each(revisions)(
    "in %s only who heeds it is asked to load tools and to cut nothing",
    async (revision) => {
      const ground = await makeGround();
      mkdirSync(ground.stateDir, { recursive: true });
      const metaOf = async (name: string) => {
        const { tools } = await (await start(ground, name, [], revision)).client.listTools();
        return Object.fromEntries(tools.map((tool) => [tool.name, tool._meta]));
      };
      const claude = await metaOf("claude-code");
      const uncut = { "anthropic/maxResultSizeChars": 262_144 };
      expect(claude.read_text_file).toEqual({ "anthropic/alwaysLoad": true, ...uncut });
      expect(claude.get_file_info).toEqual(uncut);
      expect(Object.values(await metaOf("some-client")).filter((meta) => meta !== undefined)).toEqual([]);
    },
  );
});
