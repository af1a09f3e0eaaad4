import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project } from "../process.js";

const shared = ".holdfast/settings.jsonc";

/** A project, and a person of its own with a home folder of their own. */
function place(project?: string, own?: string) {
  const home = new Project(own === undefined ? {} : { "settings.jsonc": own });
  const here = new Project(project === undefined ? {} : { [shared]: project });
  const env = { HOLDFAST_HOME: home.folder, HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    here.run(["config", ...args], { env: { ...env, ...more } });
  const json = async (args: readonly string[]) => {
    const done = await run([...args, "--json"]);
    return { code: done.code, said: JSON.parse(done.stdout) };
  };
  return { home, here, run, json };
}

test("config check says what each rule about commands matches, and which can match nothing", async () => {
  const rules = (decision: string, ...commands: readonly string[]) =>
    JSON.stringify({
      approval: { rules: commands.map((command) => ({ tool: "run_shell_command", command, decision })) },
    });
  const { stdout } = await place(undefined, rules("deny", "git push")).run(["check"]);
  expect(stdout.split("\n")).toEqual([
    "The settings are sound.",
    "deny git push",
    "  matches: git push | git push x | cd dir && git push | git push | tail | X=1 git push | sh -c 'git push' | /usr/bin/git push | git -C dir push",
    "  asks: $X push",
    "  not: git pushx | echo git push",
    "",
  ]);
  const { said } = await place(undefined, rules("allow", "npm test *")).json(["check"]);
  expect(said.rules).toMatchObject([
    { matches: ["npm test", "npm test x", "cd dir && npm test", "npm test | tail"], asks: [] },
  ]);
  const wrong = await place(undefined, rules("deny", "git push*", "a; b")).run(["check"]);
  expect([wrong.code, wrong.stderr.match(/approval\.rules\.\d\.command: /gu)]).toEqual([
    ...[52, ["approval.rules.0.command: ", "approval.rules.1.command: "]],
  ]);
});

describe("config list and get", () => {
  test("show values, where they were said, and what does not count", async () => {
    const { run, json, here, home } = place('{"approval":{"mode":"yolo"},"limits":{"maxTurns":3}}', "{}");
    const { said } = await json(["list"]);
    expect(said.settings).toEqual(
      expect.arrayContaining([
        { key: "approval.mode", value: "ask", origin: "default" },
        { key: "limits.maxTurns", value: 3, origin: join(here.folder, shared) },
      ]),
    );
    expect(said.ignored).toMatchObject([{ key: "approval.mode", why: "it asks less often" }]);
    const listed = await run(["list", "--project"]);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout).toContain(`limits.maxTurns  3  (${join(here.folder, shared)})`);
    expect(listed.stdout).toContain("ignored: approval.mode");
    expect(listed.stdout).not.toContain("(default)");
    expect(await run(["get", "limits.maxTurns"])).toMatchObject({ code: 0, stdout: "3\n" });
    expect(await run(["get", "limits.maxTurns"], { HOLDFAST_MAX_TURNS: "9" })).toMatchObject({
      stdout: "9\n",
    });
    expect(await run(["get", "limits.maxCostUsd"])).toMatchObject({ code: 0, stdout: "" });
    expect(home.has("settings.jsonc")).toBe(true);
  });

  test("tell a variable that is written like ours and is none", async () => {
    const { run } = place("{}", "{}");
    const slip = { HOLDFAST_MODLE: "x" };
    const sentence = "The variable HOLDFAST_MODLE means nothing here; did you mean HOLDFAST_MODEL?";
    expect((await run(["list"], slip)).stdout).toContain(`${sentence}\n`);
    expect(JSON.parse((await run(["list", "--json"], slip)).stdout)).toMatchObject({ unknown: [sentence] });
    expect(await run(["check"], slip)).toMatchObject({
      code: 52,
      stdout: "",
      stderr: `holdfast: environment: ${sentence}\n`,
    });
    expect(JSON.parse((await run(["check", "--json"], slip)).stdout)).toEqual({
      success: false,
      problems: [{ source: "environment", key: "", message: sentence }],
    });
    // Of the project's file alone nothing is wrong.
    expect((await run(["check", "--project"], slip)).code).toBe(0);
    expect((await run(["list", "--project"], slip)).stdout).not.toContain("HOLDFAST_MODLE");
  });

  test("tell what is no setting any more, and count the rest", async () => {
    const { run, home } = place("{}", '{"tools":{"wire":"json"},"limits":{"maxTurns":3}}');
    const says = "it is no setting any more: the flag --wire sets it for one run\n";
    const at = `${join(home.folder, "settings.jsonc")}:1:11`;
    const stdout = expect.stringContaining(`${at}: tools.wire: ${says}environment: HOLDFAST_WIRE: ${says}`);
    for (const action of ["check", "list"])
      expect(await run([action], { HOLDFAST_WIRE: "x" })).toMatchObject({ code: 0, stdout, stderr: "" });
    expect((await run(["check", "--project"])).stdout).toBe("The settings are sound.\n");
    await run(["unset", "tools.wire"]);
    expect(home.text("settings.jsonc")).toBe('{"limits":{"maxTurns":3}}');
  });

  test("say in plain words what is wrong with a file that is no JSON", async () => {
    const { run, home } = place("{}", '{\n  "model": {}');
    const at = `holdfast: ${join(home.folder, "settings.jsonc")}:2:14: it is not JSON:`;
    expect(await run(["check"])).toMatchObject({
      code: 52,
      stdout: "",
      stderr: `${at} a closing } is missing\n`,
    });
    expect((await run(["set", "limits.maxTurns", "3"])).stderr).toContain(
      "The file is left alone: it is not JSON (line 2): a closing } is missing.",
    );
  });

  test("never show a key, a header, a variable or a password", async () => {
    const own = {
      model: { providers: { openai: { key: "s3cret", headers: { auth: "s3cret" } } } },
      mcpServers: {
        a: { command: "x", env: { T: "s3cret" } },
        b: { url: "https://u:s3cret@h", headers: { a: "s3cret" } },
        c: { url: "https://h/mcp?api_key=s3cret" },
        d: { command: "x", args: ["--api-key", "s3cret", "--token=s3cret", "--plain"] },
      },
      sessions: { store: "postgres://u:s3cret@h/d" },
    };
    const { run } = place(undefined, JSON.stringify(own));
    const lines = [
      ["list"],
      ["list", "--json"],
      ["get", "model.providers.openai.key"],
      ["get", "mcpServers"],
    ];
    for (const line of lines) {
      const done = await run(line);
      expect(done.code).toBe(0);
      expect(done.stdout).toContain("(hidden)");
      expect(done.stdout).not.toContain("s3cret");
    }
  });
});

