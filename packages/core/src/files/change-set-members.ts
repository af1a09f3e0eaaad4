import { type FileDiff, splitByFile } from "../patch/index.js";
import { escapeForDisplay } from "../text/index.js";
import { emptySha256, type GivenBase } from "./base.js";
import type { Change, Plan, PlannedWrite } from "./change.js";
import type { Current } from "./current.js";
import { planEdits } from "./edit-plan.js";
import type { LockedChange, WeighedChange } from "./locked-change.js";
import { fromPatch, isRefusal, type Refusal, refuse } from "./outcome.js";
import { planState } from "./past.js";
import { bareName, tidyPath } from "./path-policy.js";
import { planBytes, planPatch, planWrite } from "./plans.js";
import type { Place } from "./ports.js";
import type { Session } from "./session.js";
import type { ApplyChangesRequest, FileChange, WriteOptions, WriteOutcome } from "./workspace-types.js";

/** One file of a change set. A rename is two: the old name goes, the new one comes. */
export interface Member extends Change {
  /** Told what it came to; members are weighed in their order. */
  readonly weighed?: (result: WriteOutcome | WeighedChange) => void;
  /** For the new name of a file: the member that is its old name. */
  readonly movedFrom?: Member;
}

/** What a member came to before anything is written. */
export type Standing = AnsweredMember | PlannedMember;

export interface AnsweredMember {
  readonly kind: "answered";
  readonly member: Member;
  readonly outcome: WriteOutcome;
}

export interface PlannedMember extends Omit<WeighedChange, "kind"> {
  readonly kind: "planned";
  readonly member: Member;
  readonly place: Place;
  readonly locked: LockedChange;
}

/** The files that a request speaks of, or why it cannot be understood. Nothing was looked at yet. */
export function membersOf(session: Session, request: ApplyChangesRequest): readonly Member[] | Refusal {
  const changes =
    "changes" in request ? request.changes : changesOf(request.diff, request.bases ?? {}, session);
  if ("kind" in changes) return changes;
  if (changes.length === 0) return refuse("invalid_arguments", "The change set holds no change.");
  const members: Member[] = [];
  for (const [at, change] of changes.entries()) {
    const found = changeMembers(session, change, request.tool ?? "apply_changes");
    if ("kind" in found)
      return refuse(found.code, `Change ${at + 1} (${escapeForDisplay(change.path)}): ${found.message}`);
    members.push(...found);
  }
  if (members.length <= mostFiles) return members;
  return refuse(
    "too_large",
    `The change set speaks of ${members.length} files; at most ${mostFiles} can be changed together.`,
  );
}

/** Each file of a set is held open until the set is done. */
const mostFiles = 250;

/** A diff that names its files, as changes. */
function changesOf(
  diff: string,
  bases: Readonly<Record<string, GivenBase>>,
  session: Session,
): readonly FileChange[] | Refusal {
  const split = splitByFile(diff, session.limits.patchMs);
  if (split.kind === "refusal") return fromPatch(split.code, split.message);
  const known = new Map(Object.entries(bases).map(([path, base]) => [bareName(path), base] as const));
  return split.files.map((file) => changeOf(file, known.get(bareName(file.path))));
}

function changeOf(file: FileDiff, base: GivenBase | undefined): FileChange {
  const { path, action, to, diff } = file;
  const based: Pick<FileChange, "path" | "base"> = { path, ...(base === undefined ? {} : { base }) };
  const lines = diff === "" ? ({ kind: "same" } as const) : ({ kind: "diff", diff } as const);
  switch (action) {
    case "update":
      return { ...based, content: lines };
    case "create":
      return { path, base: base ?? emptySha256, content: lines };
    case "delete":
      return { ...based, content: { kind: "delete", ...(diff === "" ? {} : { diff }) } };
    case "rename":
      return { ...based, content: lines, ...(to === undefined ? {} : { renameTo: to }) };
    default:
      return action satisfies never;
  }
}

