import type { PayloadKind, TurnPayload } from "@holdfast/core/conversation/values";

/** How a kind of node is called on the page, and the mark that stands before it. */
export const kindWords: Readonly<Record<PayloadKind, { readonly word: string; readonly mark: string }>> = {
  user_message: { word: "user", mark: "❯" },
  model_message: { word: "model", mark: "✦" },
  tool_call: { word: "call", mark: "→" },
  tool_result: { word: "result", mark: "←" },
  file_content: { word: "file", mark: "▤" },
  context_management: { word: "context", mark: "◐" },
  task_boundary: { word: "task", mark: "◇" },
  task_summary: { word: "merge", mark: "◆" },
  summary: { word: "summary", mark: "≡" },
  restore: { word: "restore", mark: "↺" },
  note: { word: "note", mark: "✎" },
  lost: { word: "lost", mark: "✂" },
  unknown: { word: "unknown", mark: "?" },
};

/** The word for one node: more exact than for its kind where that helps. */
export function wordOf(payload: TurnPayload): string {
  if (payload.kind === "tool_result" && payload.isError === true) return "error";
  if (payload.kind === "model_message" && payload.text === "" && payload.thought !== undefined)
    return "thought";
  return kindWords[payload.kind].word;
}

/** As people of this place read the clock. */
export function timeOf(ms: number): string {
  const at = new Date(ms);
  return Number.isNaN(at.getTime()) ? "no time" : `${at.toLocaleDateString()} ${at.toLocaleTimeString()}`;
}

/** The first 16 digits of a hash, or that there is no file. */
export function shortHash(sha256: string | null): string {
  return sha256 === null ? "no file" : sha256.slice(0, 16);
}

/** A number with its noun, such as `1 line` or `1,200 lines`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Line intervals as text: `1–40, 60`. */
export function intervals(lines: readonly { readonly from: number; readonly to: number }[]): string {
  if (lines.length === 0) return "empty file";
  return lines.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}
