import type { ReceivedAnswer } from "@holdfast/core/context";
import type { AnswerPart, TurnUsage } from "@holdfast/core/conversation/values";
import { defined, isObject, repairedJson } from "@holdfast/core/text";
import { findTool, type MeantCall, meantCall } from "@holdfast/core/tools";
import type { CostMeter } from "../models/catalog.js";
import { type CarriedCall, Undone } from "./carry-calls.js";
import type { AgentEvent, EndedCall, TurnEnd, TurnStop } from "./turn.js";

/** A turn while it goes on: what was counted, and whether it is over. */
export interface RunningTurn {
  readonly onEvent: (event: AgentEvent) => void;
  readonly signal: AbortSignal | undefined;
  /** Whether a limit stands before the next request. */
  limit(): TurnStop | undefined;
  beginStep(): void;
  /** What an answer and its calls mean for the turn; undefined where it goes on. */
  after(answer: ReceivedAnswer, calls: readonly CarriedCall[]): TurnStop | undefined;
  /** What the model has to be told before it is asked again. */
  wordsToModel(): readonly string[];
  end(stop: TurnStop): TurnEnd;
  /** Counts for a sub-agent of this turn: its requests at once as those of this turn, its tokens once taken in. */
  child(of: SubTurn): RunningTurn;
  takeIn(end: TurnEnd): void;
  /** The last words of the model. */
  readonly lastText: string;
  /** Whether the last answer was a pause: sent back as it is, the model goes on. */
  isPaused(): boolean;
}

/** Where a turn ends at the latest. */
export interface TurnLimits {
  /** Requests; 200 unless given. */
  readonly maxSteps?: number;
  /** Of one run, by its meter, in US dollars; needs models with `costOf`. */
  readonly maxCostUsd?: number;
  readonly repeats?: RepeatLimits;
}

/** What is other for a sub-agent. */
interface SubTurn {
  readonly maxSteps: number;
  readonly meter: CostMeter;
  readonly onEvent: RunningTurn["onEvent"];
}

/** What is counted in a turn, and what the model said last in it. */
function nothingYet() {
  const usage: TurnUsage = {};
  return { steps: 0, usage, flawed: 0, cut: 0, silent: 0, lastText: "", isPaused: false };
}

/** Begins to count; money is counted by the meter of the run. */
export function startedTurn(
  { limits = {}, meter }: { readonly limits?: TurnLimits; readonly meter: CostMeter },
  onEvent: (event: AgentEvent) => void,
  signal: AbortSignal | undefined,
  undone = new Undone(),
  above?: { readonly limit: () => TurnStop | undefined; readonly count: () => void },
): RunningTurn {
  const { maxSteps = 200, maxCostUsd, repeats } = limits;
  const counted = nothingYet();
  const before = meter.spent;
  let ofSubs: TurnUsage = {};
  const watch = new Repeats(repeats);
  let words: readonly string[] = [];
  const limit = (): TurnStop | undefined => {
    if (signal?.aborted === true) return cancelled;
    if (counted.steps >= maxSteps)
      return { reason: "max_turns", message: `The limit of ${maxSteps} requests was reached.` };
    if (maxCostUsd !== undefined && meter.spent.costUsd >= maxCostUsd)
      return { reason: "max_cost", message: `The limit of ${maxCostUsd} US dollars was reached.` };
    return above?.limit();
  };
  const count = () => {
    counted.steps += 1;
    above?.count();
  };
  return {
    onEvent,
    signal,
    limit,
    beginStep: () => {
      count();
      onEvent({ kind: "step_begun", step: counted.steps });
    },
    after: (answer, calls) => {
      counted.usage = addUsage(counted.usage, answer.usage);
      counted.lastText = (counted.cut > 0 ? counted.lastText : "") + textOf(answer) || counted.lastText;
      counted.cut = answer.ended === "length" && calls.length === 0 ? counted.cut + 1 : 0;
      counted.isPaused = answer.ended === "paused" && calls.length === 0;
      counted.silent = saysNothing(answer) && answer.flaws.length === 0 ? counted.silent + 1 : 0;
      const lost = lostCalls(answer);
      counted.flawed = lost.length > 0 && calls.length === 0 ? counted.flawed + 1 : 0;
      const flawWords = lost.map((one) => one.words);
      const goesOn = flawWords.length === 0 && counted.cut > 0 && counted.cut <= mostCut ? [cutWords] : [];
      const repeated = calls.map(({ ended, call }) => watch.after(ended, call.args));
      undone.add([...calls.map(({ ended, about }) => ({ ...ended, about })), ...lost.flatMap(undoneOf)]);
      words = [
        ...flawWords,
        ...goesOn,
        ...repeated.flatMap((one) => (one.kind === "told" ? [one.text] : [])),
      ];
      for (const text of words) onEvent({ kind: "noticed", text });
      if (signal?.aborted === true) return cancelled;
      if (repeated.some(({ kind }) => kind === "ended"))
        return { reason: "repeating", message: "The model made the same failing call again and again." };
      if (calls.length > 0 || goesOn.length > 0) return endedByCall(calls, counted, undone);
      if (counted.silent === 1) {
        onEvent({ kind: "noticed", text: "The model answered nothing; it is asked again." });
        return undefined;
      }
      if (counted.flawed >= mostFlawed) return { reason: "incomplete", message: lastFlawed };
      return restOf(answer, flawWords.length > 0);
    },
    wordsToModel: () => words,
    end: (stop) => {
      const { costUsd, unpriced } = meter.spent;
      return {
        ...stop,
        text: counted.lastText,
        steps: counted.steps,
        usage: addUsage(counted.usage, ofSubs),
        undone: undone.list,
        ...(unpriced > before.unpriced ? {} : { costUsd: costUsd - before.costUsd }),
      };
    },
    child: (of) => {
      const ofChild = { maxSteps: of.maxSteps, ...defined({ repeats }) };
      return startedTurn({ limits: ofChild, meter: of.meter }, of.onEvent, signal, undone, { limit, count });
    },
    takeIn: ({ usage }) => {
      ofSubs = addUsage(ofSubs, usage);
    },
    get lastText() {
      return counted.lastText;
    },
    isPaused: () => counted.isPaused,
  };
}

