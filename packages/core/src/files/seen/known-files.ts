import {
  addSpans,
  carryParts,
  carrySourced,
  joinSources,
  type LinePart,
  type LineSpan,
  outsideSpans,
  putSpans,
  type SourcedSpan,
  wholeLines,
} from "../lines/line-spans.js";
import { type InPlaceEdit, PersistentMap } from "../lines/persistent-map.js";
import { emptySha256 } from "../values/base.js";
import type { KnowledgeEvent, LinesShown, OwnChange, StateChanged, StateMet } from "../values/knowledge.js";

/**
 * What was shown of files, as an immutable value: a fold over facts (`KnowledgeEvent`). Keyed by name and
 * hash in maps whose versions share structure: one object a path would be copied with each of its states.
 * Names are the caller's or the real ones; whoever folds decides.
 */
export class KnownFiles {
  static readonly empty = new KnownFiles(PersistentMap.empty(), PersistentMap.empty(), 0);

  private constructor(
    private readonly records: PersistentMap<KnownRecord>,
    private readonly heads: PersistentMap<Head>,
    /** How many spans, parts and edits of lines are held in all: some fifty bytes each. */
    readonly weight: number,
  ) {}

  find(name: string, sha256: string): KnownRecord | undefined {
    return this.records.get(keyOf(name, sha256));
  }

  /** The state of a file that was met last. */
  latest(name: string): KnownRecord | undefined {
    const head = this.heads.get(name);
    return head === undefined ? undefined : this.find(name, head.latest);
  }

  /** The hashes of all states of a file, the one first met last at the beginning. */
  *states(name: string): Iterable<string> {
    let sha256 = this.heads.get(name)?.newest;
    while (sha256 !== undefined) {
      yield sha256;
      sha256 = this.find(name, sha256)?.older;
    }
  }

  /** As of `Knowledge.ownChanges`. */
  ownChanges(name: string): readonly OwnChange[] {
    return [...this.states(name)].flatMap((sha256) => this.find(name, sha256)?.origins.toReversed() ?? []);
  }

  /**
   * @param name under which the file is known here.
   */
  learn(name: string, event: KnowledgeEvent, options: LearnOptions = {}): KnownFiles {
    const { source, from } = options;
    switch (event.kind) {
      case "met":
        return this.put(name, met(this.find(name, event.sha256), event), options);
      case "shown":
        return this.put(name, shown(this.find(name, event.sha256), event, source), options);
      case "changed": {
        if (event.after === null) return this;
        const { before } = event;
        const old = typeof before === "string" ? this.find(from ?? name, before) : undefined;
        const record = changed(this.find(name, event.after), old, event, event.after, source);
        return this.put(name, record, options);
      }
      default:
        return event satisfies never;
    }
  }

  /** Without anything of this file; what is forgotten counts as never shown. */
  forget(name: string): KnownFiles {
    let { records } = this;
    for (const sha256 of this.states(name)) records = records.delete(keyOf(name, sha256));
    const { weight = 0 } = this.heads.get(name) ?? {};
    return new KnownFiles(records, this.heads.delete(name), this.weight - weight);
  }

  /** With no more than the newest states of a file; it costs by the states that go, not by those that stay. */
  forgetOldStates(name: string, mostStates: number): KnownFiles {
    const head = this.heads.get(name);
    if (head === undefined || head.count <= mostStates) return this;
    let { records } = this;
    let oldest: string | undefined = head.oldest;
    let gone = 0;
    for (let { count } = head; count > mostStates && oldest !== undefined; count--) {
      const key = keyOf(name, oldest);
      gone += weightOf(records.get(key));
      oldest = records.get(key)?.newer;
      records = records.delete(key);
    }
    const last = oldest === undefined ? undefined : records.get(keyOf(name, oldest));
    if (oldest === undefined || last === undefined) return this.forget(name);
    records = records.set(keyOf(name, oldest), { ...last, older: undefined });
    const left = { ...head, oldest, count: mostStates, weight: head.weight - gone };
    return new KnownFiles(records, this.heads.set(name, left), this.weight - gone);
  }

  private put(name: string, record: KnownRecord, options: LearnOptions): KnownFiles {
    const head = this.heads.get(name);
    const key = keyOf(name, record.sha256);
    const latest = options.keepsLatest === true && head !== undefined ? head.latest : record.sha256;
    const known = this.records.get(key);
    if (head !== undefined && known !== undefined) {
      const more = weightOf(record) - weightOf(known);
      const isSame = head.latest === latest && more === 0;
      const heads = isSame
        ? this.heads
        : this.heads.set(name, { ...head, latest, weight: head.weight + more }, options.edit);
      return new KnownFiles(this.records.set(key, record, options.edit), heads, this.weight + more);
    }
    return this.putNew(name, { record, key, latest }, options);
  }

