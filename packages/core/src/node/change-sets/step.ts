import { fstatSync, linkSync, renameSync, symlinkSync } from "node:fs";
import type { Changed, Committed, SetStep, SetStopped } from "../../files/index.js";
import type { Refusal } from "../../files/values/index.js";
import { exchangeWith, linkless, publishNew } from "../commit/commit.js";
import {
  barredFrom,
  changed,
  displacedBy,
  isSameFile,
  type ProvedFile,
  prove,
  provedAgain,
  verify,
  verifyExchanged,
} from "../commit/exchanged.js";
import {
  type Cleanup,
  giveNewMode,
  makeDurable,
  makeLargeStage,
  makeStage,
  OpenReplacedFile,
  type Stage,
  severalNames,
} from "../commit/stage.js";
import { giveBit, keepAttributes } from "../disk/folder.js";
import { codeOf, renameOver } from "../disk/platform.js";
import {
  sha256 as digest,
  identityOf,
  openFile,
  readLinkAt,
  readUpTo,
  type Spot,
  sameIdentity,
  statAt,
} from "../disk/reading.js";
import type { RecordedStep } from "./record.js";

/** One step of a change set, with its open files. */
export interface PreparedStep {
  readonly kind: "prepared";
  readonly step: SetStep;
  readonly spot: Spot;
  readonly names: RecordedStep;
  readonly cleanup: Cleanup;
  /** The new content; undefined for a deletion, and for a link, which is made in its place. */
  readonly stage: Stage | undefined;
  /** The old file, proved to be the expected one; undefined for a creation. */
  readonly proved: ProvedFile | undefined;
  /** How many names a replaced file may have; ours makes it two. */
  readonly links: bigint | undefined;
}

/**
 * Stages one step: the new content beside the target, durable, and the old file under a second name. So the
 * step can be taken back to the very same file, however full the disk is.
 *
 * @param source for a file under a new name: the prepared removal of the old one.
 * @param staged large content, which is staged before (`stageLarge`).
 */
export async function prepareStep(
  step: SetStep,
  at: Pick<PreparedStep, "spot" | "names" | "cleanup">,
  source: PreparedStep | undefined,
  staged?: Stage,
): Promise<PreparedStep | Changed | Refusal> {
  if (isLinkStep(step)) return verifyLink({ kind: "prepared", step, ...at, ...noFiles });
  const stage =
    staged ??
    (step.bytes === null ? undefined : stageBytes(at.spot, step.bytes, at.names.stageName, at.cleanup));
  if (step.expected.kind === "absent") return prepareNew({ kind: "prepared", step, ...at, stage }, source);
  // A deletion keeps the old file by moving it aside, so it may have any number of names.
  const links = stage === undefined ? undefined : keepOld(at.spot, at.names.keptName, at.cleanup);
  if (links === "missing") return changed;
  const proved = await prove(at.spot, step.expected, at.cleanup);
  if (proved.kind !== "proved") return proved;
  const barred = barredFrom(proved, at.spot);
  if (barred !== undefined) return barred;
  if (stage !== undefined && links !== undefined) {
    const lost = dress(proved, stage, links, { ...at, step });
    if (lost !== undefined) return lost;
  }
  return { kind: "prepared", step, ...at, stage, proved, links };
}

/** Whether a step deletes a link or makes one: no file is opened for either. */
function isLinkStep({ expected, isLink }: SetStep): boolean {
  return isLink === true || (expected.kind === "file" && expected.isLink === true);
}

const noFiles = { stage: undefined, proved: undefined, links: undefined };

/** The expected link stands there, or nothing where one is to be made. */
function verifyLink(prepared: PreparedStep): PreparedStep | Changed {
  const { spot, step } = prepared;
  if (step.expected.kind === "absent") return statAt(spot) === undefined ? prepared : changed;
  return isLinkOf(spot, step.expected.sha256) ? prepared : changed;
}

function isLinkOf(spot: Spot, sha256: string): boolean {
  const link = readLinkAt(spot);
  return link !== undefined && digest(link.bytes) === sha256;
}

function prepareNew(
  at: Omit<PreparedStep, "proved" | "links">,
  source: PreparedStep | undefined,
): PreparedStep | Changed | Refusal {
  const { stage, spot } = at;
  if (stage === undefined) throw new Error("a step deletes a file that is not there");
  if (statAt(spot) !== undefined) return changed;
  if (source?.proved === undefined) {
    giveNewMode(stage, at.step.access);
    makeDurable(stage);
  } else {
    const lost = dress(source.proved, stage, 1n, { ...source, step: at.step });
    if (lost !== undefined) return lost;
  }
  return { ...at, proved: undefined, links: undefined };
}

/** Stages large content while others have their turns. */
export async function stageLarge(
  bytes: Uint8Array,
  { spot, names, cleanup }: Pick<PreparedStep, "spot" | "names" | "cleanup">,
): Promise<Stage> {
  const stage = await makeLargeStage(spot, bytes, names.stageName, cleanup);
  cleanup.keepStage();
  return stage;
}

function stageBytes(spot: Spot, bytes: Uint8Array, name: string, cleanup: Cleanup): Stage {
  const stage = makeStage(spot, bytes, name, cleanup);
  // The record has its name from here on, so recovery can clear it up.
  cleanup.keepStage();
  return stage;
}

