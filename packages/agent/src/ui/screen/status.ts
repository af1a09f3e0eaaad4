import { elastic, type Line, span } from "../spans.js";

/** What a person wants to know at any time; what nobody knows is absent. */
export interface StatusFacts {
  readonly model: string;
  readonly effort?: string;
  readonly mode: string;
  /** The task that is open, or the label of the branch. */
  readonly task?: string;
  /** How much of the window the prompt fills, from 0 to 1. */
  readonly contextShare?: number;
  /** How much of what was sent in this run came from the provider's cache. */
  readonly cacheShare?: number;
  readonly costUsd?: number;
  /** Files that the model read and that have changed since. */
  readonly staleFiles?: number;
  /** What a person can do now. */
  readonly help: string;
}

/** The state of things in one line. */
export function statusLine(facts: StatusFacts): Line {
  const { model, effort, mode, task, contextShare, cacheShare, costUsd, staleFiles = 0, help } = facts;
  const parts = [
    effort === undefined ? mode : `${effort} · ${mode}`,
    ...(task === undefined ? [] : [task]),
    ...(contextShare === undefined ? [] : [`context ${percent(contextShare)}`]),
    ...(cacheShare === undefined ? [] : [`cached ${percent(cacheShare)}`]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`]),
  ];
  const stale =
    staleFiles === 0
      ? []
      : [span(` · ${staleFiles} read file${staleFiles === 1 ? "" : "s"} changed`, "note")];
  return [
    elastic(model, "faint"),
    span(` · ${parts.join(" · ")}`, "faint"),
    ...stale,
    span(` · ${help}`, "faint"),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
