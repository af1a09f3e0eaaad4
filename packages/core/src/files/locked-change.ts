import { type Base, emptySha256, resolveBase } from "./base.js";
import {
  type Change,
  type Past,
  type Plan,
  type PlannedWrite,
  type SettledPlan,
  withoutState,
} from "./change.js";
import {
  type Current,
  type CurrentFile,
  handOut,
  keepAsBeginning,
  keepReplaced,
  keepState,
  readCurrent,
} from "./current.js";
import { excludedByOwner } from "./ignore-rules.js";
import { isWatched, newEntry, takeStep, tellDisplaced } from "./landing.js";
import type { LineSpan } from "./line-spans.js";
import { explainMismatch } from "./mismatch.js";
import { carriesContent, isRefusal, type Refusal, refuse } from "./outcome.js";
import { outsideFolder } from "./path-policy.js";
import type { Changed, Committed, FileIdentity, HistoryEntry, Lock, Place } from "./ports.js";
import { refuseProtected } from "./protection.js";
import type { Session } from "./session.js";
import { findUnseen, linesStillSeen } from "./strict-view.js";
import { ruleWithoutBase } from "./unbased-change.js";
import type { WriteOutcome } from "./workspace-types.js";

/** The critical section itself; lives as long as one call. */
export class LockedChange {
  private loaded: Promise<Past> | undefined;

  constructor(
    private readonly session: Session,
    private readonly change: Change,
    private readonly place: Place,
    private readonly lock: Lock,
  ) {}

  async run(): Promise<WriteOutcome> {
    const weighed = await this.weigh();
    return weighed.kind === "write" ? weighed : this.commit(weighed.plan, weighed.current);
  }

  /** Everything but the write: the answer where there is nothing to write, else what is to be written. */
  async weigh(): Promise<WriteOutcome | WeighedChange> {
    const { session, place, change } = this;
    const excluded = await excludedByOwner(session.ports.disk, place);
    if (excluded !== undefined) return withoutState(excluded);
    const outside = outsideFolder(place.relativePath, change.options.within);
    if (outside !== undefined) return withoutState(outside);
    const current = await readCurrent(place, session, session.limits.changeBytes);
    if (isRefusal(current)) return withoutState(current);
    const guarded = refuseProtected(this.session, this.place, this.change.path);
    if (guarded !== undefined) return this.answer(guarded, current);
    const disk = current.kind === "file" ? current.sha256 : null;
    const base = await this.baseAgainst(disk);
    return isRefusal(base) ? this.answer(base, current) : this.decide(base, current);
  }

  /** The past of a file grows with every write: only what is not on the disk is looked for there. */
  private async baseAgainst(disk: string | null): Promise<Base | Refusal> {
    const { base: given } = this.change.options;
    const base = resolveBase(given, disk, () => []);
    switch (base.kind) {
      case "stale":
      case "unknown":
        return resolveBase(given, disk, (await this.past()).known);
      case "refusal":
      case "none":
      case "current":
      case "matches":
        return base;
    }
  }

  private past(): Promise<Past> {
    this.loaded ??= this.loadPast();
    return this.loaded;
  }

  private async loadPast(): Promise<Past> {
    const { session, place } = this;
    const history = await session.ports.history.entries(place.realPath);
    return { history, known: () => knownStates(session, place, history) };
  }

  private async decide(base: Base, current: Current): Promise<WriteOutcome | WeighedChange> {
    switch (base.kind) {
      case "none":
        return this.withoutBase(current);
      case "current":
        return this.plan(current);
      case "matches":
        return this.plan(current, { viewed: this.change.needsBase !== "never" });
      case "stale":
      case "unknown":
        return this.mismatch(base, current);
    }
  }

  private async plan(current: Current, terms: Terms = {}): Promise<WriteOutcome | WeighedChange> {
    const planned = await this.change.plan(current, () => this.past());
    const plan = await this.withStatesHealed(planned, current);
    if (plan.kind === "refusal" && terms.repeatable === true && (await this.wasLast(current)))
      return this.answer({ kind: "settled", code: "already_applied", message: repeated }, current);
    return this.settle(plan, current, terms);
  }

  /** Earlier states may be kept as beginnings of one that is damaged in the store, and whole on the disk. */
  private async withStatesHealed(plan: Plan, current: Current): Promise<Plan> {
    if (plan.kind !== "refusal" || plan.code !== "bytes_gone" || current.kind === "absent") return plan;
    const kept = await keepReplaced(this.session, this.place, current);
    return isRefusal(kept) || !kept.wayBack ? plan : this.change.plan(current, () => this.past());
  }

