import { closeSync, fstatSync, linkSync, renameSync, unlinkSync } from "node:fs";
import type {
  Changed,
  CommitOptions,
  Committed,
  Expected,
  ExpectedFile,
  Refusal,
  RemoveOptions,
} from "../../files/index.js";
import { refuseIn } from "../../files/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { inPlaceHint, keepAttributes, withoutInPlaceHint } from "../disk/attributes.js";
import { faultFrom, refusalFrom } from "../disk/faults.js";
import { closeQuietly, codeOf, openDescriptor, openFlags, renameOver, syncOpened } from "../disk/platform.js";
import { identityOf, openFile, type Spot, statAt } from "../disk/reading.js";
import { sliceBytes } from "../disk/slices.js";
import { exchange, swapNameOf, verifyExchanged, verifyQuarantined } from "./exchanged.js";
import { writeInPlace } from "./in-place.js";
import {
  barredFrom,
  changed,
  displacedBy,
  lostLock,
  type ProvedFile,
  prove,
  provedAgain,
  verifyBeforeStep,
} from "./proved-file.js";
import { severalNames, waitForSet } from "./set-links.js";
import {
  Cleanup,
  giveNewMode,
  makeDurable,
  makeLargeStage,
  makeStage,
  newStageName,
  type Stage,
} from "./stage.js";

/**
 * The commit protocol: stage beside the target, make durable, look again, take the step, make the folder
 * durable. Every exit but the last undoes everything.
 */
export async function commitFile(
  spot: Spot,
  bytes: Uint8Array,
  expected: Expected,
  options: CommitOptions,
): Promise<Committed | Changed | Refusal> {
  const cleanup = new Cleanup();
  try {
    if (expected.kind === "absent") return await createFile(spot, bytes, options, cleanup);
    if (!options.inPlace) await waitForSet(spot);
    const proved = await prove(spot, expected, cleanup, true);
    if (proved.kind !== "proved") return proved;
    const barred = barredFrom(proved, spot);
    if (barred !== undefined) return barred;
    if (options.inPlace) {
      return await writeInPlace(spot, bytes, { expected, proved, guard: options.guard, cleanup });
    }
    const done = await replaceFile(spot, bytes, { expected, proved, options, cleanup });
    return options.mayInsist === false ? withoutInPlaceHint(done) : done;
  } catch (error) {
    const mayInsist = expected.kind === "file" && !options.inPlace && options.mayInsist !== false;
    const found = mayInsist ? notReplaced(codeOf(error), spot) : undefined;
    const refusal = found ?? refusalFrom(error, spot.shown);
    if (refusal === undefined) throw faultFrom(error, spot.shown);
    return refusal;
  } finally {
    cleanup.run();
  }
}

/** Why a file was not replaced that can be written; undefined for any other reason. */
function notReplaced(code: string, spot: Spot): Refusal | undefined {
  const facts = { path: escapeForDisplay(spot.shown) };
  if (code === "EBUSY")
    return refuseIn(
      "cannot_preserve",
      `$path is a mount point, or in use: not replaced.${inPlaceHint}`,
      facts,
    );
  const opened = code === "EACCES" || code === "EPERM" ? openFile(spot, openFlags.write) : undefined;
  if (opened?.kind !== "opened") return undefined;
  closeQuietly(opened.fd);
  return refuseIn(
    "permission_denied",
    `$path is in a folder that cannot be written in.${inPlaceHint}`,
    facts,
  );
}

/**
 * Deletes the file under the same expectation: it is moved aside in one step, and what came there is held against
 * the expected file before it goes. Any other file was put there by a program without our lock, and is given back.
 */
export async function removeFile(
  spot: Spot,
  expected: ExpectedFile,
  options: RemoveOptions,
): Promise<Committed | Changed | Refusal> {
  const cleanup = new Cleanup();
  try {
    const proved = await prove(spot, expected, cleanup, true);
    if (proved.kind !== "proved") return proved;
    const barred = barredFrom(proved, spot);
    if (barred !== undefined) return barred;
    if (!(await options.guard())) return lostLock(spot);
    const folder = readyToSync(spot, cleanup);
    const last = verifyBeforeStep(spot, expected, proved, cleanup);
    if (last.kind !== "proved") return last;
    const aside = { ...spot, name: swapNameOf(options.stageName ?? newStageName()) };
    if (!moveAside(spot, aside)) return changed;
    const found = afterStep(spot, () => verifyQuarantined(spot, aside, last, expected.sha256));
    if (found !== "right") return found;
    return finishStep(spot, folder, undefined, () =>
      displacedBy(last, expected.sha256, cleanup, options.keepOpen),
    );
  } catch (error) {
    const refusal = refusalFrom(error, spot.shown);
    if (refusal === undefined) throw faultFrom(error, spot.shown);
    return refusal;
  } finally {
    cleanup.run();
  }
}

