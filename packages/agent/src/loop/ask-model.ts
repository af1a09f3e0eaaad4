import {
  type Effort,
  type ModelFailure,
  type ModelPort,
  type ModelStep,
  type OfferedTool,
  type ReceivedAnswer,
  type Rendering,
  resolveMedia,
} from "@holdfast/core/context";
import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import type { AgentParts } from "./agent-parts.js";
import type { AgentEvent } from "./turn.js";

/** What a request is made of, beside the conversation. */
interface Asking extends Pick<AgentParts, "manager" | "model" | "newId" | "readBlob"> {
  readonly rendering: Rendering;
  readonly system: string;
  readonly tools: readonly OfferedTool[];
  /** Where the request is to be marked (`ModelStep.breakpoints`). */
  readonly breakpoints?: readonly number[];
  /** Whether the model made a pause, so that its own words come last. */
  readonly isPaused?: () => boolean;
  /** As of `ModelStep`. */
  readonly answerTokens?: number;
  readonly effort: Effort | undefined;
  readonly onEvent: (event: AgentEvent) => void;
  readonly signal?: AbortSignal;
}

/**
 * One request: what the head stands for is rendered, asked, and answered. Nothing is added to the conversation, but the
 * words of an answer that the person stopped: calls and thoughts of it may not be whole, so they are not kept.
 */
export async function askModel(asking: Asking): Promise<ReceivedAnswer | ModelFailure | ConversationRefusal> {
  const step = await stepOf(asking);
  if (isRefusal(step)) return step;
  const { manager, model, onEvent, signal } = asking;
  let words = "";
  await turnOfOthers();
  for await (const event of model.ask(step, signal)) {
    switch (event.kind) {
      case "finish":
        return event.answer;
      case "failed":
        if (event.failure.reason === "cancelled" && words.trim() !== "") {
          const parts = [{ kind: "text", text: words }] as const;
          const kept = manager.addAnswer({ step: step.step, from: model.target, parts });
          if (isRefusal(kept)) return kept;
        }
        return event.failure;
      case "text-delta":
        words += event.text;
        onEvent({ kind: "model", event });
        break;
      case "retry":
        words = "";
        onEvent({ kind: "model", event });
        break;
      case "thought-delta":
      case "call-delta":
      case "silent":
        onEvent({ kind: "model", event });
        break;
      default:
        event satisfies never;
    }
  }
  return { kind: "model_failure", reason: "cut", message: "The model's stream ended without an answer." };
}

/**
 * A model in this process may answer at once, and all that a step does then ends without the event loop: a person who
 * cancels, a timer and a pipe would wait for the end of the turn.
 */
function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function stepOf(asking: Asking): Promise<ModelStep | ConversationRefusal> {
  const { manager, newId, readBlob, system, tools, breakpoints, answerTokens, effort, isPaused } = asking;
  const { contents, report } = asking.rendering;
  if (!report.ready && isPaused?.() !== true) return notReady;
  const resolved = readBlob === undefined ? { contents } : await resolveMedia(contents, readBlob);
  if ("code" in resolved) return resolved;
  return {
    step: newId(),
    contents: resolved.contents,
    tools,
    stableParts: report.stableParts,
    thinking: report.thinking,
    ...(system === "" ? {} : { system }),
    session: manager.context.sessionId,
    ...defined({ breakpoints, answerTokens, effort }),
  };
}

const notReady = refuse(
  "no_effect",
  "Nothing was sent: the conversation does not end with words to the model. Say something.",
);

/** How much a model is asked to think: as a person has said if it takes that, else medium, or low. */
export function effortFor({ efforts }: ModelPort, effort?: Effort): Effort | undefined {
  if (efforts === undefined) return effort;
  return [effort, "medium" as const, "low" as const].find(
    (one) => one !== undefined && efforts.includes(one),
  );
}

/** How a person names a model. */
export function nameOfModel({ name, target }: ModelPort): string {
  return name ?? `${target.provider}/${target.model}`;
}

/** The sentence on an effort that a model cannot be asked for. */
export function effortWords(name: string, { efforts = [] }: ModelPort): string {
  return `${name} can be asked for this effort: ${efforts.join(", ")}.`;
}
