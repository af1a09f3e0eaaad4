import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/anthropic.js";
import { call, done, linesOf, provided, resultsIn, scripted } from "./provided.js";

type Files = Readonly<Record<string, string>>;

/** A project with these files, trusted or not, and with the person's own. */
async function opened(
  files: Files,
  { own = {}, trust = true }: { readonly own?: Files; readonly trust?: boolean } = {},
) {
  const at = scripted([done], { files });
  for (const [name, text] of Object.entries(own)) at.home.put(name, text);
  if (trust) expect((await at.bare.run(["config", "trust", "--yes"])).code).toBe(0);
  /** What the model gets as the user's words for a prompt, and what the person is told. */
  const asked = async (prompt: string, expects: readonly string[] = []) => {
    at.play([{ ...done, expects }]);
    const ran = await at.run(["-p", prompt, "-o", "stream-json"]);
    const told = linesOf(ran).flatMap(({ type, message }) => (type === "error" ? [String(message)] : []));
    const shown = await at.bare.run(["-c", "-p", "/export"]);
    return { ...ran, told, conversation: shown.stdout };
  };
  return { ...at, asked };
}

describe("instructions of a run in a sub-folder of a repository", () => {
  it("are the person's own, the root's and the folder's, told in one line; git is told once", async () => {
    const at = await provided(anthropicWire, [done, done, done], {
      "AGENTS.md": "Root words. @docs/style.md",
      "docs/style.md": "Style words.",
      "sub/deep/CLAUDE.md": "Deep words.",
      "sub/other/AGENTS.md": "Never.",
    });
    const { project, home } = at;
    home.put("AGENTS.md", "My words.");
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
        cwd: project.folder,
      });
    git("init", "-q", "-b", "main");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    const from = join(project.folder, "sub/deep");
    const run = (...args: readonly string[]) => at.run([...args, "--root", from]);
    const first = await run("-p", "Look.");
    expect(first.code).toBe(0);
    const above = (name: string) => join(project.folder, name);
    const names = [join(home.folder, "AGENTS.md"), above("AGENTS.md"), above("docs/style.md"), "CLAUDE.md"];
    expect(first.stderr).toContain(`Instructions: ${names.join(", ")}.\n`);
    const [init, ...more] = linesOf(await run("-p", "Look.", "-o", "stream-json"));
    expect(init).toMatchObject({ type: "init", instructions: names });
    expect(more.map(({ type }) => type)).not.toContain("error");
    const sent = at.server.requests[0]?.text ?? "";
    const words = ["My words.", "Root words.", "Style words.", "Deep words."];
    const places = words.map((each) => sent.indexOf(each));
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(sent).not.toContain("Never.");

    project.put("new.txt", "x");
    expect((await run("-c", "-p", "And now?")).code).toBe(0);
    const second = at.server.requests[2]?.text ?? "";
    for (const text of [sent, second])
      expect(text.split("The git branch is main; the tree is clean.")).toHaveLength(2);
    expect(second).not.toContain("uncommitted");
  });

  it("say nothing of git where there is none, and run nothing that the repository names", async () => {
    const at = await opened({ "a.txt": "a\n", ".gitattributes": "*.txt filter=evil\n" });
    const { project } = at;
    const git = (...args: readonly string[]) => execFileSync("git", [...args], { cwd: project.folder });
    expect((await at.asked("Look.")).conversation).not.toContain("git branch");
    git("init", "-q", "-b", "main");
    git("add", ".");
    project.put("evil.sh", "#!/bin/sh\ntouch ran.txt\ncat\n");
    chmodSync(join(project.folder, "evil.sh"), 0o755);
    for (const key of ["filter.evil.clean", "core.fsmonitor"])
      git("config", key, join(project.folder, "evil.sh"));
    project.put("a.txt", "b\n");
    await at.asked("Look.", ["The git branch is main; ", "uncommitted changes."]);
    expect(project.has("ran.txt")).toBe(false);
  });
});

