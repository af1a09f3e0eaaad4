import type { ModelEvent } from "@holdfast/core/context";
import { secondsWords } from "../../host/command-words.js";
import { cacheBrokeWords } from "../../loop/cache-watch.js";
import type { ContextStep, TurnEnd } from "../../loop/turn.js";
import { type Line, span } from "../lines/spans.js";
import { whyNot } from "./call-lines.js";

/** What was done about the prompt. A break of the cache that costs little is no news. */
export function contextLines(done: ContextStep): readonly Line[] {
  switch (done.kind) {
    case "clear": {
      const { cleared, tokensBefore, tokensAfter, cost, predictedSaving } = done.report;
      const why = cost > predictedSaving ? " at the limit, though it costs more than it may save" : "";
      return sizes(`${cleared.length} earlier results cleared${why}`, tokensBefore, tokensAfter);
    }
    case "compacted":
      return sizes("What came before was summed up", done.tokensBefore, done.tokensAfter);
    case "warn":
      return [
        [span(`The prompt has ${count(done.tokens)} tokens; the model is to save what it needs.`, "faint")],
      ];
    case "not_compacted":
      return [[span(done.message, "note")]];
    case "cache_broke":
      return done.tokens < worthTelling ? [] : [[span(cacheBrokeWords(done), "note")]];
    default:
      return done satisfies never;
  }
}

/** Tokens that are written again; fewer are no news for a person. */
const worthTelling = 4_096;

type Retry = Extract<ModelEvent, { kind: "retry" }>;

/** That a request failed and is made again. @param isSeen words of its answer stand there already. */
export function retryWords({ failure: { message }, waitMs }: Retry, isSeen: boolean): string {
  const wait = `${(waitMs / 1_000).toFixed(1)} s`;
  return isSeen ? `… broke off; asking again in ${wait}. ${message}` : `${message} Trying again in ${wait}.`;
}

/** Why a turn is no success, and what was left undone. */
export function undoneLines({ message, undone }: TurnEnd): readonly Line[] {
  const left = undone.map(({ name, code }) => [span(`Not done: ${name} (${whyNot(code)}).`, "bad")]);
  return message === undefined ? left : [...left, [span(message, "note")]];
}

/** What a turn took. @param ms left out where nobody measured it. */
export function closingLine({ steps, usage, costUsd }: TurnEnd, ms?: number): Line {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage;
  const cached = Math.round((cachedInputTokens / inputTokens) * 100);
  const parts = [
    `${steps} request${steps === 1 ? "" : "s"}`,
    `${count(inputTokens)} tokens in${cached > 0 ? ` (${cached} % cached)` : ""}`,
    `${count(outputTokens)} out`,
    ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`]),
    ...(ms === undefined ? [] : [secondsWords(ms / 1_000)]),
  ];
  return [span(parts.join(", "), "faint")];
}

function sizes(words: string, before: number, after: number): readonly Line[] {
  return [[span(`${words}: ${count(before)} → ${count(after)} tokens`, "faint")]];
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
