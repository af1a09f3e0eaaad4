import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { carefulHost, hostOf, knownHosts } from "../src/hosts.js";
import { type Answer, connect, makeGround, revisions, type Session, sha256 } from "./support.js";

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

/** Long lines, short lines, and lines of three bytes a character: 90 KB. */
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
    const { call } = await connect("2025-11-25", await makeGround({ "a.txt": large }), {}, name);
    const { pages, whole } = await readInPages(call);
    expect(whole).toBe(large);
    for (const { text } of pages) {
      expect(text.length).toBeLessThanOrEqual(chars);
      expect(bytesOf(text)).toBeLessThanOrEqual(bytes);
      expect(linesOf(text)).toBeLessThan(lines);
    }
    // As few pages as can be: what the client lets through is used.
    const least = Math.max(large.length / chars, bytesOf(large) / bytes, linesOf(large) / lines);
    expect(pages.length).toBeLessThanOrEqual(Math.ceil(least * 1.5) + 1);
  });

  test.each(revisions)("a refusal in %s is an error where its text is passed on", async (revision) => {
    const { call } = await connect(revision, await makeGround({ "a.txt": "one\n" }), {}, name);
    const refused = await call("write_file", { file_path: "a.txt", content: "x" });
    expect(refused).toMatchObject({ success: false, code: "missing_base", isError: host.passesErrors });
    const done = await call("append_to_file", { file_path: "a.txt", content: "two\n" });
    expect(done).toMatchObject({ success: true, isError: false });
  });
});

const ownName =
  /(?<![\w-])(?:read_many_files|(?:read|write|edit|append_to|move|delete)_file|safe_patch|undo_edit)\b/;

test.each([
  ["claude-code", "mcp__holdfast__"],
  ["gemini-cli-mcp-client", "mcp_holdfast_"],
  ["codex-mcp-client", "mcp__holdfast__"],
  ["opencode", "holdfast_"],
  ["qwen-cli-mcp-client-holdfast", "mcp__holdfast__"],
  ["copilot-cli", "holdfast-"],
  ["some-client", ""],
] as const)("a text for %s names a tool as its model is shown it: %sread_file", async (name, prefix) => {
  for (const revision of revisions) {
    const { client, call } = await connect(revision, await makeGround({ "a.txt": large }), {}, name);
    const { tools } = await client.listTools();
    const edits = [{ old_string: "line 7 of many", new_string: "line seven" }];
    const unread = await call("edit_file", { file_path: "a.txt", edits });
    const page = await call("read_file", { file_path: "a.txt" });
    const wrong = await call("read_file", { file_path: "a.txt", offset: "first" });
    expect(unread).toMatchObject({ code: "not_read" });
    expect(unread.text).toContain(
      `give the sha256 in this answer as base_content_sha256 if you mean that state, or read it with ${prefix}read_file,`,
    );
    if (page.file?.lines !== undefined) expect(page.details).toContain(`with ${prefix}read_file, offset `);
    expect(wrong.text).toContain(`of ${prefix}read_file must be`);
    const written = tools.find((tool) => tool.name === "safe_patch")?.description;
    expect(written).toContain(`\`${prefix}read_file\``);
    expect(client.getInstructions()).toContain(`${prefix}edit_file`);
    // Codex repeats them behind each description.
    expect(client.getInstructions()?.includes("\n")).toBe(name !== "codex-mcp-client");
    if (prefix === "") continue;
    const texts = [client.getInstructions(), unread.text, wrong.text, page.details];
    for (const text of [...texts, ...tools.map(({ description }) => description)])
      expect(text).not.toMatch(ownName);
    // The hash that the refusal brings is enough to go on.
    const base_content_sha256 = unread.file?.sha256;
    expect(await call("edit_file", { file_path: "a.txt", edits, base_content_sha256 })).toMatchObject({
      code: "applied",
    });
  }
});

