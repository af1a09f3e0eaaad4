import { defined } from "../../text/index.js";
import { type LineEdit, type LinePart, type LineSpan, outsideSpans } from "../lines/line-spans.js";
import type { InPlaceEdit } from "../lines/persistent-map.js";
import type {
  FileName,
  Knowledge,
  KnowledgeEvent,
  KnownState,
  LinesShown,
  OwnChange,
  StateChanged,
} from "../values/knowledge.js";
import type { ChangedFile, FileOutcome, FileState, ReadOutcome, WriteOutcome } from "../values/outcomes.js";
import { carriesContent, isRefusal } from "../values/refusal.js";
import type { FileRequest } from "../values/requests.js";
import { KnownFiles, type KnownRecord, type LearnOptions } from "./known-files.js";

/** How much a session remembers of what it showed, and with what it begins. */
export interface SessionKnowledgeOptions {
  /**
   * How many files, and states of each, are remembered; the oldest go first and count as never shown. They go earlier,
   * too, where what is remembered of them takes more than some 20 MB. No limit unless given.
   */
  readonly limit?: number;
  /** The host's prompt never loses anything that was shown: lines shown stand in the next prompt. */
  readonly keepsPrompt?: boolean;
  /** Under which name a file is known; its real path unless given. */
  readonly nameOf?: (file: FileName) => string;
  /** Facts to begin with, oldest first: of a host that rebuilds what it was told from its own messages. */
  readonly facts?: readonly KnowledgeEvent[];
}

/**
 * What a session without a tree of ours was shown: an MCP server, a middleware, a library caller. A reply
 * counts as shown once it was handed to the transport; a write is known at once. A call therefore knows
 * what was sent before it arrived, and what was written since.
 *
 * Facts about states are true whenever they are told, so each is folded once, into what it counts for; a call
 * that stays open for ever costs the others nothing that grows.
 */
export class SessionKnowledge {
  /** What was sent, and what was written: what a call may count on that arrives now. */
  private sent = KnownFiles.empty;
  /** The same with what open calls have read, whose replies are not sent yet. */
  private all = KnownFiles.empty;
  private readonly open = new Set<SessionCall>();
  /** The files, the one that was met longest ago first, for the limit. */
  private readonly met = new Set<string>();

  constructor(private readonly options: SessionKnowledgeOptions = {}) {
    // Nobody holds the maps on the way.
    const edit: InPlaceEdit = { edit: true };
    for (const event of options.facts ?? []) {
      this.sent = this.learnEvent(this.sent, event, { edit });
      this.meet(event);
    }
    this.all = this.sent;
  }

  /** A call arrives: what it may count on from here on. To be ended, whatever becomes of it. */
  begin(): CallKnowledge {
    const call = new SessionCall(this.sent, {
      nameOf: (file) => this.nameOf(file),
      known: () => this.all,
      learn: (event, own) => this.take(event, own),
      end: (own, shown) => this.end(own, shown),
      keepsPrompt: this.options.keepsPrompt === true,
    });
    this.open.add(call);
    return call;
  }

  /** The files of this folder are others by now: nothing was shown of them. Of files that are known by real paths. */
  forgetBelow(realFolder: string): void {
    const below = realFolder === "/" ? "/" : `${realFolder}/`;
    for (const name of [...this.met]) if (name.startsWith(below)) this.forget(name);
  }

  private take(event: KnowledgeEvent, call: SessionCall): void {
    const name = this.nameOf(event.file);
    call.names.add(name);
    const learn = this.foldOnce(event);
    this.all = learn(this.all);
    // What a call reads is shown by its reply, which is yet to be written and sent.
    if (event.kind === "shown") call.claims.push(event);
    else {
      this.sent = learn(this.sent);
      for (const other of this.open) {
        other.before = learn(other.before);
        if (event.kind === "changed") this.noteSince(other, event);
      }
    }
    this.meet(event);
  }

