import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentEvent,
  type AskPerson,
  describeResult,
  runCommand,
  type ScriptedAnswer,
} from "@holdfast/agent";
import { wordsOfAsked } from "@holdfast/agent/ui";
import type { Excerpt, Printer } from "./printer.js";
import type { TourRun } from "./shell.js";
import { file } from "./story.js";
import type { TourModel } from "./tour-model.js";

/** The answer to a call, as the model read it, and the file as it was then. */
interface CallReply {
  readonly name: string;
  readonly text: string;
  readonly code: string;
  readonly success: boolean;
  readonly disk: string;
}

/** A turn that was played. */
interface PlayedTurn {
  readonly replies: readonly CallReply[];
  /** What the person was asked, as it was shown. */
  readonly asked: readonly string[];
}

/** What is played on: the agent, the folder that it works in, and a reader who is shown everything. */
interface StageParts {
  readonly folder: string;
  readonly run: TourRun;
  readonly model: TourModel;
  readonly person: TourPerson;
  readonly printer: Printer;
}

/** Who is asked for approval, and says yes to everything. */
export class TourPerson {
  readonly asked: string[] = [];

  constructor(private readonly printer: Printer) {}

  readonly ask: AskPerson = async (list) =>
    list.map((asked) => {
      const words = wordsOfAsked(asked);
      this.asked.push(words);
      this.printer.approval(words);
      return { kind: "yes" };
    });
}

/**
 * Where the tour plays: a real folder, the real agent, a model that has its answers from a script. Whatever a
 * step claims goes through `check`, which remembers the claims that did not hold.
 */
export class Stage {
  private broken = 0;

  constructor(private readonly parts: StageParts) {}

  get failures(): number {
    return this.broken;
  }

  begin(number: number, title: string, why: string): void {
    this.parts.printer.heading(number, title, why);
  }

  /**
   * A turn: the user's words, and what the model answers, request by request.
   *
   * @param shown how much of each result is printed.
   */
  async turn(
    words: string,
    answers: readonly ScriptedAnswer[],
    shown: Excerpt = { head: 6 },
  ): Promise<PlayedTurn> {
    const { run, model, person, printer } = this.parts;
    printer.user(words);
    model.play(answers);
    const replies: CallReply[] = [];
    const before = person.asked.length;
    const input = await run.input(words, (told) => printer.note(told));
    const onEvent = (event: AgentEvent) => {
      this.#show(event, shown);
      if (event.kind === "call_ended") replies.push({ ...replyOf(event), disk: this.disk(file) });
    };
    const end = await run.agent.turn(input, { onEvent });
    if (end.reason !== "complete")
      this.check(`the turn ended otherwise: ${end.message ?? end.reason}`, false);
    return { replies, asked: person.asked.slice(before) };
  }

  /** A slash command of the person. @returns what it said. */
  async command(line: string, shown: Excerpt = { head: 6 }): Promise<string> {
    const { run, printer } = this.parts;
    printer.user(line);
    const result = await runCommand(line, run.commands);
    const said = result === undefined ? "" : describeResult(result);
    printer.result(said, shown);
    if (result?.kind !== "told") this.check(`${line} was carried out`, false);
    return said;
  }

  /** The conversation as the model was sent it last. */
  get sent(): string {
    return this.parts.model.sent;
  }

  /** Somebody else writes the file, as an editor would, without asking anybody. */
  somebody(does: string, name: string, content: string): void {
    writeFileSync(join(this.parts.folder, name), content);
    this.parts.printer.somebody(does);
  }

  /** The bytes on disk, read past Holdfast. */
  disk(name: string): string {
    return readFileSync(join(this.parts.folder, name), "utf8");
  }

  check(claim: string, holds: boolean): void {
    if (!holds) this.broken += 1;
    this.parts.printer.check(claim, holds);
  }

  #show(event: AgentEvent, shown: Excerpt): void {
    const { printer } = this.parts;
    if (event.kind === "answered")
      for (const { payload } of event.nodes) if (payload.kind === "model_message") printer.says(payload.text);
    if (event.kind === "call_begun") printer.call(event.name, event.args);
    if (event.kind === "call_ended") printer.reply(event.call.text, shown);
    if (event.kind === "noticed") printer.note(event.text);
  }
}

function replyOf({ call }: Extract<AgentEvent, { kind: "call_ended" }>): Omit<CallReply, "disk"> {
  const { name, text, code, isError } = call;
  return { name, text, code, success: !isError };
}
