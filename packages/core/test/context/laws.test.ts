import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Content,
  ContextRenderer,
  checkContents,
  type Part,
  providers,
  type Rendering,
  type RenderOptions,
  renderContext,
  safeCuts,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import { applyEvent } from "../../src/conversation/index.js";
import type { ConversationContext } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { conversations, Dice, knownFiles, patience, tries } from "./random-trees.js";
import { snapshot } from "./support.js";
import { checkAnthropic, checkGemini, checkOpenAI, checkOpenAIResponses } from "./wire-checks/index.js";

const claude = { provider: "anthropic", model: "claude" };
const gemini = { provider: "google", model: "gemini-3-pro" };

/** The ways in which a conversation is rendered in these laws. */
const manners: readonly RenderOptions[] = [
  {},
  { target: claude },
  { target: gemini, now: 1_200_000 },
  { now: 2_000_000, boundThinking: true },
  { target: { provider: "openai", model: "gpt" }, expand: new Set() },
];

function flat(contents: readonly Content[]): readonly Part[] {
  return contents.flatMap(({ parts }) => parts);
}

function headsOf(context: ConversationContext): readonly string[] {
  return [...context.nodes.keys()];
}

function law<Inputs extends [unknown, ...unknown[]]>(name: string, property: fc.IProperty<Inputs>): void {
  it(name, () => fc.assert(property, tries), patience);
}

describe("every rendering of every node", () => {
  law(
    "is taken by the providers on the wire, and is a request where it says that it is ready",
    fc.property(conversations, fc.constantFrom(...manners), ({ last }, options) => {
      for (const headId of headsOf(last)) {
        const { contents, report } = renderContext(last, { ...options, headId });
        const request = report.ready;
        expect(checkAnthropic(toAnthropic(contents).body, { request })).toEqual([]);
        expect(checkOpenAI(toOpenAI(contents).body, { request })).toEqual([]);
        expect(checkOpenAIResponses(toOpenAIResponses(contents).body, { request })).toEqual([]);
        for (const model of ["gemini-2.5-pro", "gemini-3-pro"])
          expect(checkGemini(toGemini(contents, { model }).body, { request, model })).toEqual([]);
      }
    }),
  );

  law(
    "keeps what the providers demand",
    fc.property(conversations, fc.constantFrom(...manners), ({ last }, options) => {
      for (const headId of headsOf(last)) {
        const { contents } = renderContext(last, { ...options, headId });
        for (const provider of providers) expect(checkContents(contents, provider)).toEqual([]);
      }
    }),
  );

  law(
    "is checked the same piece by piece",
    fc.property(conversations, fc.nat(40), ({ last }, from) => {
      const { contents } = renderContext(last);
      const broken = contents.filter((_, at) => at % 5 !== 3);
      const whole = checkContents(broken, "anthropic");
      const late = checkContents(broken, "anthropic", from);
      expect(late).toEqual(whole.filter(({ content }) => content >= Math.max(0, from - 1)));
    }),
  );

  law(
    "names a node and a rule for every part",
    fc.property(conversations, ({ last }) => {
      const { contents, provenance, report } = renderContext(last);
      expect(provenance.map((origins) => origins.length)).toEqual(contents.map(({ parts }) => parts.length));
      for (const { nodeId } of provenance.flat()) expect(last.nodes.has(nodeId)).toBe(true);
      expect(report.parts).toBe(flat(contents).length);
    }),
  );
});

describe("rendering step by step", () => {
  law(
    "gives what rendering from scratch gives, wherever the head goes",
    fc.property(
      conversations,
      fc.array(fc.nat(1008), { minLength: 30, maxLength: 30 }),
      fc.constantFrom(2, 5, 4096),
      ({ contexts, last }, rolls, checkpoints) => {
        const renderer = new ContextRenderer({ checkpoints });
        const dice = new Dice(rolls);
        const same = (context: ConversationContext, options: RenderOptions) =>
          expect(snapshot(renderer.render(context, options))).toEqual(
            snapshot(renderContext(context, options)),
          );
        for (const context of contexts) same(context, dice.pick(manners.slice(0, 3)));
        for (let at = 0; at < 12; at += 1)
          same(last, { ...dice.pick(manners), headId: dice.pick(headsOf(last)) });
        const now = dice.pick([0, 900_000, 1_600_000, 5_000_000, 10_000_000]);
        same(last, { now });
        same(last, { now: now + 700_000, expand: new Set(last.tasks.keys()) });
        same(last, {});
      },
    ),
  );
});

