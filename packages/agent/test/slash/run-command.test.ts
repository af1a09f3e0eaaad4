import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelPort } from "@holdfast/core/context";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Commands } from "../../src/host/commands.js";
import { shellTool } from "../../src/host/shell-tool.js";
import { fileCheckOf } from "../../src/loop/file-check.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { summariserOf } from "../../src/models/summariser.js";
import type { CommandHost, CommandResult } from "../../src/slash/command.js";
import { describeResult } from "../../src/slash/results.js";
import { readTyped, runCommand } from "../../src/slash/run-command.js";
import { commands } from "../../src/slash/table.js";
import { wordsOf, writtenWord } from "../../src/slash/words.js";
import { openStage, type Stage } from "../loop/stage.js";

let stage: Stage;

async function open(...given: Parameters<typeof openStage>): Promise<void> {
  stage = await openStage(...given);
}

/** One write of a file, and the words after it. */
function writing(path: string, content: string): readonly ScriptedAnswer[] {
  const call = { name: "write_file", args: { file_path: path, content } };
  return [{ text: "I write.", calls: [call] }, { text: `${path} is written.` }];
}

/** A read, an edit of one line, and the words after it. */
function changing(path: string, from: string, to: string): readonly ScriptedAnswer[] {
  const edits = [{ old_string: from, new_string: to }];
  const args = { file_path: path, base_content_sha256: `{{sha256:${path}}}`, edits };
  return [
    { calls: [{ name: "read_file", args: { file_path: path } }] },
    { calls: [{ name: "edit_file", args }] },
    { text: `${path} is changed.` },
  ];
}

function hostOf({ agent, manager, workspace }: Stage, more: Partial<CommandHost> = {}): CommandHost {
  return { agent, manager, workspace, ...more };
}

/** Runs a line that is a command. */
async function run(line: string, more: Partial<CommandHost> = {}): Promise<CommandResult> {
  const result = await runCommand(line, hostOf(stage, more));
  if (result === undefined) throw new Error(`no command: ${line}`);
  return result;
}

/** The same, which is done. */
async function done(line: string, more: Partial<CommandHost> = {}) {
  const result = await run(line, more);
  if (result.kind !== "told") throw new Error(`${line}: ${describeResult(result)}`);
  return result;
}

describe("a line", () => {
  it.each([
    ["What does /help do?", "words"],
    ["/home/ada/notes.md is a file", "words"],
    ["/ alone", "words"],
    ["//help", "words"],
    ["!ls -l", "shell"],
    [" /help", "command"],
    ["/task list", "command"],
    ["/hlep", "unknown"],
    ["/task", "unknown"],
  ])("%s: %s", (line, kind) => {
    expect(readTyped(line).kind).toBe(kind);
  });

  it("may name a prompt that was written down, where no command of ours has the name", async () => {
    await open([]);
    const own = (name: string, body: string) =>
      ({ kind: "command", name, says: "", usage: "", body, path: "/x.md" }) as const;
    const prompts = [
      own("db:seed", "Seed $1 of $2, $ARGUMENTS$9."),
      own("mode", "Never."),
      own("plain", "Plain."),
    ];
    expect(await run('/db:seed "a b" $1', { prompts })).toMatchObject({
      kind: "prompt",
      command: "db:seed",
      text: 'Seed a b of $1, "a b" $1.',
    });
    expect(await run("/plain and simple", { prompts })).toMatchObject({ text: "Plain.\n\nand simple" });
    expect(await run("/mode", { prompts })).toMatchObject({ kind: "told" });
    expect(await run("/db:sed", { prompts })).toMatchObject({
      message: expect.stringContaining("did you mean /db:seed?"),
    });
  });

  it("that is no command does nothing", async () => {
    await open([]);
    expect(await runCommand("please /help me", hostOf(stage))).toBeUndefined();
    expect(await run("/hepl")).toMatchObject({ kind: "refused", code: "unknown_command" });
    expect(await run("/frob")).toMatchObject({ message: "There is no command /frob. /help lists them." });
    expect(describeResult(await run("/hepl"))).toContain("/help");
    expect(describeResult(await run("/task strat"))).toContain("start, complete, cancel");
  });

  it.each([
    ["/task resume", "something is missing"],
    ["/file track a b", "too much"],
    ["/task list --all", "--all is not known"],
    ["/task pop --file keep", "did you mean --files"],
    ["/task pop --files perhaps", "--files takes keep, restore, preview"],
    ["/task pop --files", "--files needs a value"],
    ["/task start --clear=yes", "--clear takes no value"],
    ["/task start --clear --clone", "one of them"],
    ["/mode never", "A mode is one of"],
    ["/history view --kind dream", "--kind takes"],
    ["/tools drill", 'No tool "drill"'],
    ["/model x", "cannot be done here"],
    ["/export --yaml --json", "One of"],
    ["!", "something is missing"],
  ])("%s: %s", async (line, words) => {
    await open([]);
    const before = stage.manager.context.nodes.size;
    const result = await run(line);
    expect(result.kind).toBe("refused");
    expect(describeResult(result)).toContain(words);
    expect(stage.manager.context.nodes.size).toBe(before);
  });
});

