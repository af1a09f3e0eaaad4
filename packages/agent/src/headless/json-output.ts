import type { ApprovalMode } from "../config/approval.js";
import type { TurnEnd } from "../loop/turn.js";
import type { CommandResult } from "../slash/command.js";
import { exitCodeOfCommand, exitCodeOfTurn } from "./exit-codes.js";

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

/** One run as one object, for `-o json`; `undone`: writes that were denied or left in conflict. */
export function jsonDocument(run: {
  readonly facts: RunFacts;
  readonly end: TurnEnd;
  readonly calls: readonly { readonly name: string; readonly isError: boolean }[];
  readonly notices: readonly string[];
  readonly durationMs: number;
}) {
  const { facts, end, calls, notices, durationMs } = run;
  const exitCode = exitCodeOfTurn(end);
  const error = errorOf(end);
  return {
    session_id: facts.sessionId,
    model: facts.model,
    response: end.text,
    status: exitCode === 0 ? "success" : "error",
    exit_code: exitCode,
    stats: statsOf(end, calls.length, durationMs),
    tools: countByName(calls),
    undone: end.undone.map(({ name, code }) => ({ name, code })),
    notices,
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * The counts of a run that has ended, by the names of gemini-cli's stream, so that its readers work. `cached`: of the input,
 * what was read of a cache. `cost_usd`: absent where the model's prices are not known.
 */
export function statsOf({ usage, steps, costUsd }: TurnEnd, calls: number, durationMs: number) {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage;
  return {
    total_tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached: cachedInputTokens,
    duration_ms: durationMs,
    tool_calls: calls,
    requests: steps,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
  };
}

/** Why a run is no success; undefined for one that is. */
export function errorOf(end: TurnEnd): { readonly type: string; readonly message: string } | undefined {
  if (end.reason !== "complete")
    return {
      type: end.failure?.reason ?? end.reason,
      message: end.message ?? `The run ended: ${end.reason}.`,
    };
  if (end.undone.length === 0) return undefined;
  const names = [...new Set(end.undone.map(({ name }) => name))].join(", ");
  return { type: "undone", message: `Finished, but not done: ${names}.` };
}

/** The result of a slash command as fields of an object. */
export function commandFields(result: CommandResult) {
  const exitCode = exitCodeOfCommand(result);
  return { ...result, status: exitCode === 0 ? "success" : "error", exit_code: exitCode };
}

function countByName(calls: readonly { readonly name: string; readonly isError: boolean }[]) {
  // A map: a model may call any name, `constructor` and `__proto__` too.
  const counted = new Map<string, { calls: number; failed: number }>();
  for (const { name, isError } of calls) {
    const { calls: before, failed } = counted.get(name) ?? { calls: 0, failed: 0 };
    counted.set(name, { calls: before + 1, failed: failed + (isError ? 1 : 0) });
  }
  return Object.fromEntries(counted);
}
