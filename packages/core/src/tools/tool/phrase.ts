import { inWords, isRefusal, type Refusal, type Vocabulary, type WriteOutcome } from "../../files/index.js";
import type { ToolResult } from "../wire/result.js";

/** A result whose refusals are said in the words of the door that it leaves through. */
export function phraseResult(result: ToolResult, words: Vocabulary): ToolResult {
  switch (result.kind) {
    case "read":
    case "list":
    case "find":
    case "search":
      // The cast: what is phrased keeps its kind.
      return { ...result, outcome: phrase(result.outcome, words) } as ToolResult;
    case "read_many": {
      const files = result.outcome.files.map((file) => phrase(file, words));
      return { ...result, outcome: { ...result.outcome, files } };
    }
    case "write":
      return { ...result, outcome: phraseWrite(result.outcome, words) };
    case "change_set":
      return phraseSet(result, words);
    case "refused":
      return { ...result, refusal: phrase(result.refusal, words) };
    default:
      return result satisfies never;
  }
}

/** An outcome as it is; a refusal in the door's words. */
function phrase<Outcome extends object>(outcome: Outcome, words: Vocabulary): Outcome {
  return isSaid(outcome) ? { ...outcome, message: inWords(outcome, words) } : outcome;
}

function isSaid(outcome: object): outcome is Refusal {
  return isRefusal(outcome) && outcome.sentence !== undefined;
}

function phraseWrite(outcome: WriteOutcome, words: Vocabulary): WriteOutcome {
  const said = movingQuotes(phrase(outcome, words), outcome.message);
  return said.together === undefined
    ? said
    : { ...said, together: said.together.map((one) => phraseWrite(one, words)) };
}

/** Lines that a message quotes stand behind its sentence, and move with it. */
function movingQuotes(said: WriteOutcome, before: string): WriteOutcome {
  if (!("quoted" in said) || said.quoted === undefined) return said;
  const moved = said.message.length - before.length;
  return { ...said, quoted: said.quoted.map((line) => ({ ...line, start: line.start + moved })) };
}

/** The message of a set quotes the first line of those of its files. */
function phraseSet(result: Extract<ToolResult, { kind: "change_set" }>, words: Vocabulary): ToolResult {
  const { outcome } = result;
  const files = outcome.files.map((file) => ({ ...file, outcome: phraseWrite(file.outcome, words) }));
  const message = outcome.files.reduce((whole, { outcome: before }, at) => {
    const after = files[at]?.outcome.message ?? before.message;
    return after === before.message
      ? whole
      : whole.replace(firstLine(before.message), () => firstLine(after));
  }, phrase(outcome, words).message);
  return { ...result, outcome: { ...outcome, files, message } };
}

function firstLine(message: string): string {
  const end = message.indexOf("\n");
  return end < 0 ? message : message.slice(0, end);
}
