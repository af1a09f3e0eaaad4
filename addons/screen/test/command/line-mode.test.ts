import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { chatWire } from "../../../../packages/agent/test/loopback/index.js";
import {
  call,
  done,
  provided,
  scripted,
  shell,
  write,
} from "../../../../packages/cli/test/agent/provided.js";
import { inTerminal, type Seen } from "../../../../packages/cli/test/agent/terminal.js";
import type { Project } from "../../../../packages/cli/test/process.js";

const writing = (...names: readonly string[]) => ({ calls: names.map((name) => write(name, `${name}\n`)) });
const again = { text: "Again." };

const answers: readonly object[] = [
  // A list, answered one by one, and one that is refused with words.
  ...[writing("w1.txt", "w2.txt"), done],
  ...[writing("n1.txt", "n2.txt"), { text: "Sorry.", expects: ["wrong folder"] }],
  // Ended by Ctrl-C, and the line after it.
  ...[writing("w3.txt"), done],
  // Allowed always.
  ...[shell("true"), shell("true"), shell("touch asked.txt"), done],
  // Lines that are pasted into a question.
  ...[writing("w4.txt"), done, again, again],
  ...["first", "second", "third"].map((text) => ({ text: `${text}!`, expects: [text] })),
  shell("sleep 30"),
  // Commands.
  ...[
    { calls: [call("write_file", { file_path: "new.txt", content: "new\n" })] },
    { thought: "It is\nthere now.", text: "Written." },
  ],
];

/** One conversation: each case goes on where the one before it ended, at a prompt. */
describe.runIf(process.platform === "linux")("line by line in a terminal", () => {
  let project: Project;
  let seen: Seen;
  beforeAll(async () => {
    const { home, ...at } = scripted(answers);
    project = at.project;
    seen = inTerminal(at, ["--script", join(home.folder, "script.json"), "--approval-mode", "ask"]);
    await seen.until("> ");
  });
  const say = async (line: string, ...shown: readonly string[]) => {
    seen.type(line);
    for (const words of shown) await seen.until(words);
  };

  it("shows the changes of one answer as one list, and goes through them one by one where that is wanted", async () => {
    await say("Go.", "Make all 2 changes? [y]es to all, [n]o to all, [o]ne by one: ");
    const [first = "", second = ""] = ["w1.txt", "w2.txt"].toSorted(
      (one, other) => seen.text().indexOf(`--- ${one}`) - seen.text().indexOf(`--- ${other}`),
    );
    await say("o", `--- ${first}`, "[y]es");
    await say("y", `--- ${second}`, "[y]es");
    await say("n", "Done.", "> ");
    expect([first, second].map((name) => project.has(name))).toEqual([true, false]);
  });

  it("refuses a list with words that the model gets for each", async () => {
    await say("Go.", "Make all 2 changes?");
    await say("wrong folder", "Sorry.", "> ");
    expect(["n1.txt", "n2.txt"].map((name) => project.has(name))).toEqual([false, false]);
  });

  it("ends a question with the turn at Ctrl-C, and the next line is a prompt", async () => {
    await say("Go.", "[y]es");
    seen.press("\u0003");
    await seen.until("Cancelled.");
    await seen.until("> ");
    await say("y", "Done.", "> ");
    expect(project.has("w3.txt")).toBe(false);
  });

  it("allows by always one command, and says so", async () => {
    await say("Go.", "[a]lways (this very command, in this session)");
    await say("a", "run_shell_command: touch asked.txt", "[y]es");
    expect(project.has("asked.txt")).toBe(false);
    await say("abort", "Done.", "> ");
    expect(project.has("asked.txt")).toBe(false);
  });

  it("takes no pasted line as an answer", async () => {
    await say("Go.", "[y]es");
    seen.press("y\rmore\r");
    await seen.until("[y]es");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(project.has("w4.txt")).toBe(false);
    await say("n", "Done.", "> y", "Again.", "> more", "Again.", "> ");
    expect(project.has("w4.txt")).toBe(false);
  });

  it("makes one turn of each line that is pasted, in their order", async () => {
    seen.press("first\rsecond\r\rthird\r");
    for (const answer of ["first!", "second!", "third!", "> "]) await seen.until(answer);
  });

  it("puts lines that wait back into the input with the turn that Ctrl-C ends", async () => {
    await say("/mode yolo", "> ");
    seen.press("sleep\rsecond\r");
    await seen.until("after this step: ");
    seen.press("\u0003");
    await seen.until("Cancelled.");
    await seen.until("> second");
    seen.press("\u0003");
  });

  it("does commands, turns and other sessions in one run", async () => {
    await say("/mode", "The mode is yolo.", "> ");
    await say("Write it.", "Thought, 4 words: It is there now.", "Written.", "> ");
    await say("!cat new.txt", "The command has run.", "> ");
    await say("/history rewind", "or nothing:");
    await say("restore", "put back", "> ");
    expect(project.has("new.txt")).toBe(false);
    await say("/history label rewound", "labelled", "> ");
    await say("/fork", "You are in session", "a copy of", "scripted/script", "> ");
    await say("/history view --limit 200", "rewound", "> ");
    await say("/clear", "A new session begins.", "scripted/script", "> ");
    await say("/diff", "No file is different.", "> ");
    await say("/resume", "Go.");
    seen.press("\u0003");
    await say("/resume nope", "nope", "> ");
    await say("/quit");
    expect(await seen.ended).toBe(0);
  });
});

describe("a limit of cost", () => {
  /** A request, which has a hundred tokens, costs half a dollar. */
  const priced = () => {
    const overrides = { [chatWire.model]: { inputUsd: 5_000, outputUsd: 0 } };
    return provided(chatWire, Array(3).fill({ text: "Yes." }), {}, { model: { overrides } });
  };

  it.runIf(process.platform === "linux")(
    "ends a run, whichever turns, sessions and models it goes through",
    async () => {
      const at = await priced();
      const seen = inTerminal(at, ["--max-cost", "0.6"]);
      await seen.until("> ");
      for (const [line, words] of [
        ["One.", "Yes."],
        ["/model local/other", "needs the prices of local/other"],
        ["/clear", "/help lists commands"],
        ["Two.", "Yes."],
        ["Three.", "The limit of 0.6 US dollars was reached."],
      ] as const) {
        seen.type(line);
        await seen.until(words);
      }
      seen.type("/quit");
      expect(await seen.ended).toBe(0);
      expect(at.server.left).toBe(1);
    },
  );

  it("counts a new run anew", async () => {
    const { run } = await priced();
    expect((await run(["-p", "One.", "--max-cost", "0.6"])).code).toBe(0);
    const second = await run(["-p", "Two.", "-c", "--max-cost", "0.6", "-o", "json"]);
    expect(JSON.parse(second.stdout)).toMatchObject({ exit_code: 0, stats: { cost_usd: 0.5 } });
  });
});

it.runIf(process.platform === "linux")("asks the model with a prompt that was written down", async () => {
  const { home, ...at } = scripted([{ text: "Hi, Bob!", expects: ["Say hi to Bob. !`true`"] }]);
  home.put(".claude/commands/greet.md", "Say hi to $1. !`true`");
  const seen = inTerminal(at, ["--script", join(home.folder, "script.json")]);
  await seen.until("> ");
  seen.type("/greet Bob");
  await seen.until("They are not run; the model reads them as text.");
  await seen.until("Hi, Bob!");
});
