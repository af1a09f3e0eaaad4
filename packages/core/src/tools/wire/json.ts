import type { FileState, ListedEntry, SearchSkips } from "../../files/values/index.js";
import { defined, fileAttributes } from "../../text/index.js";
import type { WireAnswer, WireFileState, WireResult } from "./answers.js";
import type { FileBlock, FilePart, LinesBlock, Reply, ReplyBlock, ReportBlock } from "./reply.js";
import { describeRepair, type Shown } from "./shown.js";

/** Writes a reply as the wire's object. Names with `_` exist from here outwards and nowhere further in. */
export function writeJson(reply: Reply): WireResult {
  const json = writeForm(reply);
  const { ignored } = reply;
  if (ignored === undefined) return json;
  const unread = { file_path: "", success: false, code: "invalid_arguments", message: ignored } as const;
  return Array.isArray(json) ? [...json, unread] : { ...json, ignored_arguments: ignored };
}

function writeForm(reply: Reply): WireResult {
  const { form, path, blocks } = reply;
  switch (form) {
    case "read":
      return readToJson(path ?? "", reply.blocks);
    case "read_many":
      return blocks.flatMap(oneOfMany);
    case "list":
      return { path: path ?? "", ...entriesToJson(blocks) };
    case "find":
      return foundToJson(path ?? "", blocks);
    case "search":
      return searchToJson(path ?? "", blocks);
    case "write":
      return writeToJson(blocks, reply.isLiteral === true);
    case "change_set":
      return changeSetToJson(reply);
    case "refusal":
      return { ...(path === undefined ? {} : { file_path: path }), ...refusalToJson(blocks) };
    default:
      return form satisfies never;
  }
}

function readToJson(path: string, blocks: readonly (ReplyBlock | FilePart)[]) {
  const notice = defined({ notice: find(blocks, "text")?.text });
  const refers = find(blocks, "refers");
  if (refers !== undefined)
    return { ...stateToJson(refers.state, undefined), message: refers.message, ...notice };
  const lines = find(blocks, "lines");
  if (lines === undefined) return { file_path: path, ...refusalToJson(blocks) };
  return { ...stateToJson(lines.state, shownContent(lines)), ...notice };
}

function oneOfMany(block: ReplyBlock) {
  if (block.kind === "file") return [readToJson(block.path, block.blocks)];
  if (block.kind !== "left_out") return [];
  const leftOut = { success: false, code: "too_large" } as const;
  const message = "Left out: the files together are more than one answer holds. Read it on its own.";
  const named = block.files.map(({ path, sizeBytes }) => ({
    ...{ file_path: path, ...leftOut, message },
    size_bytes: sizeBytes,
  }));
  const { omission, after } = block;
  if (omission === undefined) return named;
  return [...named, { file_path: "", ...leftOut, message: omission, ...defined({ after }) }];
}

function entriesToJson(blocks: readonly ReplyBlock[]) {
  const found = find(blocks, "entries");
  const why = found?.more;
  const after = defined({ after: found?.after });
  const cut = why === undefined ? { more: false } : { more: true, because: why, ...after };
  return { entries: (found?.entries ?? []).map(entryToJson), ...cut, ...closedToJson(found) };
}

function closedToJson(found: Partial<Pick<SearchSkips, "closedFolders" | "ignored" | "acrossLines">> = {}) {
  const { closedFolders, ignored, acrossLines } = found;
  return defined({ closed_folders: closedFolders, ignored, across_lines: acrossLines });
}

function entryToJson(entry: ListedEntry) {
  return {
    path: entry.path,
    is_directory: entry.isDirectory,
    ...defined({ size_bytes: entry.sizeBytes, special: entry.special, leads_to: entry.leadsTo }),
    ...(entry.openable ? {} : { openable: false as const }),
  };
}

function foundToJson(path: string, blocks: readonly ReplyBlock[]): WireAnswer<"find_files"> {
  const found = find(blocks, "entries");
  const files = (found?.entries ?? []).map(entryToJson);
  return { path, files, ...defined({ more: found?.more, after: found?.after }), ...closedToJson(found) };
}

function searchToJson(path: string, blocks: readonly ReplyBlock[]): WireAnswer<"search_files"> {
  const found = find(blocks, "matches");
  const { longLines = 0, binary = 0, secret = 0, unreadable = 0 } = found?.skips ?? {};
  const matches = (found?.matches ?? []).map(({ path: file_path, line, column, text, before, after }) => ({
    file_path,
    line,
    column,
    text,
    ...(before.length === 0 ? {} : { before: [...before] }),
    ...(after.length === 0 ? {} : { after: [...after] }),
  }));
  return {
    path,
    matches,
    ...defined({
      files: found?.files?.map(({ path: file_path, lines }) => ({ file_path, ...defined({ lines }) })),
    }),
    searched_files: found?.searchedFiles ?? 0,
    searched_bytes: found?.searchedBytes ?? 0,
    skipped: { binary, secret, unreadable, long_lines: longLines, ...closedToJson(found?.skips) },
    ...defined({ more: found?.more, after: found?.after }),
  };
}

