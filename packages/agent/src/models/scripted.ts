import type {
  AnswerEnd,
  Content,
  ModelEvent,
  ModelFailureReason,
  ModelPort,
  ModelStep,
  Part,
  ReceivedAnswer,
} from "@holdfast/core/context";
import type { AnswerPart, JsonObject, JsonValue, TurnUsage } from "@holdfast/core/conversation";
import { answerDeltas } from "./answer-deltas.js";
import { failed } from "./failure.js";

/** One answer of a script: what the model thinks, says and calls, in this order; or how it fails. Plain JSON. */
export interface ScriptedAnswer {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: TurnUsage;
  /** `complete` unless given. */
  readonly ended?: AnswerEnd;
  /** In place of an answer. */
  readonly fails?: ModelFailureReason;
  /** Before the first event, in milliseconds. */
  readonly delayMs?: number;
  /** What has to stand in the prompt, or the script does not fit the run: it fails for the reason `script`. */
  readonly expects?: readonly string[];
}

/** A call of a script. In its texts `{{sha256:PATH}}` is the hash of the newest state of a file that the prompt shows. */
export interface ScriptedCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Made of the step unless given. */
  readonly callId?: string;
}

/** How a script is played. */
interface ScriptedOptions {
  readonly provider?: string;
  readonly model?: string;
  /** Waits so many milliseconds, or rejects when the signal ends it; needed where a script has delays. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * A model that plays a script (page 6, "Models"): each request gets the next answer. A real implementation, for tours, tests and
 * demonstrations; whatever its calls do is real.
 */
export function scriptedModel(answers: readonly ScriptedAnswer[], options: ScriptedOptions = {}): ModelPort {
  const { provider = "scripted", model = "script" } = options;
  const left = [...answers];
  return {
    target: { provider, model },
    ask: (step, signal) => play(left.shift(), { step, signal, options, from: { provider, model } }),
  };
}

interface Playing {
  readonly step: ModelStep;
  readonly signal: AbortSignal | undefined;
  readonly options: ScriptedOptions;
  readonly from: { readonly provider: string; readonly model: string };
}

async function* play(answer: ScriptedAnswer | undefined, playing: Playing): AsyncGenerator<ModelEvent> {
  const { step, signal, options } = playing;
  if (answer === undefined) return yield failing("script", "The script holds no further answer.");
  if (answer.delayMs !== undefined) {
    try {
      await options.sleep?.(answer.delayMs, signal);
    } catch {
      return yield failing("cancelled", "Cancelled.");
    }
  }
  if (signal?.aborted === true) return yield failing("cancelled", "Cancelled.");
  const { contents } = step;
  const missing = answer.expects?.find((text) => !contents.some((content) => says(content, text)));
  if (missing !== undefined)
    return yield failing(
      "script",
      `The script expects ${JSON.stringify(missing)} in the prompt; it is not there.`,
    );
  if (answer.fails !== undefined)
    return yield failing(answer.fails, `The script fails here: ${answer.fails}.`);
  const received = receivedOf(answer, playing);
  yield* answerDeltas(received.parts);
  yield { kind: "finish", answer: received };
}

function receivedOf(answer: ScriptedAnswer, { step, from }: Playing): ReceivedAnswer {
  const { thought, text, calls = [], usage, ended = "complete" } = answer;
  const parts: AnswerPart[] = [];
  if (thought !== undefined) parts.push({ kind: "thought", text: thought });
  if (text !== undefined) parts.push({ kind: "text", text });
  for (const [at, { name, args, callId = `${step.step}-${at + 1}` }] of calls.entries())
    parts.push({ kind: "tool_call", callId, name, args: filledObject(args, step.contents) });
  return { step: step.step, from, parts, ended, flaws: [], ...(usage === undefined ? {} : { usage }) };
}

function failing(reason: ModelFailureReason, message: string): ModelEvent {
  return { kind: "failed", failure: failed(reason, message) };
}

/** What a part of the prompt says: a script reads it as a model does. */
function textOf(part: Part): string | undefined {
  if ("text" in part) return part.text;
  if (!("functionResponse" in part)) return undefined;
  const { response } = part.functionResponse;
  return "output" in response ? response.output : response.error;
}

function says({ parts }: Content, text: string): boolean {
  return parts.some((part) => textOf(part)?.includes(text) === true);
}

type Prompt = readonly Content[];

function filledObject(args: JsonObject, prompt: Prompt): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, filled(value, prompt)]));
}

function filled(value: JsonValue, prompt: Prompt): JsonValue {
  if (typeof value === "string")
    return value.replace(/\{\{sha256:([^}]+)\}\}/gu, (_, path: string) => hashShown(path, prompt));
  if (Array.isArray(value)) return value.map((one: JsonValue) => filled(one, prompt));
  // A cast: JSON that is neither text nor list and has keys is an object.
  return typeof value === "object" && value !== null ? filledObject(value as JsonObject, prompt) : value;
}

/** The hash in the last header of this file; empty where the prompt shows none. It is looked for from the end. */
function hashShown(path: string, prompt: Prompt): string {
  for (let content = prompt.length - 1; content >= 0; content -= 1) {
    const { parts = [] } = prompt[content] ?? {};
    for (let part = parts.length - 1; part >= 0; part -= 1) {
      const value = parts[part];
      const text = value === undefined ? undefined : textOf(value);
      const hash = text === undefined ? undefined : lastHeaderOf(path, text);
      if (hash !== undefined) return hash;
    }
  }
  return "";
}

function lastHeaderOf(path: string, text: string): string | undefined {
  const headers = [...text.matchAll(/<file path="([^"]*)"[^>]*? sha256="([0-9a-f]{64})"/gu)];
  return headers.findLast(([, named]) => named === path)?.[2];
}
