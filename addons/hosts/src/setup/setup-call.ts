import type { Workspace } from "@holdfast/core/files";
import type { OnMismatch, OutcomeCode, Refusal } from "@holdfast/core/files/values";
import type { ChangeJson } from "./client-settings.js";

/** One call of `holdfast setup`, with what the command lends the add-on. */
export interface SetupCall {
  /** The client comes first. */
  readonly args: readonly (string | undefined)[];
  readonly flags: { readonly [Name in SetupFlag]?: boolean } & {
    readonly project?: boolean | string;
    readonly onMismatch?: OnMismatch;
  };
  readonly settings: {
    readonly roots: readonly string[];
    readonly json: boolean;
    readonly allowProtected: readonly string[];
    readonly stateDir?: string | undefined;
  };
  readonly terminal: { out(text: string): Promise<void>; err(text: string): void };
  /** Ends the command as a usage error. */
  readonly misuse: (message: string) => never;
  readonly shell: SetupShell;
}

type SetupFlag =
  | "guard"
  | "guardOnly"
  | "toolsOnly"
  | "allowReads"
  | "acceptEdits"
  | "formatters"
  | "user"
  | "remove"
  | "yes";

/** What the command lends: its terminal, its way to open a workspace, its writer of JSON settings. */
export interface SetupShell {
  /** The person's answer; "" where nobody can be asked. */
  askPerson(question: string): Promise<string>;
  /** Opens the workspace for one piece of work, or reports why not. @returns the exit code. */
  withWorkspace(
    place: { readonly roots: readonly string[]; readonly allowProtected: readonly string[] },
    work: (workspace: Workspace) => Promise<number>,
  ): Promise<number>;
  /** @returns the exit code. */
  reportRefusal(refusal: Refusal): number;
  /** Carries work that has begun to its end, also if the person interrupts. */
  finishOnceBegun<Result>(work: () => Promise<Result>): Promise<Result>;
  exitCodeOf(code: OutcomeCode): number;
  readonly changeJson: ChangeJson;
}
