import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { Project } from "../../../../packages/cli/test/process.js";

const samples = fileURLToPath(new URL("../imports/", import.meta.url));
const project = new Project({ "work/.keep": "" });
const home = join(project.folder, "home");
const stateDir = join(project.folder, "state");

/** One command with a home of its own, where no variable names another folder. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const none = {
    CODEX_HOME: "",
    CLAUDE_CONFIG_DIR: "",
    XDG_DATA_HOME: "",
    GEMINI_CLI_HOME: "",
    PI_CODING_AGENT_DIR: "",
  };
  return project.run(["sessions", ...args, "--state-dir", stateDir], {
    env: { HOME: home, ...none, ...env },
  });
}

async function json(args: readonly string[], env?: Readonly<Record<string, string>>) {
  const done = await run([...args, "--json"], env);
  return { code: done.code, said: JSON.parse(done.stdout) };
}

const rollout = "2026/11/23/rollout-2026-11-23T06-59-00-01a20733-9981-7e50-9e36-1feee5c9c65e.jsonl";
const codexId = "01a20733-9981-7e50-9e36-1feee5c9c65e";

beforeAll(() => {
  put(`.codex/sessions/${rollout}`, sample("codex-parallel.jsonl"));
  put(".gemini/tmp/project/chats/session-2026-11-23T07-00-11b46a84.jsonl", sample("gemini-parallel.jsonl"));
  put(".gemini/tmp/project/.project_root", "/project");
  put(".gemini/tmp/project/logs.json", "[]");
  putStorage(sample("opencode-child.jsonl"));
  const pi = [
    { type: "session", version: 3, id: "p-1", timestamp: "2026-01-02T03:04:05.000Z", cwd: "/srv/app" },
    { type: "message", id: "a", parentId: null, message: { role: "user", content: "a prompt of pi" } },
  ];
  put(".pi/agent/sessions/--srv-app--/p-1.jsonl", lines(pi));
  const claude = {
    type: "user",
    uuid: "u",
    parentUuid: null,
    sessionId: "s",
    cwd: "/srv/app",
    timestamp: "2026-01-02T03:04:06.000Z",
  };
  const said = { message: { role: "user", content: "a prompt of Claude Code" } };
  put(
    ".claude/projects/-srv-app/0b9c1d6e-0000-4000-8000-000000000001.jsonl",
    lines([{ ...claude, ...said }]),
  );
  put(".claude/projects/-srv-app/empty.jsonl", "");
});

function sample(name: string): string {
  return readFileSync(join(samples, name), "utf8");
}

function lines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

function put(name: string, text: string): void {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** As opencode kept its sessions before 2026: one file for each session, message and part. */
function putStorage(records: string): void {
  for (const line of records.split("\n").filter((one) => one !== "")) {
    const { id, projectID, sessionID, messageID } = JSON.parse(line);
    const folder =
      projectID !== undefined
        ? `session/${projectID}`
        : messageID !== undefined
          ? `part/${messageID}`
          : `message/${sessionID}`;
    put(`.local/share/opencode/storage/${folder}/${id}.json`, line);
  }
}

