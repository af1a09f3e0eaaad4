import { changeHeading, isSecret, type PreviewedFile } from "../../files/index.js";
import { unchangedIn, unchangedStub } from "../../files/seen/index.js";
import {
  isRefusal,
  libraryWords,
  type ReadManyOutcome,
  type ReadOutcome,
  type Vocabulary,
  type WriteOutcome,
} from "../../files/values/index.js";
import { describeChange } from "../../patch/index.js";
import { counted, defined, escapeForDisplay, quoteForDisplay } from "../../text/index.js";
import { cutAt } from "./looking.js";
import type { WireOptions } from "./options.js";
import type { FileBlock, FilePart, Reply, StatusBlock, TextBlock } from "./reply.js";
import type { ChangeSetResult, PreviewResult, RefusedResult, ToolResult, WriteResult } from "./result.js";
import { chooseShown, chooseShownOfSet, describeOmission, type Shown } from "./shown.js";

type ReplyOptions = Pick<WireOptions, "resultContent" | "vocabulary" | "spoken">;

/** What is answered, as data. Pure: the same result gives the same blocks. */
export function replyOf(result: ToolResult, options: ReplyOptions): Reply {
  switch (result.kind) {
    case "read":
      return replyToRead(result.outcome, options);
    case "read_many":
      return replyToReadMany(result.outcome, options);
    case "list":
      return isRefusal(result.outcome) ? refused(result.outcome) : replyToList(result.outcome, options);
    case "find":
      return isRefusal(result.outcome) ? refused(result.outcome) : replyToFind(result.outcome, options);
    case "search":
      return isRefusal(result.outcome) ? refused(result.outcome) : replyToSearch(result.outcome, options);
    case "write":
      return replyToWrite(result, options);
    case "change_set":
      return replyToSet(result, options);
    case "preview":
      return replyToPreview(result);
    case "refused":
      return refusedCall(result);
    default:
      return result satisfies never;
  }
}

function replyToRead(outcome: ReadOutcome, options: ReplyOptions): Reply {
  const { path } = isRefusal(outcome) ? outcome : outcome.state;
  const { success, code } = isRefusal(outcome) ? failed(outcome.code) : done;
  return { form: "read", success, code, path, blocks: partsOfRead(outcome, options) };
}

function partsOfRead(outcome: ReadOutcome, { vocabulary }: ReplyOptions): readonly FilePart[] {
  if (isRefusal(outcome)) return said(outcome, false);
  const { state, notice, unchanged } = outcome;
  const notices: readonly TextBlock[] =
    notice === undefined ? [] : [{ kind: "text", role: "notice", isFirst: true, gap: "", text: notice }];
  if (unchanged === true) {
    const message = vocabulary === undefined ? unchangedStub : unchangedIn(vocabulary);
    return [{ kind: "refers", state, message }, ...notices];
  }
  return [{ kind: "lines", state, shown: { kind: "full", content: state.content } }, ...notices];
}

function replyToReadMany(outcome: ReadManyOutcome, options: ReplyOptions): Reply {
  const { success, code, message } = summariseReads(outcome);
  const files = outcome.files.map((file): FileBlock => {
    const { path } = isRefusal(file) ? file : file.state;
    return { kind: "file", path, blocks: partsOfRead(file, options) };
  });
  const status: StatusBlock = { kind: "status", success, code, message };
  const { leftOut, after, vocabulary = libraryWords } = { ...outcome, ...options };
  const cut = after === undefined ? {} : cutAt({ more: "answer", after }, vocabulary);
  const blocks = [status, ...files, { kind: "left_out", files: leftOut, ...cut } as const];
  return { form: "read_many", success, code, blocks };
}

