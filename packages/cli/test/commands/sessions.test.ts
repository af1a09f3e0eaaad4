import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { isThere } from "../addon-there.js";
import { Project, program, sha256 } from "../process.js";

const sampleScript = fileURLToPath(new URL("../../../../scripts/sample-session.mjs", import.meta.url));

const project = new Project({ "work/.keep": "" });
const stateDir = join(project.folder, "state");
let id = "";

/** One command on the sessions of this file, unless another state folder is named. */
async function run(...args: readonly string[]) {
  const place = args.includes("--state-dir") ? [] : ["--state-dir", stateDir];
  return project.run([...args, ...place]);
}

async function json(...args: readonly string[]) {
  const done = await run(...args, "--json");
  return { code: done.code, said: JSON.parse(done.stdout) };
}

beforeAll(() => {
  const work = join(project.folder, "work");
  id = execFileSync(process.execPath, [sampleScript, stateDir, work], { encoding: "utf8" }).trim();
});

describe("holdfast sessions", () => {
  test("lists what there is, and says so where there is nothing", async () => {
    expect((await run("sessions", "list")).stdout).toMatch(
      new RegExp(`^${id}  .*  Invoices are a cent off  /home/ada/billing\n$`),
    );
    expect((await json("sessions", "list")).said.sessions).toMatchObject([
      { id, cwd: "/home/ada/billing", held_by: null },
    ]);
    const empty = await run("sessions", "list", "--state-dir", join(project.folder, "nothing"));
    expect(empty).toMatchObject({ code: 0, stdout: "", stderr: "There are no sessions yet.\n" });
  });

  test("shows one by the beginning of its id", async () => {
    const shown = await run("sessions", "show", id.slice(0, 8));
    expect(shown.stdout).toContain("task       count in cents  complete");
    expect(shown.stdout).toContain("branches   3, 1 pruned");
    const { said } = await json("sessions", "show", id);
    expect(said).toMatchObject({
      success: true,
      id,
      nodes: 42,
      branches: 3,
      files: ["src/format.ts", "src/invoice.ts", "src/money.ts"],
    });
    expect(said.tasks.tasks.map(({ state }: { state: string }) => state)).toEqual(["cancelled", "complete"]);
  });

  test("searches texts, as plain text or as a regular expression", async () => {
    expect((await run("sessions", "search", "a decimal .ibrary")).stdout).toContain(
      "task_boundary: a decimal library",
    );
    const within = await run("sessions", "search", "decimal", id.slice(0, 8));
    expect(within.stdout).toMatch(/^( {2}\S+ \w+: .*\n)+$/);
    expect((await run("sessions", "search", "decimal")).stdout).toBe(`${id}\n${within.stdout}`);
    expect(await run("sessions", "search", "-F", "decimal .ibrary")).toMatchObject({ code: 0, stdout: "" });
    const { said } = await json("sessions", "search", "CENT", "-i", "--limit", "2", id.slice(0, 6));
    expect(said.matches).toHaveLength(2);
    expect(said.more).toBe(true);
    expect(await run("sessions", "search", "(")).toMatchObject({ code: 4 });
    expect((await json("sessions", "search", "(")).said).toMatchObject({
      success: false,
      code: "invalid_arguments",
    });
  });

  test("forks, renames and deletes; deleting wants to be meant", async () => {
    const forked = await json("sessions", "fork", id, "--title", "Another way");
    expect(forked.said).toMatchObject({ success: true, from: id, nodes: 42 });
    const fork: string = forked.said.id;
    expect((await run("sessions", "rename", fork, "A third way")).stdout).toContain("is now A third way");
    expect((await json("sessions", "show", fork)).said).toMatchObject({ title: "A third way" });
    expect(await run("sessions", "show", "0")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("2 sessions begin with 0"),
    });
    expect(await run("sessions", "rm", fork)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("--yes"),
    });
    expect((await json("sessions", "rm", fork)).said).toMatchObject({ success: false });
    expect(await run("sessions", "rm", fork, "--yes")).toMatchObject({ code: 0 });
    expect(await run("sessions", "show", fork)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("unknown_session"),
    });
  });

  test("forks at a node, or not at all", async () => {
    const head = (await json("sessions", "search", "One small type keeps")).said.matches[0].nodeId;
    const fork = (await json("sessions", "fork", id, "--head", head.slice(0, -1))).said.id;
    expect((await json("sessions", "show", fork)).said.head).toMatchObject({ id: head });
    await run("sessions", "rm", fork, "--yes");
    const short = (await json("sessions", "fork", id, "--head", head.slice(0, 2))).said;
    expect(short).toMatchObject({ success: false, message: expect.stringContaining("nodes are called") });
    expect(await run("sessions", "fork", id, "--head", "nowhere")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("There is no node nowhere in this conversation"),
    });
    expect((await json("sessions", "list")).said.sessions).toHaveLength(1);
  });

  test.skipIf(process.platform === "win32")("does not wait for who reads a FIFO", async () => {
    const fifo = join(project.folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    expect(await run("sessions", "export", id, "-o", fifo, "--yes")).toMatchObject({ code: 6, stdout: "" });
  });

  test.skipIf(process.platform === "win32").each([
    [
      "a pipe into which nobody writes",
      (path: string) => void execFileSync("mkfifo", [path]),
      "nobody writes",
    ],
    ["a link to a device", (path: string) => symlinkSync("/dev/zero", path), "is a device"],
    ["a link to what is no file", (path: string) => symlinkSync("/dev", path), "is a folder"],
  ])("is not taken from %s, and nothing waits for it", async (_, make, why) => {
    const path = join(new Project().folder, "session.jsonl");
    make(path);
    expect(await run("sessions", "import", path)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(why),
    });
  });

  test.skipIf(process.platform === "win32")("is taken from a shell's pipe", async () => {
    const exported = join(new Project().folder, "session.jsonl");
    await run("sessions", "export", id, "-o", exported);
    const line = '"$0" "$1" sessions import <(cat "$2") --state-dir "$3"';
    const args = ["-c", line, process.execPath, program, exported, new Project().folder];
    expect(execFileSync("bash", args, { encoding: "utf8" })).toContain(
      `Imported 42 nodes from an export: ${id}`,
    );
  });

  test("goes to another machine as one file, and is the same there", async () => {
    const file = join(project.folder, "session.jsonl");
    expect(await run("sessions", "export", id, "-o", file)).toMatchObject({ code: 0, stdout: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run("sessions", "export", id, "-o", file)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("--yes"),
    });
    const there = ["--state-dir", join(project.folder, "there")];
    expect((await run("sessions", "import", file, ...there)).stdout).toContain(
      `Imported 42 nodes from an export: ${id}`,
    );
    const [one, other] = [await json("history", "export", id), await json("history", "export", id, ...there)];
    expect(other.said).toEqual(one.said);
    expect(await run("sessions", "import", file, ...there)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("--new-id"),
    });
    const again = await json("sessions", "import", file, "--new-id", ...there);
    expect(again.said).toMatchObject({ success: true, nodes: 42 });
    expect(again.said.id).not.toBe(id);
    expect(await run("sessions", "verify", ...there)).toMatchObject({ code: 0 });
  });

  test.runIf(isThere("importers"))(
    "imports what is broken, says by line what was wrong, and stores nothing that is unsound",
    async () => {
      const lines = [
        { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00Z", cwd: "/x" },
        {
          type: "message",
          id: "a",
          parentId: null,
          message: { role: "toolResult", toolCallId: "c", toolName: "t", content: "r" },
        },
      ];
      const file = join(project.folder, "broken.jsonl");
      writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\nhalf a li`);
      const there = ["--state-dir", join(project.folder, "broken")];
      for (const flags of [[], ["--repair", "--new-id"]]) {
        const taken = await json("sessions", "import", file, ...flags, ...there);
        expect(
          taken.said.problems.map(({ line, what }: { line: number; what: string }) => `${line} ${what}`),
        ).toEqual(["2 broken_pair", "3 unreadable_line"]);
      }
      expect(await run("sessions", "verify", ...there)).toMatchObject({ code: 0 });
      expect(await run("sessions", "import", "nothing.jsonl", ...there)).toMatchObject({ code: 3 });
      writeFileSync(file, "{}\n");
      expect(await run("sessions", "import", file, ...there)).toMatchObject({ code: 6 });
    },
  );

  test("finds a damaged record, and reads the rest", async () => {
    const damaged = join(project.folder, "damaged");
    await run("sessions", "import", join(project.folder, "session.jsonl"), "--state-dir", damaged);
    const journal = filesIn(damaged).find((name) => name.includes(id));
    if (journal === undefined) throw new Error("there is no journal");
    chmodSync(journal, 0o600);
    const text = readFileSync(journal, "utf8");
    writeFileSync(journal, text.replace("a decimal library", "a decimal Library"));
    const verified = await run("sessions", "verify", "--state-dir", damaged);
    expect(verified.code).toBe(3);
    expect(verified.stdout).toMatch(/problems? {2}/);
    const { said } = await json("sessions", "show", id, "--state-dir", damaged);
    expect(said.problems.length).toBeGreaterThan(0);
    expect(said.nodes).toBeGreaterThan(10);
  });

  test.runIf(isThere("importers"))("never hands a terminal what acts in it", async () => {
    const title = "a\u001b[31mb\u202ec\u0007";
    const fork = (await json("sessions", "fork", id, "--title", title)).said.id;
    for (const args of [["list"], ["show", fork], ["rename", fork, title]]) {
      const { stdout } = await run("sessions", ...args);
      expect(stdout).toContain("a\\u001b[31mb\\u202ec\\u0007");
      for (const acting of ["\u001b", "\u202e", "\u0007"]) expect(stdout).not.toContain(acting);
    }
    const whole = [
      ["history", "view"],
      ["history", "export"],
      ["history", "export", "--json"],
      ["history", "export", "--html"],
      ["sessions", "export"],
    ];
    for (const args of whole) {
      const { code, stdout } = await run(...args, fork);
      expect(code).toBe(0);
      for (const acting of ["\u001b", "\u202e", "\u0007"])
        expect(stdout, args.join(" ")).not.toContain(acting);
    }
    await run("sessions", "rm", fork, "--yes");
  });

  test("is misused with one line and a hint", async () => {
    for (const args of [
      ["sessions", "burn"],
      ["sessions", "show"],
      ["history", "burn", id],
      ["sessions", "list", "--store", "mysql://x"],
    ])
      expect(await run(...args)).toMatchObject({ code: 2, stdout: "" });
  });

  test("may be in a folder that is named", async () => {
    const folder = join(new Project().folder, "kept");
    const export_ = await run("sessions", "export", id);
    const imported = await project.run(["sessions", "import", "-", "--store", folder], {
      input: export_.stdout,
    });
    expect(imported.code).toBe(0);
    expect((await run("sessions", "list", "--store", folder)).stdout).toContain(id);
    expect((await run("sessions", "list", "--store", folder, "--tenant", "a")).code).toBe(2);
  });

  test.each([
    ["help sesions", "Did you mean sessions?"],
    ["sesions --help", "Did you mean sessions?"],
    ["sessions lst", "did you mean list?"],
    ["history veiw 01", "did you mean view?"],
    ["sessions list extra", "takes no more"],
    ["history view 01 --html", "takes no --html"],
    ["sessions show 01 --limit 3", "takes no --limit"],
  ])("`holdfast %s` is misused, and told: %s", async (line, told) => {
    const done = await project.run(line.split(" "));
    expect(done).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(told) });
  });

  test("are listed page by page, by title and by time", async () => {
    const there = ["--state-dir", join(project.folder, "pages")];
    const titles = ["First", "Second", "Third"];
    const file = join(project.folder, "session.jsonl");
    for (const title of titles) {
      const { said } = await json("sessions", "import", file, "--new-id", ...there);
      await run("sessions", "rename", said.id, title, ...there);
    }
    const first = (await json("sessions", "list", "--limit", "2", ...there)).said;
    expect(first.sessions.map((facts: { title: string }) => facts.title)).toEqual(["Third", "Second"]);
    const told = await run("sessions", "list", "--limit", "2", ...there);
    expect(told.stderr).toBe(`There are more: --after ${first.next}\n`);
    const rest = (await json("sessions", "list", "--after", first.next, ...there)).said;
    expect(rest.sessions.map((facts: { title: string }) => facts.title)).toEqual(["First"]);
    expect(rest.next).toBe(null);
    expect((await json("sessions", "list", "--title", "SEC", ...there)).said.sessions).toHaveLength(1);
    expect((await json("sessions", "list", "--since", "1d", ...there)).said.sessions).toHaveLength(3);
    const none = await run("sessions", "list", "--before", "1d", ...there);
    expect(none).toMatchObject({ code: 0, stdout: "", stderr: "There is no such session.\n" });
    expect((await run("sessions", "search", "cent", "-i", ...there)).code).toBe(0);
  });

  test("are pruned by age and number, not without being told, and shown before", async () => {
    const there = ["--state-dir", join(project.folder, "pages")];
    expect(await run("sessions", "prune", "--keep", "1", ...there)).toMatchObject({
      code: 4,
      stderr: "Sessions are deleted for good: look with --dry-run first, then say --yes.\n",
    });
    expect((await json("sessions", "prune", "--keep", "1", ...there)).said.code).toBe("invalid_arguments");
    const shown = await run("sessions", "prune", "--keep", "1", "--dry-run", ...there);
    expect(shown.stdout).toMatch(/^.* {2}Second\n.* {2}First\nWould delete 2 sessions, /);
    expect((await json("sessions", "prune", "--older-than", "1h", "--yes", ...there)).said).toMatchObject({
      removed: [],
    });
    const pruned = await run("sessions", "prune", "--keep", "1", "--yes", ...there);
    expect(pruned.stdout).toMatch(/^Deleted 2 sessions, /);
    expect((await json("sessions", "list", ...there)).said.sessions).toMatchObject([{ title: "Third" }]);
    for (const args of [["--older-than", "soon"], ["--keep", "0"], []])
      expect((await run("sessions", "prune", ...args)).code).toBe(2);
  });

  test("has a line of help for each action", async () => {
    const { stdout } = await project.run(["sessions", "--help"]);
    for (const action of ["list", "search TEXT", "import", "verify"])
      expect(stdout).toMatch(new RegExp(`^  ${action}.* {2}\\w`, "m"));
    expect((await project.run(["history", "--help"])).stdout).toMatch(/^ {2}view SESSION {2}/m);
  });

  test.runIf(isThere("postgres"))("says why a server cannot be asked", async () => {
    const done = await run("sessions", "list", "--store", "postgres://nobody@127.0.0.1:9/none");
    expect(done).toMatchObject({ code: 7, stdout: "" });
    expect(done.stderr).toMatch(/^holdfast: \w+: /);
  });
});

describe("holdfast history", () => {
  test("views the tree as an outline", async () => {
    const { stdout } = await run("history", "view", id);
    expect(stdout).toContain('task "count in cents" (clone)');
    expect(stdout.trimEnd()).toMatch(/<- head$/);
    expect(stdout).toContain(`${id} session "Invoices are a cent off"`);
    const timed = await run("history", "view", id, "--times");
    expect(timed.stdout).toMatch(new RegExp(`^${id} \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d session `, "m"));
  });

  test("views what it is asked for: kinds, words, a branch, levels, tasks as one line", async () => {
    const lines = async (...flags: readonly string[]) =>
      (await run("history", "view", id, ...flags)).stdout.trimEnd().split("\n").slice(1);
    expect((await lines("--kind", "user_message")).every((line) => /user: |not shown\)$/.test(line))).toBe(
      true,
    );
    expect((await lines("--text", "DECIMAL library")).join()).toMatch(/task "a decimal library".*not shown/);
    expect((await lines("--depth", "0")).every((line) => !line.startsWith(" "))).toBe(true);
    expect((await lines("--fold-tasks")).join("\n")).toMatch(/task "count in cents" \(clone\).* …$/m);
    const { said } = await json("history", "view", id, "--kind", "task_boundary");
    expect(said.nodes.map(({ payload }: { payload: { kind: string } }) => payload.kind)).toEqual(
      Array.from({ length: 3 }, () => "task_boundary"),
    );
    expect(await run("history", "view", id, "--kind", "talk")).toMatchObject({ code: 2, stdout: "" });
    expect((await run("history", "view", id, "--branch", "nope")).stderr).toContain("unknown_node");
  });

  test.runIf(isThere("page"))("exports it as YAML, as JSON and as a page; as one at a time", async () => {
    expect((await run("history", "export", id)).stdout).toContain("count in cents");
    expect((await run("history", "export", id, "--yaml")).stdout).toBe(
      (await run("history", "export", id)).stdout,
    );
    const { said } = await json("history", "export", id);
    expect(said.nodes).toHaveLength(42);
    expect((await run("history", "export", id, "--html")).stdout).toMatch(
      /^<!doctype html>[\s\S]*<\/html>\s*$/,
    );
    expect(await run("history", "export", id, "--html", "--yaml")).toMatchObject({ code: 2 });
  });

  test.runIf(isThere("page") && isThere("importers"))(
    "makes a page that grows with the session and no faster",
    async () => {
      const sizes: number[] = [];
      for (const count of [100, 400]) {
        const lines = [
          { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00Z", cwd: "/x" },
          ...Array.from({ length: count }, (_, n) => ({
            type: "message",
            id: `e${n}`,
            parentId: n === 0 ? null : `e${n - 1}`,
            message: { role: "user", content: "x".repeat(1_000) },
          })),
        ];
        const place = ["--state-dir", join(project.folder, `grows-${count}`)];
        const input = lines.map((line) => JSON.stringify(line)).join("\n");
        const done = await project.run(["sessions", "import", "-", "--json", ...place], { input });
        sizes.push(
          (await run("history", "export", JSON.parse(done.stdout).id, "--html", ...place)).bytes.length,
        );
      }
      const [small = 0, large = 0] = sizes;
      expect(large - small).toBeLessThan(300 * 1_500);
    },
  );
});

describe("the states of files in a page", () => {
  /** A session that says of two files that they were seen in this state, which is kept. */
  async function pageNaming(path: string): Promise<string> {
    const text = readFileSync(join(project.folder, "work/src/money.ts"));
    const at = {
      timestamp: 1,
      payload: { kind: "task_boundary", name: "", transformation: { kind: "clear" } },
    };
    const files = [{ path, after: sha256(text), by: "seen" }];
    const result = { kind: "tool_result", callId: "c", name: "read_file", output: "read", files };
    const call = { kind: "tool_call", callId: "c", name: "read_file", args: {} };
    const session = path.replace(/\W/g, "");
    const lines = [
      { format: "holdfast-session", v: 1, id: session },
      {
        v: 1,
        seq: 1,
        ts: 1,
        type: "session_started",
        sessionId: session,
        root: { id: session, parentId: null, ...at },
      },
      {
        v: 1,
        seq: 2,
        ts: 1,
        type: "nodes_added",
        head: `${session}2`,
        nodes: [
          { id: `${session}1`, parentId: session, timestamp: 1, payload: call },
          { id: `${session}2`, parentId: `${session}1`, timestamp: 1, payload: result },
        ],
      },
      { end: true, records: 2 },
    ];
    const input = lines.map((line) => JSON.stringify(line)).join("\n");
    const place = ["--state-dir", stateDir];
    expect(await project.run(["sessions", "import", "-", ...place], { input })).toMatchObject({ code: 0 });
    const { stdout } = await run("history", "export", session, "--html");
    const [, packed = ""] = /id="holdfast-session">([^<]*)</.exec(stdout) ?? [];
    return gunzipSync(Buffer.from(packed, "base64")).toString();
  }

  test.runIf(isThere("page"))(
    "are those that are kept, and never those of files that may hold secrets",
    async () => {
      const kept = "A whole number of cents.";
      expect(await pageNaming("notes.txt")).toContain(kept);
      expect(await pageNaming(".env")).not.toContain(kept);
    },
  );
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
