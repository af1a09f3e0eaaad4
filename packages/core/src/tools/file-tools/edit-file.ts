import * as z from "zod";
import type { ExactEdit } from "../../files/index.js";
import {
  anyEdit,
  baseOf,
  encoding,
  filePath,
  optionalBase,
  readEdit,
  readLineEdits,
} from "../tool/parameters.js";
import { defineTool, fileIntent, refuseArguments } from "../tool/tool.js";

const what = `Replaces exact text: the first choice to change a specific value. Read the file first, or give the \`sha256\` of the version you see. \`old_string\` must match exactly, whitespace included, and be unique.`;

export const editFile = defineTool({
  name: "edit_file",
  title: "Edit file",
  description: `${what}

Several changes: one call with all (in order, all or none), or parallel calls with the same hash.`,
  parameters: z.object({
    file_path: filePath,
    edits: z.array(anyEdit).min(1),
    base_content_sha256: optionalBase,
    encoding,
  }),
  flat: {
    description: `${what}

Several changes: parallel calls with the same hash.`,
    parameters: z.object({ file_path: filePath, ...anyEdit.shape, base_content_sha256: optionalBase }),
  },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { edit: "edit_file" },
  intent: ({ file_path, edits, base_content_sha256, ...options }) => {
    const rest = { tool: "edit_file", ...baseOf(base_content_sha256), ...options };
    const lines = readLineEdits(edits);
    if (typeof lines === "string") return refuseArguments(lines, file_path);
    if (lines !== undefined)
      return fileIntent({ kind: "edit_lines", path: file_path, edits: lines, ...rest });
    const exact: ExactEdit[] = [];
    for (const [at, { old_string, ...edit }] of edits.entries()) {
      if (old_string === undefined)
        return refuseArguments(`edits[${at}] needs old_string or lines.`, file_path);
      exact.push(readEdit({ ...edit, old_string }));
    }
    return fileIntent({ kind: "edit", path: file_path, edits: exact, ...rest });
  },
});
