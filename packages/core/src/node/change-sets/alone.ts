import type {
  Changed,
  Committed,
  HistoryEntry,
  SetCommitted,
  SetStep,
  SetStopped,
  Target,
} from "../../files/index.js";
import type { Refusal } from "../../files/values/index.js";
import { isRefusal } from "../../files/values/index.js";
import { commitFile, removeFile } from "../commit/commit.js";
import { spotOf } from "../commit/disk-target.js";
import { answering } from "../disk/platform.js";
import { sha256 } from "../disk/reading.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { beginWrite } from "./record.js";

/**
 * The commit of one file. The exchange of its names is the decision: nothing is to be taken back, so the announcement
 * of the write is all the record that it needs.
 */
export async function commitAlone(
  state: StateFolder,
  step: SetStep,
  guard: () => Promise<boolean>,
): Promise<SetCommitted | SetStopped> {
  const target = await step.enter();
  if (isRefusal(target)) return stoppedBy(target);
  const { madeFolders: folders } = target;
  const entry = folders === undefined ? step.entry : { ...step.entry, folders };
  const intent = answering(`the state folder ${state.path}`, () => beginWrite(state, entry));
  if ("code" in intent) return stoppedBy(intent);
  // A throw leaves the intent behind: whoever takes the lock next finds out which state the disk is in.
  const done = await takeStep(target, step, guard, intent.stageName);
  if (done.kind !== "committed") {
    intent.dropped();
    return stoppedBy(done);
  }
  intent.done(done, { ...entry, ...statesOf(step, done) });
  return { kind: "set_committed", files: [done] };
}

function stoppedBy(reason: Changed | Refusal): SetStopped {
  return { kind: "set_stopped", at: 0, reason, leftAlone: [] };
}

function takeStep(
  target: Target,
  step: SetStep,
  guard: () => Promise<boolean>,
  stageName: string,
): Promise<Committed | Changed | Refusal> {
  const spot = spotOf(target);
  if (spot === undefined) throw new Error("a step has no place");
  const { bytes, expected } = step;
  const options = { ...step, guard, stageName };
  if (bytes !== null) return commitFile(spot, bytes, expected, options);
  if (expected.kind === "absent") throw new Error("a step deletes a file that is not there");
  return removeFile(spot, expected, options);
}

/** Other states than were announced, where the bytes came behind what another program had added before. */
function statesOf(
  { bytes, expected }: SetStep,
  { addedTo }: Committed,
): Partial<Pick<HistoryEntry, "before" | "after">> {
  if (addedTo === undefined || bytes === null || expected.kind === "absent") return {};
  const added = bytes.subarray(Number(expected.identity.size));
  return { before: sha256(addedTo), after: sha256(Buffer.concat([addedTo, added])) };
}
