import type * as z from "zod";
import type {
  AnsweredCall,
  ContextManager,
  ConversationRefusal,
  FileEffect,
  JsonObject,
  Summariser,
} from "../../conversation/index.js";
import type { ToolAnnotations } from "../tool.js";

export const conversationToolNames = [
  "task_start",
  "task_complete",
  "task_cancel",
  "task_pop",
  "task_resume",
  "task_restart",
  "task_list",
  "track_file",
  "untrack_file",
  "list_tracked_files",
  "history_view",
  "rewind",
  "summarize_branch",
  "expand_task_summary",
] as const;

/** The name of a conversation tool, as models call it. */
export type ConversationToolName = (typeof conversationToolNames)[number];

/**
 * Something that the model, by a call, and the user, by a command, can do to the conversation (seed 4,
 * "Advanced Capabilities and New Tooling"): one definition, one code path.
 */
export interface ConversationTool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: ConversationToolName;
  /** The words of its command, such as `task start`. */
  readonly command: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: z.ZodObject<Shape>;
  readonly annotations: ToolAnnotations;
  /** Whether a call of it has to be the only one of its step, so that no batch of calls is cut. */
  readonly alone: boolean;
  run(
    host: ConversationHost,
    args: z.output<z.ZodObject<Shape>>,
    asked: Asked,
  ): Promise<ConversationAnswer | ConversationRefusal> | ConversationAnswer | ConversationRefusal;
}

/** What the conversation tools work on. */
export interface ConversationHost {
  readonly manager: ContextManager;
  /** Writes summaries where the caller gives none. */
  readonly summariser?: Summariser;
  /** Lets files follow where the head goes; without it they stay as they are. */
  readonly files?: FilesThatFollow;
}

/** Moves the head and puts the files back with it: see `restoreFiles`. */
export interface FilesThatFollow {
  /** What is there now, so that only files that can be read are tracked. */
  look(path: string): Promise<FileEffect | ConversationRefusal>;
  /**
   * Restores the files to what they were at `toId` and moves the head there.
   *
   * @param consent paths that may be overwritten or deleted although their bytes are nobody's we know.
   */
  follow(request: {
    readonly toId: string;
    readonly consent: readonly string[];
    /** What becomes of the other files in conflict: they refuse the move, or stay as they are. */
    readonly conflicts?: "refuse" | "leave";
    readonly answering: ((told: string) => AnsweredCall) | undefined;
    /** Called in place of moving the head alone, where the move does more than that. */
    readonly move?: "task_cancel";
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

/** Who asked: a call of the model, whose result is added on the branch that a move leaves, or a person. */
export interface Asked {
  readonly byModel: boolean;
  /** The result of the call; `undefined` where a person asked. */
  answering(answer: ConversationAnswer): AnsweredCall | undefined;
  /** The same from a text, where the model asked. */
  answered(output: string): AnsweredCall;
}

/** Types a definition by its own parameters; adds nothing. */
export function defineConversationTool<Shape extends z.ZodRawShape>(
  tool: ConversationTool<Shape>,
): ConversationTool<Shape> {
  return tool;
}

/** Moves the head or adds to the tree; can be taken back by moving the head again. */
export const movingAnnotations: ToolAnnotations = {
  readOnly: false,
  destructive: false,
  idempotent: false,
  openWorld: false,
};

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
    ...(data === undefined ? {} : { data }),
    ...(text === undefined ? {} : { text }),
  };
}

/** What the model reads: the message, then the facts as JSON, then the long text. */
export function renderAnswer({ message, data, text }: ConversationAnswer): string {
  const facts = data === undefined ? [] : [JSON.stringify(data)];
  return [message, ...facts, ...(text === undefined ? [] : [text])].join("\n");
}