/** How a read of many files went as a whole: it failed only if nothing was read of what was asked for. */
function summariseReads(outcome: ReadManyOutcome) {
  const read = outcome.files.filter((file) => file.kind === "read").length;
  const firstRefusal = outcome.files.find((file) => file.kind === "refusal");
  const refusedCount = outcome.files.length - read;
  const message = [
    counted(read, "file read", "files read"),
    ...(refusedCount === 0 ? [] : [`${refusedCount} not`]),
    ...(outcome.leftOutCount === 0 ? [] : [`${outcome.leftOutCount} left out`]),
    ...(outcome.secretCount === undefined
      ? []
      : [`${outcome.secretCount} left out that may hold secrets: name in paths what you mean`]),
  ].join(", ");
  const code = read === 0 && firstRefusal !== undefined ? firstRefusal.code : ("ok" as const);
  return { success: code === "ok", code, message: `${message}.` };
}

type Looked<Kind extends "list" | "find" | "search"> = Exclude<
  Extract<ToolResult, { kind: Kind }>["outcome"],
  { kind: "refusal" }
>;

function replyToList(outcome: Looked<"list">, { vocabulary = libraryWords }: ReplyOptions): Reply {
  const { path, entries, more, because = "limit", after, closedFolders, ignored } = outcome;
  const orMore = more ? "or more " : "";
  const count = counted(entries.length, `${orMore}entry`, `${orMore}entries`);
  const message = `${quoteForDisplay(path)} holds ${count}; sizes are in bytes.`;
  const cut = cutAt({ more: more ? because : undefined, after }, vocabulary);
  const left = defined({ closedFolders, ignored });
  const listing = { kind: "entries", entries, isListing: true, ...cut, ...left } as const;
  return { form: "list", ...done, path, blocks: [{ kind: "status", ...done, message }, listing] };
}

const noneMeant = " Globs are relative to the folder of the call, and links are not followed.";

function replyToFind(outcome: Looked<"find">, { vocabulary = libraryWords }: ReplyOptions): Reply {
  const { path, files, closedFolders, ignored } = outcome;
  const message = `${counted(files.length, "file")} found in ${quoteForDisplay(path)}.${files.length === 0 ? noneMeant : ""}`;
  const cut = { ...cutAt(outcome, vocabulary), ...defined({ closedFolders, ignored }) };
  const listing = { kind: "entries", entries: files, ...cut } as const;
  return { form: "find", ...done, path, blocks: [{ kind: "status", ...done, message }, listing] };
}

function replyToSearch(
  { kind: _, path, ...found }: Looked<"search">,
  { vocabulary = libraryWords }: ReplyOptions,
): Reply {
  const { matches, searchedFiles } = found;
  const files = new Set(matches.map((match) => match.path)).size;
  const searched = `${counted(searchedFiles, "file")}.${searchedFiles === 0 ? noneMeant : ""}`;
  const message =
    found.files === undefined
      ? `${counted(matches.length, "match", "matches")} in ${files} of ${searched}`
      : `Matches in ${found.files.length} of ${searched}`;
  const listing = { kind: "matches", ...found, ...cutAt(found, vocabulary) } as const;
  const blocks = [{ kind: "status", ...done, message } as const, listing];
  return { form: "search", ...done, path, blocks };
}

function replyToWrite(result: WriteResult, { resultContent, vocabulary, spoken }: ReplyOptions): Reply {
  const { outcome } = result;
  const { success, code } = outcome;
  const blocks = partsOfWrite(
    outcome,
    chooseShown(result, { resultContent, isQuoted: spoken !== undefined }),
    vocabulary,
  );
  return { form: "write", success, code, isLiteral: resultContent === "full", blocks };
}

function replyToSet(result: ChangeSetResult, { resultContent, vocabulary }: ReplyOptions): Reply {
  const { outcome } = result;
  const { success, code } = outcome;
  const shown = chooseShownOfSet(result, resultContent);
  const files = outcome.files.map(({ path, outcome: one }, at): FileBlock => {
    return { kind: "file", path, blocks: partsOfWrite(one, shown[at] ?? { kind: "none" }, vocabulary) };
  });
  const blocks = [...said(outcome, success), ...files];
  return { form: "change_set", success, code, isLiteral: resultContent === "full", blocks };
}

