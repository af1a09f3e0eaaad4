import * as z from "zod";
import { filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";
import { factOf, framed, type Outcome, spokenOf } from "./vendor-words.js";

/** Gemini CLI's tool, on our core. */
export const replace = defineTool({
  name: "replace",
  title: "Replace text",
  description: `Replaces text in a file. The file must have been read in this session, and not changed since.

\`old_string\` must be the exact literal text to replace, with enough lines around it to be unique; \`expected_replacements\` says how many occurrences there are if it is not one. An empty \`old_string\` creates the file. If the text is not found, the answer shows where it nearly stands; correct old_string from that.`,
  parameters: z.object({
    file_path: filePath,
    old_string: z.string().describe("Exact literal text to replace; empty to create a file"),
    new_string: z.string().describe("Exact literal text to put in its place"),
    expected_replacements: z.int().min(1).exactOptional().describe("Number of occurrences; 1 unless given"),
    instruction: z.string().exactOptional().describe("What the change is for"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { edit: "replace" },
  spoken: replaceWords,
  intent: ({ file_path, old_string, new_string, expected_replacements }) =>
    fileIntent({
      kind: "replace",
      path: file_path,
      oldString: old_string,
      newString: new_string,
      ...(expected_replacements === undefined ? {} : { expectedReplacements: expected_replacements }),
      tool: "replace",
    }),
});

/** The arguments that Gemini CLI's sentences repeat. */
interface ReplaceArguments {
  readonly file_path: string;
  readonly old_string: string;
  readonly expected_replacements?: number;
}

/**
 * Gemini CLI's words for the answer to its `replace`; undefined where it has none, such as for a file that changed
 * behind the model's back. The texts are those of `@google/gemini-cli` 0.61; what it says of its `allow_multiple` is
 * said of `expected_replacements`, which the tool here has. Where the text nearly stands is told after them.
 */
function replaceWords(
  { file_path: path, old_string, expected_replacements: expected = 1 }: ReplaceArguments,
  result: ToolResult,
): Spoken | undefined {
  return spokenOf(result, (outcome) => {
    const done =
      old_string === ""
        ? `Created new file: ${path} with provided content.`
        : `Successfully modified file: ${path} (${expected} replacements).`;
    return {
      ...(outcome.kind === "written" ? { done: framed(done) } : {}),
      file_missing: framed(`File not found: ${path}`),
      exists: framed(`File already exists, cannot create: ${path}`),
      not_found: framed(`Could not find an exact match for 'old_string' in '${path}'.`),
      occurrence_mismatch: framed(wrongCount(outcome, path, expected)),
      equal_strings: framed(
        `No changes to apply. The old_string and new_string are identical in file: ${path}`,
      ),
    };
  });
}

function wrongCount(outcome: Outcome, path: string, expected: number): string {
  const count = factOf(outcome, "count");
  const wanted = `Expected ${expected} ${expected === 1 ? "occurrence" : "occurrences"}`;
  const several = `If you intended to replace multiple occurrences, set 'expected_replacements' to ${count}.`;
  return `Failed to edit, ${wanted} but found ${count} for old_string in file: ${path}. ${several}`;
}
