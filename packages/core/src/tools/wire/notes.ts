import type { Repair } from "../../patch/index.js";
import { clip, escapeForDisplay } from "../../text/index.js";
import type { Shown } from "./shown.js";

/** One repair in words, bounded: its detail may quote lines of the file. */
export function describeRepair({ kind, hunk, detail }: Repair): string {
  const what = kind.replaceAll("_", " ");
  const where = hunk === undefined ? "" : `hunk ${hunk}, `;
  return `${where}${what} (${clip(escapeForDisplay(detail), 200)})`;
}

/** Why something that should be shown is not, or undefined. */
export function describeOmission(shown: Shown): string | undefined {
  switch (shown.kind) {
    case "too_large":
      return "The content is larger than an answer may be; read it with read_file, offset and limit.";
    case "windows":
      if (shown.omitted === 0) return undefined;
      return `${shown.omitted} more changed places are too long to show; read them with read_file, offset and limit.`;
    case "full":
    case "none":
      return undefined;
    default:
      return shown satisfies never;
  }
}
