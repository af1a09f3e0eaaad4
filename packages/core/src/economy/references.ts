import type { Referral, Rendering, ShownPlace } from "../context/index.js";
import type {
  ConversationContext,
  FormChange,
  RepeatedLines,
  ShownText,
  TurnNode,
} from "../conversation/values/index.js";
import { joinSpans, type LineSpan, outsideSpans } from "../files/seen/index.js";
import { defined, escapeForDisplay, splitLines } from "../text/index.js";
import { type MeasuredPart, type MeasuredPrompt, partAt } from "./blocks.js";

/** A reference that would dangle once certain parts are gone. */
export interface Dangling {
  readonly referral: Referral;
  /** Lines that nothing else shows; none where only something of the state has to be there. */
  readonly missing: readonly LineSpan[];
  /** The parts that show them and are to go. */
  readonly providers: readonly MeasuredPart[];
}

/** A node whose references are written out. */
export interface WrittenOut {
  readonly nodeId: string;
  /** Its text with the lines behind it; none where the renderer writes them out by itself. */
  readonly change?: FormChange;
  /** UTF-16 units that it is longer. */
  readonly chars: number;
}

/** Where lines of one state stand in a prompt, part by part. */
interface StandingState {
  readonly parts: ReadonlyMap<MeasuredPart, readonly LineSpan[]>;
  /** Line by line, with its ending. */
  readonly lines: () => ReadonlyMap<number, string>;
}

/** A state of which some parts are to go. */
interface SplitState {
  readonly gone: readonly (readonly [MeasuredPart, readonly LineSpan[]])[];
  /** The lines that the other parts show; undefined where there are none of these. */
  readonly left: readonly LineSpan[] | undefined;
}

function splitBy({ parts }: StandingState, gone: ReadonlySet<MeasuredPart>): SplitState {
  const all = [...parts];
  const going = all.filter(([part]) => gone.has(part));
  if (going.length === 0 || going.length === all.length) return { gone: going, left: undefined };
  return { gone: going, left: joinSpans(all.flatMap(([part, spans]) => (gone.has(part) ? [] : spans))) };
}

/**
 * What the texts of a prompt speak of. Each state is looked through once, however often is asked what would dangle: a
 * plan asks for every choice that it weighs.
 */
export class PromptReferences {
  readonly #states = new Map<string, StandingState>();
  readonly #ofReferral = new Map<Referral, StandingState>();
  #results: ReadonlySet<string> | undefined;

  constructor(
    private readonly context: ConversationContext,
    private readonly rendering: Rendering,
    private readonly prompt: MeasuredPrompt,
  ) {}

  /** The references that dangle once `gone` is gone. Those of texts that go themselves do not count. */
  danglingWithout(gone: ReadonlySet<MeasuredPart>): readonly Dangling[] {
    if (gone.size === 0) return [];
    const goneNodes = new Set([...gone].map(({ origin }) => origin.nodeId));
    const splits = new Map<StandingState, SplitState>();
    return this.rendering.referrals.flatMap((referral) => {
      if (goneNodes.has(referral.nodeId)) return [];
      const { lines } = referral;
      const state = this.#stateOf(referral);
      const split = splits.get(state) ?? splitBy(state, gone);
      splits.set(state, split);
      if (split.gone.length === 0) return [];
      const isEmpty = lines.to < lines.from;
      if (isEmpty && split.left !== undefined) return [];
      const missing = isEmpty ? [] : outsideSpans(lines, split.left ?? []);
      if (!isEmpty && missing.length === 0) return [];
      const providers = split.gone.flatMap(([part, spans]) =>
        isEmpty || spans.some(({ from, to }) => from <= lines.to && lines.from <= to) ? [part] : [],
      );
      return providers.length === 0 ? [] : [{ referral, missing, providers }];
    });
  }

