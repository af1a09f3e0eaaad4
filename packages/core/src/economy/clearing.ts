import type { Rendering } from "../context/index.js";
import type { ConversationContext, FormChange } from "../conversation/values/index.js";
import { defined, escapeForDisplay } from "../text/index.js";
import {
  type ClassifiedBlocks,
  classify,
  type MeasuredPart,
  type MeasuredPrompt,
  type PromptBlock,
} from "./blocks.js";
import type { ColdCause } from "./cold-cache.js";
import type { Dangling, PromptReferences, WrittenOut } from "./references.js";
import { type CacheRatios, type EconomySettings, requestsToPay } from "./settings.js";
import { type ClearedBlock, type ClearingClass, type ClearingPlan, clearingClasses } from "./types.js";

/** What clearing is planned from. */
export interface ClearingScope {
  readonly context: ConversationContext;
  readonly rendering: Rendering;
  readonly prompt: MeasuredPrompt;
  readonly references: PromptReferences;
  readonly settings: EconomySettings;
  readonly ratios: CacheRatios;
  readonly charsPerToken: number;
  /** Of the whole request. */
  readonly tokens: number;
  /** Characters of the prompt that a provider has had: what comes after them is written to its cache anyway. */
  readonly sentChars: number;
  /** By how many requests a block is weighed: those that would hold it, or that have held it. */
  readonly requestsWith: (block: PromptBlock) => number;
  /** How many further requests are expected: by these the report counts. */
  readonly expectedRequests: number;
  readonly cold: ColdCause | undefined;
}

/** A block that may go, with what its loss saves. */
export interface ClearingCandidate {
  readonly block: PromptBlock;
  readonly class: ClearingClass;
  readonly text: string;
  /** Characters that are saved, with those of the call's arguments where these go too. */
  readonly chars: number;
  readonly clearsInput: boolean;
}

/** How far clearing goes. */
interface ClearingGoal {
  /** Classes are added one by one until the prompt has no more tokens than this. */
  readonly tokens: number;
  /** No class after this one. */
  readonly upTo: ClearingClass;
  /** Whether it has to pay; not where the window demands it. */
  readonly hasToPay: boolean;
  /** Tokens that have to be won. */
  readonly least: number;
}

/** The blocks that may go, in the order of the prompt. Some of them only for the sake of others: `isWorthIt`. */
export function candidatesOf(
  blocks: readonly PromptBlock[],
  kept: ReadonlySet<PromptBlock>,
  { settings, context, charsPerToken }: Pick<ClearingScope, "settings" | "context" | "charsPerToken">,
): readonly ClearingCandidate[] {
  const { classes, touched } = classify(blocks, settings.maxResultChars);
  const working = workingSet(blocks, { classes, touched }, settings, charsPerToken);
  return blocks.flatMap((block) => {
    const of = classes.get(block);
    if (of === undefined || kept.has(block)) return [];
    if (of === "file" && block.paths.some((path) => working.has(path))) return [];
    const text = placeholderFor(block, of, settings.placeholder);
    const inputs = inputChars(block, settings, context);
    const chars = block.measured.chars - text.length + inputs;
    return [{ block, class: of, text, chars, clearsInput: inputs > 0 }];
  });
}

/** The paths that were touched last, as many as may be in the working set and fit into it. */
function workingSet(
  blocks: readonly PromptBlock[],
  { classes, touched }: ClassifiedBlocks,
  settings: EconomySettings,
  charsPerToken: number,
): ReadonlySet<string> {
  const chars = new Map<string, number>();
  for (const block of blocks)
    if (classes.get(block) === "file")
      for (const path of block.paths) chars.set(path, (chars.get(path) ?? 0) + block.measured.chars);
  const working = new Set<string>();
  let left = settings.workingTokens * charsPerToken;
  for (const path of touched.slice(0, settings.workingSet)) {
    left -= chars.get(path) ?? 0;
    if (left < 0) break;
    working.add(path);
  }
  return working;
}

