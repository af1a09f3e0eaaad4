import { type Base, emptySha256, resolveBase } from "./base.js";
import { type Change, type Past, type PlannedWrite, type SettledPlan, withoutState } from "./change.js";
import { type Current, type CurrentFile, handOut, keepState, readCurrent } from "./current.js";
import { excludedByOwner } from "./ignore-rules.js";
import { explainMismatch } from "./mismatch.js";
import { isRefusal, type Refusal, refuse } from "./outcome.js";
import { protectedReason } from "./path-policy.js";
import type {
  Changed,
  Committed,
  Expected,
  ExpectedFile,
  FileIdentity,
  HistoryEntry,
  Lock,
  Place,
} from "./ports.js";
import type { Session } from "./session.js";
import type { WriteOutcome } from "./workspace-types.js";

/** The critical section itself; lives as long as one call. */
export class LockedChange {
  private past: Past = { history: [], known: [] };

  constructor(
    private readonly session: Session,
    private readonly change: Change,
    private readonly place: Place,
    private readonly lock: Lock,
  ) {}

  async run(): Promise<WriteOutcome> {
    const { session, change, place } = this;
    const excluded = await excludedByOwner(session.ports.disk, place);
    if (excluded !== undefined) return withoutState(excluded);
    const current = await readCurrent(place, session, session.limits.changeBytes);
    if (isRefusal(current)) return withoutState(current);
    const guarded = this.protectedPath();
    if (guarded !== undefined) return this.answer(guarded, current);
    const history = await session.ports.history.entries(place.realPath);
    this.past = { history, known: knownStates(session, place, history) };
    const disk = current.kind === "file" ? current.sha256 : null;
    const base = resolveBase(change.options.base, disk, this.past.known);
    return isRefusal(base) ? this.answer(base, current) : this.decide(base, current);
  }

  private async decide(base: Base, current: Current): Promise<WriteOutcome> {
    switch (base.kind) {
      case "none":
        if (this.change.needsBase === "never") return this.plan(current);
        if (this.change.needsBase === "over_files" && current.kind === "absent") return this.plan(current);
        return this.baseMissing(current);
      case "current":
      case "matches":
        return this.plan(current);
      case "stale":
      case "unknown":
        return this.mismatch(base, current);
    }
  }

  private async plan(current: Current): Promise<WriteOutcome> {
    const plan = await this.change.plan(current, this.past);
    switch (plan.kind) {
      case "refusal":
      case "settled":
        return this.answer(plan, current);
      case "write":
        return this.commit(plan, current);
    }
  }

  /** Without a base an existing file is safe from everything but a request that it already fulfils. */
  private async baseMissing(current: Current): Promise<WriteOutcome> {
    if (current.kind === "file" && this.change.needsBase === "over_files") {
      const plan = await this.change.plan(current, this.past);
      if (plan.kind === "settled") {
        return this.answer({ kind: "settled", code: "already_applied", message: repeated }, current);
      }
    }
    const message =
      current.kind === "absent"
        ? "There is no file of this name. To create it, give the SHA-256 of no content as base_content_sha256 and a creation diff, or write it."
        : "The file exists: to change it, base_content_sha256 must name the state that you have seen. Read the file, " +
          "then repeat the call with the sha256 that came with it.";
    return this.answer(refuse("missing_base", message), current);
  }

  private async mismatch(base: Base, current: Current): Promise<WriteOutcome> {
    if (await this.isRepeated(base, current)) {
      return this.answer({ kind: "settled", code: "already_applied", message: repeated }, current);
    }
    if (current.kind === "absent") return this.answer(refuse("file_missing", goneMessage), current);
    const message = await explainMismatch(
      this.session,
      this.place,
      base,
      current,
      this.past.history,
      this.change.options.encoding,
    );
    return this.answer(refuse(base.kind === "stale" ? "state_mismatch" : "unknown_base", message), current);
  }

  /** Whether the same request on its known base gives exactly what is on disk: a call whose answer was lost. */
  private async isRepeated(base: Base, current: Current): Promise<boolean> {
    if (base.kind !== "stale") return false;
    const then = await this.stateOf(base.sha256);
    if (then === undefined) return false;
    const plan = await this.change.plan(then, this.past);
    if (plan.kind !== "write") return false;
    if (plan.bytes === null || current.kind === "absent")
      return plan.bytes === null && current.kind === "absent";
    return sameBytes(plan.bytes, current.bytes);
  }

  private async stateOf(sha256: string): Promise<Current | undefined> {
    if (sha256 === emptySha256) return { kind: "absent" };
    const bytes = await this.session.ports.blobs.get(sha256);
    return bytes === undefined ? undefined : { kind: "file", bytes, sha256, identity: noIdentity };
  }

  private protectedPath(): Refusal | undefined {
    const { place, session, change } = this;
    if (session.ownFolders.some((folder) => `${place.realPath}/`.startsWith(`${folder}/`))) {
      return refuse(
        "protected_path",
        "This is the tools' own state folder: nothing is written there for anybody.",
      );
    }
    const reason = protectedReason(place.relativePath) ?? protectedReason(change.path);
    if (reason === undefined || session.allowsProtected(place.relativePath)) return undefined;
    return refuse(
      "protected_path",
      `Writing here needs a person's explicit approval: this is ${reason}. Reading is allowed.`,
    );
  }

