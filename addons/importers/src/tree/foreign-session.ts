import type { FoldedLines, ImportProblem } from "@holdfast/core/conversation/import";
import type { ForeignEntry } from "./foreign-entry.js";

/** The programs whose sessions can be read. */
export type ForeignFormat =
  | "pi"
  | "claude"
  | "claude-sdk"
  | "codex"
  | "gemini"
  | "opencode"
  | "copilot"
  | "qwen"
  | "cline";

/** A session of another agent, read but not yet a tree. */
export interface ForeignSession {
  readonly format: ForeignFormat;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  /** Its id there. */
  readonly sourceSessionId?: string | undefined;
  /** The session there whose subagent it is. */
  readonly parentSessionId?: string | undefined;
  readonly startedMs: number;
  readonly entries: readonly ForeignEntry[];
  /** The line of the entry at which the session stood. */
  readonly leafLine: number | undefined;
  /** Lines that are no turns, by kind. */
  readonly folded?: readonly FoldedLines[];
  readonly problems: readonly ImportProblem[];
}