  /** Writes to files that an open call was told of: they carry on what its reply will have shown. */
  private noteSince({ names, since }: SessionCall, event: StateChanged): void {
    const from = event.from === undefined ? undefined : this.nameOf(event.from);
    const name = this.nameOf(event.file);
    if (!names.has(name) && (from === undefined || !names.has(from))) return;
    names.add(name);
    since.push(event);
    // Lines that are not carried on are only known less.
    if (since.length > mostSince) since.shift();
  }

  /** @param shown by the names that the call used; of files that it was not told of, nothing counts. */
  private end(call: SessionCall, shown: readonly ReplyFact[]): void {
    if (!this.open.delete(call)) return;
    const facts = [...shown, ...(shown.length === 0 ? [] : call.since)];
    const learn = (files: KnownFiles, event: KnowledgeEvent) =>
      this.learnEvent(files, event, { keepsLatest: true });
    this.sent = facts.reduce(learn, this.sent);
    const claimed = this.claimed();
    this.all =
      claimed.length > 0 && call.claims.every((claim) => isShown(claim, shown))
        ? facts.reduce(learn, this.all)
        : claimed.reduce(learn, this.sent);
    for (const event of shown) this.meet(event);
    if (this.limit !== Number.POSITIVE_INFINITY)
      for (const name of call.names) this.forgetStates(name, this.limit);
  }

  /** What the open calls have read, and what carries it on. */
  private claimed(): readonly KnowledgeEvent[] {
    return [...this.open].flatMap(({ claims, since }) => (claims.length === 0 ? [] : [...claims, ...since]));
  }

  private forgetStates(name: string, mostStates: number): void {
    const isSame = this.all === this.sent;
    this.sent = this.sent.forgetOldStates(name, mostStates);
    this.all = isSame ? this.sent : this.all.forgetOldStates(name, mostStates);
  }

  /** Most of the time what was sent, what is known and what the one open call began with are one value. */
  private foldOnce(event: KnowledgeEvent): (files: KnownFiles) => KnownFiles {
    const folded = new Map<KnownFiles, KnownFiles>();
    return (files) => {
      const known = folded.get(files) ?? this.learnEvent(files, event);
      folded.set(files, known);
      return known;
    };
  }

  private learnEvent(files: KnownFiles, event: KnowledgeEvent, options: LearnOptions = {}): KnownFiles {
    const from = event.kind === "changed" && event.from !== undefined ? this.nameOf(event.from) : undefined;
    return files.learn(this.nameOf(event.file), event, { ...options, from });
  }

  private nameOf(file: FileName): string {
    return this.options.nameOf?.(file) ?? file.realPath;
  }

  private get limit(): number {
    return this.options.limit ?? Number.POSITIVE_INFINITY;
  }

  private meet({ file }: KnowledgeEvent): void {
    const name = this.nameOf(file);
    this.met.delete(name);
    this.met.add(name);
    const [oldest] = this.met;
    if (this.met.size > this.limit && oldest !== undefined) this.forget(oldest);
    if (this.limit !== Number.POSITIVE_INFINITY) this.lighten(name);
  }

  /** Forgets what was met longest ago until the rest is light enough: other files first, then old states of this one. */
  private lighten(name: string): void {
    if (this.weight <= mostWeight) return;
    for (const oldest of [...this.met]) {
      if (oldest !== name && this.weight > mostWeight) this.forget(oldest);
    }
    if (this.weight > mostWeight) this.forgetStates(name, 1);
    if (this.weight > mostWeight) this.forget(name);
  }

  /** What was sent and what is known are one value most of the time, and share nearly all of it else. */
  private get weight(): number {
    return Math.max(this.all.weight, this.sent.weight);
  }

  private forget(name: string): void {
    this.met.delete(name);
    this.sent = this.sent.forget(name);
    this.all = this.all.forget(name);
    for (const call of this.open) {
      call.before = call.before.forget(name);
      call.claims = call.claims.filter(({ file }) => this.nameOf(file) !== name);
      call.since = call.since.filter(({ file }) => this.nameOf(file) !== name);
    }
  }
}

