import { fstatSync, linkSync, renameSync } from "node:fs";
import { basename } from "node:path";
import type { Changed, Committed, Refusal, SetStep } from "../../files/index.js";
import { linkless, publishNew } from "../commit/commit.js";
import { barredFrom, changed, displacedBy, type ProvedFile, verify } from "../commit/proved-file.js";
import { hashNow } from "../commit/real-path.js";
import { type Cleanup, giveNewMode, makeDurable, makeStage, type Stage } from "../commit/stage.js";
import { cannotPreserve, keepAttributes } from "../disk/attributes.js";
import type { Folder } from "../disk/folder.js";
import { codeOf, renameOver } from "../disk/platform.js";
import { identityOf, openFile, readUpTo, type Spot, sameIdentity, statAt } from "../disk/reading.js";
import type { RecordedStep } from "./record.js";

/** One step of a change set, with its open files. */
export interface PreparedStep {
  readonly kind: "prepared";
  readonly step: SetStep;
  readonly spot: Spot;
  readonly names: RecordedStep;
  readonly cleanup: Cleanup;
  /** The new content; undefined for a deletion. */
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
 */
export function prepareStep(
  step: SetStep,
  at: Pick<PreparedStep, "spot" | "names" | "cleanup">,
  source: PreparedStep | undefined,
): PreparedStep | Changed | Refusal {
  const stage =
    step.bytes === null ? undefined : stageBytes(at.spot, step.bytes, at.names.stageName, at.cleanup);
  if (step.expected.kind === "absent") return prepareNew({ kind: "prepared", step, ...at, stage }, source);
  // A deletion keeps the old file by moving it aside, so it may have any number of names.
  const links = stage === undefined ? undefined : keepOld(at.spot, at.names.keptName, at.cleanup);
  if (links === "missing") return changed;
  const proved = verify(at.spot, step.expected, at.cleanup);
  if (proved.kind !== "proved") return proved;
  const barred = barredFrom(proved, at.spot);
  if (barred !== undefined) return barred;
  if (stage !== undefined && links !== undefined) {
    const lost = dress(proved, stage, links);
    if (lost !== undefined) return lost;
  }
  return { kind: "prepared", step, ...at, stage, proved, links };
}

function prepareNew(
  at: Omit<PreparedStep, "proved" | "links">,
  source: PreparedStep | undefined,
): PreparedStep | Changed | Refusal {
  const { stage, spot } = at;
  if (stage === undefined) throw new Error("a step deletes a file that is not there");
  if (statAt(spot) !== undefined) return changed;
  if (source?.proved === undefined) {
    giveNewMode(stage);
    makeDurable(stage);
  } else {
    const lost = dress(source.proved, stage, 1n);
    if (lost !== undefined) return lost;
  }
  return { ...at, proved: undefined, links: undefined };
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

function dress(proved: ProvedFile, stage: Stage, links: bigint): Refusal | undefined {
  if (proved.stat.nlink > links) return cannotPreserve("it has several names (hard links)");
  const lost = keepAttributes(proved, stage.fd);
  if (lost === undefined) makeDurable(stage);
  return lost;
}

/** Looks once more whether the target is the expected file; one that only moved is proved again. */
export function lookOnce(prepared: PreparedStep): PreparedStep | Changed | Refusal {
  const { spot, step, proved, stage, links, cleanup } = prepared;
  const now = statAt(spot);
  if (step.expected.kind === "absent") return now === undefined ? prepared : changed;
  if (proved === undefined || now === undefined || !now.isFile()) return changed;
  if (sameIdentity(identityOf(now), identityOf(proved.stat))) return prepared;
  const again = verify(spot, step.expected, cleanup);
  if (again.kind !== "proved") return again;
  if (stage !== undefined && links !== undefined) {
    const lost = dress(again, stage, links);
    if (lost !== undefined) return lost;
  }
  return { ...prepared, proved: again };
}

/** The step itself, one system call. `changed` if another program was first. */
export function takeStep({ step, spot, stage, proved, names }: PreparedStep): "taken" | Changed {
  const [path, keptPath] = [spot.folder.at(spot.name), spot.folder.at(names.keptName)];
  if (stage === undefined) {
    renameSync(path, keptPath);
    const kept = statAt({ ...spot, name: names.keptName });
    // If another file was moved aside than the one looked at, it is put back with the rest.
    return kept?.ino === proved?.stat.ino ? "taken" : changed;
  }
  if (step.expected.kind === "file") {
    renameOver(stage.path, path);
    return "taken";
  }
  // The second name stays until the end: by it the new file is known as ours.
  return publishNew(stage, path) === "taken" ? changed : "taken";
}

/** The new file after the whole set, for the answer. */
export function landedOf({ step, stage, proved, cleanup }: PreparedStep): Committed {
  const { expected, keepOpen } = step;
  const displaced =
    proved === undefined || expected.kind === "absent"
      ? {}
      : displacedBy(proved, expected.sha256, cleanup, keepOpen);
  if (stage === undefined) return { kind: "committed", ...displaced };
  return { kind: "committed", identity: identityOf(fstatSync(stage.fd, { bigint: true })), ...displaced };
}

/** The state of one step, by the disk alone. */
export type StepState =
  /** As before the set. */
  | "old"
  /** The step was taken, and its result is on the disk. */
  | "new"
  /** Somebody else wrote there after the step was taken. */
  | "overwritten"
  /** The step was not taken, and the file is not as before it, either. */
  | "foreign";

/** The state of a step, by the names beside the target, which nobody else knows. Throws the system's error. */
export function stateOf(folder: Folder, { entry, stageName, keptName }: RecordedStep): StepState {
  const name = basename(entry.realPath);
  const at = (each: string) => statAt({ folder, name: each, shown: each });
  const [now, stage, kept] = [at(name), at(stageName), at(keptName)];
  const hashOnDisk = hashNow(folder, entry.realPath);
  const taken =
    entry.after === null
      ? kept !== undefined
      : entry.before === null
        ? stage === undefined
          ? hashOnDisk === entry.after
          : now !== undefined && now.ino === stage.ino
        : stage === undefined && kept !== undefined;
  if (!taken) return hashOnDisk === entry.before ? "old" : "foreign";
  if (hashOnDisk === entry.after) return "new";
  return hashOnDisk === entry.before ? "old" : "overwritten";
}

/**
 * Takes back a step in the state `new`, to the very same file. Throws the system's error.
 *
 * @returns false if another program wrote there first; its file stays.
 */
export function putBack(folder: Folder, { entry, stageName, keptName }: RecordedStep): boolean {
  const path = folder.at(basename(entry.realPath));
  const keptPath = folder.at(keptName);
  if (entry.after === null) return publishNew({ path: keptPath }, path) !== "taken";
  if (entry.before !== null) {
    renameOver(keptPath, path);
    return true;
  }
  const stage = statAt({ folder, name: stageName, shown: stageName });
  renameSync(path, keptPath);
  const moved = statAt({ folder, name: keptName, shown: keptName });
  if (stage === undefined || moved?.ino === stage.ino) return true;
  publishNew({ path: keptPath }, path);
  return false;
}