test.each(clients)(
  "a page that %s is shown says how one more call shows the rest, where it does",
  async (name) => {
    const { call } = await connect("2025-11-25", await makeGround({ "a.txt": large }), {}, name);
    const { pages } = await readInPages(call);
    const hints = pages.flatMap(({ details }) => {
      const [, offset, limit] = /, offset (\d+) and limit (\d+) for the rest/.exec(details) ?? [];
      return offset === undefined ? [] : [{ offset: Number(offset), limit: Number(limit) }];
    });
    expect(hints.length).toBeGreaterThan(0);
    for (const window of hints) {
      const rest = await call("read_file", { file_path: "a.txt", ...window });
      expect(rest.file?.content).toBe(
        large
          .split("\n")
          .slice(window.offset - 1)
          .join("\n"),
      );
      const numbered = await call("read_file", { file_path: "a.txt", ...window, numbered: true });
      expect(numbered.text).not.toContain("more than one answer may hold");
    }
    const [first] = pages;
    const calls = [...(first?.details ?? "").matchAll(/[,;] offset (\d+) and limit (\d+)/g)];
    if (pages.length <= 4) expect(calls.length).toBeGreaterThan(0);
    let read = first?.file?.content ?? "";
    for (const [, offset, limit] of calls) {
      const window = { offset: Number(offset), limit: Number(limit) };
      read += (await call("read_file", { file_path: "a.txt", ...window })).file?.content ?? "";
    }
    if (calls.length > 0) expect(read).toBe(large);
  },
);

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
    if (to === undefined || to >= linesOf(large) - 1) return { pages, whole };
    offset = to + 1;
  }
}

const uncut = { "anthropic/maxResultSizeChars": 262_144 };
const loaded = { "anthropic/alwaysLoad": true, ...uncut };

test.each(revisions.map((revision) => [revision, { edit_file: loaded, undo_edit: uncut }] as const))(
  "in %s, only a client that heeds it is asked to load tools and to cut nothing",
  async (revision, metas) => {
    const listed = async (name: string) => {
      const { client } = await connect(revision, await makeGround(), {}, name);
      return (await client.listTools()).tools;
    };
    const claude = await listed("claude-code");
    for (const [name, meta] of Object.entries(metas))
      expect(claude.find((tool) => tool.name === name)?._meta).toEqual(meta);
    for (const { description } of claude) expect(description).not.toMatch(/\n\s*\n/);
    for (const { _meta } of await listed("some-client")) expect(_meta).toBeUndefined();
  },
);

test("a person's budget counts for every client", async () => {
  const ground = await makeGround({ "a.txt": large });
  const codex = await connect("2025-11-25", ground, { answerBudget: 65_000 }, "codex-mcp-client");
  const { text } = await codex.call("read_file", { file_path: "a.txt", limit: linesOf(large) });
  expect(text.length).toBeLessThanOrEqual(65_000);
  expect(text.length).toBeGreaterThan(55_000);
  const claude = await connect("2025-11-25", ground, { answerBudget: 5_000 }, "claude-code");
  expect((await claude.call("read_file", { file_path: "a.txt" })).text.length).toBeLessThanOrEqual(5_000);
  const { tools } = await claude.client.listTools();
  expect(tools[0]?._meta).toMatchObject({ "anthropic/maxResultSizeChars": 5_000 });
});

test("a read that names no number of lines gets a page of at most 50,000 characters", async () => {
  const { call } = await connect("2025-11-25", await makeGround({ "a.txt": large }), {}, "claude-code");
  const page = await call("read_file", { file_path: "a.txt" });
  expect(page.text.length).toBeLessThanOrEqual(50_000);
  expect(page.text.length).toBeGreaterThan(45_000);
  expect(page.details).toContain("Read on from line");
  const whole = await call("read_file", { file_path: "a.txt", limit: linesOf(large) });
  expect(whole.file?.content).toBe(large);
});