/** So many writes beside an open call are kept for what its reply will show. */
const mostSince = 1_000;
/** As `KnownFiles.weight`: some 20 MB, in which an ordinary session has room for all its files. */
const mostWeight = 400_000;

/** The knowledge of one call of a session. */
export interface CallKnowledge extends Knowledge {
  /**
   * The reply was handed over: what it showed is known to the calls that arrive from now on. What the call
   * read and its reply did not show is not. A second call does nothing.
   */
  end(shown: readonly ShownLines[]): void;
}

/** Whether a reply shows all that its call read. */
function isShown(claim: LinesShown, shown: readonly ReplyFact[]): boolean {
  const same = shown.filter(
    (fact) =>
      fact.kind === "shown" &&
      fact.sha256 === claim.sha256 &&
      fact.file.realPath === claim.file.realPath &&
      fact.encoding === claim.encoding,
  );
  const lines = same.flatMap((fact) => (fact.kind === "shown" ? fact.lines : []));
  return claim.parts === undefined && claim.lines.every((span) => outsideSpans(span, lines).length === 0);
}

/** What a reply that was sent tells of files. */
type ReplyFact = LinesShown | StateChanged;

interface SessionParts {
  nameOf(file: FileName): string;
  known(): KnownFiles;
  learn(event: KnowledgeEvent, call: SessionCall): void;
  end(call: SessionCall, shown: readonly ReplyFact[]): void;
  readonly keepsPrompt: boolean;
}

class SessionCall implements CallKnowledge {
  /** The files that this call was told of, by the names that it uses. */
  private readonly files = new Map<string, FileName>();
  /** The encodings that it insisted on, by hash and name. */
  private readonly encodings = new Map<string, string>();

  /** What it read, until its reply says what was shown of it. */
  claims: LinesShown[] = [];
  /** Writes to files that it was told of, its own and others'. */
  since: StateChanged[] = [];
  /** The files that it was told of, by the session's names. */
  readonly names = new Set<string>();

  /** @param before what was sent before the call came, and what was written since. */
  constructor(
    public before: KnownFiles,
    private readonly session: SessionParts,
  ) {}

  find(file: FileName, sha256: string): KnownState | undefined {
    return this.stateOf(file, this.session.known().find(this.session.nameOf(file), sha256));
  }

  latest(file: FileName): KnownState | undefined {
    return this.stateOf(file, this.session.known().latest(this.session.nameOf(file)));
  }

  states(file: FileName): readonly string[] {
    return [...this.session.known().states(this.session.nameOf(file))];
  }

  ownChanges(file: FileName): readonly OwnChange[] {
    return this.session.known().ownChanges(this.session.nameOf(file));
  }

  learn(event: KnowledgeEvent): void {
    const { file } = event;
    this.files.set(file.path, file);
    if (event.kind === "shown" && event.encoding !== undefined)
      this.encodings.set(`${event.sha256} ${file.path}`, event.encoding);
    this.session.learn(event, this);
  }

  end(shown: readonly ShownLines[]): void {
    const events = shown.flatMap(({ path, since, ...lines }): readonly ReplyFact[] => {
      const file = this.files.get(path);
      if (file === undefined) return [];
      const encoding = this.encodings.get(`${lines.sha256} ${path}`);
      const insisted = encoding === undefined ? {} : { encoding };
      const known = { kind: "shown", ...lines, file, ...insisted } as const;
      if (since === undefined) return [known];
      const { sha256: after, total } = lines;
      const counted = total === undefined ? {} : { total };
      return [{ kind: "changed", file, after, ...since, ...counted, ...insisted }, known];
    });
    this.session.end(this, events);
  }

  private stateOf(file: FileName, record: KnownRecord | undefined): KnownState | undefined {
    if (record === undefined) return undefined;
    const before = this.before.find(this.session.nameOf(file), record.sha256);
    return knownState(record, before?.lines ?? [], this.session.keepsPrompt ? record.verbatim : []);
  }
}

