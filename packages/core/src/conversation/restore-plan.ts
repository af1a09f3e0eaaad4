import type { FileStatus } from "../files/index.js";
import { noSuchNode, unprunedNode } from "./checks.js";
import type { FileStateHash } from "./file-effects.js";
import { type FileTransition, transitionsAlong } from "./file-transitions.js";
import { byPath, Manifests } from "./manifest.js";
import type { ConversationContext } from "./node.js";
import { type ConversationRefusal, isRefusal, refuse } from "./refusal.js";
import { commonAncestor, isOnPath, nodesBelow } from "./tree-paths.js";

/** Between which nodes the files are moved. */
export type RestoreDirection =
  | {
      /** The node whose files are on the disk, as far as the conversation knows: the head. */
      readonly fromId: string;
      readonly toId: string;
    }
  | {
      readonly fromId: string;
      /** A `restore` node on the path of `fromId`: it and all that was done after it is taken back. */
      readonly undoes: string;
    };

/** What the plan asks about the world; a `Workspace` answers it. */
export interface RestoreDisk {
  /**
   * In the order of the paths.
   *
   * @param wanted the state that each is to be in; `null` where there is to be no file.
   */
  fileStates(paths: readonly string[], wanted?: readonly (string | null)[]): Promise<readonly FileStatus[]>;
  /** Those of the states whose bytes are kept; asked of files whose status does not say it. */
  keptStates(hashes: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What moving from one node to another means for the files. Nothing was changed yet. */
export interface RestorePlan {
  readonly kind: "restore_plan";
  readonly fromId: string;
  readonly toId: string;
  /** The `restoreId` of the restore that is taken back. */
  readonly undoes?: string;
  /** Every file that differs between the two nodes, sorted by path. */
  readonly files: readonly PlannedFile[];
  /** Files of which nobody knows how they were there: they stay as they are. Sorted. */
  readonly unknown: readonly string[];
}

/** What a restore would do with one file. */
export type PlannedFile =
  /** The disk is as wanted already. */
  | { readonly kind: "same"; readonly path: string; readonly sha256: FileStateHash }
  /** The disk is as the conversation left it, and the wanted bytes are kept. */
  | ({ readonly kind: "restore"; readonly from: string; readonly to: string } & Movable)
  /** The file came into being since: it is to be deleted. */
  | ({ readonly kind: "created"; readonly from: string; readonly to: null } & Movable)
  /** The file was deleted since: it is to be made again. */
  | ({ readonly kind: "deleted"; readonly from: null; readonly to: string } & Movable)
  | FileConflict;

interface Movable {
  readonly path: string;
  /** Somebody else had a part in what is taken back; what they left is kept, as every state is. */
  readonly others: boolean;
}

/** The file stays as it is unless a person consents; where that is not possible, in any case. */
export interface FileConflict {
  readonly kind: "conflict";
  readonly path: string;
  /** What is on the disk; undefined where that cannot be told. */
  readonly from: FileStateHash | undefined;
  readonly to: FileStateHash;
  /** How the conversation left it, as far as it knows. */
  readonly left: FileStateHash | undefined;
  readonly why: ConflictReason;
  /** Whether it can be carried out with consent. */
  readonly consentable: boolean;
  /** For a person. */
  readonly message: string;
}

/** Why a file is not restored without consent. */
export type ConflictReason =
  /** The disk is neither as the conversation left it nor as wanted. */
  | "changed"
  /** Only others changed the file between the two nodes. */
  | "not_ours"
  /** The wanted bytes were never kept, or are not any more. */
  | "bytes_gone"
  /** The tools do not write there: protected, secret, a folder, too large. */
  | "barred"
  /** The conversation knows the file under several names and wants different things of them. */
  | "two_names";

/**
 * What has to become of the files so that they are as at another node: for every file that differs between
 * the two, one case of a closed list. Looks at the disk and changes nothing.
 *
 * @returns `unknown_node`, `pruned_node`, or `invalid_arguments` for an undo of what is no restore above.
 */
export async function planRestore(
  context: ConversationContext,
  direction: RestoreDirection,
  disk: RestoreDisk,
  manifests = new Manifests(),
): Promise<RestorePlan | ConversationRefusal> {
  const diff =
    "undoes" in direction ? diffBack(context, direction, manifests) : diffTo(context, direction, manifests);
  if (isRefusal(diff)) return diff;
  const { files, ...ends } = diff;
  const known = files.filter(isKnown);
  const paths = known.map(({ path }) => path);
  const statuses = await disk.fileStates(
    paths,
    known.map(({ wanted }) => wanted),
  );
  const kept = await disk.keptStates(known.flatMap(({ wanted }) => wanted ?? []));
  const planned = known.map((file, at) => decide(file, statuses[at], kept));
  return {
    kind: "restore_plan",
    ...ends,
    files: oneNameEach(planned, statuses),
    unknown: files.filter((file) => !isKnown(file)).map(({ path }) => path),
  };
}

/** A file that differs between the two nodes, before anybody looked at the disk. */
interface DifferingFile {
  readonly path: string;
  readonly left: FileStateHash | undefined;
  readonly wanted: FileStateHash | undefined;
  readonly ours: boolean;
  readonly others: boolean;
}

interface KnownFile extends DifferingFile {
  readonly wanted: FileStateHash;
}

interface RestoreDiff {
  readonly fromId: string;
  readonly toId: string;
  readonly undoes?: string;
  /** Sorted by path. */
  readonly files: readonly DifferingFile[];
}

function isKnown(file: DifferingFile): file is KnownFile {
  return file.wanted !== undefined;
}

/** Up to the common ancestor, taking back one branch, and down again, redoing the other. */
function diffTo(
  context: ConversationContext,
  { fromId, toId }: { readonly fromId: string; readonly toId: string },
  manifests: Manifests,
): RestoreDiff | ConversationRefusal {
  const flaw = flawOf(context, fromId, toId);
  if (flaw !== undefined) return flaw;
  const { id } = commonAncestor(context, fromId, toId);
  const base = manifests.at(context, id);
  const terms = { naming: manifests.naming, before: (path: string) => base.get(path) };
  const back = transitionsAlong(context, nodesBelow(context, id, fromId), terms);
  const forth = transitionsAlong(context, nodesBelow(context, id, toId), terms);
  const files: DifferingFile[] = [];
  for (const path of new Set([...back.keys(), ...forth.keys()])) {
    const file = difference(path, back.get(path), forth.get(path));
    if (file !== undefined) files.push(file);
  }
  return { fromId, toId, files: files.sort(byPath) };
}

function difference(
  path: string,
  back: FileTransition | undefined,
  forth: FileTransition | undefined,
): DifferingFile | undefined {
  const left = back === undefined ? forth?.first : back.last;
  const wanted = forth === undefined ? back?.first : forth.last;
  if (left !== undefined && left === wanted) return undefined;
  const maker = back !== undefined && back.first !== back.last ? back : forth;
  return { path, left, wanted, ours: maker?.ours === true, others: maker?.others === true };
}

/** The restore and what was done after it, inverted. */
function diffBack(
  context: ConversationContext,
  { fromId, undoes }: { readonly fromId: string; readonly undoes: string },
  { naming }: Manifests,
): RestoreDiff | ConversationRefusal {
  const node = context.nodes.get(undoes);
  if (node === undefined) return noSuchNode(undoes);
  const { payload, parentId } = node;
  if (payload.kind !== "restore" || parentId === null || !isOnPath(context, undoes, fromId))
    return refuse("invalid_arguments", "Only a restore on the path to the head can be taken back.");
  const flaw = flawOf(context, fromId, payload.fromId);
  if (flaw !== undefined) return flaw;
  const nodes = nodesBelow(context, parentId, fromId);
  // What the restore left alone was on the disk then as it is here: no state above it says more.
  const terms = { naming, before: () => undefined, restoreId: payload.restoreId };
  const transitions = transitionsAlong(context, nodes, terms);
  const files: DifferingFile[] = [];
  for (const [path, transition] of transitions) {
    const file = difference(path, transition, undefined);
    if (file !== undefined) files.push(file);
  }
  return { fromId, toId: payload.fromId, undoes: payload.restoreId, files: files.sort(byPath) };
}

/** Refuses a node that is missing, and a destination that was pruned. */
function flawOf(context: ConversationContext, fromId: string, toId: string): ConversationRefusal | undefined {
  if (!context.nodes.has(fromId)) return noSuchNode(fromId);
  const target = unprunedNode(context, toId);
  return isRefusal(target) ? target : undefined;
}

function decide(file: KnownFile, status: FileStatus | undefined, kept: ReadonlySet<string>): PlannedFile {
  const { path, left, wanted, others } = file;
  const from = status?.sha256;
  if (from === wanted) return { kind: "same", path, sha256: wanted };
  const clash = (why: ConflictReason, consentable: boolean, message: string): FileConflict => {
    return { kind: "conflict", path, from, to: wanted, left, why, consentable, message };
  };
  if (from === undefined || status?.barred !== undefined)
    return clash("barred", false, status?.barred?.message ?? "What stands there cannot be told.");
  if (wanted !== null && !(status?.wantedKept ?? kept.has(wanted)))
    return clash("bytes_gone", false, bytesGone);
  if (from !== left) return clash("changed", true, changed);
  if (!file.ours) return clash("not_ours", true, notOurs);
  if (from === null)
    return wanted === null
      ? { kind: "same", path, sha256: null }
      : { kind: "deleted", path, from, to: wanted, others };
  return wanted === null
    ? { kind: "created", path, from, to: wanted, others }
    : { kind: "restore", path, from, to: wanted, others };
}

/** A file under several names is planned once, if the same is wanted of all of them. */
function oneNameEach(
  planned: readonly PlannedFile[],
  statuses: readonly FileStatus[],
): readonly PlannedFile[] {
  const groups = new Map<string, PlannedFile[]>();
  for (const [at, file] of planned.entries()) {
    const key = statuses[at]?.realPath ?? `unreached ${file.path}`;
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  return [...groups.values()].flatMap(oneOf).sort(byPath);
}

function oneOf(names: readonly PlannedFile[]): readonly PlannedFile[] {
  const [first] = names;
  if (first === undefined || names.length === 1) return names;
  const agreed = names.every((file) => wantedOf(file) === wantedOf(first));
  if (agreed) return [names.find(({ kind }) => kind !== "conflict") ?? first];
  const others = names.map(({ path }) => path).join(", ");
  return names.map((file): FileConflict => {
    const { path } = file;
    const message = `These names mean one file, and the conversation wants different states of them: ${others}.`;
    const ends =
      file.kind === "same" ? { from: file.sha256, to: file.sha256 } : { from: file.from, to: file.to };
    const left = file.kind === "conflict" ? file.left : ends.from;
    return { kind: "conflict", path, ...ends, left, why: "two_names", consentable: false, message };
  });
}

function wantedOf(file: PlannedFile): FileStateHash {
  return file.kind === "same" ? file.sha256 : file.to;
}

const bytesGone = "The bytes of the wanted state are not kept, so that it cannot be brought back.";
const changed =
  "The file is neither as the conversation left it nor as it is to be: somebody else changed it.";
const notOurs = "Only others changed this file since; their work is not taken back without consent.";
