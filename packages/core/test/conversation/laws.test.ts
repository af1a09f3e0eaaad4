import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Content,
  ContextRenderer,
  type Part,
  type Rendering,
  renderContext,
} from "../../src/context/index.js";
import { startedContext } from "../../src/conversation/index.js";
import { encodeRecord, readJournal, replay } from "../../src/conversation/journal/index.js";
import type { ConversationContext, ConversationEvent } from "../../src/conversation/values/index.js";
import { type KnownFiles, type Operation, operation, World } from "./operations.js";
import { checkEveryProvider } from "./provider-checks.js";
import { plainContext } from "./support.js";

/** `HOLDFAST_RUNS=20000` is the long run of docs/conversation.md. */
const runs = Number(process.env.HOLDFAST_RUNS ?? 8);

const operations = fc.array(operation, { minLength: 1, maxLength: 60, size: "max" });
const now = 1_000_000;

/** The laws of docs/conversation.md, held against one conversation after each of its steps. */
async function holdLaws(steps: readonly Operation[]): Promise<void> {
  const world = new World();
  const begun = world.manager.context;
  const renderer = new ContextRenderer();
  const rendered = new Map<string, string>();
  let last = render(renderer, begun);
  for (const one of steps) {
    const before = world.manager.context;
    await world.perform(one);
    const { context } = world.manager;
    const next = render(renderer, context);
    expect(plainRendering(next)).toEqual(plainRendering(renderContext(context, { now })));
    if (isBelow(context, before.currentNodeId)) keepsPrefix(last, next);
    checkEveryProvider(context, renderer, now);
    seesWhatStands(next, world.files);
    rememberRenderings(context, rendered);
    last = next;
  }
  foldsTo(begun, world.events, world.manager.context);
  for (const [id, bytes] of rendered) expect(bytesAt(world.manager.context, id)).toBe(bytes);
}

function render(renderer: ContextRenderer, context: ConversationContext): Rendering {
  return renderer.render(context, { now });
}

/** What each node is rendered as when it is first met is what it is rendered as ever after. */
function rememberRenderings(context: ConversationContext, rendered: Map<string, string>): void {
  for (const id of context.nodes.keys()) if (!rendered.has(id)) rendered.set(id, bytesAt(context, id));
}

function bytesAt(context: ConversationContext, headId: string): string {
  const { contents, visibility } = renderContext(context, { headId, now, expand: new Set() });
  return JSON.stringify([contents, visibility.states()]);
}

function isBelow(context: ConversationContext, oldHead: string): boolean {
  for (
    let id: string | null = context.currentNodeId;
    id !== null;
    id = context.nodes.get(id)?.parentId ?? null
  )
    if (id === oldHead) return true;
  return false;
}

/** What was sent before is the beginning of what is sent next, but for what a boundary names. */
function keepsPrefix(last: Rendering, next: Rendering): void {
  // An expansion under which nothing was said leaves no trace when it ends.
  if (expansionsIn(last) !== expansionsIn(next)) return;
  const known = new Set(last.report.boundaries.map((boundary) => JSON.stringify(boundary)));
  const fresh = next.report.boundaries.filter((boundary) => !known.has(JSON.stringify(boundary)));
  const kept = Math.min(last.report.stableParts, ...fresh.map(({ firstPart }) => firstPart));
  expect(partsOf(next.contents).slice(0, kept)).toEqual(partsOf(last.contents).slice(0, kept));
}

function expansionsIn({ report }: Rendering): string {
  return JSON.stringify(report.boundaries.filter(({ rule }) => rule === "expansion"));
}

function partsOf(contents: readonly Content[]): readonly (Part & { readonly role: string })[] {
  return contents.flatMap(({ role, parts }) => parts.map((part) => ({ ...part, role })));
}

/** Every line that counts as seen stands in the bytes, where it is said to stand. */
function seesWhatStands(rendering: Rendering, files: KnownFiles): void {
  for (const { sha256, lines, places } of rendering.visibility.states()) {
    const all = files.get(sha256) ?? [];
    const found = new Set<number>();
    for (const place of places) {
      const part = rendering.contents[place.content]?.parts[place.part];
      for (let line = place.from; line <= place.to; line += 1) found.add(line);
      if (place.field === "fileData") expect(part).toHaveProperty("fileData");
      else
        expect(fieldOf(part, place.field).slice(place.start, place.end)).toBe(
          all.slice(place.from - 1, place.to).join(""),
        );
    }
    const claimed = lines.flatMap(({ from, to }) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    );
    expect(claimed).toEqual([...found].sort((one, other) => one - other));
  }
  for (const [sha256, lines] of files) standsOnlyWhereSeen(rendering, sha256, lines);
}

/** And no whole state stands in a text without being counted as seen. */
function standsOnlyWhereSeen(rendering: Rendering, sha256: string, lines: readonly string[]): void {
  const whole = lines.join("");
  const stands = rendering.contents.some(({ parts }) =>
    parts.some((part) => ["text", "output"].some((field) => fieldOf(part, field).includes(whole))),
  );
  if (!stands) return;
  const path = lines[0]?.split(" ")[0] ?? "";
  expect(rendering.visibility.isVisible({ path, sha256, from: 1, to: lines.length })).toBe(true);
}

function fieldOf(part: Part | undefined, field: string): string {
  if (part === undefined) return "";
  if ("text" in part) return field === "text" ? part.text : "";
  if (!("functionResponse" in part)) return "";
  const { response } = part.functionResponse;
  if ("output" in response) return field === "output" ? response.output : "";
  return field === "error" ? response.error : "";
}

function foldsTo(
  begun: ConversationContext,
  events: readonly ConversationEvent[],
  live: ConversationContext,
): void {
  const { rootNode } = begun;
  const root = { id: rootNode.id, parentId: null, timestamp: rootNode.timestamp, payload: rootNode.payload };
  const started = { type: "session_started", sessionId: rootNode.id, root } as const;
  const blobs = new Map<string, Uint8Array>();
  const put = (bytes: Uint8Array) => {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    blobs.set(sha256, bytes);
    return sha256;
  };
  const lines = [started, ...events].map((event, at) => encodeRecord({ seq: at + 1, ts: now, event }, put));
  const read = readJournal(Buffer.concat(lines), (sha256) => blobs.get(sha256));
  expect(read.problems).toEqual([]);
  const { context, problems } = replay(rootNode.id, read.records);
  expect(problems).toEqual([]);
  expect(plainContext(context)).toEqual(plainContext(live));
  expect(plainContext(startedContext(started))).toEqual(plainContext(begun));
}

function plainRendering({ contents, provenance, visibility, report }: Rendering): unknown {
  return { contents, provenance, report, visible: visibility.states() };
}

describe("whatever happens to a conversation", () => {
  it(
    "its journal folds to it, every rendering is valid for every provider, no branch touches another, what was sent stays, and what counts as seen stands there",
    async () => {
      await fc.assert(fc.asyncProperty(operations, holdLaws), { numRuns: runs });
    },
    Math.max(120_000, runs * 300),
  );
});
