import { closeSync, fstatSync, linkSync, openSync, renameSync, unlinkSync } from "node:fs";
import type {
  Changed,
  CommitOptions,
  Committed,
  Expected,
  ExpectedFile,
  Refusal,
} from "../../files/index.js";
import { cannotPreserve, keepAttributes } from "../disk/attributes.js";
import { faultFrom, refusalFrom } from "../disk/faults.js";
import { codeOf, openFlags, renameOver } from "../disk/platform.js";
import { identityOf, type Spot, statAt } from "../disk/reading.js";
import { exchange, swapNameOf } from "./exchange.js";
import { proveExchanged } from "./exchanged.js";
import { writeInPlace } from "./in-place.js";
import { Cleanup, giveNewMode, makeDurable, makeStage, newStageName, type Stage } from "./stage.js";
import { barredFrom, changed, displacedBy, lookAgain, lostLock, type Target, verify } from "./target.js";

/**
 * The commit protocol: stage beside the target, make durable, look again, take the step, make the folder
 * durable. Everything is undone on every way out but the last.
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
    const target = verify(spot, expected, cleanup);
    if (target.kind !== "target") return target;
    const barred = barredFrom(target, spot);
    if (barred !== undefined) return barred;
    if (options.inPlace) {
      return await writeInPlace(spot, bytes, { expected, target, guard: options.guard, cleanup });
    }
    return await replaceFile(spot, bytes, { expected, target, options, cleanup });
  } catch (error) {
    const refusal = refusalFrom(error, spot.shown);
    if (refusal === undefined) throw faultFrom(error, spot.shown);
    return refusal;
  } finally {
    cleanup.run();
  }
}

/** Deletes the file in one step under the same expectation. */
export async function removeFile(
  spot: Spot,
  expected: ExpectedFile,
  guard: () => Promise<boolean>,
): Promise<Committed | Changed | Refusal> {
  const cleanup = new Cleanup();
  try {
    const target = verify(spot, expected, cleanup);
    if (target.kind !== "target") return target;
    const barred = barredFrom(target, spot);
    if (barred !== undefined) return barred;
    if (!(await guard())) return lostLock(spot);
    const last = lookAgain(spot, expected, target, cleanup);
    if (last.kind !== "target") return last;
    unlinkSync(spot.folder.at(spot.name));
    return settle(spot, undefined, () => displacedBy(last, expected.sha256, cleanup));
  } catch (error) {
    const refusal = refusalFrom(error, spot.shown);
    if (refusal === undefined) throw faultFrom(error, spot.shown);
    return refusal;
  } finally {
    cleanup.run();
  }
}

async function createFile(
  spot: Spot,
  bytes: Uint8Array,
  options: CommitOptions,
  cleanup: Cleanup,
): Promise<Committed | Changed | Refusal> {
  if (statAt(spot) !== undefined) return changed;
  const stage = makeStage(spot, bytes, options.stageName ?? newStageName(), cleanup);
  giveNewMode(stage);
  makeDurable(stage);
  if (!(await options.guard())) return lostLock(spot);
  const placed = placeNew(stage, spot.folder.at(spot.name));
  if (placed === "taken") return changed;
  return settle(spot, stage, () => {
    if (placed === "linked") unlinkSync(stage.path);
    cleanup.keepStage();
    return {};
  });
}

interface Replacement {
  readonly expected: ExpectedFile;
  readonly target: Target;
  readonly options: CommitOptions;
  readonly cleanup: Cleanup;
}

async function replaceFile(
  spot: Spot,
  bytes: Uint8Array,
  { expected, target, options, cleanup }: Replacement,
): Promise<Committed | Changed | Refusal> {
  if (target.stat.nlink > 1n) return cannotPreserve(`it has ${target.stat.nlink} names (hard links)`);
  const name = options.stageName ?? newStageName();
  const made = makeStage(spot, bytes, name, cleanup);
  const lost = keepAttributes(target, made.fd);
  if (lost !== undefined) return lost;
  makeDurable(made);
  if (!(await options.guard())) return lostLock(spot);
  const stage = spot.exchanges === true ? underSwapName(spot, made, name, cleanup) : made;
  const last = lookAgain(spot, expected, target, cleanup, stage);
  if (last.kind !== "target") return last;
  const path = spot.folder.at(spot.name);
  const exchanged = spot.exchanges === true && exchangeWith(stage.path, path);
  if (exchanged === "gone") return changed;
  if (!exchanged) renameOver(stage.path, path);
  cleanup.keepStage();
  const found = exchanged
    ? afterStep(spot, () =>
        proveExchanged(spot, {
          stage,
          bytes,
          target: last,
          sha256: expected.sha256,
          cleanup,
          hold: options.hold === true,
        }),
      )
    : "right";
  if (found !== "right") return found;
  return settle(spot, stage, () => displacedBy(last, expected.sha256, cleanup, options.hold));
}

/** By this name recovery knows that the stage is whole: what bears it later may be what came out of a swap. */
function underSwapName(spot: Spot, stage: Stage, name: string, cleanup: Cleanup): Stage {
  const swapName = swapNameOf(name);
  const ready = { fd: stage.fd, path: spot.folder.at(swapName) };
  renameSync(stage.path, ready.path);
  cleanup.removes(ready);
  return ready;
}

function exchangeWith(stagePath: string, path: string): boolean | "gone" {
  try {
    return exchange(stagePath, path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "gone";
    throw error;
  }
}

/** After the step: the folder made durable; a failure from here on cannot say that nothing was changed. */
function settle(spot: Spot, stage: Stage | undefined, finish: () => Partial<Committed>): Committed {
  return afterStep(spot, () => {
    const found = finish();
    spot.folder.sync();
    if (stage === undefined) return { kind: "committed", ...found };
    const identity = identityOf(fstatSync(stage.fd, { bigint: true }));
    return { kind: "committed", identity, ...found };
  });
}

/** A failure now leaves the new state visible, and is told so. */
function afterStep<T>(spot: Spot, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw faultFrom(error, spot.shown, "visible");
  }
}

/** Gives the stage its name if nothing has it; `taken` where somebody was first. */
export function placeNew(stage: Pick<Stage, "path">, targetPath: string): "linked" | "renamed" | "taken" {
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
    closeSync(openSync(targetPath, openFlags.create, 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** What a file system without hard links answers. */
export const linkless: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);