/** `{success, code, message, latest_file_state}`; the literal form adds nothing to these four. */
function writeToJson(blocks: readonly (ReplyBlock | FilePart)[], isLiteral: boolean) {
  const { success, code, message } = statusOf(blocks);
  const lines = find(blocks, "lines");
  const report = find(blocks, "report");
  const latest_file_state = lines === undefined ? null : stateToJson(lines.state, shownContent(lines));
  const omitted = defined({ content_omitted: lines?.omission });
  if (isLiteral) {
    return { success, code, message: withRepairs(message, report), latest_file_state, ...omitted };
  }
  return { success, code, message, latest_file_state, ...changeToJson(report, lines?.shown), ...omitted };
}

/** `{success, code, message, changes}`, each change as the answer to a write. */
function changeSetToJson({ blocks, isLiteral = false }: Reply): WireAnswer<"apply_changes"> {
  const files = blocks.filter((block): block is FileBlock => block.kind === "file");
  const changes = files.map(({ path, blocks: parts }) => ({
    file_path: path,
    ...writeToJson(parts, isLiteral),
  }));
  return { ...statusOf(blocks), changes };
}

function refusalToJson(blocks: readonly (ReplyBlock | FilePart)[]) {
  const { code, message } = statusOf(blocks);
  return { success: false as const, code, message };
}

/** The status line with the rest of the sentence. */
function statusOf(blocks: readonly (ReplyBlock | FilePart)[]) {
  const { success = false, code = "internal_error", message = "" } = find(blocks, "status") ?? {};
  const rest = find(blocks, "text");
  return { success, code, message: rest === undefined ? message : message + rest.gap + rest.text };
}

/** `null` where there is no text to show, undefined where it is left out. */
function shownContent({ state, shown }: LinesBlock): string | null | undefined {
  if (shown.kind === "full") return shown.content;
  return state.content === null ? null : undefined;
}

function changeToJson(report: ReportBlock | undefined, shown: Shown | undefined) {
  if (report === undefined) return {};
  const landed = report.landed.map(({ hunk, newStart, newLines }) => ({
    hunk,
    from: newStart,
    to: newStart + newLines - 1,
  }));
  const repairs = report.repairs.map(({ kind, hunk, detail }) => ({
    kind,
    ...defined({ hunk }),
    detail,
  }));
  return {
    ...(shown?.kind === "windows" ? { changed_lines: [...shown.windows] } : {}),
    ...(landed.length === 0 ? {} : { landed }),
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}

function withRepairs(message: string, report: ReportBlock | undefined): string {
  if (report === undefined || report.repairs.length === 0) return message;
  return `${message} Repaired: ${report.repairs.map(describeRepair).join("; ")}.`;
}

/** The first block of a kind. */
function find<Block extends { readonly kind: string }, Kind extends Block["kind"]>(
  blocks: readonly Block[],
  kind: Kind,
): Extract<Block, { readonly kind: Kind }> | undefined {
  const is = (block: Block): block is Extract<Block, { readonly kind: Kind }> => block.kind === kind;
  return blocks.find(is);
}

// What both forms of an answer tell of a state: a fact of it is one line in each of these two. A numbered read has a head
// of its own (`reading-tools.ts`).

/** A state in the JSON form. @param content `undefined` where it is left out. */
function stateToJson(state: FileState, content: string | null | undefined): WireFileState {
  const { facts } = state;
  return {
    file_path: state.path,
    ...defined({ leads_to: state.leadsTo }),
    version: state.version,
    sha256: state.sha256,
    ...(content === undefined ? {} : { content }),
    ...(state.lines === undefined || content === undefined
      ? {}
      : { lines: { ...state.lines, total: facts?.totalLines ?? state.lines.to } }),
    ...(state.chars === undefined || content === undefined ? {} : { chars: { ...state.chars } }),
    ...(facts === undefined || facts.encoding === "utf-8" ? {} : { encoding: facts.encoding }),
    ...(facts?.guessed === true ? { encoding_guessed: true } : {}),
    ...defined({ bytes_not_utf8: facts?.strays }),
    ...(facts?.bom === true ? { bom: true } : {}),
  };
}

/** The same as the header of a frame: path, version and hash always; of the rest only what is not as usual. */
export function headerAttributes(state: FileState, withLines: boolean): string {
  const { facts, lines, chars } = state;
  const pairs: (readonly [string, string])[] = [
    ["version", String(state.version)],
    ["sha256", state.sha256 ?? "none"],
  ];
  if (state.sha256 === null) pairs.push(["exists", "no"]);
  if (facts !== undefined) {
    pairs.push(["total_lines", String(facts.totalLines)]);
    if (facts.encoding !== "utf-8") pairs.push(["encoding", facts.encoding]);
    if (facts.guessed) pairs.push(["encoding_guessed", "yes"]);
    if (facts.strays !== undefined) pairs.push(["bytes_not_utf8", `${facts.strays}, each shown as \ufffd`]);
    if (facts.bom) pairs.push(["bom", "yes"]);
    if (facts.endings !== "lf" && facts.endings !== "none") pairs.push(["endings", facts.endings]);
    if (!facts.finalNewline && facts.totalLines > 0) pairs.push(["final_newline", "no"]);
  }
  if (withLines && lines !== undefined) pairs.push(["lines", `${lines.from}-${lines.to}`]);
  if (withLines && chars !== undefined) pairs.push(["chars", `${chars.from}-${chars.to} of ${chars.of}`]);
  return fileAttributes(state.path, pairs, state.leadsTo);
}
