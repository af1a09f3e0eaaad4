import { spawn } from "node:child_process";
import { chmodSync, existsSync, linkSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project, program, replaceLine, runHoldfast, sha256 } from "./process.js";

const poem = "one\ntwo\nthree\n";

describe("read", () => {
  const exact = [
    { name: "a text", content: poem },
    { name: "CRLF and a lone return", content: "a\r\nb\rc\r\n" },
    { name: "a byte order mark", content: "\ufeffa\n" },
    { name: "no final newline", content: "a\nb" },
    { name: "nothing", content: "" },
    { name: "escape sequences", content: "\u001b[31mred\u001b[0m\n" },
    { name: "more than a pipe holds", content: "0123456789abcde\n".repeat(15_000) },
  ];
  test.each(exact)("gives a pipe exactly the bytes of the file: $name", async ({ content }) => {
    const project = new Project({ "a.txt": content });
    const done = await project.run(["read", "a.txt"]);
    expect(done.bytes.equals(project.bytes("a.txt"))).toBe(true);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(`a.txt  sha256 ${project.hash("a.txt")}`);
  });

  test("a window is told with its lines and the number of all", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["read", "a.txt", "--offset", "2", "--limit", "1"]);
    expect(done).toMatchObject({ code: 0, stdout: "two\n" });
    expect(done.stderr).toContain("lines 2-2 of 3");
  });

  test("a legacy encoding is read as it is named and told", async () => {
    const project = new Project({ "a.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]) });
    const done = await project.run(["read", "a.txt", "--encoding", "iso-8859-1"]);
    expect(done).toMatchObject({ code: 0, stdout: "café\n" });
    expect(done.stderr).toContain("iso-8859-1");
  });

  test("--json is the seed's object", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["read", "a.txt", "--json"]);
    expect(JSON.parse(done.stdout)).toEqual({
      file_path: "a.txt",
      version: 1,
      sha256: sha256(poem),
      content: poem,
    });
    expect(done).toMatchObject({ code: 0, stderr: "" });
  });

  test("a name with an escape sequence reaches the terminal escaped", async () => {
    const project = new Project();
    const done = await project.run(["read", "a\u001b[31mb.txt"]);
    expect(done.code).toBeGreaterThan(1);
    expect(done.stderr).not.toContain("\u001b");
  });
});