  private settle(plan: Plan, current: Current, terms: Terms): WriteOutcome | WeighedChange {
    if (plan.kind !== "write") return this.answer(plan, current);
    const unseen = terms.viewed === true ? this.unseen(plan, current) : undefined;
    if (unseen !== undefined) return unseen;
    return { kind: "weighed", plan: { ...plan, message: plan.message + (terms.warning ?? "") }, current };
  }

  /** Where no base is named, the guards decide (guards.ts); a request that is already fulfilled is none. */
  private async withoutBase(current: Current): Promise<WriteOutcome | WeighedChange> {
    const ruling = ruleWithoutBase(this.session, this.place, this.change, current);
    const repeatable = this.change.needsBase === "edit";
    if (ruling.kind === "allowed") return this.plan(current, { ...ruling, repeatable });
    if (current.kind === "file" && (await this.isFulfilled(current)))
      return this.answer({ kind: "settled", code: "already_applied", message: repeated }, current);
    if (ruling.kind === "refusal") return this.answer(ruling, current);
    return this.mismatch({ kind: "stale", sha256: ruling.sha256 }, current);
  }

  /** A whole new content that is there already. */
  private async isFulfilled(current: Current): Promise<boolean> {
    if (this.change.needsBase !== "over_files") return false;
    const plan = await this.change.plan(current, () => this.past());
    return plan.kind === "settled";
  }

  /** Whether this very request was the last write: its answer was lost, and it came again. */
  private async wasLast(current: Current): Promise<boolean> {
    const last = (await this.past()).history.at(-1);
    if (last === undefined || last.session !== this.session.id || last.before === null) return false;
    if (current.kind !== "file" || last.after !== current.sha256) return false;
    return this.isRepeated({ kind: "stale", sha256: last.before }, current);
  }

  /** With a strict view: the refusal of a change that touches lines nobody was shown. */
  private unseen(plan: PlannedWrite, current: Current): WriteOutcome | undefined {
    const { session, place } = this;
    const { beforeText } = plan.report;
    if (!session.guards.strictView || current.kind === "absent" || plan.bytes === null) return undefined;
    const after = plan.text ?? null;
    if (beforeText === null || after === null) return undefined;
    const { sha256 } = current;
    const found = findUnseen(beforeText, after, session.ledger.find(place.realPath, sha256));
    if (found === undefined) return undefined;
    const outcome = this.answer(found.refusal, current);
    const { version = 0 } = outcome.state ?? {};
    const { realPath } = place;
    session.ledger.record({ kind: "told", realPath, sha256, version, shown: "window", lines: found.shown });
    return outcome;
  }

  private async mismatch(base: Base, current: Current): Promise<WriteOutcome | WeighedChange> {
    if (await this.isRepeated(base, current)) {
      return this.answer({ kind: "settled", code: "already_applied", message: repeated }, current);
    }
    if (current.kind === "absent") {
      return this.answer(refuse("file_missing", base.kind === "stale" ? goneMessage : neverMessage), current);
    }
    const rebased = await this.rebase(base, current);
    if (rebased !== undefined) return this.settle(rebased, current, { viewed: true });
    const code = base.kind === "stale" ? "state_mismatch" : "unknown_base";
    return this.refuseMismatch(code, base, current, (await this.past()).history);
  }

  /** The change on the present state, where the host allows it and it is as certain there. */
  private async rebase(base: Base, current: CurrentFile): Promise<PlannedWrite | undefined> {
    const { session, change } = this;
    if (session.guards.onMismatch !== "rebase" || base.kind !== "stale") return undefined;
    const then = await this.stateOf(base.sha256);
    const plan = then === undefined ? undefined : await change.rebase?.(then, current);
    if (plan?.kind !== "write") return undefined;
    return { ...plan, message: plan.message + rebased, author: "past" };
  }

  private async refuseMismatch(
    code: "state_mismatch" | "unknown_base",
    base: Base,
    current: CurrentFile,
    history: readonly HistoryEntry[],
  ): Promise<WriteOutcome> {
    const { session, place, change } = this;
    const told = await explainMismatch(session, place, base, current, history, change.options.encoding);
    const outcome = this.answer(refuse(code, told.message), current);
    return told.change === undefined ? outcome : { ...outcome, change: told.change };
  }

  /** Whether the same request on its known base gives exactly what is on disk: a call whose answer was lost. */
  private async isRepeated(base: Base, current: Current): Promise<boolean> {
    if (base.kind !== "stale") return false;
    const then = await this.stateOf(base.sha256);
    if (then === undefined) return false;
    const plan = await this.change.plan(then, () => this.past());
    if (plan.kind !== "write") return false;
    if (plan.bytes === null || current.kind === "absent")
      return plan.bytes === null && current.kind === "absent";
    return sameBytes(plan.bytes, current.bytes);
  }

