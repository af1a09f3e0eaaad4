import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AnswerOptions,
  fromAnthropic,
  fromGemini,
  fromOpenAI,
  fromOpenAIResponses,
  type ReceivedAnswer,
  renderContext,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import { must, newManager } from "../conversation/support.js";
import { patience, tries } from "./random-trees.js";
import * as anthropic from "./vendors/anthropic.js";
import * as gemini from "./vendors/gemini.js";
import * as openai from "./vendors/openai.js";
import * as responses from "./vendors/openai-responses.js";
import { checkAnthropic, checkGemini, checkOpenAI, checkOpenAIResponses } from "./wire-checks/index.js";

const named: AnswerOptions = { step: "s1", model: "m" };

/** What takes the place of a value, or of an event. */
const junk = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, "", -1, Number.POSITIVE_INFINITY, [], {}, "tool_use", "function_call"),
);

/** One place of a value, and what becomes of it. */
interface Bend {
  readonly at: number;
  readonly what: "replace" | "remove" | "repeat";
  readonly by: unknown;
}

const bends: fc.Arbitrary<readonly Bend[]> = fc.array(
  fc.record({ at: fc.nat(), what: fc.constantFrom("replace", "remove", "repeat"), by: junk }),
  { maxLength: 4 },
);

/** The value with some of its members and items replaced, taken out or doubled. */
function bent(value: unknown, all: readonly Bend[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const { at, what, by } of all) {
    const places: (readonly [unknown[] | Record<string, unknown>, string])[] = [];
    collect(copy, places);
    const place = places[at % places.length];
    if (place === undefined) continue;
    const [holder, key] = place;
    // What came over a wire holds nothing twice, and nothing within itself.
    const other: unknown = structuredClone(by);
    if (Array.isArray(holder)) {
      if (what === "repeat") holder.splice(Number(key), 0, structuredClone(holder[Number(key)]));
      else if (what === "remove") holder.splice(Number(key), 1);
      else holder[Number(key)] = other;
    } else if (what === "remove") delete holder[key];
    else holder[key] = other;
  }
  return copy;
}

function collect(value: unknown, places: (readonly [unknown[] | Record<string, unknown>, string])[]): void {
  if (typeof value !== "object" || value === null) return;
  // What is no list has members by name.
  const holder = value as unknown[] | Record<string, unknown>;
  for (const [key, member] of Object.entries(holder)) {
    places.push([holder, key]);
    collect(member, places);
  }
}

async function* streamOf(events: unknown): AsyncGenerator<never> {
  // What is received need not be what the types say.
  if (Array.isArray(events)) yield* events as never[];
}

const vendors = [
  ["Anthropic", anthropic.message, anthropic.events, fromAnthropic],
  ["OpenAI, Chat Completions", openai.completion, openai.chunks, fromOpenAI],
  ["OpenAI, Responses", responses.response, responses.events, fromOpenAIResponses],
  ["Gemini", gemini.response(gemini.parts), gemini.stream(gemini.parts), fromGemini],
] as const;

/** It can be added as it is, and what is made of it is a request for each provider. */
function expectSound(answer: ReceivedAnswer): void {
  const manager = newManager();
  must(manager.commitStagedItems("go"));
  if (answer.parts.length > 0) must(manager.addAnswer(answer));
  for (const part of answer.parts)
    if (part.kind === "tool_call")
      must(manager.addNode({ kind: "tool_result", callId: part.callId, name: part.name, output: "ok" }));
  must(manager.commitStagedItems("and?"));
  const { contents } = renderContext(manager.context);
  const request = true;
  expect(checkAnthropic(toAnthropic(contents).body, { request })).toEqual([]);
  expect(checkOpenAI(toOpenAI(contents).body, { request })).toEqual([]);
  expect(checkOpenAIResponses(toOpenAIResponses(contents).body, { request })).toEqual([]);
  expect(checkGemini(toGemini(contents).body, { request })).toEqual([]);
}

describe.each(vendors)("%s", (_, whole, events, read) => {
  it(
    "is read whatever was bent in its response or its stream, and comes to a request",
    () =>
      fc.assert(
        fc.asyncProperty(bends, async (some) => {
          const response = bent(whole, some);
          if (typeof response === "object" && response !== null)
            expectSound((read as (one: object, options: AnswerOptions) => ReceivedAnswer)(response, named));
          const stream = streamOf(bent(events, some));
          expectSound(
            await (read as (one: object, options: AnswerOptions) => Promise<ReceivedAnswer>)(stream, named),
          );
        }),
        tries,
      ),
    patience,
  );
});