describe("tasks by commands", () => {
  it("are the tools' code path: started, listed, left, taken up again, completed", async () => {
    await open([{ text: "Yes." }, ...writing("in-task.txt", "one\n")]);
    await stage.turn("Hello.");
    const started = await done('/task start "look into it" --goal "know why"');
    const id = String(started.data?.task_id);
    await stage.turn("Write it.");
    expect((await done("/task list")).text ?? "").toContain("look into it");
    const asked = await run("/task pop");
    expect(asked).toMatchObject({ kind: "question" });
    expect(stage.manager.getCurrentNode().taskId).toBe(id);
    if (asked.kind !== "question") return;
    expect(asked.text).toContain("in-task.txt");
    await done(asked.choices.find(({ word }) => word === "restore")?.line ?? "");
    expect(existsSync(join(stage.root, "in-task.txt"))).toBe(false);
    await done(`/task resume ${id} --files restore`);
    expect(stage.read("in-task.txt")).toBe("one\n");
    await done("/task complete It don't matter. --files keep");
    const node = stage.manager.getCurrentNode();
    expect(node.payload).toMatchObject({ kind: "task_summary", summary: "It don't matter." });
    expect(describeResult(await done("/history expand_task"))).toContain("shown in full");
  });

  it("restart with a hint, cancel", async () => {
    await open([{ text: "Yes." }]);
    await done("/task start first");
    await stage.turn("Go.");
    const first = stage.manager.getCurrentNode().taskId;
    await done("/task restart try it the other way");
    expect(stage.manager.getCurrentNode().taskId).not.toBe(first);
    await done("/task cancel");
    expect(stage.manager.getCurrentNode().taskId).toBe(stage.manager.context.sessionId);
    expect(await run("/task cancel")).toMatchObject({ kind: "refused", code: "no_task" });
  });
});