  private async commit(plan: PlannedWrite, current: Current): Promise<WriteOutcome> {
    const { session, place } = this;
    if (current.kind === "file") await keepState(session, place, current);
    const target =
      current.kind === "file" ? place : await session.ports.disk.enter(this.change.path, "create");
    if (isRefusal(target)) return this.answer(target, current);
    try {
      const after = plan.bytes === null ? null : session.ports.digest(plan.bytes);
      const intent = await session.ports.history.begin(this.historyEntry(plan, current, after));
      if (isRefusal(intent)) return this.answer(intent, current);
      // A throw leaves the intent behind: the next start finds out which state the disk is in.
      const done = await this.step(target, plan.bytes, current, intent.stageName);
      if (done.kind !== "committed") {
        await intent.dropped();
        return done.kind === "changed" ? await this.overtaken(current) : await this.answerFresh(done);
      }
      await intent.done();
      const written = plan.bytes !== null && after !== null && done.identity !== undefined;
      const next: Current = written
        ? { kind: "file", bytes: plan.bytes, sha256: after, identity: done.identity }
        : { kind: "absent" };
      const displaced = done.displaced === undefined ? "" : await this.keepDisplaced(current, done.displaced);
      return await this.success({ ...plan, message: plan.message + displaced }, target, next);
    } finally {
      if (target !== place) await target.close();
    }
  }

  private step(
    target: Place,
    bytes: Uint8Array | null,
    current: Current,
    stageName: string | undefined,
  ): Promise<Committed | Changed | Refusal> {
    const guard = () => this.lock.held();
    if (bytes === null) {
      if (current.kind === "absent") throw new Error("a plan deletes a file that is not there");
      return target.remove(expectedFile(current), guard);
    }
    const expected: Expected = current.kind === "absent" ? { kind: "absent" } : expectedFile(current);
    return target.commit(bytes, expected, {
      guard,
      inPlace: this.change.options.inPlace === true,
      stageName,
    });
  }

  /** What another program put into the old file at the last moment: kept, recorded, and said. */
  private async keepDisplaced(current: Current, bytes: Uint8Array): Promise<string> {
    const { session, place } = this;
    const sha256 = session.ports.digest(bytes);
    const kept = await session.ports.blobs.put(sha256, bytes);
    const before = current.kind === "file" ? current.sha256 : null;
    const entry = {
      id: session.ports.newId(),
      realPath: place.realPath,
      time: session.ports.clock.now(),
      session: session.id,
    };
    const intent = await session.ports.history.begin({
      ...entry,
      tool: "another program",
      before,
      after: sha256,
      displaced: true,
    });
    if (!isRefusal(intent)) await intent.done();
    const where = kept
      ? `it is kept as state ${sha256.slice(0, 12)} and can be restored`
      : "it could not be kept";
    return ` At the same moment another program wrote to the old file: ${where}.`;
  }

  private async success(plan: PlannedWrite, target: Place, next: Current): Promise<WriteOutcome> {
    const { session, change } = this;
    if (next.kind === "file") await keepState(session, target, next);
    const state = handOut(session, target, change.path, next, {
      kind: "write",
      encoding: change.options.encoding,
    });
    return {
      kind: "write",
      success: true,
      code: "applied",
      message: plan.message,
      state,
      shownBefore: false,
      change: plan.report,
    };
  }

  /** Somebody who takes no lock wrote between the look and the step. Nothing of theirs was touched. */
  private async overtaken(before: Current): Promise<WriteOutcome> {
    const { session, place, change } = this;
    const now = await readCurrent(place, session, session.limits.changeBytes);
    if (isRefusal(now)) return withoutState(now);
    if (now.kind === "absent") return this.answer(refuse("file_missing", goneMessage), now);
    const base: Base =
      before.kind === "file"
        ? { kind: "stale", sha256: before.sha256 }
        : { kind: "stale", sha256: emptySha256 };
    const history = await session.ports.history.entries(place.realPath);
    const message = await explainMismatch(session, place, base, now, history, change.options.encoding);
    return this.answer(refuse("state_mismatch", message), now);
  }

  private async answerFresh(refusal: Refusal): Promise<WriteOutcome> {
    const now = await readCurrent(this.place, this.session, this.session.limits.changeBytes);
    return isRefusal(now) ? withoutState(refusal) : this.answer(refusal, now);
  }

  private answer(result: Refusal | SettledPlan, current: Current): WriteOutcome {
    const { session, place, change } = this;
    const known = current.kind === "file" ? session.ledger.find(place.realPath, current.sha256) : undefined;
    const state = handOut(session, place, change.path, current, {
      kind: "read",
      encoding: change.options.encoding,
    });
    const success = result.kind === "settled";
    return {
      kind: "write",
      success,
      code: result.code,
      message: result.message,
      state,
      shownBefore: known?.shownWhole === true,
    };
  }

  private historyEntry(plan: PlannedWrite, current: Current, after: string | null): HistoryEntry {
    return {
      id: this.session.ports.newId(),
      realPath: this.place.realPath,
      time: this.session.ports.clock.now(),
      session: this.session.id,
      tool: this.change.tool,
      before: current.kind === "file" ? current.sha256 : null,
      after,
      ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
    };
  }
}

function knownStates(session: Session, place: Place, history: readonly HistoryEntry[]): readonly string[] {
  const seen = session.ledger.statesOf(place.realPath).map((record) => record.sha256);
  const written = history.flatMap((entry) => [entry.before, entry.after]).filter((sha256) => sha256 !== null);
  return [...seen, ...written];
}

function expectedFile(current: CurrentFile): ExpectedFile {
  return { kind: "file", sha256: current.sha256, identity: current.identity };
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

const repeated = "Already applied: the file is already as this request asks. Nothing was written.";
const goneMessage =
  "The file that the base hash names is gone: somebody deleted or moved it. Nothing was written.";
/** For a state that is only thought through, never written over. */
const noIdentity: FileIdentity = { device: 0n, inode: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n };
