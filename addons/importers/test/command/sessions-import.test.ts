import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Project } from "../../../../packages/cli/test/process.js";

/** Sessions that Claude Code and pi wrote themselves. */
const imports = fileURLToPath(new URL("../imports/", import.meta.url));
const project = new Project();

async function importing(file: string, place: string, ...flags: readonly string[]) {
  const stateDir = ["--state-dir", join(project.folder, place)];
  const done = await project.run(["sessions", "import", file, ...flags, ...stateDir]);
  const verified = await project.run(["sessions", "verify", ...stateDir]);
  return { done, verified };
}

describe("holdfast sessions import", () => {
  test("takes the subagents that lie beside a transcript, and tells what it left out in one line", async () => {
    const { done, verified } = await importing(join(imports, "claude-day.jsonl"), "day");
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Imported 64 nodes from a transcript/),
    });
    const lines = done.stderr.trim().split("\n");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^Not in the tree: \d+ lines that are no turns \(attachment \d+, /);
    expect(verified).toMatchObject({ code: 0 });
    const [, id = ""] = /: (\S+) /.exec(done.stdout) ?? [];
    const place = ["--state-dir", join(project.folder, "day")];
    const tree = await project.run(["history", "view", id, ...place]);
    expect(tree.stdout).toContain("Helper two is done.");
  });

  test.each(["claude-killed.jsonl", "pi-killed.jsonl", "pi-day.jsonl", "claude-stream-agents.jsonl"])(
    "takes %s without a word of repair, and finds it sound",
    async (name) => {
      const { done, verified } = await importing(join(imports, name), name, "--json");
      expect(done.code).toBe(0);
      expect(JSON.parse(done.stdout)).toMatchObject({ success: true, problems: [] });
      expect(verified).toMatchObject({ code: 0 });
    },
  );

  test.skipIf(process.platform === "win32")(
    "follows no link beside a transcript, and no name in it",
    async () => {
      const file = join(project.folder, "links.jsonl");
      cpSync(join(imports, "claude-day.jsonl"), file);
      mkdirSync(join(project.folder, "links/subagents"), { recursive: true });
      const secret = { type: "user", uuid: "x", parentUuid: null, message: { content: "a secret" } };
      writeFileSync(join(project.folder, "secret.jsonl"), JSON.stringify(secret));
      symlinkSync(
        join(project.folder, "secret.jsonl"),
        join(project.folder, "links/subagents/agent-7.jsonl"),
      );
      writeFileSync(join(project.folder, "links/subagents/other.jsonl"), JSON.stringify(secret));
      const { done } = await importing(file, "links-state", "--json");
      const { nodes, problems } = JSON.parse(done.stdout);
      expect({ nodes, problems }).toEqual({ nodes: 48, problems: [] });
    },
  );

  test("tells a file beside it that cannot be read, and prints no escape sequence of any", async () => {
    const file = join(project.folder, "bad.jsonl");
    const title = "\u001b[2J<b>title</b>";
    const lines = [
      { type: "user", uuid: "a", parentUuid: null, sessionId: "s", message: { content: title } },
      { type: "\u001b[31mchatter", uuid: "b", parentUuid: "a" },
    ];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    mkdirSync(join(project.folder, "bad/subagents"), { recursive: true });
    writeFileSync(
      join(project.folder, "bad/subagents/agent-\u001b[1m.jsonl"),
      Buffer.from([0xff, 0xfe, 0x0a]),
    );
    const { done, verified } = await importing(file, "bad-state");
    expect(done.code).toBe(0);
    expect(`${done.stdout}${done.stderr}`).not.toContain("\u001b");
    expect(done.stderr).toContain("line 1 is no JSON object");
    expect(verified).toMatchObject({ code: 0 });
  });

  test("loses no line to a byte that is no UTF-8, in the session nor beside it, and tells it once", async () => {
    const file = join(project.folder, "latin.jsonl");
    const turn = (uuid: string, parentUuid: string | null, content: string) =>
      `${JSON.stringify({ type: "user", uuid, parentUuid, sessionId: "latin", message: { content } })}\n`;
    const text = `${turn("a", null, "caf\u00e9")}${turn("b", "a", "na\u00efve")}${turn("c", "b", "plain")}`;
    writeFileSync(file, Buffer.from(text, "latin1"));
    mkdirSync(join(project.folder, "latin/subagents"), { recursive: true });
    writeFileSync(
      join(project.folder, "latin/subagents/agent-7.jsonl"),
      Buffer.from(turn("d", null, "\u00fcber"), "latin1"),
    );
    const { done, verified } = await importing(file, "latin-state", "--json");
    const { success, id, problems } = JSON.parse(done.stdout);
    expect(success).toBe(true);
    expect(problems.map(({ message }: { message: string }) => message).slice(0, 2)).toEqual([
      "Line 1 is not valid UTF-8 (2 such in all); U+FFFD stands for the bytes that cannot be read.",
      "agent-7.jsonl: Line 1 is not valid UTF-8 (1 such in all); U+FFFD stands for the bytes that cannot be read.",
    ]);
    const place = ["--state-dir", join(project.folder, "latin-state")];
    const tree = await project.run(["history", "view", id, ...place]);
    for (const said of ["caf\ufffd", "na\ufffdve", "plain"]) expect(tree.stdout).toContain(said);
    expect(verified).toMatchObject({ code: 0 });
  });

  test.each(["le", "be"])("reads UTF-16 (%s) where its mark says so", async (order) => {
    const file = join(project.folder, `utf16-${order}.jsonl`);
    const bytes = Buffer.from(
      `\ufeff${readFileSync(join(imports, "codex-parallel.jsonl"), "utf8")}`,
      "utf16le",
    );
    writeFileSync(file, order === "le" ? bytes : bytes.swap16());
    const plain = await importing(join(imports, "codex-parallel.jsonl"), `plain-${order}`, "--json");
    const { done } = await importing(file, `utf16-${order}`, "--json");
    const { nodes } = JSON.parse(plain.done.stdout);
    expect(JSON.parse(done.stdout)).toMatchObject({ success: true, nodes, problems: [] });
  });

  test("gives a forked session no change before its beginning", async () => {
    const file = join(project.folder, "fork.jsonl");
    const at = (timestamp: string) => ({ id: timestamp.slice(0, 4), parentId: null, timestamp });
    const lines = [
      {
        type: "session",
        version: 3,
        id: "p",
        timestamp: "2026-05-01T00:00:00Z",
        cwd: "/x",
        parentSession: "/y",
      },
      { type: "message", ...at("2026-04-01T00:00:00Z"), message: { role: "user", content: "copied" } },
    ];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    await importing(file, "fork");
    const stateDir = ["--state-dir", join(project.folder, "fork")];
    const listed = await project.run(["sessions", "list", "--json", ...stateDir]);
    const [session] = JSON.parse(listed.stdout).sessions;
    const [begun, changed] = [session.created ?? session.createdMs, session.modified ?? session.modifiedMs];
    expect(Date.parse(begun) || begun).toBeLessThanOrEqual(Date.parse(changed) || changed);
  });
});