/** Whether a block is worth the words in its place. */
export function isWorthIt({ chars }: ClearingCandidate): boolean {
  return chars >= 100;
}

function inputChars(
  { name, callId }: PromptBlock,
  { clearToolInputs }: EconomySettings,
  context: ConversationContext,
) {
  const asked = typeof clearToolInputs === "boolean" ? clearToolInputs : clearToolInputs.includes(name ?? "");
  const call = asked && callId !== undefined ? context.nodes.get(callId)?.payload : undefined;
  if (call?.kind !== "tool_call") return 0;
  return Math.max(0, JSON.stringify(call.args).length - JSON.stringify({ omitted: inputPlaceholder }).length);
}

/** The best clearing that keeps to the goal; undefined where none does. */
export function bestClearing(
  candidates: readonly ClearingCandidate[],
  scope: ClearingScope,
  goal: ClearingGoal,
): ClearingPlan | undefined {
  let best: SoundChoice | undefined;
  const last = clearingClasses.indexOf(goal.upTo);
  const byNodeId = new Map(candidates.map((one) => [one.block.node.id, one]));
  let weighed = 0;
  for (let most = 0; most <= last; most += 1) {
    const wanted = candidates.filter((one) => isWorthIt(one) && clearingClasses.indexOf(one.class) <= most);
    // A class of which there is nothing changes nothing.
    if (wanted.length === weighed) continue;
    weighed = wanted.length;
    const chosen = chosenOf(wanted, { all: candidates, byNodeId }, scope, goal);
    if (chosen === undefined) continue;
    best = chosen;
    if (scope.tokens - tokensSaved(chosen, scope) <= goal.tokens) break;
  }
  return best && planOf(best, scope);
}

interface AllCandidates {
  /** In the order of the prompt. */
  readonly all: readonly ClearingCandidate[];
  readonly byNodeId: ReadonlyMap<string, ClearingCandidate>;
}

function chosenOf(
  wanted: readonly ClearingCandidate[],
  all: AllCandidates,
  scope: ClearingScope,
  goal: ClearingGoal,
): SoundChoice | undefined {
  const suffix = goal.hasToPay ? bestSuffix(wanted, scope) : wanted;
  const sound = withoutDangling(suffix, all, scope);
  if (sound.candidates.length === 0) return undefined;
  const saved = tokensSaved(sound, scope);
  if (saved <= 0 || saved < goal.least) return undefined;
  // What has been held for long may still have little before it: nothing goes for more than it will save.
  const pays = weighed(sound, scope) > 0 && foreseen(sound, scope) >= 0;
  return !goal.hasToPay || pays ? sound : undefined;
}

function tokensSaved(choice: SoundChoice, scope: ClearingScope): number {
  return Math.round(shiftOf(choice, scope).saved / scope.charsPerToken);
}

/**
 * The later ones of the candidates, from where on clearing saves the most: with an early one goes the cache of all
 * that comes after it.
 */
function bestSuffix(
  wanted: readonly ClearingCandidate[],
  scope: ClearingScope,
): readonly ClearingCandidate[] {
  let saved = 0;
  let held = 0;
  let best = { value: Number.NEGATIVE_INFINITY, from: 0 };
  for (let from = wanted.length - 1; from >= 0; from -= 1) {
    const candidate = wanted[from];
    if (candidate === undefined) continue;
    saved += candidate.chars;
    held += candidate.chars * scope.requestsWith(candidate.block);
    const after = scope.sentChars - candidate.block.measured.before - saved;
    const value = savingOf({ saved, held, after }, scope);
    if (value >= best.value) best = { value, from };
  }
  return wanted.slice(best.from);
}

/** What goes, times the requests that would hold it, and what comes after it; in characters. */
interface ClearingShift {
  readonly saved: number;
  readonly held: number;
  readonly after: number;
}

