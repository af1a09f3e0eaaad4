import { splitLines } from "../../text/index.js";
import { isPlaceholder } from "../read/placeholder.js";

/**
 * The first line of a new text that stands for text left out, such as `// ... rest unchanged ...`: what it
 * stands for would be gone.
 *
 * @param before the text that is replaced; a line that stands in it is meant as it is.
 * @returns the line without blanks around it; undefined where nothing is left out.
 */
export function omissionIn(before: string, fresh: string): string | undefined {
  return splitLines(fresh)
    .contents.find((line) => isPlaceholder(line) && !before.includes(line.trim()))
    ?.trim();
}
