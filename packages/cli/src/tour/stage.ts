import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Printer, ToolArguments } from "./printer.js";
import type { CallReply, Talk } from "./talk.js";

/**
 * Where the tour plays: a real folder, the real tools, and a reader who is shown everything. Whatever a
 * step claims goes through `check`, which remembers the claims that did not hold.
 */
export class Stage {
  private broken = 0;

  constructor(
    readonly folder: string,
    private readonly talk: Talk,
    private readonly printer: Printer,
  ) {}

  get failures(): number {
    return this.broken;
  }

  begin(number: number, title: string, why: string): void {
    this.printer.heading(number, title, why);
  }

  /** What the model sends, and what it gets; of a long answer only the first and last lines are shown. */
  async model(tool: string, args: ToolArguments, head = 6, tail = 0): Promise<CallReply> {
    this.printer.call(tool, args);
    const reply = await this.talk.call(tool, args);
    this.printer.reply(reply, head, tail);
    return reply;
  }

  /** A turn of the user begins. */
  user(text: string): void {
    this.talk.addUserMessage(text);
    this.printer.user(text);
  }

  /** The node on which the conversation stands. */
  head(): string {
    return this.talk.manager.context.currentNodeId;
  }

  /** All that the model would be sent now. */
  prompt(): string {
    return JSON.stringify(this.talk.prompt().contents);
  }

  /** Somebody else writes the file, as an editor would, without asking anybody. */
  somebody(does: string, name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
    this.printer.somebody(does);
  }

  /** The bytes on disk, read past Holdfast. */
  disk(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  check(claim: string, holds: boolean): void {
    if (!holds) this.broken += 1;
    this.printer.check(claim, holds);
  }
}