describe("config unset", () => {
  test("takes a key out, and leaves all else to the byte", async () => {
    const before = '// mine\n{\n  "limits": { "maxTurns": 3 }, // few\n  "model": { "name": "a/b" }\n}\n';
    const { run, json, home, here } = place('{"limits":{"maxTurns":3}}', before);
    const file = join(home.folder, "settings.jsonc");
    expect(await run(["unset", "model.name"])).toMatchObject({
      code: 0,
      stdout: `Unset model.name in ${file}.\n`,
      stderr: "",
    });
    // The section held nothing else.
    const left = '// mine\n{\n  "limits": { "maxTurns": 3 } // few\n}\n';
    expect(home.text("settings.jsonc")).toBe(left);
    expect(await run(["unset", "model.name"])).toMatchObject({
      code: 0,
      stdout: `model.name is not set in ${file}.\n`,
    });
    expect(home.text("settings.jsonc")).toBe(left);
    expect(await json(["unset", "limits.maxTurns", "--project"])).toEqual({
      code: 0,
      said: { success: true, key: "limits.maxTurns", file: join(here.folder, shared), written: true },
    });
    expect(here.text(shared)).toBe("{}");
  });

  test("makes no file, and knows no key that the schema does not", async () => {
    const { run, home } = place();
    expect((await run(["unset", "model.providers.openai.key"])).stdout).toContain("is not set in");
    expect(home.has("settings.jsonc")).toBe(false);
    expect(await run(["unset", "model.nmae"])).toMatchObject({ code: 2 });
    expect(await run(["unset"])).toMatchObject({ code: 2 });
  });
});

