import type { ModelFailureReason } from "@holdfast/core/context";
import { concernOf } from "@holdfast/core/files/values";
import type { TurnEnd } from "../loop/turn.js";
import type { CommandResult } from "../slash/command.js";

/** What a run without a screen says to the shell (page 6, "Headless"); the numbers that others use, too, are theirs. */
export const agentExitCodes = {
  success: 0,
  error: 1,
  usage: 2,
  /** Busy, full, or not permitted: the same may work later. As of the commands for scripts. */
  machine: 7,
  /** No key, or one that is not taken. */
  auth: 41,
  /** What was to be asked cannot be: no words, a file that is not there. */
  input: 42,
  /** Settings that are no settings, or a model that nobody knows. */
  config: 52,
  /** A limit of turns or money. */
  limit: 53,
  /** Finished, but a change was refused, or files that were to go back did not: the work is not done. */
  undone: 64,
  cancelled: 130,
  /** Nobody read standard output any more, which ended the turn: as a shell has it of SIGPIPE. */
  outputClosed: 141,
} as const;

/** The exit code of a turn. What stopped the work comes before what was left undone in it. */
export function exitCodeOfTurn({ reason, failure, undone }: TurnEnd): number {
  switch (reason) {
    case "complete":
      return undone.length > 0 ? agentExitCodes.undone : agentExitCodes.success;
    case "max_turns":
    case "max_cost":
    case "repeating":
      return agentExitCodes.limit;
    case "cancelled":
      return agentExitCodes.cancelled;
    case "failed":
      return failure === undefined ? agentExitCodes.error : exitCodeOfFailure[failure.reason];
    case "conversation":
    case "incomplete":
      return agentExitCodes.error;
    default:
      return reason satisfies never;
  }
}

/** The exit code of a model's failure: what a script can do about it. */
const exitCodeOfFailure: Readonly<Record<ModelFailureReason, number>> = {
  auth: agentExitCodes.auth,
  unknown_model: agentExitCodes.config,
  cancelled: agentExitCodes.cancelled,
  invalid_request: agentExitCodes.error,
  too_long: agentExitCodes.error,
  rate_limit: agentExitCodes.error,
  overloaded: agentExitCodes.error,
  unreachable: agentExitCodes.error,
  cut: agentExitCodes.error,
  script: agentExitCodes.error,
};

/** The exit code of a slash command that was the whole prompt: what asks back has done nothing. */
export function exitCodeOfCommand(result: CommandResult): number {
  switch (result.kind) {
    case "told":
    case "prompt":
    case "quit":
      return agentExitCodes.success;
    case "question":
      return agentExitCodes.undone;
    case "session":
      return agentExitCodes.usage;
    case "refused":
      if (result.code === "cancelled") return agentExitCodes.cancelled;
      if (concernOf(result.code) === "machine") return agentExitCodes.machine;
      return usageCodes.has(result.code) ? agentExitCodes.usage : agentExitCodes.error;
    default:
      return result satisfies never;
  }
}

const usageCodes: ReadonlySet<string> = new Set(["unknown_command", "invalid_arguments", "unavailable"]);
