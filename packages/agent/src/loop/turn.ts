import type { ModelEvent, ModelFailure } from "@holdfast/core/context";
import type {
  ConversationRefusal,
  FileEffect,
  JsonObject,
  TurnNode,
  TurnPayload,
  TurnUsage,
} from "@holdfast/core/conversation/values";
import type { PromptPlan } from "@holdfast/core/economy";
import type { Carried, RanProgram } from "@holdfast/core/tools";
import type { CacheBroke } from "./cache-watch.js";
import type { CompactionOutcome } from "./context-economy.js";

/** What begins a turn: the user's words, and what goes before them. */
export interface TurnInput {
  readonly text: string;
  /** Files that `@` named, media, notes: staged before the words, all or none. */
  readonly staged?: readonly TurnPayload[];
}

/** What a turn is run with. */
export interface TurnScope {
  /** Ends the turn: the conversation is then whole, and the next turn can begin. */
  readonly signal?: AbortSignal;
  /** Told of everything in its order. Must not throw. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Asked before each further request for what the person has said meanwhile: it stands below the results. */
  readonly steer?: () => Promise<TurnInput | undefined>;
}

/** What happens in a turn, for a screen or a stream. Values; nothing of it has to be answered. */
export type AgentEvent =
  /** The words stand in the tree; again for those that come in while the turn goes on. */
  | { readonly kind: "turn_begun"; readonly node: TurnNode }
  /** A request is made; counted from 1 in each turn. */
  | { readonly kind: "step_begun"; readonly step: number }
  /** A delta or a retry, as the model's port gives it. */
  | { readonly kind: "model"; readonly event: Exclude<ModelEvent, { kind: "finish" | "failed" }> }
  /** The answer stands in the tree. */
  | { readonly kind: "answered"; readonly nodes: readonly TurnNode[]; readonly usage?: TurnUsage }
  | { readonly kind: "call_begun"; readonly callId: string; readonly name: string; readonly args: JsonObject }
  /** `program`: what runs, with what it has printed until now. An empty text: it begins only now, after a question. */
  | {
      readonly kind: "call_progress";
      readonly callId: string;
      readonly text: string;
      readonly program?: RanProgram;
    }
  | { readonly kind: "call_ended"; readonly call: EndedCall }
  /** A sentence for the person: a file that is gone, a call that repeats itself. */
  | { readonly kind: "noticed"; readonly text: string }
  /** Something happens in the work of a sub-agent; its `turn_ended` is the last. Nested as deep as the agents are. */
  | { readonly kind: "sub_agent"; readonly taskId: string; readonly event: AgentEvent }
  /** The prompt was made smaller, the model warned of it, a summary tried, or the provider's cache broke. */
  | { readonly kind: "context"; readonly done: ContextStep }
  | { readonly kind: "turn_ended"; readonly end: TurnEnd };

/** What happens, in whoever's work it does. */
export function innermost(event: AgentEvent): Exclude<AgentEvent, { kind: "sub_agent" }> {
  return event.kind === "sub_agent" ? innermost(event.event) : event;
}

/** What was done about the prompt before a request. */
export type ContextStep = Extract<PromptPlan, { kind: "clear" | "warn" }> | CompactionOutcome | CacheBroke;

/** A call that was carried out. */
export interface EndedCall {
  readonly callId: string;
  readonly name: string;
  readonly args: JsonObject;
  /** `ok`, or the code of the outcome or refusal. */
  readonly code: string;
  readonly isError: boolean;
  /** What the model reads. */
  readonly text: string;
  /** The result's node, where it could be recorded. */
  readonly node?: TurnNode;
  /** The files of that, with versions as a person counts them. */
  readonly counted?: readonly FileEffect[];
  /** What it came to, as data, of a tool of files or of the host. */
  readonly run?: Carried["run"];
}

/** How a turn ended. */
export interface TurnEnd {
  readonly reason: /** The model had nothing more to do. */
    | "complete"
    /** A limit of steps or cost was reached. */
    | "max_turns"
    | "max_cost"
    /** The model repeated a failing call after it was told. */
    | "repeating"
    | "cancelled"
    /** The model gave no answer. */
    | "failed"
    /** The last answer breaks off, or says nothing: no more tokens, or a filter. */
    | "incomplete"
    /** The conversation could not be changed or kept. */
    | "conversation";
  /** One sentence for a person; absent where the turn is complete. */
  readonly message?: string;
  readonly failure?: ModelFailure;
  /** The last words of the model; those of an answer that was cut stand before what it went on with. */
  readonly text: string;
  /** Requests made, with their tokens in all. */
  readonly steps: number;
  readonly usage: TurnUsage;
  /** Money in US dollars, with sub-agents and summaries; absent where the prices of a model that answered are not known. */
  readonly costUsd?: number;
  /** Changes that were refused and not made later, and what else was denied or failed: for exit code 64 (`Undone`). */
  readonly undone: readonly { readonly callId: string; readonly name: string; readonly code: string }[];
}

/** Why a turn is over. */
export type TurnStop = Pick<TurnEnd, "reason" | "message" | "failure">;

/** A turn ends because the conversation could not be changed or kept. */
export function broken({ message }: ConversationRefusal): TurnStop {
  return { reason: "conversation", message };
}

/** A turn ends because the model gave no answer. */
export function stopOf(failure: ModelFailure): TurnStop {
  const { reason, message } = failure;
  return reason === "cancelled" ? { reason: "cancelled", message } : { reason: "failed", message, failure };
}