/** What is saved in all less what it costs once, in characters of plain input. */
function savingOf({ saved, held, after }: ClearingShift, { ratios, cold }: ClearingScope): number {
  const cost = cold === undefined ? (ratios.write - ratios.read) * Math.max(0, after) : 0;
  // Where the cache is cold, what is cleared need not be written either.
  const now = cold === undefined ? 0 : (ratios.write - ratios.read) * saved;
  return ratios.read * held + now - cost;
}

interface SoundChoice {
  readonly candidates: readonly ClearingCandidate[];
  readonly writtenOut: readonly WrittenOut[];
}

/**
 * Without blocks of which others speak, unless these may go as well, or can be written out for less than is saved. Ends:
 * each round adds a block or takes one away for good, or is the last.
 */
function withoutDangling(
  wanted: readonly ClearingCandidate[],
  { all, byNodeId }: AllCandidates,
  scope: ClearingScope,
): SoundChoice {
  const blocked = new Set<ClearingCandidate>();
  let left = new Set(wanted);
  for (;;) {
    const byPart = new Map<MeasuredPart, ClearingCandidate>(
      [...left].map((one) => [one.block.measured, one]),
    );
    const dangling = scope.references.danglingWithout(new Set(byPart.keys()));
    const writtenOut: WrittenOut[] = [];
    const before = left.size + blocked.size;
    const charged = new Set<string>();
    // What one text takes back of a block is not there for the next.
    const gains = new Map([...byPart].map(([part, { chars }]) => [part, chars]));
    for (const [nodeId, of] of byNode(dangling)) {
      const speaker = byNodeId.get(nodeId);
      if (speaker !== undefined && !blocked.has(speaker)) {
        left.add(speaker);
        continue;
      }
      const providers = [...new Set(of.flatMap((one) => one.providers))];
      const gain = providers.reduce((sum, part) => sum + (gains.get(part) ?? 0), 0);
      const written = scope.references.writeOut(nodeId, of, charged);
      if (written !== undefined && written.chars < gain) {
        writtenOut.push(written);
        for (const part of providers) gains.set(part, (gains.get(part) ?? 0) * (1 - written.chars / gain));
      } else
        for (const part of providers) {
          const provider = byPart.get(part);
          if (provider !== undefined) blocked.add(provider);
        }
    }
    if (left.size + blocked.size === before)
      return { candidates: all.filter((one) => left.has(one)), writtenOut };
    left = new Set([...left].filter((one) => !blocked.has(one)));
  }
}

function byNode(dangling: readonly Dangling[]): ReadonlyMap<string, readonly Dangling[]> {
  const nodes = new Map<string, Dangling[]>();
  for (const one of dangling) {
    const { nodeId } = one.referral;
    const own = nodes.get(nodeId);
    if (own === undefined) nodes.set(nodeId, [one]);
    else own.push(one);
  }
  return nodes;
}

/** What a choice saves less what it costs, by the requests that it is weighed by. */
function weighed(choice: SoundChoice, scope: ClearingScope): number {
  const { saved, after, cleared } = shiftOf(choice, scope);
  const holding = choice.candidates.reduce(
    (sum, { block, chars }) => sum + chars * scope.requestsWith(block),
    0,
  );
  return savingOf({ saved, after, held: cleared === 0 ? 0 : (holding / cleared) * saved }, scope);
}

/** The same by the requests that are expected, as the report counts. */
function foreseen(choice: SoundChoice, scope: ClearingScope): number {
  const { saved, after } = shiftOf(choice, scope);
  return savingOf({ saved, after, held: scope.expectedRequests * saved }, scope);
}

function shiftOf({ candidates, writtenOut }: SoundChoice, { sentChars }: ClearingScope) {
  const cleared = candidates.reduce((sum, { chars }) => sum + chars, 0);
  const saved = cleared - writtenOut.reduce((sum, { chars }) => sum + chars, 0);
  const after = Math.max(0, sentChars - (candidates[0]?.block.measured.before ?? 0) - saved);
  return { cleared, saved, after };
}

