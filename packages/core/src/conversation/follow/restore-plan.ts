import type { FileStatus, MergeAsked, RecordedWrite } from "../../files/values/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import { byPath, Manifests } from "../tree/manifest.js";
import type { TreeWrites } from "../tree/tree-writes.js";
import type { FileStateHash } from "../values/file-effects.js";
import type { ConversationContext } from "../values/node.js";
import { type ConversationRefusal, isRefusal } from "../values/refusal.js";
import { type CommandFiles, filesOfCommands } from "./command-files.js";
import { type FileMaker, makerOf, makerWords } from "./file-makers.js";
import { type DifferingFile, diffOf, type RestoreDirection } from "./restore-diff.js";

/** What the plan asks about the world; a `Workspace` answers it. */
export interface RestoreDisk {
  /**
   * In the order of the paths.
   *
   * @param wanted the state that each is to be in; `null` where there is to be no file.
   */
  fileStates(
    paths: readonly string[],
    wanted?: readonly (string | null | undefined)[],
  ): Promise<readonly FileStatus[]>;
  /** Those of the states whose bytes are kept; asked of files whose status does not say it. */
  keptStates(hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * The state of a file without this conversation's change, where others changed other lines since; it is kept. Without
   * it, and where both touched a line, such a file is in conflict.
   */
  mergedState?(asked: MergeAsked): Promise<string | null>;
  /** The newest recorded write to each file; without it, only what the conversation says itself is known. */
  lastWrites?(paths: readonly string[]): Promise<readonly (RecordedWrite | undefined)[]>;
  /** The session that writes by this disk. */
  readonly session?: string;
}

/** What moving from one node to another means for the files. Nothing was changed yet. */
export interface RestorePlan {
  readonly kind: "restore_plan";
  readonly fromId: string;
  readonly toId: string;
  /** The `restoreId` of the restore that is taken back. */
  readonly undoes?: string;
  /** The node whose files they become, where the head stays. */
  readonly stateOf?: string;
  /** Every file that differs between the two nodes, sorted by path. */
  readonly files: readonly PlannedFile[];
  /** Files of which nobody knows how they were there: they stay as they are. Sorted. */
  readonly unknown: readonly string[];
  /** What commands changed on the way and nothing of the above is about: it stays as it is. */
  readonly commands: CommandFiles;
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
  /** Others changed other lines since: `to` is the disk's state with the lines of this conversation as they were. */
  | ({ readonly kind: "merged"; readonly from: string; readonly to: string } & Movable)
  | FileConflict;

interface Movable {
  readonly path: string;
  /** Somebody else had a part in what is taken back; what they left is kept, as every state is. */
  readonly others: boolean;
  /** Who left the file as it stands on the disk. */
  readonly by: FileMaker;
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
  /** Who left the file as it stands on the disk. */
  readonly by: FileMaker;
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
  const diff = diffOf(context, direction, manifests);
  if (isRefusal(diff)) return diff;
  const { files, writes, ...ends } = diff;
  const known = files.filter(isKnown);
  const paths = known.map(({ path }) => path);
  const statuses = await disk.fileStates(
    paths,
    known.map(({ wanted }) => wanted),
  );
  const kept = await disk.keptStates(known.flatMap(({ wanted }) => wanted ?? []));
  const makers = await makersOf(context, writes, known, statuses, disk);
  const { fromId, toId, stateOf = toId } = ends;
  const commands = filesOfCommands(context, fromId, stateOf);
  const named = new Set(files.map(({ path }) => path));
  const aside = new Set(known.filter((file) => file.aside === true).map(({ path }) => path));
  const byCommands = new Set(commands.paths);
  const decided = known.map((file, at) =>
    decide(file, statuses[at], kept, {
      ...(makers[at] ?? { by: nobody }),
      isOfCommand: byCommands.has(file.path),
    }),
  );
  const planned = await Promise.all(decided.map((file) => mergedOr(file, disk)));
  return {
    kind: "restore_plan",
    ...ends,
    // What a branch beside both paths wrote, and what is as it should be, is not spoken of.
    files: oneNameEach(planned, statuses).filter(({ kind, path }) => kind !== "same" || !aside.has(path)),
    unknown: files.filter((file) => !isKnown(file) && file.aside !== true).map(({ path }) => path),
    commands: { ...commands, paths: commands.paths.filter((path) => !named.has(path)) },
  };
}

const nobody: FileMaker = { who: "someone_else" };

interface KnownFile extends DifferingFile {
  readonly wanted: FileStateHash;
}

function isKnown(file: DifferingFile): file is KnownFile {
  return file.wanted !== undefined;
}

/** Who left a file as it is. */
interface Making {
  readonly by: FileMaker;
  /** The record can be asked, and has no write of this very file. */
  readonly isUnrecorded?: boolean;
  /** A command of this conversation changed it since. */
  readonly isOfCommand?: boolean;
}

/** Who left each file as it is; asked only where something else is wanted. */
async function makersOf(
  context: ConversationContext,
  writes: TreeWrites,
  known: readonly KnownFile[],
  statuses: readonly FileStatus[],
  disk: RestoreDisk,
): Promise<readonly Making[]> {
  const paths = known.map(({ path }) => path);
  const last = await disk.lastWrites?.(paths);
  return known.map(({ path }, at) => ({
    by: makerOf(context, {
      state: statuses[at]?.sha256,
      writes: writes.get(path) ?? [],
      last: last === undefined ? "unknown" : last[at],
      ...defined({ session: disk.session }),
    }),
    isUnrecorded: last !== undefined && last[at] === undefined,
  }));
}

function decide(
  file: KnownFile,
  status: FileStatus | undefined,
  kept: ReadonlySet<string>,
  { by, isUnrecorded, isOfCommand }: Making,
): PlannedFile {
  const { path, left, others } = file;
  const wanted = status?.link ?? file.wanted;
  const from = status?.sha256;
  if (from === wanted) return { kind: "same", path, sha256: wanted };
  const clash = (why: ConflictReason, consentable: boolean, message: string): FileConflict => {
    return { kind: "conflict", path, from, to: wanted, left, why, by, consentable, message };
  };
  if (from === undefined || status?.barred !== undefined)
    return clash("barred", false, status?.barred?.message ?? "What stands there cannot be told.");
  if (wanted !== null && !(status?.wantedKept ?? kept.has(wanted)))
    return clash("bytes_gone", false, bytesGone);
  const isOurs = by.who === "this_conversation";
  if (from !== left && !isOurs) return clash("changed", true, changedBy(by));
  if (!file.ours && !isOurs) return clash("not_ours", true, isOfCommand ? ofCommand : notOursBut(by));
  // The name leads to another file by now, or the writes were made elsewhere, as those of an imported session were.
  if (isUnrecorded && from !== null) return clash("not_ours", true, notWrittenHere(status?.realPath));
  if (from === null)
    return wanted === null
      ? { kind: "same", path, sha256: null }
      : { kind: "deleted", path, from, to: wanted, others, by };
  return wanted === null
    ? { kind: "created", path, from, to: wanted, others, by }
    : { kind: "restore", path, from, to: wanted, others, by };
}

/** A conflict of a whole file is none where the lines of both can be told apart. */
async function mergedOr(file: PlannedFile, disk: RestoreDisk): Promise<PlannedFile> {
  if (file.kind !== "conflict" || file.why !== "changed") return file;
  const { path, from: present, to: wanted, left, by } = file;
  if (typeof present !== "string" || typeof wanted !== "string" || typeof left !== "string") return file;
  const to = (await disk.mergedState?.({ path, left, wanted, present })) ?? null;
  return to === null ? file : { kind: "merged", path, from: present, to, others: true, by };
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
    const by = file.kind === "same" ? nobody : file.by;
    return { kind: "conflict", path, ...ends, left, why: "two_names", by, consentable: false, message };
  });
}

function wantedOf(file: PlannedFile): FileStateHash {
  return file.kind === "same" ? file.sha256 : file.to;
}

const ofCommand =
  "A command of this conversation changed this file since, and no tool did; that is not taken back without consent.";
const bytesGone = "The bytes of the wanted state are not kept, so that it cannot be brought back.";

function changedBy(by: FileMaker): string {
  return `The file is neither as the conversation left it nor as it is to be: ${makerWords(by)} changed it.`;
}

function notWrittenHere(realPath: string | undefined): string {
  const where = realPath === undefined ? "" : ` (${escapeForDisplay(realPath)})`;
  return `No write of this conversation to the file that stands there now${where} is recorded here: the name may lead to another file. It stays without consent.`;
}

function notOursBut(by: FileMaker): string {
  const whose = by.who === "another_session" ? ` (now ${makerWords(by)})` : "";
  return `Only others changed this file since${whose}; their work is not taken back without consent.`;
}
