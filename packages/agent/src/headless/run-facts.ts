import type { ApprovalMode } from "../config/approval.js";

/** What a run is, before anything of it happens. */
export interface RunFacts {
  readonly sessionId: string;
  /** `provider/name`. */
  readonly model: string;
  /** The user's words. */
  readonly prompt: string;
  /** The names of the tools that are offered. */
  readonly tools: readonly string[];
  readonly mode: ApprovalMode;
  /** The first folder of the workspace, absolute. */
  readonly folder: string;
  /** The files of instructions that were read, the last counting most. */
  readonly instructions: readonly string[];
  /** Whether a stream of JSON tells what of an answer has come, before it stands. */
  readonly includesPartial?: boolean;
}
