import type { Vocabulary } from "../values/vocabulary.js";

/** The words of seed 2, to the letter. */
export const unchangedStub =
  "File unchanged since last read. The content from the earlier read_file result in this conversation is " +
  "still current — refer to that instead of re-reading.";

/** The same in a door's words; the seed's tool is named only where it is offered. */
export function unchangedIn({ read }: Vocabulary): string {
  if (read === seedTool) return unchangedStub;
  return unchangedStub.replace(`${seedTool} result`, read === undefined ? "result" : `result of ${read}`);
}

const seedTool = "read_file";
