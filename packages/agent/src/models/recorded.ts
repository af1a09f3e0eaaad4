import type {
  Content,
  ModelFailure,
  ModelPort,
  ModelStep,
  Part,
  ReceivedAnswer,
} from "@holdfast/core/context";
import { type AnswerPart, mapTexts } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { cancelled, failed } from "./failure.js";
import { played } from "./played.js";
import type { RecordedStep, Recording } from "./recording.js";

/**
 * A model that replays what was recorded (page 6, "Models"): each request gets the outcome of the recorded one at its place,
 * at once. What its calls do is real. A request that differs from the recorded one in what matters fails for the reason
 * `script`, with the first place where it differs: roles, words, calls with their arguments, results, media, and the names
 * of the tools. The system text does not matter, since it has the day and the folder, and no more do signatures and
 * the ids of nodes; an id in a recorded answer becomes the one that stands at its place now.
 */
export function recordedModel({ steps }: Recording): ModelPort {
  const {
    target = { provider: "recorded", model: "recorded" },
    window,
    cache,
  }: Partial<RecordedStep> = steps[0] ?? {};
  const whole = wholePrompts(steps);
  let at = 0;
  const next = (step: ModelStep): ReceivedAnswer | ModelFailure => {
    const recorded = whole[at];
    const differs = recorded === undefined ? "it holds no further answer" : difference(recorded, step);
    if (recorded === undefined || differs !== undefined)
      return failed("script", `The recording does not fit at request ${at + 1}: ${differs}.`);
    at += 1;
    return outcomeOf(recorded, step);
  };
  return {
    target,
    ...defined({ window, cache }),
    async *ask(step, signal) {
      yield* played(signal?.aborted === true ? cancelled : next(step));
    },
  };
}

/** A recorded step with all of its prompt. */
type PlayedStep = Omit<RecordedStep, "since">;

function wholePrompts(steps: readonly RecordedStep[]): readonly PlayedStep[] {
  let before: readonly Content[] = [];
  return steps.map(({ since, contents, ...step }) => {
    before = [...before.slice(0, since), ...contents];
    return { ...step, contents: before };
  });
}

function outcomeOf({ outcome, contents }: PlayedStep, step: ModelStep): ReceivedAnswer | ModelFailure {
  if (outcome.kind === "failed") return outcome.failure;
  const current = idMap(contents, step.contents);
  const parts = outcome.answer.parts.map((part) => withIds(part, current));
  return { ...outcome.answer, step: step.step, parts };
}

/** Where a request differs first in what matters; undefined where it does not. */
function difference(recorded: PlayedStep, step: ModelStep): string | undefined {
  const tools = (step.tools ?? []).map(({ name }) => name);
  const lost = recorded.tools.find((name) => !tools.includes(name));
  if (lost !== undefined) return `the tool ${lost} was offered then, and is not now`;
  const added = tools.find((name) => !recorded.tools.includes(name));
  if (added !== undefined) return `the tool ${added} is offered now, and was not then`;
  const [then, now] = [mattering(recorded.contents), mattering(step.contents)];
  const at = then.findIndex((one, index) => one !== now[index]);
  if (at < 0 && then.length === now.length) return undefined;
  const place = at < 0 ? then.length : at;
  return `part ${place + 1} of the prompt was ${excerpt(then[place], now[place])}, and is ${excerpt(now[place], then[place])}`;
}

/** What matters of a prompt: a text for each part, with ids by the order in which they come. */
function mattering(contents: readonly Content[]): readonly string[] {
  const seen = new Map<string, string>();
  const numbered = (text: string) =>
    text.replace(idPattern, (id) => {
      const known = seen.get(id) ?? `id-${seen.size + 1}`;
      seen.set(id, known);
      return known;
    });
  return contents.flatMap(({ role, parts }) =>
    parts.map((part) => numbered(JSON.stringify([role, bare(part)]))),
  );
}

/** A part without what its provider signs. */
function bare(part: Part): Part {
  if (!("thoughtSignature" in part)) return part;
  const { thoughtSignature: _, ...rest } = part;
  return rest;
}

/** Ids of nodes, as `timeSortedIds` makes them. */
const idPattern = /\b0[0-9abcdefghjkmnpqrstvwxyz]{25}\b/gu;

/** The id that stands now at the place of each recorded one. */
function idMap(then: readonly Content[], now: readonly Content[]): ReadonlyMap<string, string> {
  const [recorded, current] = [idsIn(then), idsIn(now)];
  return new Map(recorded.flatMap((id, at) => (current[at] === undefined ? [] : [[id, current[at]]])));
}

function idsIn(contents: readonly Content[]): readonly string[] {
  return [
    ...new Set(JSON.stringify(contents.flatMap(({ parts }) => parts.map(bare))).match(idPattern) ?? []),
  ];
}

function withIds(part: AnswerPart, current: ReadonlyMap<string, string>): AnswerPart {
  if (part.kind !== "tool_call") return part;
  const args = mapTexts(part.args, (text) => text.replace(idPattern, (id) => current.get(id) ?? id));
  return { ...part, args };
}

const excerptChars = 120;

/** The text around the first place where it is another one. */
function excerpt(text: string | undefined, other: string | undefined): string {
  if (text === undefined) return "not there";
  let at = 0;
  while (at < text.length && text[at] === other?.[at]) at += 1;
  const from = Math.max(0, at - excerptChars / 4);
  const shown = text.slice(from, from + excerptChars);
  return `${from > 0 ? "…" : ""}${shown}${from + excerptChars < text.length ? "…" : ""}`;
}