describe("list", () => {
  test("shows sizes and folders, without what is ignored", async () => {
    const project = new Project({
      ".gitignore": "*.log\n",
      "a.txt": poem,
      "b.log": "x",
      "src/c.ts": "y",
    });
    const plain = await project.run(["list"]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toMatch(/^14 {2}a\.txt$/m);
    expect(plain.stdout).toMatch(/^ ?- {2}src\/$/m);
    expect(plain.stdout).not.toContain("b.log");
    const all = await project.run(["list", "--all", "--depth", "2"]);
    expect(all.stdout).toContain("b.log");
    expect(all.stdout).toContain("src/c.ts");
  });

  test("--json is the tool's object", async () => {
    const project = new Project({ "a.txt": poem, "src/c.ts": "y" });
    const done = await project.run(["list", "--json"]);
    expect(JSON.parse(done.stdout)).toMatchObject({
      entries: [
        { path: "a.txt", is_directory: false, size_bytes: 14 },
        { path: "src", is_directory: true },
      ],
      more: false,
    });
  });
});

describe("patch", () => {
  test("a diff with wrong numbers lands, and the repair is told", async () => {
    const project = new Project({ "a.txt": poem, "fix.diff": replaceLine("two", "TWO") });
    const done = await project.run(["patch", "a.txt", "fix.diff", "--base", project.hash("a.txt")]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
    expect(done.stdout).toContain("Patch applied successfully.");
    expect(done.stdout).toContain("line number");
    expect(done.stdout).toMatch(/^-two$/m);
    expect(done.stdout).toMatch(/^\+TWO$/m);
    expect(done.stdout).toContain(project.hash("a.txt"));
  });

  test("the diff comes from standard input, and twelve digits of the hash are enough", async () => {
    const project = new Project({ "a.txt": poem });
    const base = project.hash("a.txt").slice(0, 12);
    for (const args of [
      ["patch", "a.txt", "-", "--base", base],
      ["patch", "a.txt", "--base", base],
    ]) {
      project.put("a.txt", poem);
      expect(await project.run(args, { input: replaceLine("two", "TWO") })).toMatchObject({ code: 0 });
      expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
    }
  });

  test("--atomic needs no hash", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    expect(done.code).toBe(0);
    expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
  });

  test("a stale base is refused, the file is untouched, and --json brings the fresh state", async () => {
    const project = new Project({ "a.txt": poem });
    const base = project.hash("a.txt");
    await project.run(["patch", "a.txt", "--base", base], { input: replaceLine("two", "TWO") });
    const now = project.text("a.txt");
    const diff = replaceLine("three", "3");
    const plain = await project.run(["patch", "a.txt", "--base", base], { input: diff });
    expect(plain).toMatchObject({ code: 3, stdout: "" });
    expect(plain.stderr).toMatch(/^holdfast: state_mismatch: State Mismatch: File has changed on disk/);
    const json = await project.run(["patch", "a.txt", "--base", base, "--json"], { input: diff });
    expect(json).toMatchObject({ code: 3, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      success: false,
      code: "state_mismatch",
      latest_file_state: { file_path: "a.txt", sha256: sha256(now), content: now },
    });
    expect(project.text("a.txt")).toBe(now);
  });

  test("the same call twice is already applied", async () => {
    const project = new Project({ "a.txt": poem });
    const base = project.hash("a.txt");
    const input = replaceLine("two", "TWO");
    await project.run(["patch", "a.txt", "--base", base], { input });
    const again = await project.run(["patch", "a.txt", "--base", base, "--json"], { input });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ success: true, code: "already_applied" });
    expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
  });
});

