import type * as z from "zod";
import type { AnsweredCall, ContextManager, RestorePlan, TaskMove } from "../../conversation/index.js";
import type {
  ConversationRefusal,
  FileEffect,
  JsonObject,
  Summariser,
  TurnNode,
} from "../../conversation/values/index.js";
import { isRefusal } from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import type { ToolAnnotations, ToolDefinition } from "../tool/tool.js";
import type { ConversationRequest } from "./conversation-request.js";

/**
 * Something that the model, by a call, and the user, by a command, can do to the conversation (seed 4,
 * "Advanced Capabilities and New Tooling"): one definition, one code path.
 */
export interface ConversationTool<Shape extends z.ZodRawShape = z.ZodRawShape, Name extends string = string>
  extends ToolDefinition<Shape, ConversationRequest> {
  readonly kind: "conversation";
  readonly name: Name;
  /** The words of its command, such as `task start`. */
  readonly command: string;
  readonly annotations: ToolAnnotations;
}

/** What the conversation tools work on. */
export interface ConversationHost {
  readonly manager: ContextManager;
  /** Writes summaries where the caller gives none. */
  readonly summariser?: Summariser;
  /** Lets files follow where the head goes; without it they stay as they are. */
  readonly files?: FilesThatFollow;
}

/** A move of the head, or a restore without one, for which the files are planned. */
export type FileMove =
  | {
      readonly kind: "go";
      readonly toId: string;
      /** What is said of the move alone, such as "Went back". */
      readonly words: string;
      /** The tool's name for the history of the files. */
      readonly tool?: string;
      /** The task that the move cancels. */
      readonly cancels?: string;
      /** The cancelled task that the move takes up again. */
      readonly resumes?: string;
    }
  | {
      /** A task is completed or begun again. */
      readonly kind: "task";
      readonly tool: string;
      /** @param files one sentence on what became of the files, for the answer of the call. */
      move(files: string): TaskMove;
    }
  /** The head stays; the files become what they were at a node. */
  | { readonly kind: "stay"; readonly stateOf: string }
  /** A restore is taken back, by its node. */
  | { readonly kind: "undo"; readonly restoreId: string };

/** Moves the head and puts the files back with it: see `planRestore`, `restoreFiles`. */
export interface FilesThatFollow {
  /** What is there now, so that only files that can be read are tracked. */
  look(path: string): Promise<FileEffect | ConversationRefusal>;
  /** What the move means for the files; nothing is moved. As `planRestore` refuses, and as the move would be. */
  plan(move: FileMove): Promise<RestorePlan | ConversationRefusal>;
  /**
   * Puts the files back and moves the head with them.
   *
   * @param request `consent`: paths that may be overwritten or deleted although their bytes are nobody's we know.
   */
  follow(request: {
    readonly move: FileMove;
    readonly consent: readonly string[];
    /** What becomes of the other files in conflict: they refuse the move, or stay as they are. */
    readonly conflicts?: "refuse" | "leave";
    /** The plan that was agreed to: where it has become another one, nothing is moved (`files_refused`). */
    readonly agreed?: RestorePlan;
    /** The result of the call that asked; of a task's move, only its `callId` counts. */
    readonly answering: ((told: string) => AnsweredCall) | undefined;
  }): Promise<
    { readonly kind: "followed"; readonly message: string; readonly data: JsonObject } | ConversationRefusal
  >;
}

/** What a conversation tool did, as data; `renderAnswer` makes the text for a model of it. */
export interface ConversationAnswer {
  readonly kind: "answer";
  /** One sentence on what was done. */
  readonly message: string;
  readonly data?: JsonObject;
  /** A longer text to be read as it is, such as an outline. */
  readonly text?: string;
}

/** How a request went. */
export type Answered = ConversationAnswer | ConversationRefusal;

/** Who runs the tool: a call of the model, whose result is added on the branch that a move leaves, or a person. */
export interface Caller {
  readonly byModel: boolean;
  /** The result of the call; `undefined` where a person asked. */
  answering(answer: ConversationAnswer): AnsweredCall | undefined;
  /** The same from a text, where the model asked. */
  answered(output: string): AnsweredCall;
}

/** Moves the head, together with the result of the call that asked: it stands on the branch that is left. */
export function movedBy(
  { answering }: Caller,
  told: ConversationAnswer,
  move: (answering: AnsweredCall | undefined) => TurnNode | ConversationRefusal,
): Answered {
  const node = move(answering(told));
  return isRefusal(node) ? node : told;
}

/** A tool of the conversation, typed by its own name and parameters. */
export function defineConversationTool<Shape extends z.ZodRawShape, const Name extends string>(
  tool: Omit<ConversationTool<Shape, Name>, "kind">,
): ConversationTool<Shape, Name> {
  return { ...tool, kind: "conversation" };
}

/** Moves the head or adds to the tree; can be taken back by moving the head again. */
export const movingAnnotations: ToolAnnotations = {
  readOnly: false,
  destructive: false,
  idempotent: false,
  openWorld: false,
};

/** The same of a tool after which other turns, or other states of files, hold. */
export const destructiveAnnotations = { ...movingAnnotations, destructive: true };

/**
 * An answer of a conversation tool.
 *
 * @param message one sentence on what was done.
 * @param data the facts behind it, such as ids that a next call needs.
 * @param text a longer text to be read as it is.
 */
export function answer(message: string, data?: JsonObject, text?: string): ConversationAnswer {
  return {
    kind: "answer",
    message,
    ...defined({ data, text }),
  };
}

/** What the model reads: the message, then the facts as JSON, then the long text. */
export function renderAnswer({ message, data, text }: ConversationAnswer): string {
  const facts = data === undefined ? [] : [JSON.stringify(data)];
  return [message, ...facts, ...(text === undefined ? [] : [text])].join("\n");
}
