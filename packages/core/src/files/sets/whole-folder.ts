import { escapeForDisplay } from "../../text/index.js";
import type { Call } from "../access/call.js";
import type { Ticket } from "../access/session.js";
import { removeEmptyFolders } from "../change/empty-folders.js";
import { excludedByOwner } from "../ignore/ignore-rules.js";
import { makeFolder } from "../reading/folders.js";
import { walkTree } from "../reading/tree-walk.js";
import { currentBase, shownBase } from "../values/base.js";
import type { Disk, Target } from "../values/disk.js";
import type { ApplyChangesOutcome } from "../values/outcomes.js";
import { outsideFolder, tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { ApplyChangesRequest, Asked, FileChange } from "../values/requests.js";
import { TimeBudget } from "../values/time-budget.js";

/**
 * A request of which one change names a whole folder, as the changes of all files in it. Its folders are no part of
 * the set: they are made and taken away around it, and only while they are empty.
 */
interface FolderChange {
  readonly kind: "folder_change";
  readonly request: Asked<ApplyChangesRequest> & { readonly changes: readonly FileChange[] };
  /** As the request names it. */
  readonly path: string;
  readonly renameTo?: string;
  /** The folders below it, an outer one before those in it; relative to it. */
  readonly folders: readonly string[];
}

/**
 * Spreads the change of a folder over the files in it.
 *
 * @returns undefined where the request names none. A refusal where not all of the folder can be changed: what is no
 *   file, what is kept from these tools, a place that is taken.
 */
export async function spreadFolder(
  call: Call,
  request: Asked<ApplyChangesRequest>,
  ticket: Ticket,
): Promise<FolderChange | Refusal | undefined> {
  const [change, ...others] = "changes" in request ? request.changes : [];
  if (change?.wholeFolder !== true || change.isCopy === true || others.length > 0) return undefined;
  const path = tidyPath(change.path);
  if (isRefusal(path)) return path;
  await ticket.turn();
  const { disk } = call.session.ports;
  // Of a link the link is meant, not the folder that it leads to.
  const target = await disk.enter(path.path, "allow", "entry");
  if (isRefusal(target)) return target;
  try {
    const entry = await target.look();
    if (isRefusal(entry)) return entry;
    if (entry.kind !== "directory") return undefined;
    const flaw =
      outsideFolder(target.relativePath, change.within) ?? (await refuseGoal(disk, target, change));
    return flaw ?? (await changesBelow(call, target, { request, change, path: path.path }));
  } finally {
    await target.close();
  }
}

/** What cannot be the new name of a folder: a place that is taken, or one in the folder itself. */
async function refuseGoal(
  disk: Disk,
  folder: Target,
  { renameTo, within }: FileChange,
): Promise<Refusal | undefined> {
  if (renameTo === undefined) return undefined;
  const path = tidyPath(renameTo);
  if (isRefusal(path)) return path;
  const goal = await disk.enter(path.path, "allow", "entry");
  if (isRefusal(goal)) return goal;
  try {
    if (`${goal.realPath}/`.startsWith(`${folder.realPath}/`))
      return refuse("invalid_arguments", "A folder cannot be moved into itself. Nothing was changed.");
    const entry = await goal.look();
    if (isRefusal(entry)) return entry;
    const shown = escapeForDisplay(path.path);
    return entry.kind === "missing"
      ? outsideFolder(goal.relativePath, within)
      : refuse("exists", `${shown} exists already. Nothing was changed.`);
  } finally {
    await goal.close();
  }
}

interface Asking {
  readonly request: Asked<ApplyChangesRequest>;
  readonly change: FileChange;
  readonly path: string;
}

async function changesBelow(
  { session, agreed, isPreview }: Call,
  target: Target,
  { request, change, path }: Asking,
): Promise<FolderChange | Refusal> {
  const { ports, limits } = session;
  const { wholeFolder: _, renameTo, ...rest } = change;
  const changes: FileChange[] = [];
  const folders: string[] = [];
  let flaw: Refusal | undefined;
  const budget = new TimeBudget(ports, limits.searchMs);
  const options = { depth: Number.POSITIVE_INFINITY, all: "kept", sizes: "none", budget } as const;
  const walked = await walkTree(
    ports.disk,
    target,
    path,
    options,
    async ({ entry, folder, below, ...found }) => {
      flaw = await refuseEntry(ports.disk, folder, entry, found.path);
      if (entry.kind === "directory") folders.push(below);
      else {
        const to = renameTo === undefined ? {} : { renameTo: `${renameTo}/${below}` };
        // What was shown under a link's name is another file.
        const base = entry.kind === "link" ? currentBase : shownBase;
        changes.push({ base, ...rest, ...to, path: found.path });
      }
      return flaw === undefined;
    },
  );
  if (isRefusal(walked)) return walked;
  if (flaw !== undefined) return flaw;
  if (walked.closed.length > 0) return refuse("permission_denied", `${escapeForDisplay(path)} ${closedTo}`);
  if (walked.more !== undefined) return refuse("too_large", `${escapeForDisplay(path)} ${tooMuch}`);
  // Without a file there is nothing that a person could be shown.
  if (changes.length === 0 && (isPreview || agreed !== undefined || session.readOnly))
    return refuse(
      "is_directory",
      `${escapeForDisplay(path)} is a folder without a file. Nothing was changed.`,
    );
  const spread = { ...request, changes };
  return {
    kind: "folder_change",
    request: spread,
    path,
    folders,
    ...(renameTo === undefined ? {} : { renameTo }),
  };
}

const tooMuch =
  "holds more than can be changed together. Nothing was changed; change what is in it one by one.";

const closedTo = "holds a folder that may not be entered, so it stays as it is. Nothing was changed.";

async function refuseEntry(
  disk: Disk,
  folder: Target,
  entry: { readonly name: string; readonly kind: string; readonly openable: boolean },
  path: string,
): Promise<Refusal | undefined> {
  if (!entry.openable || entry.kind === "other") {
    const what = `${escapeForDisplay(path)} is no file that these tools can change`;
    return refuse("not_a_file", `${what}, so the folder stays as it is. Nothing was changed.`);
  }
  const child = await folder.child(entry.name);
  if (isRefusal(child)) return child;
  try {
    const excluded = await excludedByOwner(disk, child);
    // Its name is none of the caller's business.
    return excluded?.code === "ignored_path" ? keptAway : excluded;
  } finally {
    await child.close();
  }
}

const keptAway = refuse(
  "ignored_path",
  "The folder holds something that its owner keeps from these tools, so it stays as it is. Nothing was changed.",
);

/** Carries the set out with `carry`, unless there is no file in it, and makes and takes away the folders. */
export async function carryOutFolder(
  { session }: Call,
  { request, path, renameTo, folders }: FolderChange,
  carry: () => Promise<ApplyChangesOutcome>,
): Promise<ApplyChangesOutcome> {
  const outcome = request.changes.length === 0 ? emptyFolder(path, renameTo) : await carry();
  if (!outcome.success) return { ...outcome, folder: path };
  for (const below of ["", ...folders]) {
    const made = renameTo === undefined ? undefined : await makeFolder(session, join(renameTo, below));
    if (made !== undefined && isRefusal(made) && request.changes.length === 0)
      return { ...made, success: false, files: [], folder: path };
  }
  const left = await removeEmptyFolders(session.ports.disk, [
    path,
    ...folders.map((below) => join(path, below)),
  ]);
  return { ...outcome, folder: path, message: left ? `${outcome.message} ${stays(path)}` : outcome.message };
}

function emptyFolder(path: string, renameTo: string | undefined): ApplyChangesOutcome {
  const to = renameTo === undefined ? "deleted" : `renamed to ${escapeForDisplay(renameTo)}`;
  const message = `The folder ${escapeForDisplay(path)} held no file; it was ${to}.`;
  return { kind: "change_set", success: true, code: "applied", message, files: [] };
}

function stays(path: string): string {
  return `The folder ${escapeForDisplay(path)} itself stays: something was put there meanwhile, or it may not be removed.`;
}

function join(folder: string, below: string): string {
  return below === "" ? folder : `${folder}/${below}`;
}