describe("a session that goes on on another day", () => {
  it("tells the day on which it began, so that its prompt begins the same", async () => {
    const at = await provided(anthropicWire, [done, done], {});
    expect((await at.run(["-p", "Look."])).code).toBe(0);
    const folder = join(at.home.folder, "state/holdfast/conversations");
    const journal = join(folder, readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "");
    const [first = "", ...rest] = readFileSync(journal, "utf8").split("\n");
    const moved = first
      .replace(/"timestamp":\d+/, '"timestamp":1700000000000')
      .replace(/,"crc":"\w+"\}$/, "");
    const seal = crc32(moved).toString(16).padStart(8, "0");
    writeFileSync(journal, [`${moved},"crc":"${seal}"}`, ...rest].join("\n"));
    const again = await at.run(["-c", "-p", "And now?"]);
    expect(again.code, again.stderr).toBe(0);
    expect(at.server.requests[1]?.text).toContain("The session began on 2023-11-14.");
  });
});

describe("commands that people have written down", () => {
  const files = {
    ".claude/commands/review.md": `---
description: Looks at a change
argument-hint: [file] [depth]
allowed-tools: Bash(git diff:*)
---
Review $1 with care $2, all: $ARGUMENTS. See @notes.md. !\`touch ran.txt\`
`,
    ".holdfast/commands/db/seed.md": "Seed the data.",
    ".gemini/commands/plan.toml": 'description = "Plans"\nprompt = """\nPlan {{args}} by @{notes.md}.\n"""\n',
    ".claude/commands/help.md": "Never.",
    ".claude/commands/empty.md": "---\ndescription: x\n---\n",
    ".gemini/commands/broken.toml": "prompt = ",
    ".claude/commands/bad \u001b[2Jname.md": "x",
    "notes.md": "The notes.\n",
  };

  it("become prompts with what was typed, and with the files that they name", async () => {
    const at = await opened(files, { own: { ".claude/commands/mine.md": "My own." } });
    const review = await at.asked('/review "a b.ts" deeply', [
      'Review a b.ts with care deeply, all: "a b.ts" deeply. See @notes.md. !`touch ran.txt`',
      "The notes.",
    ]);
    expect(review.code).toBe(0);
    expect(review.told).toContain(
      "/review holds commands of the shell (!`…`). They are not run; the model reads them as text.",
    );
    expect(at.project.has("ran.txt")).toBe(false);
    for (const [line, words] of [
      ["/db:seed", "Seed the data."],
      ["/db:seed ten rows", "Seed the data.\n\nten rows"],
      ["/plan the move", "Plan the move by @notes.md."],
      ["/mine", "My own."],
    ] as const)
      expect({ line, code: (await at.asked(line, [words])).code }).toEqual({ line, code: 0 });
  });

  it("are listed by /help and hidden by commands of Holdfast; what is none costs a sentence", async () => {
    const at = await opened(files);
    const { stdout, stderr } = await at.bare.run(["-p", "/help"]);
    expect(stdout).toContain("/review [file] [depth]\n    Looks at a change");
    expect(stdout).toContain("/db:seed");
    for (const words of [
      ".claude/commands/help.md is left out: Holdfast has a command of that name.",
      ".claude/commands/empty.md is left out: it has no words for the model.",
      ".gemini/commands/broken.toml is left out: it is no TOML",
      ".claude/commands/bad \\u001b[2Jname.md is left out: ",
    ])
      expect(stderr).toContain(words);
    expect(await at.bare.run(["-p", "/review it"])).toMatchObject({ code: 41 });
    expect(await at.bare.run(["-p", "/reviews"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean /review?"),
    });
  });

  it("of a project count once its folder is trusted, with or without settings", async () => {
    const at = await opened(files, { trust: false });
    const { bare, project } = at;
    const help = async () => bare.run(["-p", "/help"]);
    const before = await help();
    expect(before.stdout).not.toContain("Looks at a change");
    expect(before.stderr).toContain(
      "Of it do not count: .holdfast/commands, .claude/commands, .gemini/commands. To trust it: holdfast config trust.",
    );
    await bare.run(["config", "trust", "--yes"]);
    expect((await help()).stdout).toContain("Looks at a change");
    // Settings that come later are asked about anew.
    project.put(".holdfast/settings.jsonc", '{ "hooks": { "turnEnd": [{ "command": "touch ran.txt" }] } }');
    expect((await help()).stdout).not.toContain("Looks at a change");
    await at.asked("Go on.");
    expect(project.has("ran.txt")).toBe(false);
    await bare.run(["config", "trust", "--yes"]);
    await at.asked("Go on.");
    expect(project.has("ran.txt")).toBe(true);
  });

  it("do not get in the way by their size, as folders of nothing, or as links", async () => {
    const at = await opened({ ".claude/commands/huge.md": "x".repeat(10 << 20), "a.md": "A link." });
    mkdirSync(join(at.home.folder, ".gemini/commands/deep"), { recursive: true });
    mkdirSync(join(at.home.folder, ".claude/commands"), { recursive: true });
    symlinkSync(join(at.project.folder, "a.md"), join(at.home.folder, ".claude/commands/linked.md"));
    symlinkSync("/etc/hostname", join(at.project.folder, ".claude/commands/out.md"));
    const { stdout, stderr } = await at.bare.run(["-p", "/help"]);
    expect(stdout).toContain("/linked");
    expect(stdout).not.toContain("/out");
    expect(stderr).toContain(".claude/commands/huge.md is left out: ");
    expect(stderr).toContain(".claude/commands/out.md is left out: ");
  });
});

describe("skills", () => {
  const skill = (says: string, body: string) =>
    `---\nname: pdf\ndescription: >-\n  ${says}\n  and more\n---\n${body}\n`;

  it("are named to the model, which reads one and its files, inside the workspace or not", async () => {
    const own = {
      ".claude/skills/pdf/SKILL.md": skill("Reads PDF files", "Use pdftotext. See forms.md."),
      ".claude/skills/pdf/forms.md": "Forms are hard.",
    };
    const deploy = { ".holdfast/skills/deploy/SKILL.md": "---\ndescription: Deploys\n---\nRun make." };
    const at = await provided(anthropicWire, [], deploy);
    for (const [name, text] of Object.entries(own)) at.home.put(name, text);
    await at.run(["config", "trust", "--yes"]);
    const folder = join(at.home.folder, ".claude/skills/pdf");
    const calls = ["SKILL.md", "forms.md", "../../../settings.jsonc"].map((name) =>
      call("read_file", { file_path: join(folder, name) }),
    );
    const changing = call("write_file", { file_path: join(folder, "new.md"), content: "x" });
    at.server.play({ calls: [...calls, changing] }, done, done);
    const ran = await at.run(["-p", "Go on.", "-o", "stream-json", "--approval-mode", "yolo"]);
    const results = resultsIn(ran).map(({ output }) => String(output));
    for (const words of ["Use pdftotext.", "Forms are hard.", "outside_workspace", "denies write_file"])
      expect(results.filter((text) => text.includes(words))).toHaveLength(1);
    const { requests } = at.server;
    const sent = requests[0]?.text;
    for (const words of [`- pdf (${folder}/SKILL.md): Reads PDF files and more`, "- deploy ("])
      expect(sent).toContain(words);
    expect((await at.run(["-p", "/pdf this.pdf"])).code).toBe(0);
    expect(requests.at(-1)?.text).toContain("Use pdftotext. See forms.md.\\n\\nthis.pdf");
  });

  it("without a description or a body cost a sentence; the prompt speaks of skills only where one is", async () => {
    const at = await provided(anthropicWire, [done], {
      ".claude/skills/none/SKILL.md": "Just words.",
      ".claude/skills/empty/SKILL.md": "---\ndescription: x\n---\n",
    });
    await at.run(["config", "trust", "--yes"]);
    const ran = await at.run(["-p", "Go on."]);
    expect(ran.stderr).toContain("none/SKILL.md is left out: it does not begin with a description");
    expect(ran.stderr).toContain("empty/SKILL.md is left out: it has no words for the model.");
    expect(at.server.requests[0]?.text).not.toContain("Skills: ");
  });
});
