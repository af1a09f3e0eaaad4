import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chatWire } from "../../../agent/test/loopback/index.js";
import { isThere } from "../addon-there.js";
import { done, type Ground, linesOf, provided, scripted } from "./provided.js";
import { inTerminal } from "./terminal.js";

const gitIn = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: folder });

const settingsFile = ".holdfast/settings.jsonc";
const hook = (command: string) => JSON.stringify({ hooks: { turnEnd: [{ command }] } });

/** Files that an AGENTS.md imports, each with a mark in it, and whether the mark may be sent from a folder nobody trusts. */
const imported: Readonly<Record<string, boolean>> = {
  "docs/style.md": true,
  "docs/Upper.MD": true,
  "linked.md": true,
  "untracked.md": false,
  "terraform.tfvars": false,
  "data/customers.csv": false,
  "local.settings.json": false,
  "disguised.md": false,
  "deep/config.md": false,
  ".git/config": false,
  ".git/HEAD": false,
  ".git/notes.md": false,
  "sub/notes.md": false,
};
const untracked = ["untracked.md", "terraform.tfvars"];
const markOf = (name: string) => `MARK_${name.replaceAll(/\W/g, "_")}`;

/** A clone of a repository that wants its reader's secrets in the prompt. */
async function hostile() {
  const at = await provided(chatWire, [done, done, done], {});
  const { project } = at;
  gitIn(project.folder, "init", "-q", "-b", "main");
  gitIn(project.folder, "remote", "add", "origin", `https://user:${markOf(".git/config")}@example.org/x.git`);
  for (const name of Object.keys(imported))
    if (!name.startsWith(".git/") || name.endsWith(".md")) project.put(name, `${markOf(name)}\n`);
  project.put(".git/HEAD", `ref: refs/heads/${markOf(".git/HEAD")}\n`);
  project.put(
    "AGENTS.md",
    `ROOT_WORDS\n${Object.keys(imported)
      .map((name) => `@./${name}\n`)
      .join("")}`,
  );
  const link = (target: string, name: string) => {
    rmSync(join(project.folder, name), { recursive: true, force: true });
    symlinkSync(target, join(project.folder, name));
  };
  link("docs/style.md", "linked.md");
  link("terraform.tfvars", "disguised.md");
  project.put(".git/config.md", `${markOf("deep/config.md")}\n`);
  link(".git", "deep");
  gitIn(join(project.folder, "sub"), "init", "-q");
  const tracked = Object.keys(imported).filter((name) => !/^(\.git|sub|deep)\//.test(name));
  const added = tracked.filter((name) => !untracked.includes(name));
  gitIn(project.folder, "add", "AGENTS.md", "deep", ...added);
  return at;
}

describe("a folder that nobody trusts", () => {
  it("puts only Markdown that git tracks into a prompt by itself", async () => {
    const at = await hostile();
    const ran = await at.run(["-p", "Look."]);
    expect(ran.code, ran.stderr).toBe(0);
    const sent = at.server.requests[0]?.text ?? "";
    expect(sent).toContain("ROOT_WORDS");
    const marks = Object.keys(imported).filter((name) => sent.includes(markOf(name)));
    // The branch is told, as git names it.
    const wanted = Object.keys(imported).filter((name) => imported[name] === true || name === ".git/HEAD");
    expect(marks.filter((name) => name !== "linked.md").toSorted()).toEqual(
      wanted.filter((name) => name !== "linked.md").toSorted(),
    );
    for (const name of ["untracked.md", "terraform.tfvars", "disguised.md"])
      expect(ran.stderr).toMatch(
        new RegExp(`imports ./${name}, which is not read: it is no Markdown that git`),
      );
    expect(ran.stderr).toContain("imports ./.git/config, which is not read: it is git's own");
  });

  it("never what is git's own, trusted or not", async () => {
    const at = await hostile();
    expect((await at.run(["config", "trust", "--yes"])).code).toBe(0);
    expect((await at.run(["-p", "Look."])).code).toBe(0);
    const sent = at.server.requests[0]?.text ?? "";
    const marks = Object.keys(imported).filter((name) => sent.includes(markOf(name)));
    expect(marks).toContain("data/customers.csv");
    for (const name of [".git/config", ".git/notes.md", "deep/config.md"]) expect(marks).not.toContain(name);
  });

  it.each([
    ["without git", () => {}],
    [
      "of which git cannot say anything",
      (folder: string) => {
        gitIn(folder, "init", "-q");
        gitIn(folder, "add", ".");
        writeFileSync(join(folder, ".git/index"), "no index");
      },
    ],
    [
      "that keeps git waiting",
      (folder: string) => {
        gitIn(folder, "init", "-q");
        gitIn(folder, "add", ".");
        rmSync(join(folder, ".git/index"));
        execFileSync("mkfifo", [join(folder, ".git/index")]);
      },
    ],
  ])("%s puts nothing into a prompt by itself, and says so in one line", async (_, make) => {
    const at = await provided(chatWire, [done, done], {
      "AGENTS.md": "ROOT_WORDS @more.md\n",
      "more.md": "MORE",
    });
    make(at.project.folder);
    const ran = await at.run(["-p", "Look."]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(at.server.requests[0]?.text).not.toMatch(/ROOT_WORDS|MORE/);
    expect(ran.stderr).toContain(
      "AGENTS.md is not read: git does not say whether it tracks it, and the folder is not trusted.\n",
    );
    await at.run(["config", "trust", "--yes"]);
    await at.run(["-p", "Look."]);
    expect(at.server.requests[1]?.text).toContain("ROOT_WORDS");
  });

  const faulty: Readonly<Record<string, (path: string) => void>> = {
    "is no JSON": (path) => writeFileSync(path, "{ broken"),
    "has a key that there is not": (path) => writeFileSync(path, '{ "modell": {} }'),
    "has a value that none is": (path) => writeFileSync(path, '{ "approval": { "mode": "always" } }'),
    "holds a key of a provider": (path) =>
      writeFileSync(path, '{ "model": { "providers": { "anthropic": { "key": "k" } } } }'),
    "is nothing but keys that there are not": (path) =>
      writeFileSync(path, `{${Array.from({ length: 15_000 }, (_, n) => `"k${n}": 1`).join(",")}}`),
    "has 100 MB": (path) => {
      writeFileSync(path, "");
      truncateSync(path, 100_000_000);
    },
    "is a FIFO": (path) => void execFileSync("mkfifo", [path]),
    "is a link": (path) => symlinkSync("/dev/zero", path),
    "is a folder": (path) => mkdirSync(path),
  };
  it.each(Object.entries(faulty))("ends nothing where its settings file %s", async (_, make) => {
    const at = scripted([done]);
    const path = join(at.project.folder, settingsFile);
    mkdirSync(join(path, ".."));
    make(path);
    const ran = await at.run(["-p", "Go.", "-o", "stream-json"]);
    expect(ran.code, ran.stderr).toBe(0);
    const told = linesOf(ran).flatMap(({ type, message }) => (type === "error" ? [String(message)] : []));
    expect(told.filter((words) => words.startsWith("The project's settings do not count: "))).toHaveLength(1);
    expect((await at.bare.run(["config", "check"])).code).toBe(52);
  });

  it("ends a run where a person trusts settings that are faulty", async () => {
    const at = scripted([done], { files: { [settingsFile]: '{ "modell": {} }' } });
    expect((await at.bare.run(["config", "trust", "--yes"])).code).toBe(52);
  });
});

/** A project whose settings, commands and instructions count only where it is trusted. */
function wanting(command: string) {
  return scripted([done, done], {
    files: {
      [settingsFile]: hook(command),
      ".claude/commands/review.md": "Review it.",
      "AGENTS.md": "Words.",
    },
  });
}

const script = ({ home }: Pick<Ground, "home">) => ["--script", join(home.folder, "script.json")];

describe.runIf(process.platform === "linux" && isThere("screen"))("trust in a conversation", () => {
  it.each([
    ["a screen", {}],
    ["lines", { TERM: "dumb" }],
  ])("is asked for once, with all that it would switch on, in %s", async (_, more) => {
    const { bare, project, home } = wanting("touch ran.txt");
    const at = { project, env: { ...bare.env, ...more } };
    const first = inTerminal(at, script({ home }));
    await first.until("widens:");
    await first.until('hooks.turnEnd = [{"command":"touch ran.txt"}]: it runs commands');
    await first.until("Its commands and skills count: .claude/commands");
    await first.until("The model reads as instructions: AGENTS.md");
    await first.until("Trust this folder? [y]es, [n]o: ");
    first.type("y");
    await first.until("is trusted with these settings.");
    await first.until("Instructions: AGENTS.md.");
    await first.until("/help lists commands");
    first.type("Go.");
    await first.until("Done.");
    first.type("/quit");
    expect(await first.ended).toBe(0);
    expect(project.has("ran.txt")).toBe(true);
    const second = inTerminal(at, script({ home }));
    await second.until("/help lists commands");
    second.type("/quit");
    await second.ended;
    expect(second.text()).not.toContain("Trust this folder?");
  });

  it("is not asked for again where a person declined, until the settings are others", async () => {
    const { bare, project, home } = wanting("touch ran.txt");
    const at = { project, env: bare.env };
    const asked = async (answer: string) => {
      const seen = inTerminal(at, script({ home }));
      await seen.until("Trust this folder? [y]es, [n]o: ");
      seen.type(answer);
      await seen.until("is not trusted. To trust it later: holdfast config trust.");
      await seen.until("This folder is not trusted.");
      await seen.until("/help lists commands");
      seen.type("Go.");
      await seen.until("Done.");
      seen.type("/quit");
      await seen.ended;
    };
    await asked("n");
    const second = inTerminal(at, script({ home }));
    await second.until("/help lists commands");
    second.type("/quit");
    await second.ended;
    expect(second.text()).not.toContain("Trust this folder?");
    project.put(settingsFile, hook("touch others.txt"));
    await asked("not these");
    expect([project.has("ran.txt"), project.has("others.txt")]).toEqual([false, false]);
  });

  it("is not asked for where it would switch on nothing", async () => {
    const { project, env, home } = scripted([done], {
      files: { [settingsFile]: '{ "ui": { "theme": "mono" } }' },
    });
    const seen = inTerminal({ project, env }, script({ home }));
    await seen.until("/help lists commands");
    seen.type("/quit");
    await seen.ended;
    expect(seen.text()).not.toContain("Trust this folder?");
  });
});

it("asks nobody for trust without a terminal: the run goes on untrusted, and says so in one line", async () => {
  const { run, project } = wanting("touch ran.txt");
  const ran = await run(["-p", "Go."]);
  expect(ran.code).toBe(0);
  const lines = ran.stderr.split("\n").filter((line) => line.includes("This folder is not trusted."));
  expect(lines).toEqual([
    expect.stringContaining("hooks.turnEnd, .claude/commands. To trust it: holdfast config trust."),
  ]);
  expect(project.has("ran.txt")).toBe(false);
});
