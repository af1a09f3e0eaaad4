import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { carefulHost, hostOf, knownHosts } from "../src/hosts.js";
import { type Answer, connect, makeGround, revisions, type Session, sha256 } from "./server-process.js";

/** The names by which the clients of the table introduce themselves. */
const clients = [
  "claude-code",
  "gemini-cli-mcp-client-holdfast",
  "codex-mcp-client",
  "opencode",
  "qwen-cli-mcp-client-holdfast",
  "copilot-cli",
  "some-client",
] as const;

const bytesOf = (text: string) => Buffer.byteLength(text);
const linesOf = (text: string) => text.split("\n").length;

/** Long lines, short ones, and such as take three bytes a character: 90 KB. */
const large = [
  ..."x".repeat(700),
  ...Array.from({ length: 1_400 }, (_, at) => `line ${at} of many with some words in it`),
  ...Array.from({ length: 300 }, (_, at) => `${at} 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字`),
  "",
].join("\n");

describe.each(clients)("for the client %s", (name) => {
  const host = hostOf({ name });
  const chars = host.answerChars;
  const { bytes = Infinity, lines = Infinity } = host.within ?? {};

  test("a large file comes in pages that it lets through and that add up to the file's bytes", async () => {
    const ground = await makeGround();
    await ground.put("a.txt", large);
    const { call } = await connect("2025-11-25", ground, {}, name);
    const { pages, whole } = await readInPages(call);
    expect(whole).toBe(large);
    for (const { text } of pages) {
      expect(text.length).toBeLessThanOrEqual(chars);
      expect(bytesOf(text)).toBeLessThanOrEqual(bytes);
      expect(linesOf(text)).toBeLessThan(lines);
    }
    // As few as can be: what is let through is made use of.
    const least = Math.max(large.length / chars, bytesOf(large) / bytes, linesOf(large) / lines);
    expect(pages.length).toBeLessThanOrEqual(Math.ceil(least * 1.5) + 1);
  });

  test.each(revisions)("a refusal in %s is an error where its text is passed on", async (revision) => {
    const ground = await makeGround();
    await ground.put("a.txt", "one\n");
    const { call } = await connect(revision, ground, {}, name);
    const refused = await call("write_file", { file_path: "a.txt", content: "x" });
    expect(refused).toMatchObject({ success: false, code: "missing_base", isError: host.passesErrors });
    const done = await call("append_to_file", { file_path: "a.txt", content: "two\n" });
    expect(done).toMatchObject({ success: true, isError: false });
  });
});

/** As a model does: asks for the rest of what was not shown. */
async function readInPages(
  call: Session["call"],
): Promise<{ readonly pages: readonly Answer[]; readonly whole: string }> {
  const pages: Answer[] = [];
  let whole = "";
  for (let offset = 1; ; ) {
    const page = await call("read_file", { file_path: "a.txt", ...(offset > 1 ? { offset } : {}) });
    pages.push(page);
    const content = page.file?.content;
    if (typeof content !== "string") throw new Error(page.text);
    whole += content;
    const to = page.file?.lines?.to;
    if (to === undefined || to >= large.split("\n").length - 1) return { pages, whole };
    offset = to + 1;
  }
}

test.each(revisions)(
  "in %s only who heeds it is asked to load tools and to cut nothing",
  async (revision) => {
    const ground = await makeGround();
    for (const name of ["claude-code", "some-client"]) {
      const { client } = await connect(revision, ground, {}, name);
      const { tools } = await client.listTools();
      const named = Object.fromEntries(tools.map((tool) => [tool.name, tool._meta]));
      if (name === "claude-code") {
        expect(named.edit_file).toEqual({
          "anthropic/alwaysLoad": true,
          "anthropic/maxResultSizeChars": 262_144,
        });
        expect(named.undo_edit).toEqual({ "anthropic/maxResultSizeChars": 262_144 });
        for (const { description } of tools) expect(description).not.toMatch(/\n\s*\n/);
      } else {
        expect(Object.values(named).filter((meta) => meta !== undefined)).toEqual([]);
      }
    }
  },
);

test("a person's budget counts for every client", async () => {
  const ground = await makeGround();
  await ground.put("a.txt", large);
  const codex = await connect("2025-11-25", ground, { answerBudget: 65_000 }, "codex-mcp-client");
  const { text } = await codex.call("read_file", { file_path: "a.txt" });
  expect(text.length).toBeLessThanOrEqual(65_000);
  expect(text.length).toBeGreaterThan(55_000);
  const claude = await connect("2025-11-25", ground, { answerBudget: 5_000 }, "claude-code");
  expect((await claude.call("read_file", { file_path: "a.txt" })).text.length).toBeLessThanOrEqual(5_000);
  const { tools } = await claude.client.listTools();
  expect(tools[0]?._meta).toMatchObject({ "anthropic/maxResultSizeChars": 5_000 });
});

test("who is not in the table, or says nothing that is a name, gets the careful row", () => {
  const strange = [undefined, null, 7, "claude-code", {}, { name: 7 }, { name: "__proto__" }];
  const near = ["Claude-Code", "claude-code ", "opencode2", "x".repeat(100_000)].map((name) => ({ name }));
  for (const info of [...strange, ...near]) expect(hostOf(info)).toBe(carefulHost);
});

test("a client that goes by another's name changes what is there, and nothing else, like any other", async () => {
  const ground = await makeGround();
  await ground.put("a.txt", large);
  const { call } = await connect("2025-11-25", ground, {}, "claude-code");
  await call("read_file", { file_path: "a.txt" });
  await ground.put("a.txt", `met\n${large}`);
  const unified_diff = "@@ -1 +1 @@\n-x\n+y\n";
  const stale = { file_path: "a.txt", unified_diff, base_content_sha256: sha256(large) };
  expect(await call("safe_patch", stale)).toMatchObject({ success: false, code: "state_mismatch" });
  expect(await ground.get("a.txt")).toBe(`met\n${large}`);
});

test("the table in the documents says what the code does", () => {
  const page = readFileSync(new URL("../../../docs/mcp.md", import.meta.url), "utf8");
  for (const host of [...knownHosts, carefulHost]) {
    const within = [
      host.within?.bytes === undefined ? [] : [`${host.within.bytes.toLocaleString("en-US")} bytes`],
      host.within?.lines === undefined ? [] : [`${host.within.lines.toLocaleString("en-US")} lines`],
    ].flat();
    const room = [`${host.answerChars.toLocaleString("en-US")} characters`, ...within].join(", ");
    const cells = [`${host.title} ${host.version}`.trim(), host.date, room];
    const refusal = host.passesErrors ? "an error" : "a result";
    expect(page).toContain(`| ${[...cells, refusal, host.sees].join(" | ")} |`);
  }
});