describe("a script of Codex's model", () => {
  const turn = { "x-codex-turn-metadata": { sandbox_mode: "workspace-write" } };
  /** What the script prints that shows a whole result. */
  const printed = (result: object) => bytesOf(JSON.stringify(result));
  const codex = async (options = {}) => {
    const ground = await makeGround({ "a.txt": large, "b.txt": large, "c.txt": large });
    const { client } = await connect("2025-11-25", ground, options, "codex-mcp-client");
    const call = (name: string, args: Record<string, unknown>, _meta: object) =>
      client.callTool({ name, arguments: args, _meta: { ...turn, ..._meta } });
    return { ground, call };
  };

  test("is answered with no more than it can print, and what it may not have printed was not shown", async () => {
    // A budget that an earlier setup wrote: Codex cuts what a script prints, whatever its own limit says.
    const { ground, call } = await codex({ answerBudget: 65_000 });
    const read = (file_path: string, callId: string) =>
      call("read_file", { file_path }, { callId, itemId: "ctc_1" });
    const reads = await Promise.all([
      read("a.txt", "exec-1"),
      read("b.txt", "exec-2"),
      read("c.txt", "exec-3"),
    ]);
    expect(reads.reduce((sum, one) => sum + printed(one), 0)).toBeLessThan(40_000);
    const [first] = reads;
    // The text once: beside it only facts.
    expect(first?.structuredContent).not.toHaveProperty("content");
    expect(bytesOf(JSON.stringify(first?.content))).toBeGreaterThan(35_000);
    expect(first?.structuredContent).toMatchObject({ sha256: sha256(large), lines: { from: 1 } });
    const write = { file_path: "a.txt", content: "x\n", base_content_sha256: sha256(large) };
    const refused = await call("write_file", write, { callId: "exec-4", itemId: "ctc_2" });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: "unseen_lines" } });
    expect(await ground.get("a.txt")).toBe(large);
    // The next script has room again; the model's own call has the budget that was named.
    expect(
      printed(await call("read_file", { file_path: "b.txt" }, { callId: "exec-5", itemId: "ctc_3" })),
    ).toBeGreaterThan(35_000);
    const own = await call("read_file", { file_path: "c.txt", limit: linesOf(large) }, { callId: "call_6" });
    expect(own.structuredContent).toBeUndefined();
    expect(printed(own)).toBeGreaterThan(55_000);
  });

  test("replaces no file that it has read itself: nobody knows yet whether the model is shown it", async () => {
    const { ground, call } = await codex();
    await ground.put("d.txt", "one\ntwo\n");
    const say = (name: string, args: object, itemId: string, threadId = "mine") =>
      call(name, { file_path: "d.txt", ...args }, { callId: "exec-1", itemId, threadId });
    const write = { content: "x\n", base_content_sha256: sha256("one\ntwo\n") };
    await say("read_file", {}, "ctc_1");
    // A script of another conversation ends none of this one.
    await say("read_file", {}, "ctc_9", "another");
    expect(await say("write_file", write, "ctc_1")).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/^FAILED \(unseen_lines\): .*: print the text first; write in a/) },
      ],
    });
    expect(await ground.get("d.txt")).toBe("one\ntwo\n");
    const edits = [{ old_string: "two", new_string: "2" }];
    const { base_content_sha256 } = write;
    expect(await say("edit_file", { edits, base_content_sha256 }, "ctc_1")).toMatchObject({ isError: false });
    const later = { ...write, base_content_sha256: sha256("one\n2\n") };
    expect(await say("write_file", later, "ctc_2")).toMatchObject({ isError: false });
    expect(await ground.get("d.txt")).toBe("x\n");
  });

  test("writes nothing in a read-only sandbox, nor does the model itself", async () => {
    const { ground, call } = await codex();
    const meta = { "x-codex-turn-metadata": { sandbox_mode: "read-only" } };
    for (const callId of ["exec-1", "call_2"]) {
      const write = await call("write_file", { file_path: "new.txt", content: "x\n" }, { ...meta, callId });
      expect(write).toMatchObject({
        isError: true,
        content: [
          { text: expect.stringMatching(/^FAILED \(read_only\): .*mcp__holdfast__write_file is not/) },
        ],
      });
      expect(await call("read_file", { file_path: "a.txt" }, { ...meta, callId })).toMatchObject({
        isError: false,
      });
    }
    await expect(ground.get("new.txt")).rejects.toThrow();
  });
});

test("a client that shows its user the arguments as they are sent is offered edits without a list", async () => {
  const ground = await makeGround({ "a.txt": "one\ntwo\n" });
  for (const [name, flat] of [
    ["claude-code", true],
    ["opencode", false],
  ] as const) {
    const { client, call } = await connect("2025-11-25", ground, {}, name);
    const { tools } = await client.listTools();
    const { properties = {}, required } = tools.find((tool) => tool.name === "edit_file")?.inputSchema ?? {};
    expect(Object.keys(properties)).toContain(flat ? "old_string" : "edits");
    expect(Object.keys(properties)).not.toContain(flat ? "edits" : "old_string");
    expect(required).toEqual(flat ? ["file_path", "new_string"] : ["file_path", "edits"]);
    await call("read_file", { file_path: "a.txt" });
    // Both shapes are taken from everybody.
    const [one, two] = ["one", "1"];
    const edit = { old_string: one, new_string: two };
    expect(await call("edit_file", { file_path: "a.txt", ...edit })).toMatchObject({ code: "applied" });
    const back = { file_path: "a.txt", edits: [{ old_string: two, new_string: one }] };
    expect(await call("edit_file", back)).toMatchObject({ code: "applied" });
  }
});

test.each(revisions)("in %s a cursor that is none of ours is refused", async (revision) => {
  const { client } = await connect(revision, await makeGround());
  await expect(client.request({ method: "tools/list", params: { cursor: "2" } })).rejects.toMatchObject({
    code: -32602,
  });
});