describe("files and history by commands", () => {
  it("track, list, untrack", async () => {
    await open([], {}, { "a b.txt": "x\n" });
    await done('/file track "a b.txt"');
    expect(describeResult(await done("/file list"))).toContain("a b.txt");
    await done("/file untrack a\\ b.txt");
    expect(stage.manager.trackedFiles()).toEqual([]);
  });

  it("a rewind asks about the files first, and does what is chosen", async () => {
    await open([...writing("f.txt", "one\n"), ...writing("g.txt", "two\n")]);
    await stage.turn("Write f.");
    await stage.turn("Write g.");
    const head = stage.manager.getCurrentNode().id;
    const asked = await run("/history rewind");
    expect(asked).toMatchObject({ kind: "question", command: "history rewind" });
    expect(stage.manager.getCurrentNode().id).toBe(head);
    if (asked.kind !== "question") return;
    expect(asked.choices.map(({ word }) => word)).toEqual(["restore", "keep"]);
    await done(asked.choices[0]?.line ?? "");
    expect(existsSync(join(stage.root, "g.txt"))).toBe(false);
    expect(stage.read("f.txt")).toBe("one\n");
  });

  it("a file that somebody else changed is named, and put back with consent only", async () => {
    await open(changing("f.txt", "zero", "one"), {}, { "f.txt": "zero\n" });
    await stage.turn("Write f.");
    stage.write("f.txt", "theirs\n");
    const asked = await run("/history rewind");
    expect(asked.kind).toBe("question");
    if (asked.kind !== "question") return;
    expect(asked.text).toContain("CONFLICT");
    expect(stage.read("f.txt")).toBe("theirs\n");
  });

  it("view, label, summarize, export", async () => {
    await open([{ text: "Hello." }, { text: "A summary." }], {});
    await stage.turn("Hi there.");
    await done("/history label before the storm");
    expect((await done("/history view --kind user_message")).text).toContain("Hi there.");
    expect((await done("/history view")).text).toContain("before the storm");
    expect((await done("/export")).text).toContain("Hi there.");
    expect((await done("/history export --yaml")).text).toContain("user_message");
    const written: string[] = [];
    const writeNew = async (path: string, text: string) => {
      written.push(text);
      return path;
    };
    expect(await done("/export s.yaml", { writeNew })).toMatchObject({
      data: { path: "s.yaml", form: "yaml" },
    });
    expect(written.join("")).toContain("user_message");
    expect(await run("/export s.html")).toMatchObject({ kind: "refused", code: "unavailable" });
    expect(await run("/history summarize_branch")).toMatchObject({ kind: "refused", code: "no_summary" });
  });

  it("a summary comes from the model of the session", async () => {
    const model = scriptedModel([{ text: "What was done." }]);
    await open([{ text: "Hello." }], { summariser: summariserOf(model, () => "id") });
    await stage.turn("Hi.");
    await done("/history summarize_branch the greeting");
    expect(stage.manager.getCurrentNode().payload).toMatchObject({ kind: "summary", text: "What was done." });
  });
});

describe("what was changed", () => {
  it("is shown from the beginning, or since a turn, foreign changes with it", async () => {
    await open(
      [...changing("f.txt", "zero", "one"), ...writing("g.txt", "two\n")],
      {},
      { "f.txt": "zero\n" },
    );
    expect((await done("/diff")).message).toContain("No file");
    await stage.turn("Write f.");
    const middle = stage.manager.getCurrentNode().id;
    await stage.turn("Write g.");
    const all = await done("/diff");
    expect(all.text).toContain("-zero");
    expect(all.text).toContain("+one");
    expect(all.text).toContain("+two");
    expect((await done(`/diff --since ${middle}`)).text).not.toContain("+one");
    expect((await done("/diff g.txt")).text).not.toContain("+one");
  });

  it("is taken back change by change, and the conversation stays", async () => {
    await open(
      [...changing("f.txt", "zero", "one"), ...writing("g.txt", "two\n")],
      {},
      { "f.txt": "zero\n" },
    );
    await stage.turn("Write f.");
    await stage.turn("Write g.");
    expect((await done("/undo --preview")).text).toContain("g.txt");
    await done("/undo");
    expect([existsSync(join(stage.root, "g.txt")), stage.read("f.txt")]).toEqual([false, "one\n"]);
    await done("/undo");
    expect(stage.read("f.txt")).toBe("zero\n");
    expect(await run("/undo")).toMatchObject({ kind: "refused", code: "nothing_to_undo" });
    const { payload, id } = stage.manager.getCurrentNode();
    expect(payload.kind).toBe("restore");
    await done(`/history restore --undo ${id}`);
    expect(stage.read("f.txt")).toBe("one\n");
    await done("/undo");
    expect(stage.read("f.txt")).toBe("zero\n");
  });
});

