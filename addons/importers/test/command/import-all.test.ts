import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Project, runAs } from "../../../../packages/cli/test/process.js";
import { isRoot } from "../../../../test/tools.js";

const samples = fileURLToPath(new URL("../imports/", import.meta.url));
const project = new Project({ "work/.keep": "" });
const none = {
  CODEX_HOME: "",
  CLAUDE_CONFIG_DIR: "",
  XDG_DATA_HOME: "",
  GEMINI_CLI_HOME: "",
  PI_CODING_AGENT_DIR: "",
};

/** A home of its own with such files, and what the program says there. */
function homeWith(name: string, files: Readonly<Record<string, string>>) {
  const home = join(project.folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const run = (...args: readonly string[]) =>
    project.run(["sessions", ...args, "--state-dir", `${home}-state`], { env: { HOME: home, ...none } });
  const json = async (...args: readonly string[]) => JSON.parse((await run(...args, "--json")).stdout);
  return { home, run, json };
}

function ofPi(id: string, text: string, more: object = {}): string {
  const values = [
    { type: "session", version: 3, id, timestamp: "2026-01-02T03:04:05.000Z", cwd: "/srv/app" },
    { type: "message", id: "a", parentId: null, message: { role: "user", content: text }, ...more },
  ];
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

const inPi = ".pi/agent/sessions/--srv-app--";

describe("holdfast sessions import --all", () => {
  test("keeps two files of one session id, tells it, and imports neither twice", async () => {
    const files = { [`${inPi}/a.jsonl`]: ofPi("p", "one"), [`${inPi}/b.jsonl`]: ofPi("p", "other") };
    const { run, json } = homeWith("twins", files);
    const said = await json("import", "--all");
    expect(said).toMatchObject({ success: true, imported: 2 });
    const told = said.sessions.flatMap(({ problems }: { problems: readonly object[] }) => problems);
    expect(told).toMatchObject([{ line: 1, what: "duplicate_id" }]);
    const titles = (await json("list")).sessions.map(({ title }: { title: string }) => title);
    expect(titles.toSorted()).toEqual(["one", "other"]);
    expect(await json("import", "--all")).toMatchObject({ success: true, imported: 0 });
    expect((await run("verify")).code).toBe(0);
  });

  test("takes a cut document of thousands of levels as one of many", async () => {
    const rows = Array.from({ length: 1_500 }, (_, at) => `${"  ".repeat(at + 3)}"deep": {`);
    const head = '{\n  "sessionId": "g",\n  "startTime": "2026-01-02T03:04:05.000Z",\n  "messages": [';
    const user =
      '    { "id": "u", "type": "user", "content": [{ "text": "hello" }] },\n    {\n      "id": "v",';
    const deep = [head, user, ...rows].join("\n");
    const files = { ".gemini/tmp/p/chats/session-1.json": deep, [`${inPi}/b.jsonl`]: ofPi("p", "other") };
    const { run, json } = homeWith("deep", files);
    expect((await json("import")).sessions).toHaveLength(2);
    expect(await json("import", "--all")).toMatchObject({ success: true, imported: 2 });
    expect((await run("verify")).code).toBe(0);
  });

  test("imports so many more each time as --limit says, and tells that there are others", async () => {
    const files = ["a", "b", "c"].map((id) => [`${inPi}/${id}.jsonl`, ofPi(id, `say ${id}`)]);
    const { json, run } = homeWith("limited", Object.fromEntries(files));
    expect(await json("import", "--all", "--limit", "2")).toMatchObject({ imported: 2, more: 1 });
    expect(await json("import", "--all", "--limit", "2")).toMatchObject({ imported: 1, more: 0 });
    expect((await run("import")).stderr).toContain("All of these are imported.");
  });

  test("tells the notes below the session that they are of", async () => {
    const files = { [`${inPi}/a.jsonl`]: ofPi("a", "one", { timestamp: "soon" }) };
    const { run } = homeWith("grouped", files);
    const { stderr } = await run("import", "--all");
    expect(stderr).toMatch(/^pi:a:\n {2}note: Line 2 has a time that cannot be read/m);
  });

  test("knows a file again that names no session", async () => {
    const saved = JSON.stringify([{ role: "user", parts: [{ text: "hello" }] }]);
    const { json } = homeWith("unnamed", { ".gemini/tmp/x/checkpoint-a.json": saved });
    expect(await json("import", "--all")).toMatchObject({ imported: 1 });
    expect(await json("import", "--all")).toMatchObject({ imported: 0 });
    const { sessions } = await json("import");
    expect(sessions).toMatchObject([{ reference: "gemini:checkpoint-a.json" }]);
    expect(sessions[0].imported).toMatch(/^\w{26}$/);
  });
});

describe("sessions of subagents", () => {
  const filesIn = (folder: string, at: (name: string, text: string) => string) =>
    Object.fromEntries(
      readdirSync(join(samples, folder)).map((name) => {
        const text = readFileSync(join(samples, folder, name), "utf8");
        return [at(name, text), text];
      }),
    );

  test("of Codex and gemini-cli come in with the session that began them, wherever it names them", async () => {
    const chats = ".gemini/tmp/project/chats";
    const chat =
      readdirSync(join(samples, "gemini-agents")).find((name) => name.startsWith("session-")) ?? "";
    const [, id] =
      /"sessionId":"([^"]+)"/.exec(readFileSync(join(samples, "gemini-agents", chat), "utf8")) ?? [];
    const { json, run } = homeWith("agents", {
      // The second of them began a day later.
      ...filesIn(
        "codex-agents",
        (name) => `.codex/sessions/2026/11/2${name.includes("87d6") ? 5 : 4}/${name}`,
      ),
      ...filesIn("codex-agents-v2", (name) => `.codex/sessions/2026/11/24/${name}`),
      ...filesIn("gemini-agents", (name) => (name === chat ? `${chats}/${name}` : `${chats}/${id}/${name}`)),
    });
    const listed = await json("import");
    expect(listed.sessions.map(({ agent }: { agent: string }) => agent).toSorted()).toEqual([
      ...["codex", "codex", "gemini"],
    ]);
    const { sessions } = await json("import", "--all");
    expect(sessions.map(({ nodes }: { nodes: number }) => nodes).toSorted()).toEqual([31, 33, 37]);
    expect(sessions.flatMap(({ problems }: { problems: readonly object[] }) => problems)).toEqual([]);
    expect((await run("verify")).code).toBe(0);
  });
});

