import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { type Rendering, renderContext } from "../../src/context/index.js";
import type { ReferredLines, ShownText, TurnPayload } from "../../src/conversation/values/index.js";
import {
  type EconomyOverrides,
  type EconomySettings,
  economySettings,
  isEconomyRefusal,
} from "../../src/economy/index.js";
import { call, model, result, Tree, user } from "../context/support.js";

/** Settings that hold; a refusal is a mistake of the test. */
export function settingsOf(given: EconomyOverrides = {}): EconomySettings {
  const settings = economySettings(given);
  if (isEconomyRefusal(settings)) throw new Error(settings.message);
  return settings;
}

/** A file of so many lines, each of them another. */
export function fileOf(
  path: string,
  lines: number,
  edition = 0,
): { path: string; sha256: string; lines: string[] } {
  const all = Array.from(
    { length: lines },
    (_, at) => `${path} line ${at + 1}${at % 10 === 0 ? ` of ${edition}` : ""}\n`,
  );
  return { path, sha256: createHash("sha256").update(all.join("")).digest("hex"), lines: all };
}

/** A session that is written call by call. */
export class Session {
  readonly tree = new Tree();
  #calls = 0;

  say(text: string): this {
    return this.#add(user(text));
  }

  answer(text: string): this {
    this.#calls += 1;
    return this.#add(model(text, { step: `s${this.#calls}` }));
  }

  /** A call and its result. @returns the id of the result's node. */
  use(name: string, args: object, output: string, more: object = {}): string {
    this.#calls += 1;
    const callId = `c${this.#calls}`;
    this.#add(call(callId, { name, args, step: `s${this.#calls}` }));
    this.#add(result(callId, output, { name, ...more }));
    return this.tree.context.currentNodeId;
  }

  /** A read of lines of a file. */
  read(file: ReturnType<typeof fileOf>, from = 1, to = file.lines.length): string {
    const { path, sha256, lines } = file;
    const head = `${path}:\n`;
    const text = lines.slice(from - 1, to).join("");
    const shows: ShownText[] = [
      { path, sha256, from, to, start: head.length, end: head.length + text.length },
    ];
    const files = [{ path, after: sha256, by: "seen", lines: lines.length }];
    return this.use("read_file", { path }, `${head}${text}`, { shows, files });
  }

  /** A read that shows nothing and refers to lines that stand above. */
  reread(file: ReturnType<typeof fileOf>, from: number, to: number): string {
    const refers: ReferredLines[] = [{ path: file.path, sha256: file.sha256, from, to }];
    return this.use("read_file", { path: file.path }, `[lines ${from}-${to} as shown above]`, { refers });
  }

  /** A read of a whole file that leaves lines to a read further up. */
  readWithout(file: ReturnType<typeof fileOf>, from: number, to: number): string {
    const { path, sha256, lines } = file;
    const length = (first: number, last: number) => lines.slice(first, last).join("").length;
    const start = length(0, from - 1);
    const end = start + length(from - 1, to);
    const text = lines.join("");
    const shows = [{ path, sha256, from: 1, to: lines.length, start: 0, end: text.length }];
    const repeats = [{ path, sha256, start, end, from, to, as: { sha256, from } }];
    return this.use("read_file", { path }, text, { shows, repeats });
  }

  render(): Rendering {
    return renderContext(this.tree.context);
  }

  #ids = 0;
  #add(payload: TurnPayload): this {
    this.#ids += 1;
    this.tree.add(`n${this.#ids}`, payload);
    return this;
  }
}

/** What happens next, which file or command it is about, and how large it is. */
export type Roll = readonly [kind: number, which: number, size: number];

export const roll = fc.tuple(fc.nat(9), fc.nat(5), fc.nat(60));

export const acts = fc.array(roll, { minLength: 5, maxLength: 60 });

/** A session in which all that happens. */
export function play(rolls: readonly Roll[]): Session {
  const session = new Session().say("Begin.");
  for (const roll of rolls) act(session, roll);
  return session;
}

export function act(session: Session, [kind, which, size]: Roll): void {
  const file = fileOf(`f${which}.ts`, 80, size % 3);
  if (kind < 3) session.read(file, 1 + (size % 20), 40 + (size % 40));
  else if (kind < 5) {
    const wanted = { path: file.path, sha256: file.sha256, from: 25, to: 30 };
    if (session.render().visibility.isVisible(wanted)) session.reread(file, 25, 30);
  } else if (kind < 7)
    session.use("run_shell_command", { command: `run ${which}` }, `line ${which}\n`.repeat(size * 4));
  else if (kind < 8) session.use("write_todos", { at: which }, "todo\n".repeat(size * 4));
  else if (kind < 9) session.say(`And ${which}?`);
  else session.use("safe_patch", {}, `no such place ${which}\n`.repeat(size * 2), { isError: true });
}
