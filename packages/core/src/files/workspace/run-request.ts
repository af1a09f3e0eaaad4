import { isObject, splitLines } from "../../text/index.js";
import { refusedSet } from "../access/answers.js";
import { atTurn, type Call, inside, rootReplaced, withoutRepeat } from "../access/call.js";
import { type Change, withoutState } from "../access/change.js";
import { decodeFile } from "../access/file-text.js";
import { plainPath } from "../access/path-names.js";
import type { PreviewOutcome } from "../access/preview.js";
import type { Session, Ticket } from "../access/session.js";
import { applyByModel } from "../change/applied-edit.js";
import { changeOf, toolOf } from "../change/rebase-requests.js";
import { type DoneChange, replaceText } from "../change/replace.js";
import { listEntries } from "../reading/listing.js";
import { withNearNames } from "../reading/near-names.js";
import { readMany } from "../reading/read-many.js";
import { readTarget } from "../reading/reading.js";
import { findFiles, searchFiles } from "../reading/searching.js";
import { applySet, carryOutOne, previewOne, previewSet } from "../sets/change-set.js";
import { previewUndo, setToUndo, undoSet } from "../sets/change-set-undo.js";
import type { Target } from "../values/disk.js";
import {
  type ApplyChangesOutcome,
  type ChangeSetRefusal,
  type FileOutcome,
  type ReadOutcome,
  type Unchanged,
  type WriteOutcome,
  type WriteRefusal,
  withDisplacedNote,
} from "../values/outcomes.js";
import { outsideFolder, tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import {
  type Asked,
  type ChangeRequest,
  type FileRequest,
  flawOfRequest,
  isLook,
  type LookRequest,
  type OneFileRequest,
  type ReadRequest,
  type UndoRequest,
} from "../values/requests.js";

/** What a request comes to: it is carried out when its turn is there. */
export function outcomeOf(call: Call, request: FileRequest, ticket: Ticket): Promise<FileOutcome> {
  return asWritten<FileOutcome>(call, request, () => {
    if (isLook(request)) return look(call, request, ticket);
    if (request.kind === "apply_changes")
      return withFound(call, () => applySet(withoutRepeat(call), request, ticket));
    return withFound(call, () => changeFile(call, request, ticket));
  });
}

/** Refuses what nobody means as it is written, and names what may be meant by a file that is missing. */
async function asWritten<Outcome extends FileOutcome | PreviewOutcome>(
  { session }: Call,
  request: FileRequest,
  work: () => Promise<Outcome>,
): Promise<Outcome | WriteRefusal | ChangeSetRefusal> {
  const flaw = isLook(request) ? undefined : await refuseAsWritten(session, request);
  if (flaw !== undefined) return request.kind === "apply_changes" ? refusedSet(flaw) : withoutState(flaw);
  const outcome = await work();
  // The members of a change are asked for one by one.
  return isLook(request) && "path" in request ? withNearNames(session, request.path ?? "", outcome) : outcome;
}

async function look(call: Call, request: LookRequest, ticket: Ticket): Promise<FileOutcome> {
  // Who looks at names and lines without a version waits for nobody, and nobody for him.
  if (request.kind !== "read" && request.kind !== "read_many") ticket.done();
  switch (request.kind) {
    case "read":
      return readFile(call, request, ticket);
    case "read_many": {
      await ticket.turn();
      // Each file waits for what came before it, also where that has still to make its folder.
      const joined: Ticket = { turn: () => ticket.turn(), done: () => {} };
      const read = async (one: Asked<ReadRequest>) =>
        withNearNames(call.session, one.path, await readFile(call, one, joined));
      return readMany({ read, list: (one) => listEntries(call.session, one) }, call.session, request);
    }
    case "list":
      return listEntries(call.session, request);
    case "find":
      return inside(call.session, request.path, (target, name) =>
        findFiles(call.session, target, name, request),
      );
    case "search":
      return inside(call.session, request.path, (target, name) =>
        searchFiles(call.session, target, name, request),
      );
    default:
      return request satisfies never;
  }
}

async function readFile(call: Call, request: Asked<ReadRequest>, ticket?: Ticket): Promise<ReadOutcome> {
  const tidy = await plainPath(call.session, request.path);
  if (isRefusal(tidy)) return { ...tidy, path: request.path };
  const { replacedFiles } = call.session;
  await replacedFiles.look("soon");
  const work = async (target: Target) =>
    rootReplaced(call) ??
    outsideFolder(target.relativePath, request.within) ??
    (await readTarget(call, target, tidy.path, request));
  const outcome = await atTurn(call.session, tidy.path, work, { ticket, signal: call.signal });
  if (outcome.kind === "refusal") return { ...outcome, path: tidy.path };
  const notice = call.isSilent === true ? "" : replacedFiles.takeNotices();
  return notice === "" ? outcome : { ...outcome, notice };
}

async function changeFile(call: Call, request: OneFileRequest, ticket: Ticket): Promise<WriteOutcome> {
  if (request.kind === "undo") {
    const changeSet = await wholeSet(call, request, ticket);
    if (changeSet !== undefined) return undoSet(withoutRepeat(call), changeSet, request, ticket);
  }
  return changeWith(call, request, ticket, carryOutOne);
}

/** The change set that an undo takes back as one. Asked when all earlier requests about the file are through; later ones wait for the ticket. */
async function wholeSet(
  call: Call,
  request: Asked<UndoRequest>,
  ticket: Ticket,
): Promise<string | undefined> {
  const tidy = tidyPath(request.path);
  if (isRefusal(tidy)) return undefined;
  await ticket.turn();
  const ask = async () => setToUndo(call, { ...request, path: tidy.path });
  const found = await atTurn(call.session, tidy.path, ask, { missing: "allow" });
  // A link that leads nowhere, or out, has writes of its own.
  return typeof found === "object" ? ask() : found;
}

/** What a change would come to now; nothing is done. */
export function previewOf(call: Call, request: ChangeRequest, ticket: Ticket): Promise<PreviewOutcome> {
  return asWritten<PreviewOutcome>(call, request, () => preview(call, request, ticket));
}

async function preview(call: Call, request: ChangeRequest, ticket: Ticket): Promise<PreviewOutcome> {
  if (request.kind === "apply_changes") return previewSet(call, request, ticket);
  if (request.kind === "undo") {
    const changeSet = await wholeSet(call, request, ticket);
    if (changeSet !== undefined) return previewUndo(call, changeSet, request, ticket);
  }
  return changeWith(call, request, ticket, previewOne);
}

/** Requests that ask a model in between are several changes, one after the other. */
async function changeWith<Done extends DoneChange>(
  call: Call,
  request: OneFileRequest,
  ticket: Ticket,
  carry: (call: Call, change: Change, ticket: Ticket) => Promise<Done | Unchanged | WriteRefusal>,
): Promise<Done | Unchanged | WriteRefusal> {
  if (request.kind !== "replace" && request.kind !== "apply_edit") {
    const change = changeOf(call, request);
    return isRefusal(change) ? withoutState(change) : carry(call, change, ticket);
  }
  const tidy = tidyPath(request.path);
  if (isRefusal(tidy)) return withoutState(tidy);
  const tool = request.tool ?? toolOf[request.kind];
  const step = async (wanted: Omit<Change, "path" | "tool">) => {
    const done = await carry(call, { ...wanted, path: tidy.path, tool }, ticket);
    return done;
  };
  return request.kind === "replace" ? replaceText(call, request, step) : applyByModel(call, request, step);
}

/** With the answer it is said what other programs wrote into files that were replaced. */
async function withFound<Outcome extends WriteOutcome | ApplyChangesOutcome>(
  call: Call,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const { replacedFiles } = call.session;
  await replacedFiles.look("soon");
  const outcome = await work();
  const words = replacedFiles.takeNotices();
  return withDisplacedNote(outcome, words === "" ? "" : `\n${words}`);
}

/**
 * Refuses paths that are not written plainly, and new text that is an answer of ours: it begins as one and has the hash of
 * a state that is kept here, or its lines have numbers before them under which the file has these very lines, or which the edit names.
 */
async function refuseAsWritten(session: Session, request: ChangeRequest): Promise<Refusal | undefined> {
  if (request.kind === "undo" || request.kind === "restore") return undefined;
  for (const { path, text, named } of writtenIn(request)) {
    const plain = text === undefined ? await plainPath(session, path) : undefined;
    if (plain?.kind === "refusal") return plain;
    const [, sha256] = answer.exec(text ?? "") ?? [];
    const isAnswer = sha256 !== undefined && (await session.ports.blobs.has(sha256));
    if (isAnswer || (await isNumbered(session, path, text ?? "", named))) {
      const what = isAnswer
        ? "is an answer of these tools with its header"
        : "has line numbers before its lines";
      return refuse("invalid_arguments", `The new text ${what}: send only the lines. Nothing was written.`);
    }
  }
  return undefined;
}

interface WrittenPart {
  readonly path: string;
  readonly text?: string;
  /** The first line that the edit names by its number. */
  readonly named?: number;
}

/** The paths in a request, and the new texts, each with its path; of a diff the added lines. */
function writtenIn(part: object, path = ""): readonly WrittenPart[] {
  if (part instanceof Uint8Array || ("content" in part && Object(part.content).kind === "state")) return [];
  const own = "path" in part && typeof part.path === "string" ? part.path : path;
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === "object" && value !== null) return writtenIn(value, own);
    if (typeof value !== "string") return [];
    if (key === "path" || key === "renameTo") return { path: value };
    if (key === "diff") return { path: own, text: value.replace(/^(?:\+(?!\+\+ )|.*\n?)/gm, "") };
    const named = "from" in part ? Number(part.from) : "afterLine" in part ? Number(part.afterLine) + 1 : -1;
    return newTexts.has(key) ? { path: own, text: value, named } : [];
  });
}

