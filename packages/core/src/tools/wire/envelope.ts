import type { FileState } from "../../files/index.js";
import { quoteForDisplay } from "../../text/index.js";
import type { LineWindow } from "./shown.js";

/**
 * The frame around a file's text: one header line, the raw text, and the closing marker glued to its end,
 * so that no newline is invented. Neither marker occurs in any text of the reply; names are quoted. A
 * frame can therefore be neither closed nor forged from inside.
 */
export interface FileFrame {
  readonly state: FileState;
  /** The raw text of the frame, or windows of it, or neither. */
  readonly content?: string;
  readonly windows?: readonly LineWindow[];
}

/** What distinguishes the markers of one reply: "" or `-1`, `-2`, … */
export type FrameSuffix = "" | `-${number}`;

/**
 * The first suffix whose markers stand nowhere in the texts, whatever their case.
 *
 * @param texts everything of the reply that was not written by us.
 */
export function chooseSuffix(texts: readonly string[]): FrameSuffix {
  const taken = new Set<number>();
  for (const text of texts) {
    for (const [, digits] of text.matchAll(marker)) taken.add(digits === undefined ? 0 : Number(digits));
  }
  let free = 0;
  while (taken.has(free)) free += 1;
  return free === 0 ? "" : `-${free}`;
}

/** Writes one frame. `suffix` must come from `chooseSuffix` over all texts of the reply. */
export function writeFrame(frame: FileFrame, suffix: FrameSuffix): string {
  const { state, content, windows } = frame;
  const attributes = headerAttributes(state, content !== undefined);
  if (content !== undefined) {
    const closing = `</file${suffix}>`;
    return `<file${suffix}${attributes} end="${closing}">\n${content}${closing}`;
  }
  const shown = windows === undefined || windows.length === 0 ? "no" : "changed lines";
  const header = `<file${suffix}${attributes} shown="${shown}"/>`;
  return [header, ...(windows ?? []).map((window) => writeWindow(window, suffix))].join("\n");
}

const marker = /<\/?(?:file|lines)(?:-(\d+))?/gi;

function writeWindow({ from, to, text }: LineWindow, suffix: FrameSuffix): string {
  return `<lines${suffix} from="${from}" to="${to}">\n${text}</lines${suffix}>`;
}

/** Path, version and hash always; of the rest only what is not as usual. */
function headerAttributes(state: FileState, withLines: boolean): string {
  const { facts, lines } = state;
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
  const rest = pairs.map(([name, value]) => ` ${name}="${value}"`).join("");
  return ` path=${quoteForDisplay(state.path)}${rest}`;
}
