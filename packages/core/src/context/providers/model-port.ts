import type { TurnUsage } from "../../conversation/values/index.js";
import type { Content } from "../layout/content.js";
import type { OfferedTool } from "./provider-request.js";
import type { AnswerDelta, ReceivedAnswer } from "./received-answer.js";

/** How much a model is to think before it answers, from nothing to the most that it can. */
export const efforts = ["off", "low", "medium", "high", "max"] as const;

/** One of `efforts`. */
export type Effort = (typeof efforts)[number];

/**
 * A model that can be asked (page 6, "Models"). Agent and adapters share it without knowing each other: the loop
 * asks whatever is behind it.
 */
export interface ModelPort {
  /** Who the prompt has to be rendered for: `RenderOptions.target`, and the origin of what is answered. */
  readonly target: { readonly provider: string; readonly model: string };
  /** How a person names it, by which it is opened again: `provider/name`. */
  readonly name?: string;
  /** How long its provider is asked to keep a prompt, where that is not what it does by itself. */
  readonly cache?: "1h";
  /** Tokens of a prompt and its answer together, and of the longest answer, where whoever opened it knows better than a list. */
  readonly window?: { readonly tokens: number; readonly answerTokens?: number };
  /** How much it can be asked to think; whatever is asked is sent to a model of which nothing is known. */
  readonly efforts?: readonly Effort[];
  /** What requests cost, in US dollars, by what was counted; absent, or undefined, where no prices are known. */
  readonly costOf?: (usage: TurnUsage) => number | undefined;
  /** Whether its provider searches the web for a step that asks for it (`ModelStep.searches`). */
  readonly searches?: boolean;
  /**
   * Asks for one answer. Never rejects and throws nothing: what goes wrong is an event. The last event is `finish`
   * or `failed`, and there is one of them. Nothing that came before `finish` may be acted on.
   *
   * @param signal ends the request; the last event then is `failed` for the reason `cancelled`.
   */
  ask(step: ModelStep, signal?: AbortSignal): AsyncIterable<ModelEvent>;
  /** Tokens of a step as the provider counts them, where it can be asked. */
  countTokens?(step: ModelStep, signal?: AbortSignal): Promise<number | ModelFailure>;
}

/** What a model is asked: a rendered prompt, with what stands before it. */
export interface ModelStep {
  /** Names the answer (`ModelAnswer.step`): another one for each. */
  readonly step: string;
  /** As rendered for the port's target; media are there (`resolveMedia`). */
  readonly contents: readonly Content[];
  readonly system?: string;
  readonly tools?: readonly OfferedTool[];
  /** `RenderReport.stableParts` of the rendering. */
  readonly stableParts?: number;
  /** Where the request is to be marked, for a provider that keeps it up to marks only: `RequestOptions.breakpoints`. */
  readonly breakpoints?: readonly number[];
  /** Tokens that the answer may have at most, where the window allows no more; what the port was opened with unless given. */
  readonly answerTokens?: number;
  /** The provider may search the web for it, by its own tool; of a port that can (`ModelPort.searches`). */
  readonly searches?: boolean;
  /** How much the model is to think; what the provider does by itself unless given. */
  readonly effort?: Effort;
  /** Names the conversation: its requests begin alike, so that a provider may keep them together. */
  readonly session?: string;
  /** `RenderReport.thinking` of the rendering: `off` where a provider would miss a thought if it was asked to think. */
  readonly thinking?: "kept" | "off";
}

/** What happens while a model answers. Deltas are for those who watch; the answer is in `finish`. */
export type ModelEvent =
  | AnswerDelta
  /** The request failed and is made again: what was shown of its answer is void. `waitMs` until then. */
  | {
      readonly kind: "retry";
      readonly attempt: number;
      readonly waitMs: number;
      readonly failure: ModelFailure;
    }
  /** Nothing has come for so long, in milliseconds; told again and again while it lasts. */
  | { readonly kind: "silent"; readonly ms: number }
  /** The whole answer, ready for `ContextManager.addAnswer`; it has parts, or says by `ended` why not. */
  | { readonly kind: "finish"; readonly answer: ReceivedAnswer }
  | { readonly kind: "failed"; readonly failure: ModelFailure };

/** Why there is no answer. */
export interface ModelFailure {
  readonly kind: "model_failure";
  readonly reason: ModelFailureReason;
  /** One sentence for a person, without keys: what happened and what to do. */
  readonly message: string;
  /** The HTTP status, where there was one. */
  readonly status?: number;
  /** What the provider asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The model's window in tokens, where the provider names it. */
  readonly windowTokens?: number;
  /** The tokens of an answer that the account still pays for, where the provider names them. */
  readonly affordsTokens?: number;
  /** What of the prompt the provider does not take: an image or a document, or thoughts that were given back. */
  readonly about?: "media" | "thoughts";
}

/** Why a model gave no answer: a closed list. */
export type ModelFailureReason =
  /** No key, or one that is not taken (401, 403). */
  | "auth"
  /** There is no such model, or not for this key (404). */
  | "unknown_model"
  /** The provider does not take the request as it is (400, 422). */
  | "invalid_request"
  /** The prompt is longer than the model's window (400, 413 and their words). */
  | "too_long"
  /** Too many requests, or no credit (429). */
  | "rate_limit"
  /** The provider is overloaded or broken (5xx, 529). */
  | "overloaded"
  /** Nobody answers: no connection, no name, time out. */
  | "unreachable"
  /** The stream broke off, or held what is no event of the API. */
  | "cut"
  /** The signal ended it. */
  | "cancelled"
  /** A script or a recording has no further answer, or one for another request. */
  | "script";