  /** The first that is known of a state: it comes behind those of the same file that were met before. */
  private putNew(
    name: string,
    { record, key, latest }: { readonly record: KnownRecord; readonly key: string; readonly latest: string },
    { edit }: LearnOptions,
  ): KnownFiles {
    const { sha256 } = record;
    const head = this.heads.get(name);
    const older = head?.newest;
    const before = older === undefined ? undefined : this.find(name, older);
    const linked =
      before === undefined
        ? this.records
        : this.records.set(keyOf(name, before.sha256), { ...before, newer: sha256 }, edit);
    const { oldest = sha256, count = 0, weight = 0 } = head ?? {};
    const more = weightOf(record);
    const grown = { latest, newest: sha256, oldest, count: count + 1, weight: weight + more };
    return new KnownFiles(
      linked.set(key, { ...record, older }, edit),
      this.heads.set(name, grown, edit),
      this.weight + more,
    );
  }
}

/** How `KnownFiles.learn` takes a fact in; all of it concerns the fold, none of it the fact itself. */
export interface LearnOptions {
  /** Where the lines were shown, if that matters: a node of a conversation. */
  readonly source?: string | undefined;
  /** The name under which the state before a move is known. */
  readonly from?: string | undefined;
  /** Allows changes in place of maps that nobody else holds yet (`PersistentMap.set`). */
  readonly edit?: InPlaceEdit | undefined;
  /** The fact is told late: the state that was met last stays so. */
  readonly keepsLatest?: boolean | undefined;
}

/** What was shown of one state of one file. */
export interface KnownRecord {
  readonly sha256: string;
  readonly version: number;
  readonly total: number | undefined;
  readonly encoding: string | undefined;
  /** Known in any way; each with the newest place where it was shown. */
  readonly lines: readonly SourcedSpan[];
  /** Shown under this very hash. */
  readonly verbatim: readonly SourcedSpan[];
  readonly parts: readonly LinePart[];
  /** Something was shown of this state, or of one that it came from, or the caller wrote all of it. */
  readonly isSeen: boolean;
  /** Own changes that led to this state, the last one last. */
  readonly origins: readonly OwnChange[];
  /** The state of the same file that was first met before this one. */
  readonly older: string | undefined;
  /** And the one that was first met after it. */
  readonly newer: string | undefined;
}

/** The states of a file, in the order in which they were first met. */
interface Head {
  readonly latest: string;
  readonly newest: string;
  readonly oldest: string;
  readonly count: number;
  /** As `KnownFiles.weight`, of this file. */
  readonly weight: number;
}

/** What of a state takes memory by what was done to it. */
function weightOf(record: KnownRecord | undefined): number {
  if (record === undefined) return 0;
  const { lines, verbatim, parts, origins } = record;
  let weight = lines.length + verbatim.length + parts.length;
  for (const { changes } of origins) weight += changes?.length ?? 0;
  return weight;
}

const separator = "\0";

function keyOf(name: string, sha256: string): string {
  return `${sha256}${separator}${name}`;
}

function blank(sha256: string): KnownRecord {
  return {
    sha256,
    version: 0,
    total: undefined,
    encoding: undefined,
    lines: [],
    verbatim: [],
    parts: [],
    isSeen: false,
    origins: [],
    older: undefined,
    newer: undefined,
  };
}

function met(record: KnownRecord | undefined, event: StateMet): KnownRecord {
  const { sha256, version, total } = event;
  const before = record ?? blank(sha256);
  return {
    ...before,
    version: Math.max(before.version, version),
    total: total ?? before.total,
    // Of an empty file there is nothing else to be shown.
    isSeen: before.isSeen || total === 0,
  };
}

/** Lines of one hash under another encoding are other lines: the newest encoding counts. */
function inEncoding(record: KnownRecord, encoding: string | undefined): KnownRecord {
  if (record.encoding === encoding) return record;
  return { ...record, encoding, lines: [], verbatim: [], parts: [] };
}

