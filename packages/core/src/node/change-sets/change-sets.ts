import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import {
  type Changed,
  type ChangeSets,
  DiskFault,
  type SetCommitted,
  type SetStep,
  type SetStopped,
} from "../../files/index.js";
import { isRefusal, type Refusal } from "../../files/values/index.js";
import { spotOf } from "../commit/disk-target.js";
import { afterStep, changed, lostLock } from "../commit/exchanged.js";
import { Cleanup, newStageName, waitForSet } from "../commit/stage.js";
import { faultFrom, quietly, refusalFrom, refusalOrFault } from "../disk/platform.js";
import { removeQuietly, sliceBytes } from "../disk/reading.js";
import type { Presence } from "../state-folder/sessions.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { commitAlone } from "./alone.js";
import { decideRecord, logRecord, type WriteRecord, writeRecord } from "./record.js";
import { clear, forget, inOrder, type OpenStep, syncFolders, type TakenBack, takeBack } from "./recovery.js";
import {
  landedOf,
  type PreparedStep,
  prepareStep,
  stageLarge,
  takenAway,
  takeStep,
  verifyTarget,
} from "./step.js";

/** Change sets on this disk, journaled in the state folder. */
export function openChangeSets(state: StateFolder, presence: Pick<Presence, "show">): ChangeSets {
  return {
    commit: async (id, steps, guard) => {
      let begin: () => Promise<SetCommitted | SetStopped>;
      try {
        presence.show();
        begin = beginCommit(state, id, steps, guard);
      } catch (error) {
        return refusalOrFault(error, `the state folder ${state.path}`);
      }
      return begin();
    },
  };
}

/** Records what a set is about to do, and gives what does it. Throws the system's error. */
function beginCommit(
  state: StateFolder,
  id: string | undefined,
  steps: readonly SetStep[],
  guard: () => Promise<boolean>,
): () => Promise<SetCommitted | SetStopped> {
  const [first] = steps;
  if (id === undefined) {
    if (first === undefined || steps.length > 1)
      throw new Error("several files are written as a set with an id");
    return () => commitAlone(state, first, guard);
  }
  const record = recordOf(id, steps);
  const path = writeRecord(state, record);
  return () => new SetCommit(state, record, path, steps).run(guard);
}

function recordOf(id: string, steps: readonly SetStep[]): WriteRecord {
  return {
    id,
    steps: steps.map(({ entry }) => ({ entry, stageName: newStageName(), keptName: newStageName() })),
    folders: missingFolders(steps),
  };
}

/** The commit of one change set, from its record to its end. */
class SetCommit {
  private readonly cleanups: Cleanup[] = [];
  private readonly openSteps: OpenStep[] = [];
  private readonly prepared: PreparedStep[] = [];
  private readonly taken: PreparedStep[] = [];
  /** The step that is being worked on. */
  private at = 0;
  private begun = false;

  constructor(
    private readonly state: StateFolder,
    private readonly record: WriteRecord,
    private readonly path: string,
    private readonly steps: readonly SetStep[],
  ) {}

  async run(guard: () => Promise<boolean>): Promise<SetCommitted | SetStopped> {
    try {
      const stopped = await this.commit(guard);
      return stopped ?? this.finish();
    } finally {
      for (const cleanup of this.cleanups) cleanup.run();
    }
  }

  /** Up to the decision. A failure before it takes all steps back. */
  private async commit(guard: () => Promise<boolean>): Promise<SetStopped | undefined> {
    try {
      const stopped = (await this.stageAll()) ?? (await this.lookAll(guard)) ?? this.takeAll();
      if (stopped !== undefined) return this.giveUp(stopped);
      syncFolders(this.openSteps);
      decideRecord(this.path, "committed");
      return undefined;
    } catch (error) {
      return this.giveUpAfter(error);
    }
  }