  /**
   * Makes sure, before anything is replaced, that there is a way back and a way on: the old state is kept,
   * and the new one is not too large to be read again.
   *
   * @param moved the content goes on under another name, so that nothing is taken away.
   * @returns what has to be said after the step.
   */
  async secure(plan: PlannedWrite, current: Current, moved = false): Promise<Secured | Refusal> {
    const limit = this.session.limits.changeBytes;
    const size = plan.bytes?.length ?? 0;
    if (size > limit) {
      return refuse(
        "too_large",
        `The new content has ${size} bytes; at most ${limit} are written. Nothing was changed.`,
      );
    }
    if (current.kind === "absent") return { kind: "secured", warning: "" };
    const kept = await keepReplaced(this.session, this.place, current);
    if (isRefusal(kept)) return kept;
    if (kept.wayBack || moved) return { kind: "secured", warning: "" };
    return plan.bytes === null
      ? refuse("bytes_gone", unkeptSecret)
      : { kind: "secured", warning: secretReplaced };
  }

  private async stateOf(sha256: string): Promise<Current | undefined> {
    if (sha256 === emptySha256) return { kind: "absent" };
    const bytes = await this.session.ports.blobs.get(sha256);
    return bytes === undefined ? undefined : { kind: "file", bytes, sha256, identity: noIdentity };
  }

  private async commit(plan: PlannedWrite, current: Current): Promise<WriteOutcome> {
    const { session, place } = this;
    const secured = await this.secure(plan, current);
    if (isRefusal(secured)) return this.answer(secured, current);
    const target =
      current.kind === "file" ? place : await session.ports.disk.enter(this.change.path, "create");
    if (isRefusal(target)) return this.answer(target, current);
    try {
      const after = plan.bytes === null ? null : session.ports.digest(plan.bytes);
      const intent = await session.ports.history.begin({
        ...newEntry(session, place, this.change.tool),
        before: current.kind === "file" ? current.sha256 : null,
        after,
        ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
      });
      if (isRefusal(intent)) return this.answer(intent, current);
      // A throw leaves the intent behind: the next start finds out which state the disk is in.
      const done = await takeStep(target, plan.bytes, current, {
        guard: () => this.lock.held(),
        inPlace: this.change.options.inPlace === true,
        stageName: intent.stageName,
        hold: isWatched(place),
      });
      this.watch(current, done, after);
      if (done.kind !== "committed") {
        await intent.dropped();
        if (done.kind !== "changed") return await this.answerFresh(done);
        const outcome = await this.overtaken(current);
        const lost = await tellDisplaced(session, place, current, done.displaced);
        return { ...outcome, message: `${outcome.message}${lost}` };
      }
      await intent.done();
      const written = plan.bytes !== null && after !== null && done.identity !== undefined;
      const next: Current = written
        ? { kind: "file", bytes: plan.bytes, sha256: after, identity: done.identity }
        : { kind: "absent" };
      const displaced = await tellDisplaced(session, place, current, done.displaced);
      return await this.success(
        { ...plan, message: plan.message + secured.warning + displaced },
        target,
        current,
        next,
      );
    } finally {
      if (target !== place) await target.close();
    }
  }

  /** The file that lost its name: the old one, or the new one where it was taken away again. */
  private watch(current: Current, done: Committed | Changed | Refusal, after: string | null): void {
    if (done.kind === "refusal" || done.held === undefined) return;
    const content = done.kind === "changed" ? after : current.kind === "file" ? current.sha256 : null;
    if (content === null) done.held.close();
    else this.session.heldFiles.hold(this.place, content, done.held);
  }

  /** The answer after the step was taken; `before` is what it replaced. */
  async success(plan: PlannedWrite, target: Place, before: Current, next: Current): Promise<WriteOutcome> {
    const { session, change } = this;
    if (next.kind === "file") await keepState(session, target, next);
    if (plan.keepsBeginning === true && before.kind === "file" && next.kind === "file")
      await keepAsBeginning(session, target, before, next);
    // Who knew the whole old text and made the change knows the whole new text; so does who sent it.
    const known = plan.author === "caller" || (plan.author === "change" && this.wasShown(before));
    const { encoding } = change.options;
    const lines = known || plan.author !== "change" ? [] : this.linesStillSeen(plan, before);
    const state = handOut(session, target, change.path, next, { kind: "write", known, lines, encoding });
    return {
      kind: "write",
      success: true,
      code: "applied",
      message: plan.message,
      state,
      shownBefore: false,
      replaced: before.kind === "file" ? before.sha256 : null,
      change: plan.report,
    };
  }