/** The sentences of the answer that it would be, the repairs, and the difference of each file. */
function replyToPreview({ preview: { message, files }, several }: PreviewResult): Reply {
  const landed = files.flatMap(({ change }) => change.landed);
  const repairs = files.flatMap(({ change }) => change.repairs);
  const text = [message, ...differencesOf(files)].join("\n");
  const blocks = [
    { kind: "status", ...done, message: "Dry run: nothing was written. The call would be answered:" },
    { kind: "text", role: "message", gap: "\n", text, isFirst: true },
    { kind: "report", landed, repairs },
  ] as const;
  return { form: several ? "change_set" : "write", ...done, blocks };
}

/** None of a file that goes, or gets a name alone. Where one may hold secrets none at all: its lines may be in another. */
function differencesOf(files: readonly PreviewedFile[]): readonly string[] {
  const mayHoldSecrets = ({ isUnshown, names }: PreviewedFile) =>
    isUnshown === true || [...names.named, ...names.real].some(isSecret);
  if (files.some(mayHoldSecrets)) return ["No difference is shown, since a file may hold secrets."];
  return files
    .filter(({ sizes, change }) => sizes.after !== null && change.changes.length > 0)
    .map(({ path, before, after }) => {
      const options = { name: escapeForDisplay(path), maxLines: mostDiffLines };
      return describeChange(before ?? "", after ?? "", options);
    });
}

const mostDiffLines = 400;

function partsOfWrite(
  outcome: WriteOutcome,
  shown: Shown,
  words: Vocabulary = libraryWords,
): readonly FilePart[] {
  const { state } = outcome;
  const omission = describeOmission(shown, words);
  const omitted = omission === undefined ? {} : { omission };
  const change = outcome.kind === "unchanged" ? undefined : outcome.change;
  return [
    ...said(outcome, outcome.success),
    ...(change === undefined
      ? []
      : [{ kind: "report", landed: change.landed, repairs: change.repairs } as const]),
    ...(state === null ? [] : [{ kind: "lines", state, shown, ...omitted } as const]),
  ];
}

function refusedCall({ refusal, path, writing, several }: RefusedResult): Reply {
  const form = several === true ? "change_set" : writing ? "write" : "refusal";
  return { ...refused(refusal), form, ...(path === undefined ? {} : { path }) };
}

function refused(refusal: Said): Reply {
  return { form: "refusal", ...failed(refusal.code), blocks: said(refusal, false) };
}

interface Said {
  readonly code: Reply["code"];
  readonly message: string;
}

/** A sentence: its first line is the status, the rest follows the files. */
function said(outcome: Said | WriteOutcome, success: boolean): readonly (StatusBlock | TextBlock)[] {
  const { code, message } = outcome;
  const end = message.indexOf("\n");
  const first = end < 0 ? message : message.slice(0, end);
  const rest = message.slice(first.length);
  const text = rest.replace(/^\n+/, "");
  const status: StatusBlock = { kind: "status", success, code, message: first };
  if (rest === "") return [status];
  const gap = rest.slice(0, rest.length - text.length);
  return [
    status,
    {
      kind: "text",
      role: "message",
      gap,
      text,
      ...quotesOf(outcome, first.length + gap.length),
      ...sinceOf(outcome),
      ...(text.startsWith(`${changeHeading}\n`) ? { isFirst: true } : {}),
    },
  ];
}

function sinceOf(outcome: Said | WriteOutcome): Pick<TextBlock, "since"> {
  if (!("difference" in outcome) || outcome.difference?.isForeign !== true) return {};
  const { difference, change, state } = outcome;
  if (change === undefined || state === null) return {};
  return { since: { before: difference.base, changes: change.changes, version: state.version } };
}

function quotesOf(outcome: Said | WriteOutcome, before: number): Pick<TextBlock, "quotes"> {
  if (!("quoted" in outcome) || outcome.quoted === undefined || outcome.state === null) return {};
  const lines = outcome.quoted.map((quoted) => ({ ...quoted, start: quoted.start - before }));
  return { quotes: { state: outcome.state, lines } };
}

function failed<Code>(code: Code) {
  return { success: false, code } as const;
}

const done = { success: true, code: "ok" } as const;