  private async stageAll(): Promise<Changed | Refusal | undefined> {
    for (const [at, step] of this.steps.entries()) {
      this.at = at;
      const target = await step.enter();
      if (isRefusal(target)) return target;
      const [spot, names, cleanup] = [spotOf(target), this.record.steps[at], new Cleanup()];
      if (spot === undefined || names === undefined) throw new Error("a step of a change set has no place");
      this.cleanups.push(cleanup);
      this.openSteps.push({ names, folder: spot.folder, exchanges: spot.exchanges });
      if (step.expected.kind === "file") await waitForSet(spot);
      const source = this.prepared.find((other) => other.step.entry.realPath === step.movedFrom);
      const { bytes } = step;
      const isLarge = bytes !== null && bytes.length > sliceBytes && step.isLink !== true;
      const place = { spot, names, cleanup };
      const stage = isLarge ? await stageLarge(bytes, place) : undefined;
      const prepared = await prepareStep(step, place, source, stage);
      if (prepared.kind !== "prepared") return prepared;
      this.prepared.push(prepared);
    }
    syncFolders(this.openSteps);
    return undefined;
  }

  private async lookAll(guard: () => Promise<boolean>): Promise<Changed | Refusal | undefined> {
    const [first] = this.prepared;
    if (first !== undefined && !(await guard())) return lostLock(first.spot);
    for (const at of this.prepared.keys()) {
      const answer = this.lookAt(at);
      if (answer.kind !== "prepared") return answer;
    }
    return undefined;
  }

  private takeAll(): Changed | Refusal | undefined {
    for (const prepared of inOrder(this.prepared, ({ names }) => names)) {
      const answer = this.lookAt(this.prepared.indexOf(prepared));
      if (answer.kind !== "prepared") return answer;
      this.begun = true;
      const taken = takeStep(answer);
      if (taken !== "taken") return taken;
      this.taken.push(answer);
    }
    return undefined;
  }

  private lookAt(at: number): PreparedStep | Changed | Refusal {
    const prepared = this.prepared[at];
    if (prepared === undefined) throw new Error("a step of a change set was not prepared");
    this.at = at;
    const answer = verifyTarget(prepared);
    if (answer.kind === "prepared") this.prepared[at] = answer;
    return answer;
  }

  private giveUp(reason: Changed | Refusal): SetStopped {
    const { overwritten, displaced } = this.begun ? this.takeBack() : nothingTaken;
    forget(this.record, this.path, this.openSteps);
    return {
      kind: "set_stopped",
      at: this.at,
      reason,
      leftAlone: overwritten,
      displaced: displaced.map(({ names, bytes }) => ({ realPath: names.entry.realPath, bytes })),
      takenAway: this.taken.flatMap(takenAway),
    };
  }

  private takeBack(): TakenBack {
    try {
      return takeBack(this.openSteps);
    } catch (error) {
      throw faultFrom(error, this.shown, "divided");
    }
  }

  private giveUpAfter(error: unknown): SetStopped {
    const reason = refusalFrom(error, this.shown);
    if (reason !== undefined) return this.giveUp(reason);
    const fault = faultFrom(error, this.shown);
    if (!isDivided(fault)) this.giveUp(changed);
    throw fault;
  }

  /** After the decision nothing is refused any more; recovery clears up what cannot be cleared up now. */
  private finish(): SetCommitted {
    const recorded = quietly(() => logRecord(this.state, this.record));
    const { whole } = clear(this.openSteps);
    if (recorded && whole) removeQuietly(this.path);
    const files = this.prepared.map((step) => afterStep<never>(step.spot, [() => landedOf(step)]));
    return { kind: "set_committed", files };
  }

  private get shown(): string {
    return this.steps[this.at]?.entry.realPath ?? this.state.path;
  }
}

const nothingTaken: TakenBack = { overwritten: [], foreign: [], displaced: [] };

/** A set that could not be taken back is left to recovery. */
function isDivided(fault: unknown): boolean {
  return fault instanceof DiskFault && fault.state === "divided";
}

/** The folders that `SetStep.enter` will make, the outermost first. */
function missingFolders(steps: readonly SetStep[]): readonly string[] {
  const missing = new Set<string>();
  for (const { entry } of steps) {
    const above: string[] = [];
    for (let path = dirname(entry.realPath); !missing.has(path) && isMissing(path); path = dirname(path)) {
      above.push(path);
    }
    for (const path of above.toReversed()) missing.add(path);
  }
  return [...missing];
}

function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
