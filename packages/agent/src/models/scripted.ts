import type {
  AnswerEnd,
  Content,
  ModelFailure,
  ModelFailureReason,
  ModelPort,
  ModelStep,
  Part,
  ReceivedAnswer,
} from "@holdfast/core/context";
import {
  type AnswerPart,
  type JsonObject,
  mapTexts,
  type TurnUsage,
} from "@holdfast/core/conversation/values";
import { cancelled, failed } from "./failure.js";
import { played } from "./played.js";

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
    async *ask(step, signal) {
      yield* played(await outcomeOf(left.shift(), { step, signal, options, from: { provider, model } }));
    },
  };
}

interface Playing {
  readonly step: ModelStep;
  readonly signal: AbortSignal | undefined;
  readonly options: ScriptedOptions;
  readonly from: { readonly provider: string; readonly model: string };
}

async function outcomeOf(
  answer: ScriptedAnswer | undefined,
  playing: Playing,
): Promise<ReceivedAnswer | ModelFailure> {
  const { step, signal, options } = playing;
  if (answer === undefined) return failed("script", "The script holds no further answer.");
  if (answer.delayMs !== undefined) {
    try {
      await options.sleep?.(answer.delayMs, signal);
    } catch {
      return cancelled;
    }
  }
  if (signal?.aborted === true) return cancelled;
  const { contents } = step;
  const missing = answer.expects?.find((text) => !contents.some((content) => says(content, text)));
  if (missing !== undefined)
    return failed("script", `The script expects ${JSON.stringify(missing)} in the prompt; it is not there.`);
  if (answer.fails !== undefined) return failed(answer.fails, `The script fails here: ${answer.fails}.`);
  return receivedOf(answer, playing);
}

function receivedOf(answer: ScriptedAnswer, { step, from }: Playing): ReceivedAnswer {
  const { thought, text, calls = [], usage, ended = "complete" } = answer;
  const parts: AnswerPart[] = [];
  if (thought !== undefined) parts.push({ kind: "thought", text: thought });
  if (text !== undefined) parts.push({ kind: "text", text });
  for (const [at, { name, args, callId = `${step.step}-${at + 1}` }] of calls.entries())
    parts.push({ kind: "tool_call", callId, name, args: filled(args, step.contents) });
  return { step: step.step, from, parts, ended, flaws: [], ...(usage === undefined ? {} : { usage }) };
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

function filled(args: JsonObject, prompt: Prompt): JsonObject {
  return mapTexts(args, (text) =>
    text.replace(/\{\{sha256:([^}]+)\}\}/gu, (_, path: string) => hashShown(path, prompt)),
  );
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
