import { readPacked } from "../../patch/index.js";
import { clip, defined, escapeForDisplay, sameBytes } from "../../text/index.js";
import type { Call } from "../access/call.js";
import type { Change, Past, Plan, PlannedWrite } from "../access/change.js";
import type { Current } from "../access/kept-states.js";
import type { Site } from "../access/landing.js";
import type { WriteDecision } from "../change/decide.js";
import { planEdits } from "../change/edit-plan.js";
import { planState } from "../change/past.js";
import { planBytes, planPatch, planWrite } from "../change/plans.js";
import { editByLines, patchByLines } from "../change/rebase-requests.js";
import type { WriteOutcome } from "../values/outcomes.js";
import { tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { ApplyChangesRequest, Asked, FileChange, WriteOptions } from "../values/requests.js";
import { changesOf } from "./diff-changes.js";
import { cutLines, pasteLines } from "./line-moves.js";

/** One file of a change set. A rename is two: the old name goes (with its `to`), the new one comes. */
export type Member = ChangedMember | ArrivingMember | PastedMember;

/** A file whose content changes, appears or goes, under the name that the request gives it. */
interface ChangedMember {
  readonly kind: "changed";
  readonly change: Change;
  /** The request is about this one file, and its answer speaks of no set. */
  readonly isOne?: true;
}

/** The new name of a file; what is written there is what the old name's member came to. */
interface ArrivingMember {
  readonly kind: "arriving";
  readonly change: Omit<Change, "plan">;
  readonly from: ChangedMember;
}

/** A file that gets the lines which the member before it loses. */
interface PastedMember {
  readonly kind: "pasted";
  readonly change: Omit<Change, "plan">;
  readonly from: ChangedMember;
  readonly content: Extract<FileChange["content"], { readonly kind: "paste" }>;
}

/** What a member of a change set comes to, before anything is written. */
export type MemberResult = AnsweredMember | PlannedMember;

/** Nothing is to be written for this member: it is done already, or refused, which refuses the whole set. */
export interface AnsweredMember {
  readonly kind: "answered";
  readonly member: Member;
  readonly outcome: WriteOutcome;
  /** The change was made before: what it came to then. */
  readonly repeats?: PlannedWrite;
}

/** The member is to be written; its lock is held, and its folder open, until the set is done. */
export interface PlannedMember {
  readonly kind: "planned";
  readonly member: Member;
  readonly site: Site;
  readonly decision: WriteDecision;
}

/** Whether a member is to be written. */
export function isPlanned(result: MemberResult): result is PlannedMember {
  return result.kind === "planned";
}

/** The planned removal of the other name, for a file that gets a name: by a rename, or by the undo of one. */
export function sourceOf(
  planned: readonly PlannedMember[],
  { member, decision }: PlannedMember,
): PlannedMember | undefined {
  if (member.kind === "arriving") return planned.find((other) => other.member === member.from);
  const { movedFrom } = decision.plan;
  return movedFrom === undefined ? undefined : planned.find(({ site }) => site.target.realPath === movedFrom);
}

/**
 * The files that a request speaks of, and what is left out of its diff, in words; or why it cannot be understood. Nothing
 * was looked at yet.
 */
export async function membersOf(
  call: Call,
  request: Asked<ApplyChangesRequest>,
): Promise<{ readonly members: readonly Member[]; readonly leftOut?: string | undefined } | Refusal> {
  const found =
    "changes" in request
      ? { changes: request.changes, leftOut: undefined }
      : await changesOf(request, call.session);
  if ("kind" in found) return found;
  const { changes } = found;
  if (changes.length === 0)
    return refuse("invalid_arguments", `The change set holds no change.${leftOutOf(found.leftOut)}`);
  const members: Member[] = [];
  for (const [at, change] of changes.entries()) {
    const made = isPaired(changes, at)
      ? changeMembers(call, change, request.tool ?? "apply_changes", members.at(-1))
      : unpaired;
    if ("kind" in made) {
      if (changes.length === 1) return made;
      return refuse(made.code, `Change ${at + 1} (${escapeForDisplay(change.path)}): ${made.message}`);
    }
    members.push(...made);
  }
  if (members.length <= mostFiles) return { members, leftOut: found.leftOut };
  return refuse(
    "too_large",
    `The change set speaks of ${members.length} files; at most ${mostFiles} can be changed together.`,
  );
}

/** What is left out of a diff, in a sentence. */
export function leftOutOf(leftOut: string | undefined): string {
  return leftOut === undefined ? "" : ` Left out: ${escapeForDisplay(leftOut)}.`;
}

/** Lines that leave a file are those that the next one gets. */
function isPaired(changes: readonly FileChange[], at: number): boolean {
  const isCut = (change: FileChange | undefined) =>
    change?.content.kind === "cut" && change.content.after === undefined;
  const isPaste = (change: FileChange | undefined) => change?.content.kind === "paste";
  const [last, change, next] = [changes[at - 1], changes[at], changes[at + 1]];
  return isCut(last) === isPaste(change) && isCut(change) === isPaste(next);
}

const unpaired = refuse(
  "invalid_arguments",
  "A cut without a place in its own file is followed by one paste, and a paste by nothing else. Nothing was changed.",
);

/** Each file of a set is held open until the set is done. */
const mostFiles = 250;

function changeMembers(
  call: Call,
  change: FileChange,
  tool: string,
  last: Member | undefined,
): readonly Member[] | Refusal {
  const path = tidyPath(change.path);
  if (isRefusal(path)) return path;
  const { base, encoding, renameTo, content } = change;
  const options: WriteOptions = {
    ...(base === undefined ? {} : { base }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(change.hashless === undefined ? {} : { hashless: change.hashless }),
    ...(change.within === undefined ? {} : { within: change.within }),
  };
  const wanted: Change = {
    path: path.path,
    tool,
    options,
    needsBase: baseFor(change),
    ...actOf(change),
    isEntry: isOfEntry(change),
    ...(change.isLink === undefined ? {} : { isLink: change.isLink }),
    replacesWhole: change.content.kind === "text",
    plan: async (current, past) => {
      const plan = await planContent(call, path.path, change, current, past);
      return change.isExecutable === undefined ? plan : withBit(call, change.isExecutable, plan, current);
    },
    ...linesOf(call, path.path, change),
  };
  if (renameTo === undefined && content.kind === "paste")
    return last?.kind === "changed" ? [{ kind: "pasted", change: wanted, from: last, content }] : unpaired;
  if (renameTo === undefined) return [{ kind: "changed", change: wanted }];
  const to = tidyPath(renameTo);
  if (isRefusal(to)) return to;
  if (content.kind === "delete")
    return refuse("invalid_arguments", `${path.path} cannot be deleted and renamed at once.`);
  if (content.kind === "cut" || content.kind === "paste" || (change.isCopy && content.kind !== "same"))
    return refuse("invalid_arguments", `${path.path} is moved, copied, or changed by lines: one at a time.`);
  if (content.kind === "state")
    return refuse(
      "invalid_arguments",
      `${path.path} cannot be put into an earlier state and renamed at once.`,
    );
  return renaming(call, wanted, to.path, content.kind === "same");
}

/** Of a change of single lines under the same name. */
function linesOf(call: Call, path: string, change: FileChange): Pick<Change, "lines" | "needsShown"> {
  const { content, encoding, renameTo, isExecutable } = change;
  const request = { path, ...(encoding === undefined ? {} : { encoding }) };
  if (renameTo !== undefined || isExecutable !== undefined) return {};
  switch (content.kind) {
    case "diff":
      if (readPacked(content.diff) !== undefined) return {};
      return { lines: patchByLines(call, { ...request, diff: content.diff }) };
    case "edits":
      return { lines: editByLines(call, { ...request, edits: content.edits }) };
    case "cut":
      return cutLines(call, request, content);
    case "paste":
    case "text":
    case "delete":
    case "same":
    case "state":
      return {};
    default:
      return content satisfies never;
  }
}

/** What goes, gets another name, or must be of one kind, is the name itself. */
function isOfEntry({ content, renameTo, isCopy, isLink }: FileChange): boolean {
  if (isCopy === true) return false;
  if (renameTo !== undefined || isLink !== undefined || content.kind === "delete") return true;
  return content.kind === "state" && content.sha256 === null;
}

function actOf({ content, renameTo, isCopy }: FileChange): Pick<Change, "act" | "isSource"> {
  if (isCopy === true) return { act: "copied", isSource: true };
  if (content.kind === "delete") return { act: "deleted" };
  return content.kind === "same" && renameTo !== undefined ? { act: "moved" } : {};
}

function baseFor({ content, renameTo }: FileChange): Change["needsBase"] {
  if (content.kind === "state") return "never";
  const mayMake = content.kind === "text" || content.kind === "paste";
  return mayMake && renameTo === undefined ? "over_files" : "always";
}

function planContent(
  call: Call,
  path: string,
  change: FileChange,
  current: Current,
  past: () => Promise<Past>,
): Promise<Plan> | Plan {
  const { session, budget, isByPerson = false } = call;
  const { content, encoding } = change;
  const request = { path, ...(encoding === undefined ? {} : { encoding }) };
  switch (content.kind) {
    case "diff":
      return planPatch(session, { ...request, diff: content.diff }, current, budget);
    case "edits":
      return planEdits(session, { ...request, edits: content.edits }, current, budget);
    case "text":
      return planWrite(
        session,
        { ...request, content: content.text, isLiteral: isByPerson },
        current,
        budget,
      );
    case "delete":
      return planDeletion(call, request, content, current);
    case "state":
      return planState(call, content, current, past);
    // Their plans come with their lines.
    case "cut":
    case "paste":
      return unpaired;
    case "same":
      return {
        kind: "unchanged",
        code: "no_change",
        message: "Nothing of the file's content was to be changed.",
      };
    default:
      return content satisfies never;
  }
}

/** The same plan, and whoever may read the file may run it then, or nobody: with the bytes that stand there if no others come. */
async function withBit(
  { session, budget }: Call,
  executable: boolean,
  plan: Plan,
  current: Current,
): Promise<Plan> {
  if (plan.kind === "refusal" || current.kind === "absent") return plan;
  const { access } = current;
  const [can, mode] = executable ? ["may", "100755"] : ["may not", "100644"];
  if (access !== undefined && ((access.mode & 0o100) !== 0) === executable)
    return { ...plan, message: `${plan.message} It ${can} be run already (mode ${mode}).` };
  const same = { message: "Its content stays.", budget };
  const write = plan.kind === "write" ? plan : await planBytes(session, current, current.bytes, same);
  if (write.kind !== "write") return write;
  return { ...write, executable, message: `${write.message} It ${can} be run now (mode ${mode}).` };
}

async function planDeletion(
  { session, budget }: Call,
  file: Pick<FileChange, "path" | "encoding">,
  { diff, blob, mustExist = false }: Extract<FileChange["content"], { readonly kind: "delete" }>,
  current: Current,
): Promise<Plan> {
  if (current.kind === "absent" && mustExist) return refuse("file_missing", "There is no file to delete.");
  if (current.kind === "absent")
    return { kind: "unchanged", code: "no_change", message: "There is no such file; nothing was deleted." };
  if (diff !== undefined) {
    const emptied = await planPatch(session, { ...file, diff }, current, budget);
    if (emptied.kind === "refusal") return emptied;
    if (emptied.kind !== "write" || !isBlank(emptied.bytes))
      return refuse(
        "invalid_diff",
        "The diff deletes the file, but its lines are not all of the file. Nothing was changed.",
      );
  }
  if (blob !== undefined && session.ports.isGitBlob?.(current.bytes, blob) !== true)
    return refuse(
      "invalid_diff",
      `Invalid Diff: It deletes the file without its lines, and the file is not the one that its line \`index\` names (${clip(blob, 12)}). Nothing was changed.`,
    );
  const message = current.isLink === true ? linkDeleted : "File deleted.";
  return planBytes(session, current, null, { message, budget });
}

/**
 * Two members: the old name, which goes, and the new one, which gets what the old one came to.
 *
 * @param isMovedAlone the content stays as it is; of a copy the old name, too.
 */
function renaming(call: Call, content: Change, to: string, isMovedAlone: boolean): readonly Member[] {
  const { session, budget } = call;
  const isCopy = content.isSource === true;
  const from: ChangedMember = {
    kind: "changed",
    change: {
      ...content,
      plan: async (current, past) => {
        if (current.kind === "absent")
          return refuse("file_missing", `There is no file to ${isCopy ? "copy" : "rename"}.`);
        const isLink = current.isLink === true;
        if (isLink && !isMovedAlone) return refuse("not_a_file", linkWithContent);
        const plan = await content.plan(current, past);
        if (plan.kind === "refusal") return plan;
        const same = { message: "", budget };
        const moves = plan.kind === "write" ? plan : await planBytes(session, current, current.bytes, same);
        if (moves.kind !== "write") return moves;
        if (isCopy) return { ...unchangedSource, copies: moves };
        const gone = {
          message: `${isLink ? "The link itself was renamed" : "Renamed"} to ${escapeForDisplay(to)}.`,
          budget,
        };
        const removal = await planBytes(session, current, null, gone);
        if (removal.kind !== "write") return removal;
        return {
          ...removal,
          ...defined({ executable: moves.executable }),
          moves: isLink ? { ...moves, isLink } : moves,
        };
      },
    },
  };
  const { within } = content.options;
  const options = within === undefined ? {} : { within };
  const change = {
    path: to,
    tool: content.tool,
    options,
    needsBase: "never",
    isEntry: true,
    renames: content.path,
  } as const;
  return [from, { kind: "arriving", change, from }];
}

const unchangedSource = {
  kind: "unchanged",
  code: "no_change",
  message: "The file that is copied stays as it is.",
} as const;

/** The change that a member is, once it is known what the member before it came to. */
export function changeOfMember(call: Call, member: Member, results: readonly MemberResult[]): Change {
  if (member.kind === "changed") return member.change;
  const from = results.find((result) => result.member === member.from);
  const { path } = member.from.change;
  if (member.kind === "pasted") {
    const file = { path: member.change.path, ...defined({ encoding: member.change.options.encoding }) };
    const cut = { change: member.from.change, plan: madeBy(from) };
    return { ...member.change, ...pasteLines(call, file, member.content, cut) };
  }
  const plan = (current: Current) => planArrival(from, path, member, current);
  return { ...member.change, plan };
}

/** What a member before comes to, or came to before. */
function madeBy(result: MemberResult | undefined): PlannedWrite | undefined {
  return result?.kind === "planned" ? result.decision.plan : result?.repeats;
}

function planArrival(
  from: MemberResult | undefined,
  path: string,
  { change: { path: to }, from: source }: ArrivingMember,
  current: Current,
): Plan {
  const isCopy = source.change.isSource === true;
  const isDone = from?.kind === "answered" && from.outcome.success;
  const isGone = isDone && !isCopy;
  const moved = isCopy ? madeBy(from) : madeBy(from)?.moves;
  const [shownPath, shownTo] = [escapeForDisplay(path), escapeForDisplay(to)];
  if (moved === undefined)
    return refuse("not_applied", `Not written: ${path} cannot be ${isCopy ? "copied" : "renamed"}.`);
  const words = isCopy ? `Copied from ${shownPath}.` : renamedFrom(path, to);
  if (current.kind === "absent")
    return isGone
      ? refuse("file_missing", `Neither ${shownPath} nor ${shownTo} is there any more. Nothing was changed.`)
      : { ...moved, message: `${words} ${moved.message}`.trimEnd() };
  if (isDone && moved.bytes !== null && sameBytes(moved.bytes, current.bytes))
    return { kind: "unchanged", code: "already_applied", message: isCopy ? isCopied : hasName };
  if (from?.kind === "planned" && isSameFile(from.decision.current, current))
    return refuse("exists", `${sameFile(path, to)} Nothing was changed.`);
  return refuse(
    "exists",
    `${shownTo} exists already; a file is never ${isCopy ? "copied" : "renamed"} onto another. Nothing was changed.`,
  );
}

function renamedFrom(path: string, to: string): string {
  const difference = foldedDifference(path, to);
  const only = difference === undefined ? "." : `: the two names differ only in ${difference}.`;
  return `Renamed from ${escapeForDisplay(path)}${only}`;
}

/** Whether two names lead to one file: a second name of it, or the same where the file system folds names. */
export function isSameFile(one: Current, other: Current): boolean {
  if (one.kind === "absent" || other.kind === "absent") return false;
  return one.identity.device === other.identity.device && one.identity.inode === other.identity.inode;
}

function sameFile(path: string, to: string): string {
  const [shownPath, shownTo] = [escapeForDisplay(path), escapeForDisplay(to)];
  const difference = foldedDifference(path, to);
  return difference === undefined
    ? `${shownTo} is ${shownPath} itself: the file has both names already.`
    : `${shownTo} is ${shownPath} itself: the two names differ only in ${difference} and lead to one file. Give it a third name first, and this one then.`;
}

/** In what two names differ that some file systems take for one; undefined where they differ in more. */
function foldedDifference(one: string, other: string): string | undefined {
  if (one.normalize() === other.normalize()) return "their Unicode form";
  const folded = (name: string) => name.normalize().toLowerCase();
  return folded(one) === folded(other) ? "letter case" : undefined;
}

const linkDeleted = "The link itself was deleted; what it leads to stands as it was.";
const linkWithContent =
  "This is a symbolic link: it is moved as it is, or what it leads to is changed, by its own name. Nothing was changed.";
const isCopied = "Already applied: the copy is there already.";
const hasName = "Already applied: the file has this name already.";

/** No byte, or a byte order mark alone. */
function isBlank(bytes: Uint8Array | null): boolean {
  return bytes !== null && blanks.includes([...bytes.subarray(0, 4)].join(" "));
}

const blanks: readonly string[] = ["", "239 187 191", "255 254", "254 255"];