function planOf(choice: SoundChoice, scope: ClearingScope): ClearingPlan {
  const { candidates, writtenOut } = choice;
  const { prompt, charsPerToken, tokens, ratios, cold, expectedRequests } = scope;
  const inTokens = (chars: number) => Math.round(chars / charsPerToken);
  const { saved, after } = shiftOf(choice, scope);
  const first = candidates[0]?.block.measured;
  const cost = cold === undefined ? (ratios.write - ratios.read) * after : 0;
  return {
    kind: "clear",
    changes: [...candidates.flatMap(changesOf), ...writtenOut.flatMap(({ change }) => change ?? [])],
    report: {
      tokensBefore: tokens,
      tokensAfter: tokens - inTokens(saved),
      firstChangedId: first?.origin.nodeId ?? "",
      tokensRewritten: inTokens(after),
      requestsToPay: cold === undefined ? requestsToPay(ratios, saved, after) : 0,
      expectedRequests: Math.round(expectedRequests),
      ...defined({ cold }),
      cost: inTokens(cost),
      predictedSaving: inTokens(foreseen(choice, scope) + cost),
      cleared: candidates.map((one) => clearedBlock(one, inTokens(one.chars))),
      writtenOut: writtenOut.map(({ nodeId }) => nodeId),
      thoughtsLost: ratios.bindsThinking ? thoughtsAfter(prompt, first) : 0,
    },
  };
}

function changesOf({ block, text, clearsInput }: ClearingCandidate): readonly FormChange[] {
  const result: FormChange = { targetId: block.node.id, form: { form: "replaced", by: "cleared", text } };
  if (!clearsInput || block.callId === undefined) return [result];
  return [
    { targetId: block.callId, form: { form: "replaced", by: "cleared", text: inputPlaceholder } },
    result,
  ];
}

function clearedBlock({ block, class: of }: ClearingCandidate, tokens: number): ClearedBlock {
  const { node, name, paths } = block;
  return { nodeId: node.id, class: of, tokens, paths, ...defined({ name }) };
}

function thoughtsAfter({ parts }: MeasuredPrompt, first: MeasuredPart | undefined): number {
  const from = first?.before ?? Number.POSITIVE_INFINITY;
  return parts.filter(({ before, origin }) => before > from && origin.rule === "thought").length;
}

/** What stands in the place of a cleared result: the words of the settings, what it was, how to get it back. */
function placeholderFor(block: PromptBlock, reason: ClearingClass, words: string): string {
  const what = block.name === undefined ? "A file" : escapeForDisplay(block.name);
  return `${words}\n${what}${shownWords(block)}${reasonWords(reason)}`;
}

/** Short, since it is sent with every request from then on. */
function shownWords({ shows, paths }: PromptBlock): string {
  if (shows.length === 0) return paths.length === 0 ? "" : `: ${listOf(paths)}`;
  const spans = shows.map(({ path, from, to }) => `${path}${to < from ? "" : ` lines ${from}-${to}`}`);
  return `: ${listOf(spans)}`;
}

/** The first few; a placeholder is to be short. */
function listOf(items: readonly string[]): string {
  const shown = items.slice(0, 3).map((item) => escapeForDisplay(item));
  return items.length > 3 ? `${shown.join(", ")} and ${items.length - 3} more` : shown.join(", ");
}

function reasonWords(reason: ClearingClass): string {
  switch (reason) {
    case "failed":
      return "; it had failed.";
    case "superseded":
      return "; shown again further down, or gone.";
    case "large_output":
    case "output":
      return ".";
    case "file":
      return "; read it again.";
    default:
      return reason satisfies never;
  }
}

/** What stands in the place of the arguments of a cleared call. */
const inputPlaceholder = "[Arguments cleared to save context.]";