  /** Somebody who takes no lock wrote between the look and the step. Nothing of theirs was touched. */
  async overtaken(before: Current): Promise<WriteOutcome> {
    const { session, place } = this;
    const now = await readCurrent(place, session, session.limits.changeBytes);
    if (isRefusal(now)) return withoutState(now);
    if (now.kind === "absent") return this.answer(refuse("file_missing", goneMessage), now);
    const base: Base =
      before.kind === "file"
        ? { kind: "stale", sha256: before.sha256 }
        : { kind: "stale", sha256: emptySha256 };
    const history = await session.ports.history.entries(place.realPath);
    return this.refuseMismatch("state_mismatch", base, now, history);
  }

  /** A refusal with what stands there now. */
  async answerFresh(refusal: Refusal): Promise<WriteOutcome> {
    const now = await readCurrent(this.place, this.session, this.session.limits.changeBytes);
    return isRefusal(now) ? withoutState(refusal) : this.answer(refusal, now);
  }

  answer(result: Refusal | SettledPlan, current: Current): WriteOutcome {
    const { session, place, change } = this;
    const shownBefore = this.wasShown(current);
    // What is too large for an answer is not shown by it.
    const small = current.kind === "absent" || current.bytes.length <= session.limits.fullReadBytes;
    const known = shownBefore || (carriesContent(result.code) && small);
    const { encoding } = change.options;
    const state = handOut(session, place, change.path, current, { kind: "told", known, encoding });
    const success = result.kind === "settled";
    return {
      kind: "write",
      success,
      code: result.code,
      message: result.message,
      state,
      shownBefore,
    };
  }

  private linesStillSeen(plan: PlannedWrite, before: Current): readonly LineSpan[] {
    const { beforeText } = plan.report;
    if (before.kind === "absent" || beforeText === null || plan.text === undefined) return [];
    const seen = this.session.ledger.find(this.place.realPath, before.sha256)?.shownLines ?? [];
    if (seen.length === 0) return [];
    const written = plan.report.ranges.filter(({ from, to }) => from <= to);
    // Which lines exactly were seen is only asked with a strict view.
    if (!this.session.guards.strictView && written.length > 0) return written;
    return linesStillSeen(beforeText, plan.text, seen);
  }

  /** Whether this session was shown all of a state; that there is nothing needs no showing. */
  wasShown(current: Current): boolean {
    if (current.kind === "absent") return true;
    return this.session.ledger.find(this.place.realPath, current.sha256)?.shownWhole === true;
  }
}

/** On what terms a change is planned. */
interface Terms {
  /** The lines that it touches must have been shown, where the host asks for that. */
  readonly viewed?: boolean;
  /** A sentence for the end of the message. */
  readonly warning?: string;
  /** Where it does not fit, it may be the last write once more. */
  readonly repeatable?: boolean;
}

/** There is a way back, or a warning that there is none. */
export interface Secured {
  readonly kind: "secured";
  /** A sentence for the end of the message, or nothing. */
  readonly warning: string;
}

/** A change that can be made: what it comes to, and what it was planned on. */
export interface WeighedChange {
  readonly kind: "weighed";
  readonly plan: PlannedWrite;
  readonly current: Current;
}

function knownStates(session: Session, place: Place, history: readonly HistoryEntry[]): readonly string[] {
  const seen = session.ledger.statesOf(place.realPath).map((record) => record.sha256);
  const written = history.flatMap((entry) => [entry.before, entry.after]).filter((sha256) => sha256 !== null);
  return [...seen, ...written];
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

const unkeptSecret =
  "The file looks like a secret, so that no copy of it is kept: taking it away could not be undone. Delete it yourself.";
const secretReplaced =
  " The file looks like a secret, so that no copy of the old content is kept: this cannot be undone.";
const rebased =
  " Rebased: the file had changed since your base; every place of the change stands once in both states, so it was made on the present one.";
const repeated = "Already applied: the file is already as this request asks. Nothing was written.";
const neverMessage =
  "There is no file of this name, and the base hash is not known of any earlier state of it. To create the file, write it without a hash, or patch it with the SHA-256 of no content.";
const goneMessage =
  "The file that the base hash names is gone: somebody deleted or moved it. Nothing was written.";
/** For a state that is only thought through, never written over. */
const noIdentity: FileIdentity = { device: 0n, inode: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n };
