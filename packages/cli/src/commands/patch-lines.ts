import { setImmediate as nextTurn } from "node:timers/promises";
import type { OutcomeCode } from "@holdfast/core/files/values";
import { applyDiffInTurns, describeMendedContext, type Repair } from "@holdfast/core/patch";
import { defined, isObject, jsonOf } from "@holdfast/core/text";
import { jsonLine } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import { type InputLine, linesOf } from "../shell/input-lines.js";
import type { Terminal } from "../shell/terminal.js";

/** One line of the answer; in the order of the questions. */
interface LineAnswer {
  /** As in the question; `null` where it could not be read or is neither text nor number. */
  readonly id: string | number | null;
  readonly ok: boolean;
  /** The new text; the base where nothing is to be done. Absent after a refusal. */
  readonly result?: string;
  readonly code: OutcomeCode;
  readonly message: string;
  readonly repairs?: readonly Repair[];
}

/**
 * `holdfast patch --jsonl`: the pure engine on given texts, line by line, no disk. A line that cannot be
 * read is answered as a refusal, and the next one is read.
 */
export async function patchLines(input: AsyncIterable<Buffer>, terminal: Terminal): Promise<number> {
  for await (const lines of linesOf(input, limitBytes)) {
    let answers = "";
    for (const line of lines) {
      const answer = await answerLine(line);
      if (answer !== undefined) answers += jsonLine(answer);
      if (answers.length > batchLength) {
        await terminal.out(answers);
        answers = "";
      }
    }
    if (answers !== "") await terminal.out(answers);
  }
  return exitCodes.success;
}

/** The answer to one line; nothing to a blank one. Never throws. */
async function answerLine(line: InputLine): Promise<LineAnswer | undefined> {
  if (line.kind === "too_long")
    return refused(null, `The line is longer than ${limitBytes} bytes.`, "too_large");
  const text = decode(line.bytes);
  if (text === undefined) return refused(null, "The line is not valid UTF-8.");
  if (text.trim() === "") return undefined;
  const question = jsonOf(text);
  if (!isObject(question)) return refused(null, "The line is not a JSON object.");
  const { path, base, diff } = question;
  const id = idOf(question.id);
  if (typeof diff !== "string") return refused(id, "`diff` must be a string.");
  if (typeof base !== "string" && base !== null) {
    return refused(id, "`base` must be a string, or null where there is no file.");
  }
  if (path !== undefined && path !== null && typeof path !== "string") {
    return refused(id, "`path` must be a string.");
  }
  return answerDiff(id, base, diff, path ?? undefined);
}

/** An id of another kind is not sent back: it could be anything, of any depth. */
function idOf(id: unknown): LineAnswer["id"] {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

const limitBytes = 64 * 1024 * 1024;
const batchLength = 64 * 1024;
const decoder = new TextDecoder("utf-8", { fatal: true });

async function answerDiff(
  id: LineAnswer["id"],
  base: string | null,
  diff: string,
  path: string | undefined,
): Promise<LineAnswer> {
  const outcome = await applyDiffInTurns({ base, diff, ...defined({ path }) }, nextTurn);
  if (outcome.kind === "refusal") return { id, ok: false, code: outcome.code, message: outcome.message };
  const { code, text: result, repairs } = outcome;
  const mended = describeMendedContext(repairs);
  const message = mended === undefined ? messages[code] : `${messages[code]} ${mended}`;
  const answer = { id, ok: true, result, code, message };
  return repairs.length === 0 ? answer : { ...answer, repairs };
}

const messages = {
  applied: "Patch applied successfully.",
  already_applied: "The text is already as the diff asks; nothing was changed.",
  no_change: "The diff changes nothing.",
} as const;

function refused(id: LineAnswer["id"], message: string, code: OutcomeCode = "invalid_arguments"): LineAnswer {
  return { id, ok: false, code, message };
}

function decode(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
