import type { ToolName, ToolReply } from "@holdfast/core/tools";
import { describe, expect, test } from "vitest";
import { foreignNames } from "../../core/test/tools/door-words.js";
import { refusedCalls, refusedFiles } from "../../core/test/tools/refused-calls.js";
import { toCallResult } from "../src/server.js";
import { connect, makeGround, type ServerOptions, sha256 } from "./support.js";

const before = "one\ntwo\n";
const patch = {
  file_path: "a.txt",
  unified_diff: "@@ -2 +2 @@\n-two\n+TWO\n",
  base_content_sha256: sha256(before),
};
const only = (...tools: readonly ToolName[]): ServerOptions => ({ tools });

async function start(options: ServerOptions, files: Readonly<Record<string, string>> = { "a.txt": before }) {
  const ground = await makeGround(files);
  const session = await connect("2025-11-25", ground, options);
  const listed = async () => (await session.client.listTools()).tools;
  return { ground, ...session, listed, names: async () => (await listed()).map(({ name }) => name) };
}

describe("the options of a server", () => {
  test("read-only offers the reading tools and refuses the others with their own code", async () => {
    const { client, call, ground, names } = await start({ readOnly: true });
    expect(await names()).toEqual(["read_file", "read_many_files", "list_files", "search_files"]);
    expect(client.getInstructions()).not.toContain("safe_patch");
    for (const [name, args] of [
      ["safe_patch", patch],
      ["write_file", { file_path: "b.txt", content: "x" }],
      ["undo_edit", { file_path: "a.txt" }],
    ] as const)
      expect(await call(name, args)).toMatchObject({ success: false, code: "read_only", isError: true });
    expect(await ground.get("a.txt")).toBe(before);
    await expect(ground.get("b.txt")).rejects.toThrow();
  });

  test("names the other roots to who lists the first one", async () => {
    const other = await makeGround({ "b.txt": "two\n" });
    const { call } = await start({ otherRoots: [other.root] });
    expect((await call("list_files", {})).text).toContain(
      `Other roots, whose files are named by absolute paths: ${other.root}`,
    );
    expect((await call("list_files", { path: other.root })).text).not.toContain("Other roots");
    expect((await (await start({})).call("list_files", {})).text).not.toContain("Other roots");
  });

  test("a choice of tools is listed in the fixed order; the rest do not exist", async () => {
    const { call, names } = await start(only("safe_patch", "read_file"));
    expect(await names()).toEqual(["read_file", "safe_patch"]);
    await expect(call("write_file", { file_path: "a.txt", content: "x" })).rejects.toThrow(/Unknown tool/);
  });

  test("a tool that is not offered by default is there for who names it", async () => {
    const plain = await start({});
    await expect(plain.call("apply_changes", { changes: [] })).rejects.toThrow(/Unknown tool/);
    const { call, names } = await start(only("apply_changes", "read_file"));
    expect(await names()).toEqual(["read_file", "apply_changes"]);
    const changes = ["b.txt", "c.txt"].map((file_path) => ({ file_path, content: "x\n" }));
    expect((await call("apply_changes", { changes })).text).toContain("OK (applied): Change set applied");
  });

  test("a diff that deletes or renames is refused, and the tool that does it is named where there is one", async () => {
    const git = "diff --git a/a.txt b/a.txt\n";
    const removal = "deleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n";
    const cases = [
      [`${git}${removal}`, "delete it"],
      ["diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n", "rename it"],
      [`${git}${removal}${(git + removal).replaceAll("a.txt", "b.txt")}`, "change them together"],
    ] as const;
    const both = await start(only("apply_changes", "safe_patch"));
    const alone = await start(only("safe_patch"));
    for (const [unified_diff, what] of cases) {
      const refused = await both.call("safe_patch", { ...patch, unified_diff });
      expect(refused).toMatchObject({ success: false });
      expect(refused.text).toContain("Nothing was changed.");
      expect(refused.text).toContain(`To ${what}, use apply_changes.`);
      const other = await alone.call("safe_patch", { ...patch, unified_diff });
      expect(other.text).toContain("Nothing was changed.");
      expect(other.text).not.toContain("apply_changes");
    }
    expect(await both.ground.get("a.txt")).toBe(before);
  });

  test("full content as JSON is the seed's protocol to the letter", async () => {
    const { call } = await start({ wire: "json", resultContent: "full" });
    const json = async (name: string, args: Record<string, unknown>) =>
      JSON.parse((await call(name, args)).text);
    const read = await json("read_file", { file_path: "a.txt" });
    const state = { file_path: "a.txt", version: 1, sha256: sha256(before), content: before };
    expect(read).toStrictEqual(state);
    const written = await json("safe_patch", patch);
    expect(Object.keys(written)).toEqual(["success", "code", "message", "latest_file_state"]);
    const latest = { sha256: sha256("one\nTWO\n"), content: "one\nTWO\n" };
    expect(written).toMatchObject({
      success: true,
      code: "applied",
      message: expect.stringMatching(/^Patch applied successfully\./),
      latest_file_state: { file_path: "a.txt", version: 2, ...latest },
    });
    const wrong = { unified_diff: "@@ -1 +1 @@\n-nine\n+NINE\n", base_content_sha256: latest.sha256 };
    expect(await json("safe_patch", { ...patch, ...wrong })).toMatchObject({
      success: false,
      code: "invalid_diff",
      message: expect.stringMatching(
        /^Invalid Diff: The provided diff content does not match the file's content\./,
      ),
      latest_file_state: latest,
    });
  });

  test("structured: small acknowledgements are the same JSON twice, texts of files stay text", async () => {
    const { call } = await start({ structured: true, resultContent: "none" });
    const read = await call("read_file", { file_path: "a.txt" });
    expect(read.structured).toBeUndefined();
    expect(read.file?.content).toBe(before);
    const written = await call("safe_patch", patch);
    expect(written.structured).toMatchObject({ success: true, code: "applied" });
    expect(JSON.parse(written.text)).toEqual(written.structured);
    const refused = await call("write_file", { file_path: "a.txt", content: "x" });
    expect(refused.structured).toMatchObject({ success: false, code: "missing_base" });
    expect(refused.isError).toBe(true);
    const plain = await start({});
    expect((await plain.call("safe_patch", patch)).structured).toBeUndefined();
  });

  test("the list of tools takes no more bytes than it may, and shows the plain shape only", async () => {
    const { listed } = await start({});
    const sent = (await listed()).map(({ name, description, inputSchema }) => [
      ...[name, description, inputSchema],
    ]);
    const bytes = sent.map((one) => Buffer.byteLength(JSON.stringify(one)));
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(5_100);
    expect(JSON.stringify(sent)).not.toMatch(/oldText|old_str"|filename|additionalProperties/);
  });
});

describe("a reply as a result of the protocol", () => {
  const reply = (more: Partial<ToolReply>): ToolReply => ({
    success: false,
    code: "state_mismatch",
    text: "FAILED (state_mismatch): …",
    json: { success: false },
    bearsContent: false,
    shown: [],
    refers: [],
    shows: [],
    ...more,
  });
  const plain = { structured: false, host: { passesErrors: false } };
  const structured = { ...plain, structured: true };

  test("is an error where it is an internal error, or a refusal whose text the client passes on", () => {
    const done = reply({ success: true, code: "applied" });
    const internal = reply({ code: "internal_error" });
    for (const form of [plain, structured])
      for (const passesErrors of [false, true]) {
        const isError = (one: ToolReply) => toCallResult(one, { ...form, host: { passesErrors } }).isError;
        expect([reply({}), internal, done].map(isError)).toEqual([passesErrors, true, false]);
      }
  });

  test("never has a text and a structured content that say two different things", () => {
    expect(toCallResult(reply({}), plain)).not.toHaveProperty("structuredContent");
    expect(toCallResult(reply({ bearsContent: true }), structured)).not.toHaveProperty("structuredContent");
    expect(toCallResult(reply({ json: [1] }), structured)).not.toHaveProperty("structuredContent");
    expect(toCallResult(reply({}), structured)).toEqual({
      content: [{ type: "text", text: '{"success":false}' }],
      structuredContent: { success: false },
      isError: false,
    });
  });
});

/**
 * Servers, and codes of refusals that their calls must reach. That no refusal names what is not offered is held by core
 * (`tools/words.test.ts`), for every call; here, that a server says which tools it offers, in each form of a result.
 */
const servers: readonly (readonly [string, ServerOptions, readonly string[]])[] = [
  [
    "of reading and editing",
    only("read_file", "edit_file"),
    ["not_found", "occurrence_mismatch", "not_read"],
  ],
  [
    "of patches, as JSON",
    { wire: "json", resultContent: "full", ...only("read_file", "safe_patch") },
    ["state_mismatch", "invalid_diff"],
  ],
  [
    "with small answers as structured content",
    { structured: true, ...only("read_file", "write_file") },
    ["missing_base"],
  ],
  ["of fs_write alone", only("fs_write"), ["not_read", "unencodable"]],
];

describe.each(servers)("a server %s", (_, options, codes) => {
  test("names no tool and no argument that it does not offer", async () => {
    const { call, ground, listed } = await start(options, {});
    const put = async (files: Readonly<Record<string, string | Uint8Array>>, most = Infinity) => {
      for (const [path, content] of Object.entries(files))
        if (content.length < most) await ground.put(path, content);
    };
    await put(refusedFiles);
    const tools = await listed();
    const offered = new Set(tools.map(({ name }) => name));
    const own = tools.map(({ name, inputSchema }) => `${name} ${JSON.stringify(inputSchema)}`);
    const reached = new Set<string>();
    for (const { call: refused, first = [], meanwhile = {} } of refusedCalls) {
      const [name, args] = refused;
      if (!offered.has(name)) continue;
      // Nobody changes the large one.
      await put(refusedFiles, 10_000);
      for (const [before, given] of first) if (offered.has(before)) await call(before, given);
      await put(meanwhile);
      const { text, structured } = await call(name, args);
      // A file's text has no such names.
      expect([name, args, ...foreignNames(text, own)]).toEqual([name, args]);
      if (structured !== undefined) expect(JSON.stringify(structured)).toBe(text);
      reached.add(codeOf(text));
    }
    for (const code of codes) expect([...reached]).toContain(code);
  });
});

/** The code of a refusal; of a vendor's refusal, which has no code, the first word. */
function codeOf(text: string): string {
  const code = /^(?:OK|FAILED) \(([a-z_]+)\)/.exec(text) ?? /"code":"([a-z_]+)"/.exec(text);
  return code?.[1] ?? text.split(" ", 1)[0] ?? "";
}

describe("an answer keeps its budget", () => {
  const budget = 262_144;

  // The other tools, a line of 7 MB and each form of a reply are core's test (`tools/long-line.test.ts`).
  test("about a line that is longer, in both parts of a result", async () => {
    const long = "a".repeat(600_000);
    const base_content_sha256 = sha256(long);
    const calls: readonly (readonly [tool: ToolName, args: Readonly<Record<string, unknown>>])[] = [
      ["read_file", { file_path: "f", offset: 1, limit: 1 }],
      ["replace", { file_path: "f", old_string: "aaaa", new_string: "b" }],
      ["fs_write", { command: "create", path: "f", file_text: "x" }],
      ["str_replace_based_edit_tool", { command: "view", path: "f", view_range: [1, 1] }],
      ["str_replace_based_edit_tool", { command: "str_replace", path: "f", old_str: "aaaa", new_str: "b" }],
      ["memory", { command: "view", path: "/memories/f" }],
      ["memory", { command: "create", path: "/memories/f", file_text: "x" }],
      ["insert_lines", { file_path: "f", after_line: 1, content: "x", base_content_sha256 }],
      ["update_section", { file_path: "f", section_header: "# a", new_content: "x" }],
      ["prepend_to_file", { file_path: "f", content: "x" }],
      ["move_file", { file_path: "f", to: "g", base_content_sha256 }],
      ["delete_file", { file_path: "f", base_content_sha256 }],
    ];
    const tools = calls.map(([name]) => name);
    const { client, ground } = await start({ tools, structured: true }, { "memories/f": long });
    for (const [name, args] of calls) {
      await ground.put("f", long);
      const { content, structuredContent } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const forms = [first?.type === "text" ? first.text : "", JSON.stringify(structuredContent ?? {})];
      expect([name, forms[0]]).not.toEqual([name, ""]);
      for (const form of forms) expect([name, form.length <= budget]).toEqual([name, true]);
    }
  });

  test("where somebody changed a line of 3 MB", async () => {
    const { call, ground } = await start({}, {});
    const line = `${"a".repeat(3_000_000)}\n`;
    expect((await call("write_file", { file_path: "f", content: line })).code).toBe("applied");
    await ground.put("f", `${"b".repeat(3_000_000)}\n`);
    const write = { file_path: "f", content: "new\n", base_content_sha256: sha256(line) };
    const { code, text } = await call("write_file", write);
    expect(code).toBe("state_mismatch");
    expect(text.length).toBeLessThanOrEqual(budget);
  });
});