/** Whether a call ends the turn, as a plan does: what was refused on the way to it is in the plan. */
function endedByCall(calls: readonly CarriedCall[], counted: { lastText: string }, undone: Undone) {
  const final = calls.flatMap(({ ended: { run } }) => (run && "final" in run ? (run.final ?? []) : []));
  if (final.length === 0) return undefined;
  undone.clear();
  counted.lastText = final.join("\n");
  return { reason: "complete" } as const;
}

function textOf({ parts }: ReceivedAnswer): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
}

const cancelled: TurnStop = { reason: "cancelled", message: "Cancelled." };

/** Thoughts alone are no answer. */
function saysNothing({ ended, parts }: ReceivedAnswer): boolean {
  const isBlank = (part: AnswerPart) =>
    "text" in part && (part.kind === "thought" || part.text.trim() === "");
  return ended === "complete" && parts.every((part) => part.kind === "redacted_thought" || isBlank(part));
}

/** So many times in a row an answer goes on that has used up its tokens. */
const mostCut = 3;

const cutWords = "The answer has used up its tokens. Go on exactly where it ends, and repeat nothing.";

/** So many answers in a row without a whole call end the turn. */
const mostFlawed = 4;
const lastFlawed = `The model made no whole call in ${mostFlawed} answers in a row, although it was told what was wrong. Nothing of them was done.`;

/** A write that was not made; a later call of its tool makes it good. */
function undoneOf({ name, isWrite }: LostCall) {
  const about = { kind: "files", what: [`${name}()`] } as const;
  return isWrite ? [{ callId: `lost ${name}`, name, code: "invalid_arguments", isError: true, about }] : [];
}

/** Of an answer that calls nothing: whether the turn is over, and how. */
function restOf(answer: ReceivedAnswer, isAskedAgain: boolean): TurnStop | undefined {
  if (answer.ended === "paused" || isAskedAgain) return undefined;
  switch (answer.ended) {
    case "complete":
      return saysNothing(answer)
        ? { reason: "incomplete", message: "The model answered nothing." }
        : { reason: "complete" };
    case "length":
      return { reason: "incomplete", message: "The answer breaks off: no more tokens were allowed." };
    case "refused":
      return { reason: "incomplete", message: "The model, or a filter of its provider, refused to go on." };
    case "failed":
    case "cut":
      return { reason: "incomplete", message: "The answer breaks off." };
    default:
      return answer.ended satisfies never;
  }
}

