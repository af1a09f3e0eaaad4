import { splitLinesInSteps } from "../../text/index.js";
import { finish, type Steps } from "../model/steps.js";
import { isPlaceholder } from "../read/placeholder.js";

/**
 * The first line of a new text that stands for text left out, such as `// ... rest unchanged ...`: what it
 * stands for would be gone.
 *
 * @param before the text that is replaced; a line that stands in it is meant as it is.
 * @returns the line without blanks around it; undefined where nothing is left out.
 */
export function omissionIn(before: string, fresh: string): string | undefined {
  return finish(omissionInSteps(before, fresh));
}

/** The same in steps. */
export function* omissionInSteps(before: string, fresh: string): Steps<string | undefined> {
  const { contents } = yield* splitLinesInSteps(fresh);
  for (const [at, line] of contents.entries()) {
    if (at % 4_096 === 4_095) yield;
    if (isPlaceholder(line) && !before.includes(line.trim())) return line.trim();
  }
  return undefined;
}
