import { wrapped } from "@holdfast/agent/ui";
import { escapeText } from "@holdfast/core/text";
import type { Paint } from "./shell.js";

/** How many lines of a result are shown, from its beginning and its end. */
export interface Excerpt {
  readonly head: number;
  readonly tail?: number;
}

/** How the tour looks: coloured or plain, never wider than it has to be. What is printed waits until it is taken. */
export class Printer {
  private printed = "";

  constructor(private readonly paint: Paint) {}

  /** What was printed since the last time. */
  take(): string {
    const { printed } = this;
    this.printed = "";
    return printed;
  }

  line(text = ""): void {
    this.printed += `${text}\n`;
  }

  heading(number: number, title: string, why: string): void {
    this.line();
    this.line(this.paint.bold(`${number}. ${title}`));
    this.line(`   ${why}`);
    this.line();
  }

  user(text: string): void {
    this.line(`   ${this.paint.cyan("user  →")} ${escapeText(text)}`);
  }

  says(text: string): void {
    this.line(`   ${this.paint.cyan("model →")} ${escapeText(text)}`);
  }

  /** @param args as the model writes them. */
  call(tool: string, args: unknown): void {
    const pairs = Object.entries(args ?? {}).map(([name, value]) => [name, String(value)] as const);
    const short = pairs.filter(([, value]) => !value.includes("\n"));
    const inline = short.map(([name, value]) => `${name}: ${shortHashes(value)}`).join("  ");
    this.line(
      `   ${this.paint.cyan("model →")} ${this.paint.bold(tool)}  ${this.paint.dim(escapeText(inline))}`,
    );
    for (const [, value] of pairs)
      if (value.includes("\n")) this.block(value, { head: Number.POSITIVE_INFINITY });
  }

  reply(text: string, shown: Excerpt): void {
    this.line(`   ${this.paint.cyan("tool  ←")}`);
    this.block(text, shown);
  }

  /** What a command of the person said. */
  result(text: string, shown: Excerpt): void {
    this.block(text, shown);
  }

  /** What the person is asked, and says yes to. */
  approval(asked: string): void {
    this.line(`   ${this.paint.yellow("asks  ?")}`);
    this.block(asked, { head: Number.POSITIVE_INFINITY });
    this.line(`   ${this.paint.yellow("user  !")} yes`);
  }

  note(text: string): void {
    this.line(`   ${this.paint.dim(escapeText(text))}`);
  }

  somebody(does: string): void {
    this.line(`   ${this.paint.yellow("human !")} ${does}`);
  }

  check(claim: string, holds: boolean): void {
    const { green, red } = this.paint;
    this.line(holds ? `   ${green("✓")} ${claim}` : `   ${red("✗")} ${red(escapeText(claim))}`);
  }

  private block(text: string, { head, tail = 0 }: Excerpt): void {
    const all = escapeText(shortHashes(text)).replace(/\n$/, "").split("\n");
    const left = all.length - head - tail;
    const begin = left > 1 ? all.slice(0, head) : all;
    const end = left > 1 ? all.slice(all.length - tail) : [];
    this.quote(begin);
    if (left > 1) this.line(this.paint.dim(`           … ${left} more lines`));
    this.quote(end);
  }

  private quote(lines: readonly string[]): void {
    for (const line of lines) {
      for (const part of wrapped(line, width)) this.line(`           ${this.coloured(part)}`.trimEnd());
    }
  }

  private coloured(line: string): string {
    if (line.startsWith("+")) return this.paint.green(line);
    if (line.startsWith("-")) return this.paint.red(line);
    return /^(@@|<)/.test(line) ? this.paint.dim(line) : line;
  }
}

const width = 92;

/** A hash is 64 digits long; a reader recognises it by its first sixteen. */
function shortHashes(text: string): string {
  return text.replace(/\b([0-9a-f]{16})[0-9a-f]{48}\b/g, "$1…");
}