/** The tokens of two requests together. What neither counted stays uncounted. */
function addUsage(one: TurnUsage, other: TurnUsage = {}): TurnUsage {
  const keys = [
    "inputTokens",
    "cachedInputTokens",
    "cacheWriteTokens",
    "outputTokens",
    "thoughtTokens",
  ] as const;
  const counted = keys.flatMap((key) => {
    const [left, right] = [one[key], other[key]];
    return left === undefined && right === undefined ? [] : [[key, (left ?? 0) + (right ?? 0)] as const];
  });
  return Object.fromEntries(counted);
}

/** What is to be done about calls that fail in the same way again and again. */
interface RepeatLimits {
  /** The model is told after so many; 2 unless given. */
  readonly tellAfter?: number;
  /** The turn ends after so many; 5 unless given. */
  readonly endAfter?: number;
}

/** What a failing call means: nothing yet, a word to the model, or the end of the turn. */
type RepeatVerdict = { readonly kind: "fine" | "ended" } | { readonly kind: "told"; readonly text: string };

/** Counts calls of one turn that fail in the same way: same tool, same arguments, same code. */
class Repeats {
  readonly #failures = new Map<string, number>();
  readonly #limits: Required<RepeatLimits>;

  constructor({ tellAfter = 2, endAfter = 5 }: RepeatLimits = {}) {
    this.#limits = { tellAfter, endAfter };
  }

  /** @param args as the model gave them. */
  after({ name, code, isError }: EndedCall, args: unknown): RepeatVerdict {
    const key = JSON.stringify([name, canonical(args)]);
    if (!isError) {
      this.#failures.delete(key);
      return { kind: "fine" };
    }
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    if (count >= this.#limits.endAfter) return { kind: "ended" };
    if (count < this.#limits.tellAfter) return { kind: "fine" };
    const text =
      `This call of ${name} failed ${count} times in the same way (${code}). The same call will fail again: ` +
      "look at what the answer says, change the call, or say what keeps you from going on.";
    return { kind: "told", text };
  }
}

/** The same value with the keys of its objects in order: models write them in any. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, of]) => [key, canonical(of)]));
}

/** A call that was not made, because it did not arrive as one. */
interface LostCall {
  readonly name: string;
  /** What the model has to know. */
  readonly words: string;
  /** Whether it was to change a file. */
  readonly isWrite: boolean;
}

/** The calls of an answer that did not arrive whole, or that stand in its words in place of a call. */
function lostCalls({ flaws, parts }: ReceivedAnswer): readonly LostCall[] {
  const lost = flaws.flatMap(({ what, message, name = "" }) =>
    what === "cut_call" || what === "malformed_call"
      ? [{ name, words: `${message} Nothing was done; make the call again, whole.`, isWrite: isWrite(name) }]
      : [],
  );
  const isCalling = lost.length > 0 || parts.some(({ kind }) => kind === "tool_call");
  const last = parts.at(-1);
  const spelt = isCalling || last?.kind !== "text" ? undefined : callInText(last.text);
  if (spelt === undefined) return lost;
  const { name, args } = spelt;
  const call = `${name} with ${JSON.stringify(args).slice(0, 500)}`;
  const words = `Your words end in a call of ${call}. It is text, so nothing was done; call the tool itself.`;
  return [{ name, words, isWrite: isWrite(name) }];
}

/** The marks before a call in the words of open models, whose server did not read it: Hermes and Qwen, LM Studio, Mistral, Llama. */
const spelt =
  /(?:<tool_call>|<function_call>|\[TOOL_REQUEST\]|\[TOOL_CALLS\]|<\|python_tag\|>)\s*([[{][\s\S]*?[\]}])\s*(?:<\/tool_call>|<\/function_call>|\[END_TOOL_REQUEST\])?\s*$/u;

/** A call that stands at the end of an answer, outside of a fence. */
function callInText(text: string): MeantCall | undefined {
  const found = spelt.exec(text);
  const read = found === null ? undefined : repairedJson(found[1] ?? "");
  const isQuoted = (text.match(/^\s*```/gmu)?.length ?? 0) % 2 === 1;
  if (read?.kind !== "read" || isQuoted) return undefined;
  const call: unknown = Array.isArray(read.value) ? read.value[0] : read.value;
  if (!isObject(call) || typeof call.name !== "string") return undefined;
  return meantCall({ name: call.name, args: call.arguments ?? call.parameters ?? {} });
}

function isWrite(name: string): boolean {
  return findTool(meantCall({ name, args: {} }).name)?.annotations.readOnly === false;
}