describe("holdfast sessions import without a file", () => {
  test("says how large a session of opencode is, with its messages and parts", async () => {
    const at = ".local/share/opencode/storage";
    const records = {
      [`${at}/session/p/ses_1.json`]: JSON.stringify({ id: "ses_1", projectID: "p", time: { created: 1 } }),
      [`${at}/message/ses_1/msg_1.json`]: JSON.stringify({ id: "msg_1", sessionID: "ses_1", role: "user" }),
      [`${at}/part/msg_1/prt_1.json`]: JSON.stringify({
        id: "prt_1",
        messageID: "msg_1",
        type: "text",
        text: "é",
      }),
    };
    const { json } = homeWith("opencode", records);
    const bytes = Object.values(records).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect((await json("import")).sessions).toMatchObject([{ id: "ses_1", bytes }]);
  });

  test("lists a file in UTF-16", async () => {
    const { home, json } = homeWith("utf16", { [`${inPi}/a.jsonl`]: "" });
    writeFileSync(join(home, inPi, "a.jsonl"), Buffer.from(`\ufeff${ofPi("a", "wide")}`, "utf16le"));
    expect((await json("import")).sessions).toMatchObject([{ id: "a", title: "wide" }]);
  });

  test.runIf(isRoot)("tells what may not be read, and lists all else", async () => {
    const rollout = ".codex/sessions/2026/11/23/rollout-a.jsonl";
    const { home } = homeWith("closed", {
      [`${inPi}/a.jsonl`]: ofPi("a", "open"),
      [`${inPi}/b.jsonl`]: ofPi("b", "closed"),
      [rollout]: readFileSync(join(samples, "codex-aborted.jsonl"), "utf8"),
      ".local/share/opencode/storage/session/p/ses_1.json": "{}",
    });
    chmodSync(project.folder, 0o755);
    const closed = [
      join(home, ".codex/sessions/2026/11"),
      join(home, ".local/share/opencode/storage/session/p"),
      join(home, inPi, "b.jsonl"),
    ];
    for (const path of closed) chmodSync(path, 0);
    const { stdout } = await runAs(65_534, ["sessions", "import", "--json"], { HOME: home, ...none });
    const { sessions, problems } = JSON.parse(stdout);
    expect(sessions).toMatchObject([{ id: "a" }]);
    expect(problems).toEqual(closed.map((path) => `${path} was not read: it may not be read.`));
  });
});
