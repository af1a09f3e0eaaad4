import { createInterface, type Interface } from "node:readline/promises";
import { type Asked, type AskPerson, agentExitCodes, type PersonsAnswer, runOutput } from "@holdfast/agent";
import { describeChange } from "@holdfast/core";
import { escapeText, type Terminal, watchedByWork } from "../shell/index.js";
import { type OpenedRun, turnInput } from "./open-run.js";

/** A terminal to talk in, line by line, until the screen comes. */
export interface LineTerminal {
  readonly ask: AskPerson;
  /** Talks until the person leaves. @returns the exit code. */
  talk(run: OpenedRun, terminal: Terminal): Promise<number>;
  close(): void;
}

/** Opens the terminal; its question about changes is handed to the agent before there is a run. */
export function lineMode(): LineTerminal {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return {
    ask: (asked) => askPerson(lines, asked),
    talk: (run, terminal) => talk(lines, run, terminal),
    close: () => lines.close(),
  };
}

async function talk(lines: Interface, run: OpenedRun, terminal: Terminal): Promise<number> {
  const { agent, model } = run;
  await terminal.out(`${model.name}, ${agent.mode}. An empty line or Ctrl-D leaves; Ctrl-C ends a turn.\n`);
  for (;;) {
    const text = await lines.question("> ").catch(() => "");
    if (text.trim() === "") return agentExitCodes.success;
    const ending = new AbortController();
    const watched = watchedByWork(() => ending.abort());
    const onInterrupt = () => ending.abort();
    lines.on("SIGINT", onInterrupt);
    const facts = { sessionId: run.conversation.session.id, model: model.name, prompt: text };
    const output = runOutput("text", facts, {
      out: (words) => void terminal.out(escapeText(words)),
      err: (words) => terminal.err(escapeText(words)),
      now: Date.now,
    });
    const input = await turnInput(run, text, output.notice, ending.signal);
    const end = await agent.turn(input, { signal: ending.signal, onEvent: output.onEvent });
    output.end(end);
    watched.end();
    lines.off("SIGINT", onInterrupt);
  }
}

async function askPerson(lines: Interface, asked: Asked): Promise<PersonsAnswer> {
  process.stdout.write(`\n${escapeText(wordsOf(asked))}\n`);
  const said = await lines.question("Do it? [y]es, [n]o, [a]lways: ").catch(() => "n");
  const answer = said.trim().toLowerCase();
  if (answer.startsWith("y")) return { kind: "yes" };
  if (!answer.startsWith("a")) return { kind: "no", ...(answer.length > 3 ? { message: said } : {}) };
  const path = asked.kind === "change" ? asked.question.preview.files[0]?.path : undefined;
  return path === undefined
    ? { kind: "always", allowance: { kind: "tool", tool: asked.tool } }
    : { kind: "always", allowance: { kind: "file", path } };
}

function wordsOf(asked: Asked): string {
  switch (asked.kind) {
    case "change":
      return [asked.question.preview.message, ...asked.question.preview.files.map(diffOf)].join("\n");
    case "run":
      return `${asked.tool}: ${commandOf(asked.request) ?? asked.request.summary}`;
    case "restore":
      return `Files go back:\n${asked.files.join("\n")}`;
    default:
      return asked satisfies never;
  }
}

/** As it will be run: a summary is written for models. */
function commandOf({ args }: Extract<Asked, { kind: "run" }>["request"]): string | undefined {
  return typeof args.command === "string" ? args.command : undefined;
}

const mostLines = 200;

function diffOf(file: Extract<Asked, { kind: "change" }>["question"]["preview"]["files"][number]): string {
  const { path, before, after } = file;
  return `--- ${path}\n${describeChange(before ?? "", after ?? "", { maxLines: mostLines })}`;
}