function changeMembers(session: Session, change: FileChange, tool: string): readonly Member[] | Refusal {
  const path = tidyPath(change.path);
  if (isRefusal(path)) return path;
  const { base, encoding, renameTo, content } = change;
  const options: WriteOptions = {
    ...(base === undefined ? {} : { base }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(change.within === undefined ? {} : { within: change.within }),
  };
  const member: Member = {
    path: path.path,
    tool,
    options,
    needsBase: baseFor(change),
    plan: (current) => planContent(session, path.path, change, current),
  };
  if (renameTo === undefined) return [member];
  const to = tidyPath(renameTo);
  if (isRefusal(to)) return to;
  if (content.kind === "delete")
    return refuse("invalid_arguments", `${path.path} cannot be deleted and renamed at once.`);
  if (content.kind === "state")
    return refuse(
      "invalid_arguments",
      `${path.path} cannot be put into an earlier state and renamed at once.`,
    );
  return renaming(session, member, to.path);
}

function baseFor({ content, renameTo }: FileChange): Change["needsBase"] {
  if (content.kind === "state") return "never";
  return content.kind === "text" && renameTo === undefined ? "over_files" : "always";
}

function planContent(
  session: Session,
  path: string,
  change: FileChange,
  current: Current,
): Promise<Plan> | Plan {
  const { content, encoding } = change;
  const request = { path, ...(encoding === undefined ? {} : { encoding }) };
  switch (content.kind) {
    case "diff":
      return planPatch(session, { ...request, diff: content.diff }, current);
    case "edits":
      return planEdits(session, { ...request, edits: content.edits }, current);
    case "text":
      return planWrite(session, { ...request, content: content.text }, current);
    case "delete":
      return planDeletion(session, path, content.diff, current);
    case "state":
      return planState(session, content, current);
    case "same":
      return {
        kind: "settled",
        code: "no_change",
        message: "Nothing of the file's content was to be changed.",
      };
    default:
      return content satisfies never;
  }
}

function planDeletion(session: Session, path: string, diff: string | undefined, current: Current): Plan {
  if (current.kind === "absent")
    return { kind: "settled", code: "no_change", message: "There is no such file; nothing was deleted." };
  if (diff !== undefined) {
    const emptied = planPatch(session, { path, diff }, current);
    if (emptied.kind === "refusal") return emptied;
    if (emptied.kind !== "write" || !isBlank(emptied.bytes))
      return refuse(
        "invalid_diff",
        "The diff deletes the file, but its lines are not all of the file. Nothing was changed.",
      );
  }
  return planBytes(session, current, null, "File deleted.");
}

/** Two members: the old name, which goes, and the new one, which gets what the old one came to. */
function renaming(session: Session, content: Member, to: string): readonly Member[] {
  let moved: PlannedWrite | undefined;
  let gone = false;
  const from: Member = {
    ...content,
    plan: async (current, past) => {
      if (current.kind === "absent") return refuse("file_missing", "There is no file to rename.");
      const plan = await content.plan(current, past);
      if (plan.kind === "refusal") return plan;
      moved = plan.kind === "write" ? plan : planBytes(session, current, current.bytes, "");
      return planBytes(session, current, null, `Renamed to ${to}.`);
    },
    weighed: (result) => {
      gone = result.kind === "write" && result.success;
    },
  };
  return [
    from,
    {
      ...content,
      path: to,
      options: content.options.within === undefined ? {} : { within: content.options.within },
      needsBase: "never",
      movedFrom: from,
      plan: (current) => arrive(current),
    },
  ];

  function arrive(current: Current): Plan {
    if (moved === undefined) return refuse("not_applied", `Not written: ${content.path} cannot be renamed.`);
    if (current.kind === "absent" && gone)
      return refuse(
        "file_missing",
        `Neither ${content.path} nor ${to} is there any more. Nothing was changed.`,
      );
    if (current.kind === "absent")
      return { ...moved, message: `Renamed from ${content.path}. ${moved.message}`.trimEnd() };
    if (
      gone &&
      current.bytes.length === moved.bytes?.length &&
      current.bytes.every((byte, at) => byte === moved?.bytes?.[at])
    )
      return {
        kind: "settled",
        code: "already_applied",
        message: "Already applied: the file has this name already.",
      };
    return refuse(
      "exists",
      `${to} exists already; a file is never renamed onto another. Nothing was changed.`,
    );
  }
}

/** No byte, or a byte order mark alone. */
function isBlank(bytes: Uint8Array | null): boolean {
  return bytes !== null && blanks.includes([...bytes.subarray(0, 4)].join(" "));
}

const blanks: readonly string[] = ["", "239 187 191", "255 254", "254 255"];
