import type { AgentEvent, TurnEnd } from "../../../src/loop/turn.js";
import { type LinearState, linearState, updateLinear, waitLine } from "../../../src/ui/linear/update.js";
import { fitted } from "../../../src/ui/lines/spans.js";

/** How a turn is shown: by words and lines as a person reads them. */
export interface Shown {
  readonly text: string;
  /** What is waited for behind each event, with its seconds. */
  readonly waits: readonly (string | undefined)[];
  readonly notices: readonly string[];
}

/** Plays events, one each second. */
export function shown(
  events: readonly AgentEvent[],
  { holdsChars = 0, columns }: { readonly holdsChars?: number; readonly columns?: number } = {},
): Shown {
  let state: LinearState = linearState(0, { holdsChars });
  let text = "";
  const [waits, notices]: [(string | undefined)[], string[]] = [[], []];
  for (const [at, event] of events.entries()) {
    const step = updateLinear(state, event, at * 1_000);
    state = step.state;
    for (const one of step.output) {
      const line = one.kind === "words" ? "" : textOf(one.line, columns);
      text += one.kind === "words" ? one.text : `${line}\n`;
      if (one.kind === "line" && one.isNotice) notices.push(line);
    }
    const waited = waitLine(state, at * 1_000 + 500);
    waits.push(waited && textOf(waited, columns));
  }
  return { text, waits, notices };
}

function textOf(line: Parameters<typeof fitted>[0], columns: number | undefined): string {
  return fitted(line, columns)
    .map((span) => span.text)
    .join("");
}

export const ended: TurnEnd = {
  reason: "complete",
  text: "Done.",
  steps: 2,
  usage: { inputTokens: 12_345, cachedInputTokens: 11_111, outputTokens: 210 },
  costUsd: 0.0123,
  undone: [],
};