  /**
   * A result that referred to lines which go, with these lines written out behind it; undefined where it cannot be:
   * the node is no result as it was, or the lines are not shown whole.
   *
   * @param charged the lines that come back by themselves in a node further up, and are found there by later ones.
   */
  writeOut(
    nodeId: string,
    dangling: readonly Dangling[],
    charged = new Set<string>(),
  ): WrittenOut | undefined {
    const payload = resultOrFile(this.context.nodes.get(nodeId));
    if (payload?.repeats !== undefined) return repeated(nodeId, payload.repeats, dangling, charged);
    if (payload?.kind !== "tool_result" || !this.#isAsItWas(nodeId)) return undefined;
    let text = payload.output;
    const shows: ShownText[] = [...(payload.shows ?? [])];
    for (const { referral, missing } of dangling) {
      const { path, sha256, encoding } = referral.lines;
      if (missing.length === 0) return undefined;
      for (const { from, to } of missing) {
        const lines = this.#linesOf(referral, { from, to });
        if (lines === undefined) return undefined;
        text += `\n\nLines ${from}-${to} of ${escapeForDisplay(path)} that this speaks of:\n`;
        const start = text.length;
        text += lines;
        const state = encoding === undefined ? { path, sha256 } : { path, sha256, encoding };
        shows.push({ ...state, from, to, start, end: text.length });
      }
    }
    const { refers } = payload;
    const form = { form: "replaced", by: "delta", text, shows, ...defined({ refers }) } as const;
    const change = { targetId: nodeId, form };
    return { nodeId, change, chars: text.length - payload.output.length };
  }

  #isAsItWas(nodeId: string): boolean {
    this.#results ??= new Set(
      this.prompt.parts.flatMap(({ origin }) => (origin.rule === "result" ? [origin.nodeId] : [])),
    );
    return this.#results.has(nodeId);
  }

  /** The bytes of these lines, from wherever they stand in the prompt. */
  #linesOf(referral: Referral, { from, to }: LineSpan): string | undefined {
    const lines = this.#stateOf(referral).lines();
    let text = "";
    for (let line = from; line <= to; line += 1) {
      const one = lines.get(line);
      if (one === undefined || (line < to && !/[\r\n]$/u.test(one))) return undefined;
      text += one;
    }
    return text;
  }

  #stateOf(referral: Referral): StandingState {
    const known = this.#ofReferral.get(referral);
    if (known !== undefined) return known;
    const { path, sha256, encoding } = referral.lines;
    const key = JSON.stringify([path, sha256, encoding]);
    const found = this.#states.get(key) ?? this.#standing(path, sha256, encoding);
    this.#states.set(key, found);
    this.#ofReferral.set(referral, found);
    return found;
  }

  #standing(path: string, sha256: string, encoding: string | undefined): StandingState {
    const places = this.rendering.visibility.state(path, sha256, encoding)?.places ?? [];
    const spans = new Map<MeasuredPart, LineSpan[]>();
    for (const place of places) {
      const part = partAt(this.prompt, place);
      if (part === undefined) continue;
      const own = spans.get(part) ?? [];
      // Of a part of a line no reference speaks.
      if (place.chars === undefined) own.push({ from: place.from, to: place.to });
      spans.set(part, own);
    }
    let lines: ReadonlyMap<number, string> | undefined;
    return {
      parts: new Map([...spans].map(([part, own]) => [part, joinSpans(own)])),
      lines: () => {
        lines ??= lineTexts(this.rendering.contents, places);
        return lines;
      },
    };
  }
}

function resultOrFile(node: TurnNode | undefined) {
  const payload = node?.payload;
  return payload?.kind === "tool_result" || payload?.kind === "file_content" ? payload : undefined;
}

/** What a text grows by whose own lines come back: its recorded text has them all. */
function repeated(
  nodeId: string,
  repeats: readonly RepeatedLines[],
  dangling: readonly Dangling[],
  charged: Set<string>,
): WrittenOut | undefined {
  let chars = 0;
  for (const { referral } of dangling) {
    const { path, sha256, from, to, encoding } = referral.lines;
    const own = repeats.find(
      (one) =>
        one.path === path && one.encoding === encoding && one.as.sha256 === sha256 && one.as.from === from,
    );
    if (own === undefined) return undefined;
    const key = JSON.stringify([path, sha256, encoding, from, to]);
    if (!charged.has(key)) chars += own.end - own.start;
    // Under the name of another state later references do not find them.
    if (own.sha256 === sha256) charged.add(key);
  }
  return { nodeId, chars };
}

function lineTexts(
  contents: Rendering["contents"],
  places: readonly ShownPlace[],
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const place of places) {
    if (place.chars !== undefined) continue;
    const shown = fieldOf(contents, place)?.slice(place.start, place.end);
    if (shown === undefined) continue;
    const { contents: split, endings } = splitLines(shown);
    if (split.length !== place.to - place.from + 1) continue;
    for (const [at, line] of split.entries()) found.set(place.from + at, line + (endings[at] ?? ""));
  }
  return found;
}

function fieldOf(contents: Rendering["contents"], { content, part }: ShownPlace): string | undefined {
  const value = contents[content]?.parts[part];
  if (value === undefined) return undefined;
  if ("text" in value) return value.text;
  if (!("functionResponse" in value)) return undefined;
  const { response } = value.functionResponse;
  return "output" in response ? response.output : response.error;
}