describe("the session and its surroundings", () => {
  it("says how much the model is to think, where the model can be asked for that", async () => {
    const asked: unknown[] = [];
    const played = scriptedModel([{ text: "Yes." }, { text: "Yes." }]);
    const model: ModelPort = {
      ...played,
      efforts: ["low", "high"],
      ask: (step, signal) => {
        asked.push(step.effort);
        return played.ask(step, signal);
      },
    };
    await open([], { model });
    expect(await run("/effort max")).toMatchObject({ kind: "refused", code: "invalid_arguments" });
    expect(describeResult(await done("/effort"))).toContain("low, high");
    await stage.turn("Go.");
    await done("/effort high");
    await stage.turn("Go.");
    expect(asked).toEqual(["low", "high"]);
    const other: ModelPort = { ...scriptedModel([]), efforts: ["off"] };
    const changed = await done("/model other/one", { openModel: async () => other });
    expect(changed.message).toContain("does not take the effort high");
  });

  it("tells tools, mode and model, and changes them", async () => {
    await open([]);
    expect((await done("/tools")).text).toContain("read_file: ");
    expect((await done("/tools edit_file")).text).toContain('"type": "object"');
    await done("/mode plan");
    expect(stage.agent.mode).toBe("plan");
    expect((await done("/tools")).text).toContain("edit_file: ");
    const other = scriptedModel([]);
    await done("/model other/one", { openModel: async () => other });
    expect(stage.agent.model).toBe(other);
    const refusal = { kind: "refusal", code: "unknown_model", message: "No such model." } as const;
    expect(await run("/model nope", { openModel: async () => refusal })).toMatchObject({
      code: "unknown_model",
    });
    expect(stage.agent.model).toBe(other);
  });

  it("names the session that the host is to go on with", async () => {
    await open([]);
    expect(await run("/clear")).toEqual({ kind: "session", session: { kind: "new" }, command: "clear" });
    expect(await run("/resume 01k")).toMatchObject({ session: { kind: "resume", id: "01k" } });
    expect(await run("/fork")).toMatchObject({ session: { kind: "fork" } });
    expect(await run("/quit")).toEqual({ kind: "quit", command: "quit" });
    const listed = [{ id: stage.manager.context.sessionId, title: "This one", changedMs: 0 }];
    expect((await done("/resume", { listSessions: async () => listed })).text).toContain("<- here");
  });

  it("copies the last answer, and runs a command of the person of which the model hears", async () => {
    await open([{ text: "The answer." }]);
    expect(await run("/copy", { copy: async () => {} })).toMatchObject({ code: "nothing_to_copy" });
    await stage.turn("Ask.");
    const copied: string[] = [];
    await done("/copy", { copy: async (text) => void copied.push(text) });
    expect(copied).toEqual(["The answer."]);
    const tempDir = join(stage.root, "tmp");
    const shells = new Commands({
      roots: [stage.root],
      tempDir,
      environment: { PATH: process.env.PATH ?? "" },
    });
    const shell = shellTool({ commands: shells, checkFiles: fileCheckOf(stage.manager, stage.workspace) });
    try {
      expect((await done("!echo from the shell; exit 3", { shell })).text).toContain("from the shell");
    } finally {
      await shells.close();
    }
    const { payload } = stage.manager.getCurrentNode();
    expect(payload).toMatchObject({ kind: "note", audience: "model" });
    expect(JSON.stringify(payload)).toContain("from the shell");
  });

  it("what a host cannot do is said", async () => {
    await open([]);
    for (const line of ["/settings", "/doctor", "/resume", "/export --html", "!ls"])
      expect(await run(line)).toMatchObject({ kind: "refused", code: "unavailable" });
    expect((await done("/settings", { settings: async () => ["mode: ask"] })).text).toBe("mode: ask");
    expect((await done("/doctor", { doctor: async () => ["all well"] })).text).toBe("all well");
  });
});

describe("the prompt by commands", () => {
  it("is shown by kind and file, and node by node", async () => {
    await open(changing("f.txt", "zero", "one"), {}, { "f.txt": "zero\n" });
    await stage.turn("Change f.");
    const shown = await done("/context");
    expect(shown.message).toMatch(/^About \d+ tokens/);
    expect(shown.text).toContain("f.txt");
    const { id } = stage.manager.getCurrentNode();
    expect((await done(`/why ${id}`)).message).toContain(id);
    expect(await run("/why nothing")).toMatchObject({ kind: "refused", code: "unknown_node" });
  });

  it("is summed up where there is enough of it, and stays as it is where there is not", async () => {
    await open([{ text: "Hello." }]);
    await stage.turn("Hi.");
    const before = stage.manager.context.nodes.size;
    expect((await run("/compact")).kind).toBe("refused");
    expect(stage.manager.context.nodes.size).toBe(before);
  });
});

