import type { StoredConversation } from "@holdfast/core/conversation";
import type { ConversationContext, SessionStore } from "@holdfast/core/conversation/values";
import type { AgentSettings } from "../../config/schema.js";
import type { Commands } from "../../host/commands.js";
import type { WrittenPrompt } from "../../input/written-prompts.js";
import type { AskPerson } from "../../loop/gate.js";
import type { CommandHost, WantedSession } from "../../slash/command.js";
import type { TurnPlace } from "../../slash/turn-input.js";
import type { Streams } from "./streams.js";

/** What a terminal to talk in is opened with. */
export interface TalkOptions {
  readonly terminal: Streams;
  /** Where the history is kept; nowhere for undefined. */
  readonly stateDir: string | undefined;
  /** `reading`: only what is finished is written, and nothing below the input. */
  readonly ui: NonNullable<AgentSettings["ui"]>;
  readonly watchInterrupt: WatchInterrupt;
}

/** Keeps Ctrl-C from ending the program while work goes on that ends by itself then. @returns what ends the watch. */
export type WatchInterrupt = (onInterrupt?: () => void) => { readonly end: () => void };

/** A run that a person talks with. */
export interface TalkRun extends TurnPlace {
  readonly conversation: Pick<StoredConversation, "manager" | "session">;
  readonly store: Pick<SessionStore, "list">;
  readonly written: TurnPlace["written"] & { readonly prompts: readonly WrittenPrompt[] };
  readonly model: { readonly name: string };
  readonly commands: Pick<Commands, "inBackground" | "textOf">;
  /** What else a turn waits for now, in words for the status line, such as a hook. */
  readonly waitsFor: () => readonly string[];
}

/** What talking needs of the program around it. */
export interface TalkPorts {
  /** What slash commands work on. */
  readonly host: CommandHost;
  /** The id of the session that a command wants, which is there and can be opened; undefined for a new one. */
  readonly enter: (wanted: WantedSession) => Promise<string | undefined | { readonly message: string }>;
}

/** How talking ended: the person left, or goes on with another session. */
export type TalkEnd =
  | { readonly kind: "left"; readonly exitCode: number }
  /** `id`: of a stored session; a new one without it. */
  | { readonly kind: "session"; readonly id: string | undefined };

/** A terminal to talk in: a screen, or line by line. */
export interface TalkTerminal {
  /** What is said here does not disturb what is being typed. */
  readonly terminal: Streams;
  readonly ask: AskPerson;
  /** The next text for the model; undefined where the person left. */
  prompt(): Promise<string | undefined>;
  /** What was typed after the question was seen; a secret is shown and kept nowhere. Undefined: no answer came. */
  answer(label: string, signal?: AbortSignal, isSecret?: boolean): Promise<string | undefined>;
  /** Shows what was said up to the head and is not shown yet. */
  past(context: ConversationContext): Promise<void>;
  /** Talks until the person leaves or changes the session. @param first what is said to begin with. */
  talk(run: TalkRun, ports: TalkPorts, first?: string): Promise<TalkEnd>;
  close(): void;
}
