import type { Content, ModelFailure, ModelPort, ModelStep, ReceivedAnswer } from "@holdfast/core/context";
import { defined, isObject, jsonOf } from "@holdfast/core/text";
import { askedOtherwise } from "./failure.js";

/**
 * One request of a recording with what came of it: a line of its file. Of the prompt only what the request before it did
 * not begin with: `since` contents of that one stand before `contents`.
 */
export interface RecordedStep {
  readonly recorded: 1;
  readonly target: ModelPort["target"];
  /** What the prompt was planned by, where it is not of the list of models. */
  readonly window?: NonNullable<ModelPort["window"]>;
  readonly cache?: NonNullable<ModelPort["cache"]>;
  readonly since: number;
  readonly contents: readonly Content[];
  /** The names of the tools that were offered. */
  readonly tools: readonly string[];
  readonly outcome:
    | { readonly kind: "finish"; readonly answer: Omit<ReceivedAnswer, "error"> }
    | { readonly kind: "failed"; readonly failure: ModelFailure };
}

/** What was recorded, in the order in which it was asked. */
export interface Recording {
  readonly kind: "recording";
  readonly steps: readonly RecordedStep[];
}

/** Why a text is no recording. */
interface RecordingRefusal {
  readonly kind: "recording_refused";
  /** One sentence with the number of the line. */
  readonly message: string;
}

/**
 * The same model; each request that ended, but not one that was cancelled, is written down with its outcome. It holds
 * the whole conversation, files included, but no key, header or address.
 *
 * @param write keeps one line (without its end) of the recording. Must not throw.
 */
export function recordingModel(model: ModelPort, write: (line: string) => void): ModelPort {
  let before: readonly string[] = [];
  const { target, cache, window } = model;
  const port = { target, ...defined({ cache, window }) };
  const record = (step: ModelStep, outcome: RecordedStep["outcome"]) => {
    const written = step.contents.map((content) => JSON.stringify(content));
    const since = sharedBeginning(before, written);
    before = written;
    const tools = (step.tools ?? []).map(({ name }) => name);
    const contents = step.contents.slice(since);
    write(JSON.stringify({ recorded: 1, ...port, since, contents, tools, outcome } satisfies RecordedStep));
  };
  return askedOtherwise(model, async function* (step, signal) {
    for await (const event of model.ask(step, signal)) {
      if (event.kind === "finish") {
        const { error: _, ...answer } = event.answer;
        record(step, { kind: "finish", answer });
      }
      if (event.kind === "failed" && event.failure.reason !== "cancelled") record(step, event);
      yield event;
    }
  });
}

/** Reads a recording, one line a step. What a line holds deeper down is checked where it is played. */
export function readRecording(text: string): Recording | RecordingRefusal {
  const steps: RecordedStep[] = [];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  for (const [at, line] of lines.entries()) {
    const step = stepOf(line);
    if (step === undefined)
      return { kind: "recording_refused", message: `Line ${at + 1} is no step of a recording.` };
    steps.push(step);
  }
  if (steps.length > 0) return { kind: "recording", steps };
  return { kind: "recording_refused", message: "The recording holds no step." };
}

/** How many contents two prompts begin with together. */
function sharedBeginning(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}

function stepOf(line: string): RecordedStep | undefined {
  const value = jsonOf(line);
  if (!isObject(value) || value.recorded !== 1 || !Number.isSafeInteger(value.since)) return undefined;
  const { target, contents, tools, outcome } = value;
  if (!isObject(target) || typeof target.provider !== "string" || typeof target.model !== "string")
    return undefined;
  if (!isWindow(value.window) || (value.cache !== undefined && value.cache !== "1h")) return undefined;
  if (!isListOf(contents, isContent) || !isListOf(tools, (one) => typeof one === "string")) return undefined;
  if (!isObject(outcome)) return undefined;
  const { kind, answer, failure } = outcome;
  const isAnswer = kind === "finish" && isObject(answer) && isListOf(answer.parts, isObject);
  const isFailure = kind === "failed" && isObject(failure) && typeof failure.reason === "string";
  // A cast: the shape was looked at, as far down as a replay goes by itself.
  return isAnswer || isFailure ? (value as unknown as RecordedStep) : undefined;
}

function isWindow(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { tokens, answerTokens = 0 } = value;
  return Number.isSafeInteger(tokens) && Number.isSafeInteger(answerTokens);
}

function isContent(value: unknown): boolean {
  return isObject(value) && isListOf(value.parts, isObject);
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}