/** Returns false if the file was removed meanwhile. */
function moveAside(spot: Spot, aside: Spot): boolean {
  try {
    renameSync(spot.folder.at(spot.name), spot.folder.at(aside.name));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function createFile(
  spot: Spot,
  bytes: Uint8Array,
  options: CommitOptions,
  cleanup: Cleanup,
): Promise<Committed | Changed | Refusal> {
  if (statAt(spot) !== undefined) return changed;
  const name = options.stageName ?? newStageName();
  const isLarge = bytes.length > sliceBytes;
  const stage = isLarge
    ? await makeLargeStage(spot, bytes, name, cleanup)
    : makeStage(spot, bytes, name, cleanup);
  giveNewMode(stage, options.access);
  makeDurable(stage);
  if (!(await options.guard())) return lostLock(spot);
  const folder = readyToSync(spot, cleanup);
  const published = publishNew(stage, spot.folder.at(spot.name));
  if (published === "taken") return changed;
  return finishStep(spot, folder, stage, () => {
    if (published === "linked") unlinkSync(stage.path);
    cleanup.keepStage();
    return {};
  });
}

interface Replacement {
  readonly expected: ExpectedFile;
  readonly proved: ProvedFile;
  readonly options: CommitOptions;
  readonly cleanup: Cleanup;
}

async function replaceFile(
  spot: Spot,
  bytes: Uint8Array,
  { expected, proved, options, cleanup }: Replacement,
): Promise<Committed | Changed | Refusal> {
  if (proved.stat.nlink > 1n) return severalNames(spot, proved.stat.nlink);
  const name = options.stageName ?? newStageName();
  const isLarge = bytes.length > sliceBytes;
  const made = isLarge
    ? await makeLargeStage(spot, bytes, name, cleanup)
    : makeStage(spot, bytes, name, cleanup);
  const lost = keepAttributes(proved, made.fd);
  if (lost !== undefined) return lost;
  makeDurable(made);
  if (!(await options.guard())) return lostLock(spot);
  const folder = readyToSync(spot, cleanup);
  const stage = spot.exchanges === true ? underSwapName(spot, made, name, cleanup) : made;
  let last = verifyBeforeStep(spot, expected, proved, cleanup, stage);
  if (last.kind !== "proved") return last;
  const path = spot.folder.at(spot.name);
  const exchanged = spot.exchanges === true && exchangeWith(stage.path, path);
  if (exchanged === "gone") return changed;
  if (!exchanged) {
    // Nothing will be seen of what came out. The name last: what gets it between that look and the step is lost.
    if (!provedAgain(last, expected.sha256)) return changed;
    last = verifyBeforeStep(spot, expected, last, cleanup, stage);
    if (last.kind !== "proved") return last;
    renameOver(stage.path, path);
  }
  cleanup.keepStage();
  const found = exchanged
    ? afterStep(spot, () =>
        verifyExchanged(spot, {
          stage,
          bytes,
          proved: last,
          sha256: expected.sha256,
          cleanup,
          keepOpen: options.keepOpen === true,
        }),
      )
    : "right";
  if (found !== "right") return found;
  return finishStep(spot, folder, stage, () => displacedBy(last, expected.sha256, cleanup, options.keepOpen));
}

/** By this name recovery knows that the stage is whole; after the exchange the old file has it. */
function underSwapName(spot: Spot, stage: Stage, name: string, cleanup: Cleanup): Stage {
  const swapName = swapNameOf(name);
  const ready = { fd: stage.fd, path: spot.folder.at(swapName) };
  renameSync(stage.path, ready.path);
  cleanup.removes(ready);
  return ready;
}

/** Exchanges the two; false where that cannot be done here, `gone` if nothing has the second name any more. */
export function exchangeWith(stagePath: string, path: string): boolean | "gone" {
  try {
    return exchange(stagePath, path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "gone";
    throw error;
  }
}

/** The folder, open for its sync after the step: what fails for want of a descriptor fails before it. */
function readyToSync({ folder }: Spot, cleanup: Cleanup): number | undefined {
  const fd = folder.openForSync();
  if (fd !== undefined) cleanup.closes(fd);
  return fd;
}

/** After the step: makes the folder durable. A failure here cannot say that nothing was changed. */
function finishStep(
  spot: Spot,
  folder: number | undefined,
  stage: Stage | undefined,
  finish: () => Partial<Committed>,
): Committed {
  return afterStep(spot, () => {
    const found = finish();
    if (folder !== undefined) syncOpened(folder);
    if (stage === undefined) return { kind: "committed", ...found };
    const identity = identityOf(fstatSync(stage.fd, { bigint: true }));
    return { kind: "committed", identity, ...found };
  });
}

/** A failure now leaves the new state visible, and the fault says so. */
function afterStep<T>(spot: Spot, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw faultFrom(error, spot.shown, "visible");
  }
}

/** Gives the stage the target's name; `taken` if something has it already. */
export function publishNew(stage: Pick<Stage, "path">, targetPath: string): "linked" | "renamed" | "taken" {
  try {
    linkSync(stage.path, targetPath);
    return "linked";
  } catch (error) {
    if (codeOf(error) === "EEXIST") return "taken";
    if (!linkless.has(codeOf(error))) throw error;
  }
  // Without hard links the name is claimed by an empty file first; a kill right here leaves that.
  if (!claimNew(targetPath)) return "taken";
  renameOver(stage.path, targetPath);
  return "renamed";
}

function claimNew(targetPath: string): boolean {
  try {
    closeSync(openDescriptor(targetPath, openFlags.create, 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The error codes of file systems without hard links. */
export const linkless: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