describe("write", () => {
  test("a new file needs no base, its folders are made", async () => {
    const project = new Project();
    const done = await project.run(["write", "deep/er/a.txt"], { input: poem });
    expect(done.code).toBe(0);
    expect(project.text("deep/er/a.txt")).toBe(poem);
    expect(done.stdout).toContain(sha256(poem));
  });

  test("an existing file is replaced only with its hash", async () => {
    const project = new Project({ "a.txt": poem, "new.txt": "new\n" });
    const refused = await project.run(["write", "a.txt", "new.txt"]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("missing_base");
    expect(project.text("a.txt")).toBe(poem);
    const done = await project.run(["write", "a.txt", "new.txt", "--base", sha256(poem)]);
    expect(done.code).toBe(0);
    expect(project.text("a.txt")).toBe("new\n");
  });

  test("--exact writes the bytes as they are", async () => {
    const project = new Project();
    const bytes = Buffer.from([0, 1, 2, 255, 13, 10]);
    const done = await project.run(["write", "a.bin", "-", "--exact"], { input: bytes });
    expect(done.code).toBe(0);
    expect(project.bytes("a.bin").equals(bytes)).toBe(true);
  });

  test("--json has the four keys in every exit", async () => {
    const project = new Project();
    for (const code of [0, 3]) {
      const done = await project.run(["write", "a.txt", "--json"], { input: code === 0 ? poem : "other" });
      expect(done.code).toBe(code);
      expect(Object.keys(JSON.parse(done.stdout))).toEqual([
        "success",
        "code",
        "message",
        "latest_file_state",
      ]);
    }
  });

  test("a protected path is written only with --allow-protected", async () => {
    const project = new Project();
    const args = ["write", ".vscode/tasks.json"];
    expect((await project.run(args, { input: "{}" })).code).toBe(5);
    expect(project.has(".vscode/tasks.json")).toBe(false);
    const done = await project.run([...args, "--allow-protected", ".vscode/**"], { input: "{}" });
    expect(done.code).toBe(0);
    expect(project.text(".vscode/tasks.json")).toBe("{}");
  });
});

describe("undo, log, restore", () => {
  test("the history of a file is told, walked back and restored", async () => {
    const project = new Project({ "a.txt": poem });
    const first = project.hash("a.txt");
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    const second = project.hash("a.txt");
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("one", "ONE") });
    const third = project.hash("a.txt");

    const log = await project.run(["log", "a.txt"]);
    expect(log.code).toBe(0);
    const lines = log.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  ${third.slice(0, 12)}  .*\\* now$`),
    );
    expect(lines[1]).toContain(second.slice(0, 12));

    const json = JSON.parse((await project.run(["log", "a.txt", "--json"])).stdout);
    expect(json.entries.map((entry: { sha256: string }) => entry.sha256)).toEqual([third, second]);
    expect(json.entries[0]).toMatchObject({ before: second, current: true, kept: true });

    expect((await project.run(["undo", "a.txt"])).code).toBe(0);
    expect(project.hash("a.txt")).toBe(second);
    expect((await project.run(["undo", "a.txt"])).code).toBe(0);
    expect(project.hash("a.txt")).toBe(first);
    const nothing = await project.run(["undo", "a.txt"]);
    expect(nothing.code).toBe(3);
    expect(nothing.stderr).toContain("nothing_to_undo");

    const restore = ["restore", `a.txt@${third.slice(0, 12)}`, "--base", first];
    expect((await project.run(restore)).code).toBe(0);
    expect(project.hash("a.txt")).toBe(third);
  });

  test("undo refuses once somebody else has written", async () => {
    const project = new Project({ "a.txt": poem });
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    project.put("a.txt", "by hand\n");
    expect((await project.run(["undo", "a.txt"])).code).toBe(3);
    expect(project.text("a.txt")).toBe("by hand\n");
  });

  test("a state that was never recorded cannot be restored", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["restore", `a.txt@${"a".repeat(64)}`]);
    expect(done.code).toBe(3);
    expect(project.text("a.txt")).toBe(poem);
  });

  test("a file without history has an empty log", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["log", "a.txt"]);
    expect(done).toMatchObject({ code: 0, stdout: "" });
    expect(JSON.parse((await project.run(["log", "a.txt", "--json"])).stdout).entries).toEqual([]);
  });
});

describe("the folders", () => {
  test("--root says where a relative path counts from, before or after the command", async () => {
    const project = new Project({ "a.txt": poem });
    for (const args of [
      ["--root", project.folder, "read", "a.txt"],
      ["read", "a.txt", "--root", project.folder],
    ]) {
      expect(await runHoldfast(args, { cwd: "/" })).toMatchObject({ code: 0, stdout: poem });
    }
  });

  test("--state-dir keeps the history where it says, and nowhere else", async () => {
    const project = new Project({ "a.txt": poem });
    const other = new Project();
    const state = ["--state-dir", join(other.folder, "state")];
    await project.run(["patch", "a.txt", "--atomic", ...state], { input: replaceLine("two", "TWO") });
    expect((await project.run(["log", "a.txt"])).stdout).toBe("");
    expect((await project.run(["log", "a.txt", ...state])).stdout).not.toBe("");
  });

  test("the project gets no file that is not the user's", async () => {
    const project = new Project({ "a.txt": poem });
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    const listed = JSON.parse((await project.run(["list", "--all", "--depth", "9", "--json"])).stdout);
    expect(listed.entries.map((entry: { path: string }) => entry.path)).toEqual(["a.txt"]);
  });
});

describe("what a rename would lose", () => {
  test("a hard link is refused, and kept with --in-place", async () => {
    const project = new Project({ "a.txt": poem });
    linkSync(join(project.folder, "a.txt"), join(project.folder, "b.txt"));
    const args = ["patch", "a.txt", "--atomic"];
    const refused = await project.run(args, { input: replaceLine("two", "TWO") });
    expect(refused.stderr).toContain("cannot_preserve");
    expect(refused.stderr).toContain("--in-place");
    expect(refused.code).toBe(6);
    const done = await project.run([...args, "--in-place"], { input: replaceLine("two", "TWO") });
    expect(done.code).toBe(0);
    expect(project.text("b.txt")).toBe("one\nTWO\nthree\n");
  });
});

describe("several processes at once", () => {
  test("each change lands, none is lost", async () => {
    const lines = Array.from({ length: 8 }, (_, at) => `line ${at}`);
    const project = new Project({ "a.txt": `${lines.join("\n")}\n` });
    const runs = lines.map((line) =>
      project.run(["patch", "a.txt", "--atomic"], { input: replaceLine(line, `${line} changed`) }),
    );
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(lines.map(() => 0));
    expect(project.text("a.txt")).toBe(lines.map((line) => `${line} changed\n`).join(""));
  });
});

describe("gc", () => {
  test("keeps what is young, drops what is over the limit, and --dry-run only says so", async () => {
    const project = new Project();
    const state = ["--state-dir", join(project.folder, "state")];
    const big = "x".repeat(1_500_000);
    await project.run(["write", "a.txt", ...state], { input: big });
    await project.run(["write", "a.txt", "--atomic", ...state], { input: "small" });
    const collect = async (...args: string[]) =>
      JSON.parse((await project.run(["gc", "--json", ...state, ...args])).stdout);
    expect(await collect()).toMatchObject({ success: true, removed: { states: 0 }, kept: { states: 2 } });
    const dry = await collect("--max-megabytes", "1", "--dry-run");
    expect(dry.removed.bytes).toBe(1_500_000);
    expect((await collect()).kept.states).toBe(2);
    expect((await collect("--max-megabytes", "1")).removed.states).toBe(1);
    const undone = await project.run(["undo", "a.txt", ...state]);
    expect(undone.stderr).toContain("bytes_gone");
    expect(undone.code).toBe(3);
    expect(project.text("a.txt")).toBe("small");
  });

  test("says what it did", async () => {
    const project = new Project();
    const done = await project.run(["gc", "--state-dir", join(project.folder, "state")]);
    expect(done).toMatchObject({
      code: 0,
      stdout: "Removed 0 states (0 bytes).\nKept 0 states (0 bytes).\n",
    });
  });
});

describe("doctor", () => {
  test("finds nothing wrong on this machine", async () => {
    const project = new Project();
    const done = await project.run(["doctor"]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).not.toContain("✗");
    expect(done.stdout).toContain(process.versions.node);
    const json = JSON.parse((await project.run(["doctor", "--json"])).stdout);
    expect(json).toMatchObject({ success: true });
    expect(json.findings).toContainEqual({ name: "root", verdict: "good", says: project.folder });
  });

  test("a root that is not there is a fault, and the exit code says so", async () => {
    const project = new Project();
    const done = await project.run(["doctor", "--root", join(project.folder, "none")]);
    expect(done.stdout).toMatch(/^✗ root/m);
    expect(done.code).toBe(7);
  });
});

describe("mcp", () => {
  const open = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const requests = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: open },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} },
    {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "read_file", arguments: { file_path: "a.txt" } },
    },
  ];
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("");

  async function serve(...args: string[]) {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["mcp", ...args], { input });
    expect(done).toMatchObject({ code: 0, stderr: "" });
    const answers = done.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const byId = new Map(answers.map((answer) => [answer.id, answer.result]));
    const tools: string[] = byId.get(2).tools.map(({ name }: { name: string }) => name);
    return { tools, server: byId.get(1).serverInfo, text: byId.get(3).content[0].text as string };
  }

  test("serves the tools over its standard streams and ends with its input", async () => {
    const { tools, server, text } = await serve();
    expect(tools).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "safe_patch",
      "write_file",
      "undo_edit",
    ]);
    expect(server.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(text).toContain(poem);
    expect(text).toContain(sha256(poem));
  });

  test("its flags choose the tools and the wire", async () => {
    expect((await serve("--read-only")).tools).toEqual(["read_file", "read_many_files", "list_files"]);
    const { tools, text } = await serve("--tools", "read_file,safe_patch", "--wire", "json");
    expect(tools).toEqual(["read_file", "safe_patch"]);
    expect(JSON.parse(text)).toMatchObject({ file_path: "a.txt", content: poem });
  });
});

describe("exit codes", () => {
  const files = { "a.txt": "x\ny\nx\n", "b.bin": Buffer.from([0, 1, 2, 3]), "d/e.txt": poem };
  const hash = sha256(files["a.txt"]);
  const cases = [
    { code: 2, says: "unknown option", args: ["read", "a.txt", "--nope"] },
    { code: 2, says: "missing required argument", args: ["read"] },
    { code: 2, says: "missing required argument", args: ["patch"] },
    { code: 2, says: "too many arguments", args: ["read", "a.txt", "b.txt"] },
    { code: 2, says: "unknown command", args: ["frobnicate"] },
    { code: 2, says: "--offset", args: ["read", "a.txt", "--offset", "0"] },
    { code: 2, says: "--wire", args: ["mcp", "--wire", "xml"] },
    { code: 2, says: "there is no tool", args: ["mcp", "--tools", "read_file,rm"] },
    { code: 2, says: "FILE@SHA256", args: ["restore", "a.txt"] },
    { code: 2, says: "--atomic", args: ["patch", "a.txt", "--base", hash, "--atomic"] },
    { code: 2, says: "--jsonl", args: ["patch", "--jsonl", "a.txt"] },
    { code: 3, says: "file_missing", args: ["read", "none.txt"] },
    { code: 3, says: "missing_base", args: ["patch", "a.txt"], input: replaceLine("y", "Y") },
    {
      code: 3,
      says: "unknown_base",
      args: ["patch", "a.txt", "--base", "a".repeat(64)],
      input: replaceLine("y", "Y"),
    },
    { code: 3, says: "missing_base", args: ["write", "a.txt"], input: "new" },
    { code: 3, says: "file_missing", args: ["write", "a.txt", "none.txt", "--atomic"] },
    {
      code: 4,
      says: "invalid_diff",
      args: ["patch", "a.txt", "--base", hash],
      input: replaceLine("absent", "Y"),
    },
    {
      code: 4,
      says: "invalid_diff",
      args: ["patch", "a.txt", "--base", hash],
      input: "please change y to Y",
    },
    { code: 4, says: "invalid_diff", args: ["patch", "a.txt", "--base", hash], input: "" },
    { code: 4, says: "ambiguous", args: ["patch", "a.txt", "--base", hash], input: "@@\n-x\n+X\n" },
    {
      code: 4,
      says: "invalid_hash",
      args: ["patch", "a.txt", "--base", "yesterday"],
      input: replaceLine("y", "Y"),
    },
    { code: 4, says: "out_of_range", args: ["read", "a.txt", "--offset", "9"] },
    { code: 5, says: "outside_workspace", args: ["read", "../x.txt"] },
    { code: 5, says: "outside_workspace", args: ["read", "/etc/hostname"] },
    { code: 5, says: "outside_workspace", args: ["write", "/tmp/holdfast-never.txt"], input: "x" },
    { code: 5, says: "protected_path", args: ["write", ".git/hooks/pre-commit"], input: "x" },
    { code: 6, says: "is_directory", args: ["read", "d"] },
    { code: 6, says: "binary", args: ["read", "b.bin"] },
    { code: 6, says: "undecodable", args: ["write", "new.txt"], input: Buffer.from([0x66, 0xff]) },
    { code: 6, says: "is_directory", args: ["patch", "a.txt", "d", "--atomic"] },
  ];
  test.each(cases)("$code: $says ($args)", async ({ code, says, args, ...rest }) => {
    const project = new Project(files);
    const input = "input" in rest ? rest.input : undefined;
    const done = await project.run(args, input === undefined ? {} : { input });
    expect(done.stderr).toContain(says);
    expect(done.stderr).not.toMatch(/^\s+at /m);
    expect(done).toMatchObject({ code, stdout: "" });
    expect(project.text("a.txt")).toBe(files["a.txt"]);
  });

  test("a usage error is one line and a hint", async () => {
    const done = await runHoldfast(["read", "a.txt", "--nope"]);
    expect(done.stderr).toBe("holdfast: unknown option '--nope'\nSee: holdfast read --help\n");
  });

  test.runIf(process.getuid?.() === 0)("7: a file that may not be read", async () => {
    const project = new Project({ "a.txt": poem });
    chmodSync(join(project.folder, "a.txt"), 0o600);
    chmodSync(project.folder, 0o755);
    const done = await runAs(65_534, [
      "read",
      "a.txt",
      "--root",
      project.folder,
      "--state-dir",
      "/tmp/holdfast-nobody",
    ]);
    expect(done.stderr).toContain("permission_denied");
    expect(done.code).toBe(7);
  });

  test.runIf(existsSync("/dev/full"))("7: standard output is full", async () => {
    const project = new Project({ "a.txt": poem });
    const child = spawn(process.execPath, [program, "read", "a.txt"], {
      cwd: project.folder,
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (part) => {
      stderr += part;
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(7);
    expect(stderr).toContain("holdfast: standard output: ENOSPC\n");
  });

  test("130: Ctrl-C while the input is waited for", async () => {
    const project = new Project();
    const child = spawn(process.execPath, [program, "write", "a.txt"], { cwd: project.folder });
    child.stderr.resume();
    const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
    child.stdin.write("half a te");
    await new Promise((resolve) => setTimeout(resolve, 700));
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(project.has("a.txt")).toBe(false);
  });
});

describe("the program", () => {
  test("works through a link, as npm makes one", async () => {
    const project = new Project({ "a.txt": poem });
    symlinkSync(program, join(project.folder, "holdfast"));
    const child = spawn(process.execPath, [join(project.folder, "holdfast"), "--version"]);
    let printed = "";
    child.stdout.on("data", (part) => {
      printed += part;
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(printed).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("tells its version quickly", async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const start = performance.now();
      expect(await runHoldfast(["--version"])).toMatchObject({ code: 0, stderr: "" });
      times.push(performance.now() - start);
    }
    console.info(`holdfast --version: ${Math.min(...times).toFixed(0)} ms at best of ${times.length}`);
  });

  const commands = "read list patch write undo log restore gc doctor mcp tour".split(" ");
  test.each(commands)("%s has help with examples", async (name) => {
    const done = await runHoldfast([name, "--help"]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toContain(`Usage: holdfast ${name}`);
    expect(done.stdout).toMatch(new RegExp(`Examples:\\n  .*holdfast ${name}`));
  });

  test("colours only where it is asked to", async () => {
    const project = new Project();
    const args = ["read", "none.txt"];
    const seen = async (env: Record<string, string>, extra: string[] = []) =>
      (await project.run([...args, ...extra], { env })).stderr.includes("\u001b[");
    expect(await seen({})).toBe(false);
    expect(await seen({ FORCE_COLOR: "1" })).toBe(true);
    expect(await seen({ FORCE_COLOR: "1" }, ["--no-color"])).toBe(false);
    expect(await seen({ FORCE_COLOR: "0" })).toBe(false);
  });

  test("a reader that stops early is no error", async () => {
    const project = new Project({ "a.txt": "0123456789abcde\n".repeat(15_000) });
    const child = spawn(process.execPath, [program, "read", "a.txt"], { cwd: project.folder });
    let complaint = "";
    child.stderr.on("data", (part) => {
      complaint += part;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(0);
    expect(complaint).not.toMatch(/EPIPE|internal/);
  });
});

function runAs(uid: number, args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], { uid, gid: uid, cwd: "/" });
  let stderr = "";
  child.stderr.on("data", (part) => {
    stderr += part;
  });
  child.stdin.end();
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stderr })));
}