/** Gives the old file a second name; where there are no links, a durable copy stands in for it. */
function keepOld(spot: Spot, keptName: string, cleanup: Cleanup): bigint | "missing" {
  try {
    linkSync(spot.folder.at(spot.name), spot.folder.at(keptName));
    return 2n;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "missing";
    if (!linkless.has(codeOf(error))) throw error;
  }
  const opened = openFile(spot);
  if (opened.kind === "refusal") return "missing";
  cleanup.closes(opened.fd);
  const size = Number(opened.stat.size);
  const bytes = readUpTo(opened.fd, size, size);
  if (bytes === undefined) return "missing";
  const copy = stageBytes(spot, bytes, keptName, cleanup);
  keepAttributes(opened, copy.fd);
  makeDurable(copy);
  return 1n;
}

function dress(
  proved: ProvedFile,
  stage: Stage,
  links: bigint,
  { spot, names, step }: Pick<PreparedStep, "spot" | "names" | "step">,
): Refusal | undefined {
  const { nlink } = proved.stat;
  if (nlink > links) return severalNames(spot, nlink - links + 1n, names.keptName);
  const lost = keepAttributes(proved, stage.fd);
  if (lost === undefined && step.executable !== undefined) giveBit(stage.fd, step.executable);
  if (lost === undefined) makeDurable(stage);
  return lost;
}

/** Looks once more whether the target is the expected file; one that only moved is proved again. */
export function verifyTarget(prepared: PreparedStep): PreparedStep | Changed | Refusal {
  const { spot, step, proved, stage, links, cleanup } = prepared;
  if (isLinkStep(step)) return verifyLink(prepared);
  const now = statAt(spot);
  if (step.expected.kind === "absent") return now === undefined ? prepared : changed;
  if (proved === undefined || now === undefined || !now.isFile()) return changed;
  if (sameIdentity(identityOf(now), identityOf(proved.stat))) return prepared;
  const again = verify(spot, step.expected, cleanup);
  if (again.kind !== "proved") return again;
  if (stage !== undefined && links !== undefined) {
    const lost = dress(again, stage, links, prepared);
    if (lost !== undefined) return lost;
  }
  return { ...prepared, proved: again };
}

/** The step itself. `changed` if another program was first: what it put there stands again, or is given. */
export function takeStep(prepared: PreparedStep): "taken" | Changed {
  const { step, spot, stage } = prepared;
  if (step.isLink === true && step.bytes !== null) return makeLink(spot, step.bytes);
  if (stage === undefined) return moveAside(prepared);
  if (step.expected.kind === "file") return replaceOld(prepared, stage, step.expected.sha256);
  // The second name stays until the end: by it the new file is known as ours.
  return publishNew(stage, spot.folder.at(spot.name)) === "taken" ? changed : "taken";
}

function makeLink(spot: Spot, text: Uint8Array): "taken" | Changed {
  try {
    symlinkSync(Buffer.from(text), spot.folder.at(spot.name));
    return "taken";
  } catch (error) {
    if (codeOf(error) === "EEXIST") return changed;
    throw error;
  }
}

/** If another file was moved aside than the one looked at, it is put back with the rest. */
function moveAside({ step, spot, names, proved }: PreparedStep): "taken" | Changed {
  const { expected } = step;
  if (expected.kind === "absent") throw new Error("nothing is there to delete");
  renameSync(spot.folder.at(spot.name), spot.folder.at(names.keptName));
  const aside = { ...spot, name: names.keptName };
  const kept = statAt(aside);
  const isExpected =
    proved === undefined
      ? isLinkOf(aside, expected.sha256)
      : kept !== undefined && isSameFile(kept, proved.stat) && provedAgain(proved, expected.sha256, true);
  return isExpected ? "taken" : changed;
}

/** Exchanges the names where that can be done; what came out stays under the stage's name until the end. */
function replaceOld(
  { step, spot, proved, cleanup }: PreparedStep,
  stage: Stage,
  sha256: string,
): "taken" | Changed {
  if (proved === undefined || step.bytes === null) throw new Error("nothing is there to replace");
  const path = spot.folder.at(spot.name);
  const exchanged = spot.exchanges === true && exchangeWith(stage.path, path);
  if (exchanged === "gone") return changed;
  if (!exchanged) {
    // As for a single file: its content, and the name last.
    if (!provedAgain(proved, sha256, true)) return changed;
    const now = statAt(spot);
    if (now === undefined || !sameIdentity(identityOf(now), identityOf(proved.stat))) return changed;
    renameOver(stage.path, path);
    return "taken";
  }
  const { bytes, keepOpen = false } = step;
  const found = verifyExchanged(spot, { stage, bytes, proved, sha256, cleanup, keepOpen, keepsStage: true });
  return found ?? "taken";
}

/** The new file of a step that was taken back, open: another program may have opened it in between. */
export function takenAway({ step, stage, cleanup }: PreparedStep): SetStopped["takenAway"] & object {
  if (stage === undefined || step.bytes === null || step.keepOpen !== true) return [];
  const { realPath, after } = step.entry;
  if (after === null) return [];
  cleanup.leavesOpen(stage.fd);
  const { mtimeNs } = fstatSync(stage.fd, { bigint: true });
  const known = { size: BigInt(step.bytes.length), mtimeNs, sha256: after };
  return [{ realPath, sha256: after, file: new OpenReplacedFile(stage.fd, known).hold() }];
}

/** What else is known of a step after the whole set, for the answer. */
export function landedOf({ step, proved, cleanup }: PreparedStep): Partial<Committed> {
  const { expected, keepOpen } = step;
  if (proved === undefined || expected.kind === "absent") return {};
  return displacedBy(proved, expected.sha256, cleanup, keepOpen);
}
