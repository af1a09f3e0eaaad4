import type { FileState } from "../../files/values/index.js";
import { defined, fileAttributes } from "../../text/index.js";
import type { WireFileState } from "./answers.js";

// What both forms of an answer tell of a state: a fact of it is one line in each of these two.

/** A state in the JSON form. @param content `undefined` where it is left out. */
export function stateToJson(state: FileState, content: string | null | undefined): WireFileState {
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