describe("help", () => {
  it("help shows each command, and one", async () => {
    await open([]);
    const { text = "" } = await done("/help");
    for (const { name, says } of commands)
      expect([text.includes(`/${name}`), text.includes(says)]).toEqual([true, true]);
    expect((await done("/help /task pop")).text).toContain("--files");
    expect((await done("/help task")).text).toContain("/task resume");
    expect(await run("/help nothing")).toMatchObject({ code: "unknown_command" });
  });
});

it("lists the commands in the background, shows their outputs, and ends them", async () => {
  await open([]);
  expect(await run("/background")).toMatchObject({ kind: "refused", code: "unavailable" });
  const environment = { PATH: process.env.PATH ?? "" };
  const tempDir = join(stage.root, "tmp");
  const shells = new Commands({ roots: [stage.root], tempDir, environment });
  const more = { background: () => shells.inBackground() };
  try {
    expect((await done("/background", more)).message).toBe("No command runs in the background.");
    const failing = shells.start("echo oops;  exit 3", ".", true);
    if ("kind" in failing) throw new Error(failing.message);
    await failing.ended;
    shells.start("echo ready; exec sleep 60", ".", true);
    expect((await done("/background", more)).text).toMatch(
      /^c1 \$ echo oops; exit 3 … ended after \d s, exit 3\nc2 \$ echo ready; exec sleep 60 … runs for \d s$/u,
    );
    expect((await done("/background c1", more)).text).toBe("oops\n");
    expect((await done("/background c2 --kill", more)).message).toMatch(/ended after \d s, killed\.$/u);
    expect(await run("/background c9", more)).toMatchObject({ kind: "refused", code: "not_found" });
    expect(await run("/background --kill", more)).toMatchObject({ code: "invalid_arguments" });
  } finally {
    await shells.close();
  }
});

it("the page of the documentation has a row for each command, word for word", () => {
  const page = readFileSync(new URL("../../../../docs/slash-commands.md", import.meta.url), "utf8");
  const missing = commands
    .map(
      ({ name, usage, says }) => `| \`${`/${name} ${usage}`.trimEnd().replaceAll("|", "\\|")}\` | ${says} |`,
    )
    .filter((row) => !page.includes(row));
  expect(missing).toEqual([]);
  expect(page.match(/^\| `\//gm)).toHaveLength(commands.length);
});

const texts = (line: string) => wordsOf(line).map(({ text }) => text);

describe("the words of a line", () => {
  it.each([
    ["a b", ["a", "b"]],
    ["  a\t b  ", ["a", "b"]],
    ['"a b" c', ["a b", "c"]],
    ['"a \\"b\\" \\\\" c', ['a "b" \\', "c"]],
    ["a\\ b c", ["a b", "c"]],
    ["don't use x's y", ["don't", "use", "x's", "y"]],
    ['an "open quote', ["an", '"open', "quote"]],
    ['say"x" "a"b c"', ['say"x"', 'a"b c']],
    ["C:\\temp\\x", ["C:\\temp\\x"]],
    ["", []],
  ])("%s", (line, words) => {
    expect(texts(line)).toEqual(words);
  });

  it("any words, written as they have to be typed, are read as they were", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (words) => {
        expect(texts(words.map(writtenWord).join(" "))).toEqual(words);
      }),
    );
  });

  it("any line has words that stand where they say, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "-", "\t") }), (line) => {
        let end = 0;
        for (const { from, to } of wordsOf(line)) {
          expect(line.slice(end, from).trim()).toBe("");
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(line.slice(end).trim()).toBe("");
      }),
    );
  });
});
