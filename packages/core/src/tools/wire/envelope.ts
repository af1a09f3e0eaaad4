import type { FileState } from "../../files/index.js";
import { type FrameSuffix, frameText, quoteForDisplay } from "../../text/index.js";
import type { Shown } from "./shown.js";

/**
 * The frame around a file's text: one header line, the raw text, and the closing marker glued to its end,
 * so that no newline is invented. Neither marker occurs in any text of the reply; names are quoted. A
 * frame can therefore be neither closed nor forged from inside.
 */
interface FileFrame {
  readonly state: FileState;
  readonly shown: Shown;
}

/** A frame, and where the raw text, or each window of it, begins in it (UTF-16). */
interface WrittenFrame {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Writes one frame. `suffix` must come from `chooseSuffix` over all texts of the reply. */
export function writeFrame({ state, shown }: FileFrame, suffix: FrameSuffix): WrittenFrame {
  const attributes = headerAttributes(state, shown.kind === "full");
  if (shown.kind === "full") {
    const { text, start } = frameText(attributes, shown.content, suffix);
    return { text, starts: [start] };
  }
  const windows = shown.kind === "windows" ? shown.windows : [];
  let text = `<file${suffix}${attributes} shown="${windows.length === 0 ? "no" : "changed lines"}"/>`;
  const starts: number[] = [];
  for (const { from, to, text: lines } of windows) {
    text += `\n<lines${suffix} from="${from}" to="${to}">\n`;
    starts.push(text.length);
    text += `${lines}</lines${suffix}>`;
  }
  return { text, starts };
}

/** Path, version and hash always; of the rest only what is not as usual. */
function headerAttributes(state: FileState, withLines: boolean): string {
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
    if (facts.bom) pairs.push(["bom", "yes"]);
    if (facts.endings !== "lf" && facts.endings !== "none") pairs.push(["endings", facts.endings]);
    if (!facts.finalNewline && facts.totalLines > 0) pairs.push(["final_newline", "no"]);
  }
  if (withLines && lines !== undefined) pairs.push(["lines", `${lines.from}-${lines.to}`]);
  if (withLines && chars !== undefined) pairs.push(["chars", `${chars.from}-${chars.to} of ${chars.of}`]);
  const rest = pairs.map(([name, value]) => ` ${name}="${value}"`).join("");
  return ` path=${quoteForDisplay(state.path)}${rest}`;
}