describe("holdfast sessions import without a file", () => {
  test("lists what the programs of this machine keep, with the command for each", async () => {
    const { code, said } = await json(["import"]);
    expect(code).toBe(0);
    const told = said.sessions.map(
      ({ reference, title, cwd }: Record<string, string>) => `${reference} ${title} ${cwd}`,
    );
    expect(told.toSorted()).toEqual([
      "claude:0b9c1d6e-0000-4000-8000-000000000001 a prompt of Claude Code /srv/app",
      `codex:${codexId} Make beta BETA; look at dot.png. /project`,
      "gemini:11b46a84-1c52-485c-acfd-5c40b44568b8 Make beta BETA; look at @dot.png. /project",
      "opencode:ses_df8ccb570ffe58FTywSDD19Lny A title /project",
      "pi:p-1 a prompt of pi /srv/app",
    ]);
    const shown = await run(["import"]);
    expect(shown.stdout).toContain(`holdfast sessions import codex:${codexId}\n`);
    expect(shown.stderr).toContain("5 sessions to import; --all imports them.");
    expect(existsSync(stateDir) && readdirSync(stateDir).includes("conversations")).toBe(false);
  });

  test("narrows by program, by folder and by number", async () => {
    const of = async (...flags: readonly string[]) =>
      (await json(["import", ...flags])).said.sessions
        .map(({ agent }: { agent: string }) => agent)
        .toSorted();
    expect(await of("--from", "pi")).toEqual(["pi"]);
    expect(await of("--project", "/srv")).toEqual(["claude", "pi"]);
    expect(await of("--project", "/sr")).toEqual([]);
    expect(await of("--limit", "2")).toHaveLength(2);
    const none = await run(["import", "--project", "/sr"]);
    expect(none.stderr).toContain("no sessions of other programs that worked in /sr ");
    expect(await run(["import", "a-file", "--from", "pi"])).toMatchObject({ code: 2 });
    expect(await run(["import", "--from", "emacs"])).toMatchObject({ code: 2 });
  });

  test("looks where the variables of the programs say", async () => {
    const elsewhere = join(project.folder, "elsewhere");
    cpSync(join(home, ".codex"), elsewhere, { recursive: true });
    const { said } = await json(["import", "--from", "codex"], {
      HOME: join(project.folder, "nobody"),
      CODEX_HOME: elsewhere,
    });
    expect(said.sessions).toMatchObject([{ agent: "codex", file: join(elsewhere, "sessions", rollout) }]);
  });

  test("imports one by its name, then all others, and none twice", async () => {
    const one = await json(["import", `codex:${codexId}`]);
    expect(one.said).toMatchObject({ success: true, format: "codex", nodes: 20, problems: [] });
    const again = await json(["import", join(home, ".codex", "sessions", rollout)]);
    expect(again).toMatchObject({ code: 3, said: { code: "duplicate_id" } });
    expect((await json(["import", "--from", "codex"])).said.sessions).toMatchObject([
      { imported: one.said.id },
    ]);
    const all = await json(["import", "--all"]);
    expect(all).toMatchObject({ code: 0, said: { success: true, imported: 4 } });
    expect((await run(["verify"])).code).toBe(0);
    expect((await json(["list"])).said.sessions).toHaveLength(5);
    expect((await json(["import", "--all"])).said).toMatchObject({ imported: 0 });
    expect((await run(["import"])).stderr).toContain("All of these are imported.");
  });

  test("says of a session that was imported before how much it has grown", async () => {
    const message = { type: "message", role: "user", content: [{ type: "input_text", text: "one more" }] };
    const line = { timestamp: "2026-11-23T07:10:00.000Z", type: "response_item", payload: message };
    appendFileSync(join(home, ".codex", "sessions", rollout), lines([line]));
    const { said } = await json(["import", `codex:${codexId}`]);
    expect(said.message).toMatch(
      /^This session was imported before as \w+ and has 1 node more there since\./,
    );
    const beside = await json(["import", `codex:${codexId}`, "--new-id"]);
    expect(beside.said).toMatchObject({ success: true, nodes: 21 });
  });

  test("follows no link, and offers no name that a shell would act on", async () => {
    const other = join(project.folder, "hostile");
    mkdirSync(join(other, "sessions"), { recursive: true });
    symlinkSync(join(home, ".codex", "sessions", "2026"), join(other, "sessions", "2026"));
    const id = "$(touch gone)\u001b[2J";
    const text = sample("codex-aborted.jsonl").replaceAll(
      /01a20749-7574-72c2-8b18-93f3ab82a21c/g,
      id.replaceAll("\u001b", "\\u001b"),
    );
    writeFileSync(join(other, "sessions", "rollout-it's.jsonl"), text);
    const env = { CODEX_HOME: other };
    expect((await json(["import", "--from", "codex"], env)).said.sessions).toMatchObject([{ id }]);
    const { stdout } = await run(["import", "--from", "codex"], env);
    expect(stdout).toContain("rollout-it'\\''s.jsonl'");
    expect(stdout).not.toContain("touch");
    expect(stdout).not.toContain("\u001b");
  });

  test("reads no pipe and no link of a program's folder, and tells of what it leaves out", async () => {
    const data = join(project.folder, "odd");
    const storage = join(data, "opencode", "storage");
    cpSync(join(home, ".local", "share", "opencode", "storage"), storage, { recursive: true });
    const id = "ses_df8ccb570ffe58FTywSDD19Lny";
    const messages = join(storage, "message", id);
    const [first = ""] = readdirSync(messages);
    const parts = join(storage, "part", first.replace(".json", ""));
    mkdirSync(parts, { recursive: true });
    const outside = join(project.folder, "outside.json");
    writeFileSync(outside, JSON.stringify({ id: "p", type: "text", text: "from outside" }));
    symlinkSync(outside, join(parts, "linked.json"));
    symlinkSync(join(data, "nothing"), join(parts, "dangling.json"));
    execFileSync("mkfifo", [join(parts, "pipe.json")]);
    mkdirSync(join(parts, "folder.json"));
    writeFileSync(join(parts, "bad.json"), "{bad");
    writeFileSync(join(parts, "bytes.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    symlinkSync(parts, join(storage, "session", "linked"));
    const sessions = join(storage, "session", "odd");
    mkdirSync(sessions);
    execFileSync("mkfifo", [join(sessions, "pipe.json")]);
    writeFileSync(join(sessions, "bad.json"), "{bad");
    writeFileSync(join(sessions, "s.json"), JSON.stringify({ id: "ses_no_project", time: { created: 1 } }));
    const env = { XDG_DATA_HOME: data };
    const listed = await json(["import", "--from", "opencode"], env);
    expect(listed.said.sessions).toMatchObject([{ id }]);
    const told = (texts: readonly string[]) =>
      texts.map((text) => text.replace(/^.*\/(?=[^/]*? was)/, "").replace(" was not read: it", ":"));
    expect(told(listed.said.problems).toSorted()).toEqual([
      "bad.json: is no JSON object.",
      "linked: is a link that is not followed.",
      "pipe.json: is no regular file.",
    ]);
    const taken = await json(["import", `opencode:${id}`, "--new-id"], env);
    expect(taken.said).toMatchObject({ success: true, nodes: 26 });
    expect(told(taken.said.problems.map(({ message }: { message: string }) => message)).toSorted()).toEqual([
      "bad.json: is no JSON object.",
      "bytes.json: is not valid UTF-8.",
      "dangling.json: is a link that is not followed.",
      "folder.json: is no regular file.",
      "linked.json: is a link that is not followed.",
      "pipe.json: is no regular file.",
    ]);
  });

  test("does not wait for a pipe in the place of gemini-cli's note of the folder", async () => {
    const at = join(project.folder, "piped");
    const chats = join(at, ".gemini", "tmp", "x", "chats");
    mkdirSync(chats, { recursive: true });
    const chat = join(chats, "session-a.jsonl");
    writeFileSync(chat, sample("gemini-parallel.jsonl"));
    execFileSync("mkfifo", [join(chats, "..", ".project_root")]);
    const env = { GEMINI_CLI_HOME: at };
    expect((await json(["import", "--from", "gemini"], env)).said.sessions).toMatchObject([{ cwd: null }]);
    const { said } = await json(["import", chat, "--new-id"], env);
    expect(said.problems).toMatchObject([{ what: "unreadable_file" }]);
    expect(said.problems[0].message).toContain(".project_root was not read: it is no regular file.");
  });

  test("passes over a line that is too long to be held, and keeps all others", async () => {
    const file = join(project.folder, "long.jsonl");
    const [head = "", ...rest] = sample("codex-aborted.jsonl").split("\n");
    writeFileSync(file, `${head}\n`);
    for (let part = 0; part < 101; part += 1) appendFileSync(file, Buffer.alloc(1024 * 1024, "a"));
    appendFileSync(file, `\n${rest.join("\n")}`);
    const { said } = await json(["import", file]);
    expect(said).toMatchObject({ success: true, nodes: 11 });
    expect(said.problems).toMatchObject([{ line: 2, what: "long_line" }]);
  });

  test("says what opencode's database needs, where this Node cannot read it", async () => {
    const data = join(project.folder, "data");
    mkdirSync(join(data, "opencode"), { recursive: true });
    const file = join(data, "opencode", "opencode.db");
    const isReadable = await makeDatabase(file, sample("opencode-child.jsonl"));
    const { said } = await json(["import", "--from", "opencode"], { XDG_DATA_HOME: data });
    if (isReadable) {
      expect(said.sessions).toMatchObject([{ id: "ses_df8ccb570ffe58FTywSDD19Lny", title: "A title" }]);
      const taken = await json(["import", "opencode:ses_df8ccb570ffe58FTywSDD19Lny", "--new-id"], {
        XDG_DATA_HOME: data,
      });
      expect(taken.said).toMatchObject({ success: true, nodes: 26, problems: [] });
    } else
      expect(said.problems[0]).toContain("use Node 22.13 or newer, or import what `opencode export` writes");
  });
});

/** The tables of opencode, as far as they are read. @returns whether this Node can make them. */
async function makeDatabase(file: string, records: string): Promise<boolean> {
  const name = "node:sqlite";
  const sqlite = await import(name).catch(() => undefined);
  if (sqlite === undefined) {
    writeFileSync(file, "");
    return false;
  }
  const database = new sqlite.DatabaseSync(file);
  database.exec(
    "create table session (id text, project_id text, parent_id text, directory text, title text, version text, revert text, time_created integer, time_updated integer);" +
      "create table message (id text, session_id text, data text); create table part (id text, message_id text, session_id text, data text);",
  );
  for (const line of records.split("\n").filter((one) => one !== "")) {
    const { id, sessionID, messageID, ...data } = JSON.parse(line);
    if (messageID !== undefined)
      database
        .prepare("insert into part values (?, ?, ?, ?)")
        .run(id, messageID, sessionID, JSON.stringify(data));
    else if (sessionID !== undefined)
      database.prepare("insert into message values (?, ?, ?)").run(id, sessionID, JSON.stringify(data));
    else
      database
        .prepare("insert into session values (?, ?, ?, ?, ?, ?, null, ?, ?)")
        .run(
          id,
          data.projectID,
          data.parentID ?? null,
          data.directory,
          data.title,
          data.version,
          data.time.created,
          data.time.updated,
        );
  }
  database.close();
  return true;
}