test("a client that is not in the table, or gives no name, gets the careful row", () => {
  const strange = [undefined, null, 7, "claude-code", {}, { name: 7 }, { name: "__proto__" }];
  const near = ["Claude-Code", "claude-code ", "opencode2", "x".repeat(100_000)].map((name) => ({ name }));
  for (const info of [...strange, ...near]) expect(hostOf(info)).toBe(carefulHost);
});

test("a client that goes by another's name is refused a stale change, like any other", async () => {
  const ground = await makeGround({ "a.txt": large });
  const { call } = await connect("2025-11-25", ground, {}, "claude-code");
  await call("read_file", { file_path: "a.txt" });
  await ground.put("a.txt", `met\n${large}`);
  const change = { file_path: "a.txt", unified_diff: "@@ -1 +1 @@\n-x\n+y\n" };
  const stale = await call("safe_patch", { ...change, base_content_sha256: sha256(large) });
  expect(stale).toMatchObject({ success: false, code: "state_mismatch" });
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
    const shown = `\`${host.toolPrefix}read_file\``;
    expect(page).toContain(`| ${[...cells, refusal, host.sees, shown].join(" | ")} |`);
  }
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n%\u00e2\u00e3\nx\n", "latin1");
const media = {
  "a.png": png,
  "named.txt": png,
  "b.pdf": pdf,
  "c.png": Buffer.from("\0no image"),
  "d.txt": "text\n",
};
const image = { type: "image", data: png.toString("base64"), mimeType: "image/png" };

describe("of media", () => {
  async function read(client: string, path: string, options = {}) {
    const ground = await makeGround(media);
    const server = await connect("2025-11-25", ground, options, client);
    const answer = await server.client.callTool({ name: "read_file", arguments: { file_path: path } });
    return { ...answer, client: server.client, root: ground.root };
  }

  test.each([
    ["claude-code", "a.png"],
    ["gemini-cli-mcp-client-holdfast", "a.png"],
    ["codex-mcp-client", "a.png"],
    ["opencode", "a.png"],
    ["qwen-cli-mcp-client-holdfast", "a.png"],
    ["claude-code", "named.txt"],
  ])("%s is sent the image %s as an image, by its bytes", async (client, path) => {
    const { content, isError } = await read(client, path);
    expect(isError).toBe(false);
    const said = `"${path}" follows as it is (image/png, ${png.length} bytes, sha256 ${sha256(png)})`;
    expect(content).toEqual([{ type: "text", text: expect.stringContaining(said) }, image]);
  });

  test("the JSON form has an object beside the image that says what it is", async () => {
    const { content, isError } = await read("claude-code", "a.png", { wire: "json" });
    expect(isError).toBe(false);
    expect(content[1]).toEqual(image);
    const said: unknown = JSON.parse(content[0]?.type === "text" ? content[0].text : "");
    expect(said).toEqual({
      file_path: "a.png",
      sha256: sha256(png),
      media: { mime_type: "image/png", size_bytes: png.length },
      message: expect.stringContaining("follows as it is"),
    });
  });

  test.each(["gemini-cli-mcp-client-holdfast", "opencode"])(
    "a PDF comes as a resource where %s hands it on",
    async (client) => {
      const { content, root } = await read(client, "b.pdf");
      const uri = pathToFileURL(join(root, "b.pdf")).href;
      const resource = { uri, mimeType: "application/pdf", blob: pdf.toString("base64") };
      expect(content[1]).toEqual({ type: "resource", resource });
    },
  );

  test.each([
    ["claude-code", "b.pdf", "a PDF document"],
    ["some-client", "a.png", "a PNG image"],
    ["copilot-cli", "a.png", "a PNG image"],
    ["claude-code", "c.png", "binary data"],
  ])("%s is told of %s in a sentence: %s", async (client, path, kind) => {
    const { content } = await read(client, path);
    expect(content).toMatchObject([{ type: "text", text: expect.stringMatching(/^FAILED \(binary\)/) }]);
    expect(JSON.stringify(content)).toContain(`(${kind}, `);
  });

  test("an image gives no right to overwrite it, and a text stays a text", async () => {
    const { client } = await read("claude-code", "a.png");
    const write = { file_path: "a.png", content: "x", base_content_sha256: sha256(png) };
    const { content } = await client.callTool({ name: "write_file", arguments: write });
    expect(JSON.stringify(content)).toContain("FAILED (");
    const text = await client.callTool({ name: "read_file", arguments: { file_path: "d.txt" } });
    expect(text.content).toHaveLength(1);
  });
});
