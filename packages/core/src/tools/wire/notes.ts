import { say, type Vocabulary } from "../../files/index.js";
import type { Repair } from "../../patch/index.js";
import { clip, escapeForDisplay } from "../../text/index.js";
import type { Shown } from "./shown.js";

/** One repair in words, bounded: its detail may quote lines of the file. */
export function describeRepair({ kind, hunk, detail }: Repair): string {
  const what = kind.replaceAll("_", " ");
  const where = hunk === undefined ? "" : `hunk ${hunk}, `;
  return detail === "" ? `${where}${what}` : `${where}${what} (${clip(escapeForDisplay(detail), 200)})`;
}

const readIt = "[; read it with {read}, {window}|; read a part of it].";

/** Why something that should be shown is not, or undefined. */
export function describeOmission(shown: Shown, words: Vocabulary): string | undefined {
  switch (shown.kind) {
    case "too_large":
      return say({ template: `The content is larger than an answer may be${readIt}`, facts: {} }, words);
    case "windows":
      if (shown.omitted === 0) return undefined;
      return say(
        {
          template: `$omitted more changed places are too long to show${readIt}$excerpt`,
          facts: {
            omitted: shown.omitted,
            excerpt: shown.excerpt === undefined ? "" : ` The first begins:\n${harmlessLines(shown.excerpt)}`,
          },
        },
        words,
      );
    case "told":
      return say(
        {
          template:
            "The other lines are as you know them[; read them with {read} if you have them no longer].",
          facts: {},
        },
        words,
      );
    case "full":
    case "none":
      return undefined;
    default:
      return shown satisfies never;
  }
}

function harmlessLines(text: string): string {
  return text.split("\n").map(harmless).join("\n");
}

/** Controls and overrides escaped, as in names; brackets and tabs stay, since lines of code are quoted. */
export function harmless(message: string): string {
  return message
    .split(/([<>\t]+)/)
    .map((part, at) => (at % 2 === 0 ? escapeForDisplay(part) : part))
    .join("");
}
