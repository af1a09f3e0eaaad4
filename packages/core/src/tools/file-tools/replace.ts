import * as z from "zod";
import { filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";
import { replaceWords } from "./gemini-words.js";

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