const newTexts: ReadonlySet<string> = new Set(["content", "text", "newString", "newContent"]);
/** Whether these are mostly lines of the file behind their own numbers, or lines behind the numbers that the edit names. */
async function isNumbered(session: Session, path: string, text: string, named = -1): Promise<boolean> {
  if (!/^ *\d+[:|\t→-]/.test(text)) return false;
  const rows = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => /^ *(\d+)(?:[:|-] ?|\t|→)(.*)$/.exec(line) ?? []);
  const first = Number(rows[0]?.[1]);
  if (rows.some(([, number], at) => Number(number) !== first + at)) return false;
  const read = await inside(session, path, (target) => target.read(session.limits.fullReadBytes));
  const decoded = isRefusal(read) ? read : decodeFile(read.bytes, session.ports.codec);
  if (isRefusal(decoded)) return false;
  const lines = splitLines(decoded.text).contents;
  // A file may have such numbers itself, there or right above.
  if (first === named)
    return ![-1, ...rows.keys()].some(
      (at) => Number.parseInt(lines[first + at - 1] ?? "", 10) === first + at,
    );
  const same = rows.filter(
    ([, number, line = ""]) => line.trim() !== "" && lines[Number(number) - 1] === line,
  );
  return same.length >= 2 && same.length * 2 >= rows.length;
}