describe("config set", () => {
  test("keeps comments, and makes the file where there is none", async () => {
    const { run, home, here } = place(undefined, '// mine\n{\n  "limits": { "maxTurns": 3 }, // few\n}\n');
    expect(await run(["set", "limits.maxTurns", "40"])).toMatchObject({ code: 0, stderr: "" });
    expect(home.text("settings.jsonc")).toBe('// mine\n{\n  "limits": { "maxTurns": 40 }, // few\n}\n');
    expect(await run(["set", "sessions.tenant", "5"])).toMatchObject({ code: 0 });
    const text = home.text("settings.jsonc");
    expect(text).toMatch(/\/\/ mine[\s\S]*\/\/ few/);
    expect(text).toContain('"tenant": "5"');
    expect((await run(["set", "limits.maxTurns", "40"])).stdout).toContain("is so already");
    await run(["set", "mcpServers.a", '{"command":"x","args":["mcp"]}']);
    await run(["set", "mcpServers.a", '{"command":"y"}']);
    expect((await run(["get", "mcpServers.a"])).stdout).toBe('{"command":"y"}\n');
    expect(await run(["set", "approval.mode", "yolo", "--project"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("holdfast config trust"),
    });
    expect(JSON.parse(here.text(shared))).toEqual({ approval: { mode: "yolo" } });
    expect(readdirSync(join(here.folder, ".holdfast"))).toEqual(["settings.jsonc"]);
  });

  test("writes to where a person's link leads", async () => {
    const { run, home } = place();
    home.put("dotfiles/s.jsonc", "{}\n");
    symlinkSync("dotfiles/s.jsonc", join(home.folder, "settings.jsonc"));
    expect(await run(["set", "approval.mode", "plan"])).toMatchObject({ code: 0 });
    expect(lstatSync(join(home.folder, "settings.jsonc")).isSymbolicLink()).toBe(true);
    expect(home.text("dotfiles/s.jsonc")).toContain('"plan"');
  });

  test.each([
    [
      "a value that does not fit",
      "{}",
      ["approval.mode", "wild"],
      52,
      /jsonc: approval\.mode: Invalid option/,
    ],
    ["a glob that is none", "{}", ["tools.memoryPaths", `["${"{a,b}".repeat(8)}"]`], 52, /alternatives/],
    ["a file that is no settings file", '{"a', ["approval.mode", "plan"], 52, /not JSON/],
    ["a file that has another problem", '{"shel": {}}', ["approval.mode", "plan"], 52, /did you mean shell/],
    [
      "a key that is none any more",
      "{}",
      ["tools.wire", "json"],
      52,
      /jsonc: tools\.wire: .* the flag --wire/,
    ],
    ["one in a section", "{}", ["subAgents", '{"maxDepth":2}'], 52, /subAgents\.maxDepth: it is no setting/],
    ["a key that there is none of", "{}", ["approval.mod", "plan"], 2, /no setting approval\.mod/],
    ["a table's forbidden name", "{}", ["mcpServers.__proto__", '{"command":"x"}'], 2, /no setting/],
  ] as const)("refuses %s, and writes nothing", async (_name, own, [key, value], code, why) => {
    const { run, home } = place(undefined, own);
    expect(await run(["set", key, value])).toMatchObject({
      code,
      stdout: "",
      stderr: expect.stringMatching(why),
    });
    expect(home.text("settings.jsonc")).toBe(own);
  });

  test("puts no key into a file that is shared", async () => {
    const { run, here } = place();
    const done = await run(["set", "model.providers.openai.key", "k", "--project"]);
    expect(done).toMatchObject({ code: 52, stderr: expect.stringContaining("your own settings only") });
    expect(here.has(shared)).toBe(false);
    expect(await run(["set", "approval.mode"])).toMatchObject({ code: 2 });
  });
});

test("config check tells all problems with their places", async () => {
  const { run, json, here } = place('{\n  "modle": {},\n  "approval": { "mode": "wild" }\n}', '{"shell": 1}');
  const file = join(here.folder, shared);
  const done = await run(["check"]);
  expect(done).toMatchObject({ code: 52, stdout: "" });
  expect(done.stderr).toContain(`${file}:2:3: modle: there is no such key; did you mean model?`);
  expect(done.stderr).toContain(`${file}:3:25: approval.mode: `);
  expect(done.stderr).toContain("settings.jsonc:1:11: shell: ");
  const { code, said } = await json(["check", "--project"]);
  expect(code).toBe(52);
  expect(said.problems).toHaveLength(2);
  expect(said.problems).toContainEqual(expect.objectContaining({ source: file, line: 2, column: 3 }));
  expect(await place().run(["check"])).toMatchObject({ code: 0, stdout: "The settings are sound.\n" });
  expect(await place().run(["check"], { HOLDFAST_SHELL: "maybe" })).toMatchObject({ code: 52 });
});

describe("config trust", () => {
  const hostile = '{"mcpServers":{"x":{"command":"evil\\u001b[2J"}},"approval":{"mode":"plan"}}';

  test("shows what widens, and trusts only where that is wanted", async () => {
    const { run, json, here } = place(hostile);
    const shown = await run(["trust"]);
    expect(shown.stdout).toContain("  mcpServers = ");
    expect(shown.stdout).toContain("it starts a program or calls a server");
    expect(shown.stdout).not.toContain("\u001b");
    expect(shown.stdout).not.toContain("approval.mode");
    expect(shown.stderr).toContain("--yes");
    expect((await json(["list"])).said.ignored).toHaveLength(1);
    const { said } = await json(["trust", "--yes"]);
    expect(said).toMatchObject({ success: true, trusted: true, widened: [{ key: "mcpServers" }] });
    expect((await json(["list"])).said.ignored).toEqual([]);
    expect((await run(["path"])).stdout).toContain(`${join(here.folder, shared)}  (trusted)\n`);
    // Other bytes are other settings, whatever they say.
    here.put(shared, `${hostile} `);
    expect((await json(["list"])).said.ignored).toHaveLength(1);
    await run(["trust", here.folder, "--yes"]);
    expect((await json(["list"])).said.ignored).toEqual([]);
    expect(await run(["untrust"])).toMatchObject({ code: 0 });
    expect((await json(["list"])).said.ignored).toHaveLength(1);
  });

  test("trusts nothing that is no settings file", async () => {
    const linked = place();
    linked.here.put("other.jsonc", "{}");
    mkdirSync(join(linked.here.folder, ".holdfast"));
    symlinkSync("../other.jsonc", join(linked.here.folder, shared));
    for (const { run, home } of [linked, place('{"a'), place('{"modle":{}}')]) {
      expect(await run(["trust", "--yes"])).toMatchObject({ code: 52 });
      expect(existsSync(join(home.folder, "state/holdfast/trusted-folders"))).toBe(false);
    }
    // A folder without one may hold commands, skills and instructions.
    expect(await place().run(["trust", "--yes"])).toMatchObject({ code: 0 });
    expect(await place().run(["trust", "no-such-folder"])).toMatchObject({ code: 2 });
    expect(await place().run(["untrust", "no-such-folder"])).toMatchObject({ code: 2 });
  });
});

test("config schema is the one that editors find", async () => {
  const file = new URL("../../../agent/settings.schema.json", import.meta.url);
  const done = await place().run(["schema"]);
  expect(JSON.parse(done.stdout)).toEqual(JSON.parse(readFileSync(file, "utf8")));
});

test.each([["lst"], ["get"], ["get", "modle"], ["list", "--yes"], ["get", "a", "--project"]])(
  "config %s is misused",
  async (...args) => {
    expect(await place().run(args)).toMatchObject({ code: 2, stdout: "" });
  },
);

test("a key is taken from standard input, and kept where nobody else reads", async () => {
  const { here, home } = place();
  const env = { HOLDFAST_HOME: home.folder, HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
  const set = (value: string, input = "") =>
    here.run(["config", "set", "model.providers.openai.key", value], { env, input });
  const file = join(home.folder, "settings.jsonc");
  expect(await set("-", "sk-from-stdin\n")).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(file, "utf8")).toContain('"sk-from-stdin"');
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
  const typed = await set("sk-typed");
  expect(typed.stderr).toContain("holdfast config set model.providers.openai.key -");
  expect(`${typed.stdout}${typed.stderr}`).not.toContain("sk-typed");
});
