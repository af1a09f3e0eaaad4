import type { Agent, AskPerson, CommandHost, TurnInput } from "@holdfast/agent";
import type { ModelPort } from "@holdfast/core/context";

/** What the command lends the tour: its terminal, and the agent as `holdfast agent` opens it. */
export interface TourShell {
  readonly terminal: {
    out(text: string): Promise<void>;
    err(text: string): void;
    readonly outPaint: Paint;
  };
  readonly exitCodes: Readonly<Record<"success" | "internal" | "machine", number>>;
  /** Opens the agent with the default settings: what this machine is set up with plays no part. */
  open(parts: TourParts): Promise<TourRun | { readonly kind: "no_run"; readonly lines: readonly string[] }>;
}

/** What a tour is opened with. */
interface TourParts {
  /** It is made. */
  readonly folder: string;
  readonly stateDir: string;
  readonly model: ModelPort;
  readonly ask: AskPerson;
}

/** The agent of the tour. */
export interface TourRun {
  readonly kind: "run";
  readonly agent: Pick<Agent, "turn">;
  /** What slash commands work on. */
  readonly commands: CommandHost;
  /** The user's words as a turn, with the files that `@` names. */
  input(words: string, told: (sentence: string) => void): Promise<TurnInput>;
  close(): Promise<void>;
}

/** Colours as functions of a text. */
export type Paint = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;