const answer =
  /^\n*(?:<(?:file|lines)\b|(?:OK|FAILED) \([a-z_]+\): |\{\s*"(?:file_path|success)":|".*", version \d+, )[\s\S]{0,2000}?\bsha256(?:"?[=:] ?"| )([0-9a-f]{64})/;

/**
 * What is wrong with a request that no compiler has checked: a caller without types, or a value that came from
 * somewhere.
 *
 * @returns `invalid_arguments` with the name of the first field that is wrong; undefined for a request.
 */
export function refuseMalformed(request: unknown): Refusal<"invalid_arguments"> | undefined {
  const flaw = flawOfRequest(request);
  if (flaw === undefined) return undefined;
  return refuse("invalid_arguments", `The request is malformed: ${flaw}. Nothing was touched.`);
}

/** The path of a request that only has one, whatever it is; "" where there is none, which no path is. */
export function pathOf(request: unknown): string {
  const path = isObject(request) ? request.path : undefined;
  return typeof path === "string" ? path : "";
}

/** The texts of a list, whatever it is; undefined where it is none. */
export function textsOf(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
}

/** The refusal as the outcome of a request of its kind. */
export function malformedAnswer(request: unknown, refusal: Refusal<"invalid_arguments">): FileOutcome {
  const kind = isObject(request) ? request.kind : undefined;
  switch (kind) {
    case "read":
      return { ...refusal, path: pathOf(request) };
    case "read_many":
    case "list":
    case "find":
    case "search":
      return refusal;
    case "apply_changes":
      return refusedSet(refusal);
    default:
      return withoutState(refusal);
  }
}
