import {
  type Content,
  type ModelFailure,
  type ModelPort,
  type ModelStep,
  type Part,
  type ReceivedAnswer,
  renderContext,
} from "@holdfast/core/context";
import type { Summariser } from "@holdfast/core/conversation/values";
import { refuse } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import type { CostMeter } from "./catalog.js";
import { failed } from "./failure.js";

type Summarised = Awaited<ReturnType<Summariser>>;

/**
 * Asks a model for the summary of a branch; the same prompt as its turns, with one request at the end. What is longer than
 * the model's window, or is refused, is summed up piece by piece, as a text.
 *
 * @param meter counts what a summary cost, whatever became of it.
 */
export function summariserOf(port: ModelPort, newId: () => string, meter?: CostMeter): Summariser {
  return async ({ context, toId, focus, task: asked, signal }) => {
    const { contents } = renderContext(context, { headId: toId, target: port.target });
    const words = asked ?? (focus === undefined ? task : `${task}\nDwell on: ${focus}`);
    const ask = (prompt: readonly Content[]) => answered(port, { newId, meter, signal }, prompt);
    const transcript = transcriptOf(contents);
    const windowChars = (port.window?.tokens ?? Number.POSITIVE_INFINITY) * charsPerToken;
    const request = { role: "user", parts: [{ text: words }] } as const;
    const whole = transcript.length > windowChars ? undefined : await ask([...contents, request]);
    if (whole !== undefined && !isTooMuch(whole)) return summaryOf(whole);
    const window = whole?.windowTokens ?? port.window?.tokens;
    const pieceChars = window === undefined ? transcript.length / 2 : (window * charsPerToken) / 2;
    return inPieces(transcript, words, Math.ceil(pieceChars), ask);
  };
}

/** Fewer than a token usually has: a piece that is too long costs a request. */
const charsPerToken = 3;

/** A piece that is refused though it is shorter is refused for something else. */
const leastPieceChars = 1_000;

/** Each piece is asked for with the summary of those before it. */
async function inPieces(
  transcript: string,
  words: string,
  mostChars: number,
  ask: (prompt: readonly Content[]) => Promise<string | ModelFailure>,
): Promise<Summarised> {
  let [at, size, summary] = [0, mostChars, ""];
  while (at < transcript.length) {
    const piece = transcript.slice(at, at + size);
    const before = summary === "" ? [] : [`The summary of what came before it:\n${summary}`, goOn];
    const text = [`A part of a conversation:\n<part>\n${piece}\n</part>`, ...before, words].join("\n\n");
    const answer = await ask([{ role: "user", parts: [{ text }] }]);
    if (isTooMuch(answer) && size > leastPieceChars) {
      size = Math.ceil(size / 2);
      continue;
    }
    const summarised = summaryOf(answer);
    if (summarised.kind !== "summarised") return summarised;
    summary = summarised.text;
    at += size;
  }
  return { kind: "summarised", text: summary };
}

const goOn = "Bring this summary up to date with the part above, and keep what still holds of it.";

/** Whether less of it may be taken: what is refused for an image is taken as a text as well. */
function isTooMuch(answer: string | ModelFailure): answer is ModelFailure {
  return typeof answer !== "string" && (answer.reason === "too_long" || answer.reason === "invalid_request");
}

/** How a model is asked for something beside the conversation. */
export interface BesideOptions {
  readonly newId: () => string;
  /** Counts what the answer cost. */
  readonly meter?: CostMeter | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One answer beside the conversation, of a quarter of the model's window at most unless the step says less. */
export async function answerBeside(
  port: ModelPort,
  step: Pick<ModelStep, "contents" | "searches" | "answerTokens">,
  { newId, meter, signal }: BesideOptions,
): Promise<ReceivedAnswer | ModelFailure> {
  const { tokens } = port.window ?? {};
  const answerTokens = tokens === undefined ? undefined : Math.floor(tokens / 4);
  for await (const event of port.ask({ step: newId(), ...defined({ answerTokens }), ...step }, signal)) {
    if (event.kind === "failed") return event.failure;
    if (event.kind !== "finish") continue;
    meter?.add(port, event.answer.usage);
    return event.answer;
  }
  return failed("cut", "The model gave no answer.");
}

/** What an answer says, without its thoughts. */
export function saidIn({ parts }: ReceivedAnswer): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
}

/** The words of one answer; an answer that calls a tool has none. */
async function answered(port: ModelPort, asking: BesideOptions, contents: readonly Content[]) {
  const answer = await answerBeside(port, { contents }, asking);
  if (!("parts" in answer)) return answer;
  return answer.parts.some(({ kind }) => kind === "tool_call")
    ? failed("cut", "The model called a tool instead of summing up.")
    : saidIn(answer);
}

function summaryOf(answer: string | ModelFailure): Summarised {
  if (typeof answer !== "string") return refuse("no_summary", answer.message);
  return answer.trim() === ""
    ? refuse("no_summary", "The model gave no summary.")
    : { kind: "summarised", text: answer.trim() };
}

/** A prompt as a text, without thoughts and media: it can be cut anywhere, and every provider takes it. */
function transcriptOf(contents: readonly Content[]): string {
  return contents.flatMap(({ role, parts }) => parts.map((part) => `${role}: ${wordsOf(part)}`)).join("\n");
}

function wordsOf(part: Part): string {
  if ("text" in part) return part.thought === true ? "[a thought]" : part.text;
  if ("functionCall" in part)
    return `calls ${part.functionCall.name} ${JSON.stringify(part.functionCall.args)}`;
  if ("functionResponse" in part) return `result ${JSON.stringify(part.functionResponse.response)}`;
  return "redactedThought" in part ? "[a thought]" : "[an image or a file]";
}

const task =
  "Sum up what was done since the beginning of this branch, for somebody who goes on from here and has not seen it: " +
  "what was asked, what was found, what was changed and in which files, what is still open. Call no tool.";