/** A record as the port tells of it. */
export function knownState(
  record: KnownRecord,
  beforeCall: KnownState["beforeCall"],
  inPrompt: KnownState["inPrompt"],
): KnownState {
  const { sha256, version, isSeen, lines, total, encoding } = record;
  return {
    isSeen,
    sha256,
    version,
    lines,
    beforeCall,
    inPrompt,
    ...defined({ total, encoding }),
  };
}

/** Lines of one state that a reply shows, by the name that the caller uses for the file. */
export interface ShownLines {
  readonly path: string;
  readonly sha256: string;
  readonly lines: readonly LineSpan[];
  readonly parts?: readonly LinePart[];
  /** How many lines the state has, where that is known. */
  readonly total?: number;
  /** The encoding that the caller insisted on. */
  readonly encoding?: string;
  /** The reply shows all that differs from this state, which the caller knows: what did not change is known. */
  readonly since?: ShownSince;
}

/** How a state that the caller knows became the one whose lines are shown. */
export interface ShownSince {
  /** The sha256 of the state before. */
  readonly before: string;
  readonly changes: readonly LineEdit[];
  /** The version under which the new state was handed out. */
  readonly version: number;
}

/**
 * What an outcome shows to a caller who takes it as it is: the content of what was read, and of refusals that
 * bring it along. That a write's outcome holds the new state is not counted: what its caller knows follows
 * from what it knew and sent.
 *
 * @param limitBytes what is larger is not looked at by anybody.
 */
export function shownBy(
  request: FileRequest,
  outcome: FileOutcome,
  limitBytes: number,
): readonly ShownLines[] {
  const encoding = "encoding" in request ? request.encoding : undefined;
  const shown = linesIn(outcome, limitBytes);
  return encoding === undefined ? shown : shown.map((lines) => ({ ...lines, encoding }));
}

function linesIn(outcome: FileOutcome, limitBytes: number): readonly ShownLines[] {
  switch (outcome.kind) {
    case "read":
      return linesOfRead(outcome);
    case "read_many":
      return outcome.files.flatMap(linesOfRead);
    case "change_set":
      return linesOfFiles(outcome.files, limitBytes);
    case "written":
    case "unchanged":
      return [];
    case "refusal":
      if ("files" in outcome) return linesOfFiles(outcome.files, limitBytes);
      return "state" in outcome ? linesOfRefusal(outcome, limitBytes) : [];
    case "listed":
    case "found":
    case "searched":
      return [];
    default:
      return outcome satisfies never;
  }
}

function linesOfRead(outcome: ReadOutcome): readonly ShownLines[] {
  if (isRefusal(outcome) || outcome.unchanged === true) return [];
  return allOf(outcome.state);
}

function linesOfFiles(files: readonly ChangedFile[], limitBytes: number): readonly ShownLines[] {
  return files.flatMap(({ outcome }) => linesOfRefusal(outcome, limitBytes));
}

function linesOfRefusal(outcome: WriteOutcome, limitBytes: number): readonly ShownLines[] {
  if (!isRefusal(outcome) || outcome.state === null) return [];
  const { state, quoted = [] } = outcome;
  if (carriesContent(outcome.code) && (state.facts?.totalBytes ?? 0) <= limitBytes) return allOf(state);
  return state.sha256 === null || quoted.length === 0
    ? []
    : [{ ...nameOf(state, state.sha256), lines: quoted }];
}

/** All lines that a state carries: of a window, its own. */
export function allOf(state: FileState): readonly ShownLines[] {
  const { sha256, content, facts, lines, chars } = state;
  if (sha256 === null || content === null || facts === undefined) return [];
  if (lines !== undefined && chars !== undefined)
    return [{ ...nameOf(state, sha256), lines: [], parts: [{ line: lines.from, ...chars }] }];
  const shown = lines ?? { from: 1, to: facts.totalLines };
  return [{ ...nameOf(state, sha256), lines: [shown] }];
}

function nameOf({ path, facts }: FileState, sha256: string) {
  return { path, sha256, ...(facts === undefined ? {} : { total: facts.totalLines }) };
}