describe("a branch", () => {
  law(
    "is not changed by anything that happens on another",
    fc.property(conversations, ({ contexts, last }) => {
      const early = contexts[Math.floor(contexts.length / 2)];
      if (early === undefined) return;
      const options = { expand: new Set<string>() };
      for (const headId of headsOf(early)) {
        const before = snapshot(renderContext(early, { ...options, headId }));
        expect(snapshot(renderContext(last, { ...options, headId }))).toEqual(before);
      }
    }),
  );
});

describe("adding a node", () => {
  law(
    "leaves earlier parts as they were, but for the boundaries that it names",
    fc.property(conversations, fc.constantFrom(...manners), ({ last }, given) => {
      const options = { expand: new Set<string>(), ...given };
      for (const node of last.nodes.values()) {
        if (node.parentId === null) continue;
        const before = renderContext(last, { ...options, headId: node.parentId });
        const after = renderContext(last, { ...options, headId: node.id });
        expectPrefix(before, after);
      }
    }),
  );
});

function expectPrefix(before: Rendering, after: Rendering): void {
  const known = before.report.boundaries.map((boundary) => JSON.stringify(boundary));
  const fresh = after.report.boundaries.filter((boundary) => !known.includes(JSON.stringify(boundary)));
  const changed = Math.min(before.report.stableParts, ...fresh.map(({ firstPart }) => firstPart));
  expect(flat(after.contents).slice(0, changed)).toEqual(flat(before.contents).slice(0, changed));
  const roles = ({ contents }: Rendering) => contents.flatMap(({ role, parts }) => parts.map(() => role));
  expect(roles(after).slice(0, changed)).toEqual(roles(before).slice(0, changed));
}

describe("visibility", () => {
  law(
    "names lines that stand there to the letter, and every file that is framed",
    fc.property(conversations, fc.constantFrom(...manners), ({ last }, options) => {
      for (const headId of headsOf(last)) {
        const { contents, visibility } = renderContext(last, { ...options, headId });
        let frames = 0;
        for (const { path, sha256, lines, places } of visibility.states()) {
          const file = knownFiles.find((one) => one.path === path && one.sha256 === sha256);
          for (const { from, to, content, part, field, start, end } of places) {
            expect(visibility.isVisible({ path, sha256, from, to })).toBe(true);
            if (to >= from) expect(lines.some((one) => one.from <= from && to <= one.to)).toBe(true);
            const shown = contents[content]?.parts[part];
            if (field === "fileData") expect(shown).toHaveProperty("fileData.fileUri");
            else expect(fieldText(shown).slice(start, end)).toBe(file?.lines.slice(from - 1, to).join(""));
            if (field === "text" && fieldText(shown).startsWith("<file")) frames += 1;
          }
          for (const { from, to } of lines)
            expect(visibility.isVisible({ path, sha256, from, to })).toBe(true);
          expect(visibility.isVisible({ path, sha256, from: 1, to: 99 })).toBe(false);
        }
        const framed = flat(contents).filter((part) => /^<file[^>]* end="/.test(fieldText(part)));
        expect(frames).toBe(framed.length);
      }
    }),
  );
});

function fieldText(part: Part | undefined): string {
  if (part === undefined) return "";
  if ("text" in part) return part.text;
  if (!("functionResponse" in part)) return "";
  const { response } = part.functionResponse;
  return "output" in response ? response.output : response.error;
}

describe("a safe cut", () => {
  law(
    "leaves a prompt that keeps all demands, and a compaction may keep from it",
    fc.property(conversations, ({ last }) => {
      const rendering = renderContext(last);
      for (const provider of providers) {
        for (const nodeId of safeCuts(rendering, provider)) {
          const rest = restFrom(rendering, nodeId);
          expect(checkContents(rest, provider)).toEqual([]);
          const { report } = renderContext(compacted(last, nodeId));
          expect(report.ignored.filter((one) => one.nodeId === "compaction")).toEqual([]);
        }
      }
    }),
  );
});

function compacted(context: ConversationContext, keepFromId: string): ConversationContext {
  const payload = { kind: "summary", of: "compaction", text: "All.", keepFromId } as const;
  const node = { id: "compaction", parentId: context.currentNodeId, timestamp: 1, payload };
  const next = applyEvent(context, { type: "nodes_added", nodes: [node], head: "compaction" });
  if (isRefusal(next)) throw new Error(next.message);
  return next;
}

function restFrom({ contents, provenance }: Rendering, nodeId: string): readonly Content[] {
  const content = provenance.findIndex((origins) =>
    origins.some((origin) => origin.nodeId === nodeId && origin.cut === true),
  );
  const part = provenance[content]?.findIndex((origin) => origin.nodeId === nodeId) ?? 0;
  const [first, ...others] = contents.slice(content);
  return first === undefined ? [] : [{ ...first, parts: first.parts.slice(part) }, ...others];
}