function shown(record: KnownRecord | undefined, event: LinesShown, source: string | undefined): KnownRecord {
  const before = inEncoding(record ?? blank(event.sha256), event.encoding);
  const parts = [...before.parts, ...(event.parts ?? [])];
  const { complete, rest } = wholeLines(parts);
  const fresh = [...event.lines, ...complete];
  return {
    ...before,
    total: event.total ?? before.total,
    lines: putSpans(before.lines, fresh, source),
    verbatim: putSpans(before.verbatim, fresh, source),
    parts: rest,
    isSeen: before.isSeen || fresh.length > 0 || rest.length > 0 || isSeenOtherwise(event),
  };
}

/** There is nothing to show, or nobody can say which lines were. */
function isSeenOtherwise({ total, someText }: LinesShown): boolean {
  return total === 0 || someText === true;
}

function changed(
  record: KnownRecord | undefined,
  old: KnownRecord | undefined,
  event: StateChanged,
  after: string,
  source: string | undefined,
): KnownRecord {
  // Its lines go on as the text that they were shown as, whatever encoding the write named.
  const before = inEncoding(record ?? blank(after), old?.isSeen === true ? old.encoding : event.encoding);
  const { changes = [], authored = [], version, total } = event;
  const known = event.changes === undefined ? undefined : old;
  const carried = known === undefined ? [] : carrySourced(known.lines, changes);
  const derived =
    known === undefined || event.derived !== true ? [] : derivedLines(known.lines, changes, source);
  const lines = putSpans(addSpans(derived, addSpans(before.lines, carried)), authored, source);
  // Joined, since states that become each other again and again hand the same parts to and fro.
  const parts =
    known === undefined
      ? before.parts
      : wholeLines([...before.parts, ...carryParts(known.parts, changes)]).rest;
  // Of lines that are known, one at least has to be left: else nothing of the new state was shown.
  const goesOn = known?.lines.length === 0 || carried.length + derived.length + parts.length > 0;
  return {
    ...before,
    version: Math.max(before.version, version),
    total: total ?? before.total,
    lines,
    parts,
    // Who adds to a file that was never shown has still seen no more than that.
    isSeen: before.isSeen || (known?.isSeen === true && goesOn) || isMade(event) || isAll(authored, total),
    origins: originsWith(before.origins, event, after),
  };
}

/** A fact that is told twice is one origin. */
function originsWith(
  origins: readonly OwnChange[],
  { own, before, changes }: StateChanged,
  after: string,
): readonly OwnChange[] {
  if (own === undefined || before === undefined) return origins;
  const origin = {
    ...own,
    before: before ?? emptySha256,
    after,
    ...(changes === undefined ? {} : { changes }),
  };
  const others = origins.filter(
    ({ before, base, request }) =>
      before !== origin.before || base !== origin.base || request !== origin.request,
  );
  return [...others.slice(-mostOrigins), origin];
}

/** A state that is reached again and again, by undoing and doing, remembers so many ways and one. */
const mostOrigins = 15;

/**
 * The added lines of those edits of which every replaced line was known; both are sorted. They stand where
 * these do and the call: of `a b` and an edit of `b` alone, who does not see `a` does not see the line.
 */
function derivedLines(
  known: readonly SourcedSpan[],
  changes: StateChanged["changes"] = [],
  source: string | undefined,
): readonly SourcedSpan[] {
  const derived: SourcedSpan[] = [];
  let shift = 0;
  let next = 0;
  for (const { at, removed, added } of changes) {
    while (next < known.length && (known[next]?.to ?? 0) < at) next += 1;
    const sources = sourcesOfLines(known, next, { from: at, to: at + removed - 1 });
    if (removed > 0 && added > 0 && sources !== undefined) {
      const joined = source === undefined ? undefined : joinSources([source, ...sources]);
      derived.push({ from: at + shift, to: at + shift + added - 1, source: joined });
    }
    shift += added - removed;
  }
  return derived;
}

/** Where lines were shown, looked for from one span on; undefined where one of them was not. */
function sourcesOfLines(
  known: readonly SourcedSpan[],
  first: number,
  { from, to }: LineSpan,
): readonly string[] | undefined {
  const sources: string[] = [];
  let wanted = from;
  for (let at = first; wanted <= to; at++) {
    const span = known[at];
    if (span === undefined || span.from > wanted) return undefined;
    if (span.source !== undefined) sources.push(span.source);
    wanted = span.to + 1;
  }
  return sources;
}

/** A file that the call made of its own text: not one that an undo or a finished task brought. */
function isMade({ before, derived }: StateChanged): boolean {
  return before === null && derived === true;
}

function isAll(authored: readonly LineSpan[], total: number | undefined): boolean {
  return total !== undefined && outsideSpans({ from: 1, to: total }, authored).length === 0;
}
