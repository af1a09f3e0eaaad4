import { type BigIntStats, closeSync, fstatSync, unlinkSync } from "node:fs";
import { basename } from "node:path";
import type { Changed } from "../../files/index.js";
import { defined } from "../../text/index.js";
import { sha256 as digest } from "../disk/digest.js";
import { codeOf } from "../disk/platform.js";
import { openFile, readUpTo, type Spot, statAt } from "../disk/reading.js";
import { exchange } from "./exchange.js";
import { HeldFile } from "./held.js";
import type { Cleanup, Stage } from "./stage.js";
import { provedAgain, type Target } from "./target.js";

/** An exchange that was made: the new file bears the name, and what had it lies where the stage was. */
export interface Exchanged {
  readonly stage: Stage;
  readonly bytes: Uint8Array;
  /** What should have come out, and its hash. */
  readonly target: Target;
  readonly sha256: string;
  readonly cleanup: Cleanup;
  readonly hold: boolean;
}

/**
 * Looks at what came out of the exchange. Where it is not what was expected, somebody without our lock was
 * there between the last look and the step: theirs is given back, as if nothing had happened.
 *
 * @throws the system's error; what cannot be given back now is given back by recovery.
 */
export function proveExchanged(spot: Spot, exchanged: Exchanged): "right" | Changed {
  const { stage, target, sha256 } = exchanged;
  const came = statAt(asideOf(spot, stage));
  if (came !== undefined && isSameFile(came, target.stat) && provedAgain(target, sha256)) {
    unlinkSync(stage.path);
    return "right";
  }
  return giveBack(spot, exchanged);
}

function giveBack(spot: Spot, { stage, bytes, cleanup, hold }: Exchanged): Changed {
  const aside = asideOf(spot, stage);
  const ours = fstatSync(stage.fd, { bigint: true });
  const given = back(stage.path, spot);
  const out = statAt(aside);
  const isOurs = out !== undefined && isSameFile(out, ours);
  // Somebody replaced ours meanwhile: his file is the newest, and a second exchange lets it stand.
  if (given && !isOurs) back(stage.path, spot);
  const older = isOurs ? undefined : bytesOf(aside);
  if (isOurs || older !== undefined) unlinkSync(stage.path);
  spot.folder.sync();
  const known = { size: BigInt(bytes.length), mtimeNs: ours.mtimeNs, sha256: digest(bytes) };
  const held = new HeldFile(stage.fd, known);
  const displaced = older ?? held.changed("sure");
  if (hold) cleanup.leavesOpen(stage.fd);
  return {
    kind: "changed",
    ...defined({ displaced }),
    ...(hold ? { held } : {}),
  };
}

/** False where the name is gone meanwhile: whoever took it away shall have his way. */
function back(stagePath: string, spot: Spot): boolean {
  try {
    return exchange(stagePath, spot.folder.at(spot.name));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** What was put aside; undefined for what is no file: a link or a folder stays where it lies. */
export function bytesOf(aside: Spot): Uint8Array | undefined {
  const opened = openFile(aside);
  if (opened.kind === "refusal") return undefined;
  try {
    return readUpTo(opened.fd, Number(opened.stat.size), Number.MAX_SAFE_INTEGER);
  } finally {
    closeSync(opened.fd);
  }
}

function asideOf(spot: Spot, stage: Stage): Spot {
  return { ...spot, name: basename(stage.path) };
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
