import { styleText } from "node:util";
import type { Streams } from "@holdfast/agent/ui";

/** Where a command prints, and with which colours: for standard output and standard error, each only where it is a terminal. */
export interface Terminal extends Streams {
  readonly outPaint: Paint;
  readonly errPaint: Paint;
}

/** Colours as functions of a text; without colours each returns its text as it is. */
export type Paint = ReturnType<typeof makePaint>;

/** The process's own streams. `color: false` is the flag `--no-color`. */
export function openTerminal(color: boolean): Terminal {
  const { stdout, stderr } = process;
  const canRedraw = stderr.isTTY === true && process.env.TERM !== "dumb";
  const errHasColor = color && wantsColor(stderr.isTTY === true);
  let shown = "";
  const status = (line: string) => {
    if (canRedraw && line !== shown) stderr.write(`\r${line}\u001b[K`);
    shown = line;
  };
  return {
    out: (text) => {
      status("");
      return writeAll(stdout, text);
    },
    err: (text) => {
      status("");
      stderr.write(text);
    },
    status,
    columns: () => (stderr.isTTY === true ? stderr.columns : undefined),
    outIsTerminal: stdout.isTTY === true,
    errIsTerminal: stderr.isTTY === true,
    outPaint: makePaint(color && wantsColor(stdout.isTTY === true)),
    errPaint: makePaint(errHasColor),
    errHasColor,
  };
}

/** @param enabled whether the texts get escape codes. */
export function makePaint(enabled: boolean) {
  const painter = (style: Parameters<typeof styleText>[0]) => (text: string) =>
    enabled && text !== "" ? styleText(style, text, { validateStream: false }) : text;
  return {
    bold: painter("bold"),
    dim: painter("dim"),
    red: painter("red"),
    green: painter("green"),
    yellow: painter("yellow"),
    cyan: painter("cyan"),
  } as const;
}

/** FORCE_COLOR decides alone, as in Node; then NO_COLOR; then whether somebody is looking. */
function wantsColor(isTerminal: boolean): boolean {
  const force = process.env.FORCE_COLOR;
  if (force !== undefined) return force !== "0" && force !== "false";
  if ((process.env.NO_COLOR ?? "") !== "") return false;
  return isTerminal && process.env.TERM !== "dumb";
}

/** Resolves when standard output holds no more than so many bytes that nobody has read, or is broken. */
export async function roomInOutput(mostBytes: number): Promise<void> {
  const { stdout } = process;
  while (stdout.writableLength > mostBytes && stdout.writable) {
    await new Promise<void>((resolve) => {
      const go = () => {
        for (const event of outputEvents) stdout.off(event, go);
        resolve();
      };
      for (const event of outputEvents) stdout.on(event, go);
    });
  }
}

const outputEvents = ["drain", "close", "error"] as const;

function writeAll(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  if (stream.write(text)) return Promise.resolve();
  const waiting = draining.get(stream) ?? drained(stream);
  draining.set(stream, waiting);
  return waiting;
}

/** One listener a stream, however many writes wait: Node warns of a leak from eleven on. */
const draining = new WeakMap<NodeJS.WriteStream, Promise<void>>();

async function drained(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise((resolve) => stream.once("drain", resolve));
  draining.delete(stream);
}
