import * as z from "zod";
import { bareName } from "../../files/index.js";
import type { FileChange, LinePlace } from "../../files/values/index.js";
import { baseOf, fileBase, filePath, readLines } from "../tool/parameters.js";
import { defineTool, type FileIntent, fileIntent, refuseArguments } from "../tool/tool.js";

export const moveFile = defineTool({
  name: "move_file",
  title: "Move file",
  description: `Moves or renames a file. Never overwrites; \`undo_edit\` takes it back.`,
  parameters: z.object({
    file_path: filePath,
    to: z.string().min(1).describe("New path, not a folder"),
    base_content_sha256: fileBase,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { move: "move_file", moveTo: "to" },
  intent: ({ file_path: path, to: renameTo, base_content_sha256: base }) =>
    oneChange("move_file", { path, base, renameTo, content: { kind: "same" } }),
});

export const deleteFile = defineTool({
  name: "delete_file",
  title: "Delete file",
  description: `Deletes a file; \`undo_edit\` brings it back.`,
  parameters: z.object({ file_path: filePath, base_content_sha256: fileBase }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { delete: "delete_file" },
  intent: ({ file_path: path, base_content_sha256: base }) =>
    oneChange("delete_file", { path, base, content: { kind: "delete" } }),
});

export const copyFile = defineTool({
  name: "copy_file",
  title: "Copy file",
  description: `Copies one file of any kind, in the state that the hash names, with its mode. The target is never overwritten. Of a link its target is copied.`,
  parameters: z.object({
    file_path: filePath,
    to: z.string().min(1).describe("The path of the copy, not a folder"),
    base_content_sha256: fileBase,
  }),
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  intent: ({ file_path: path, to: renameTo, base_content_sha256: base }) =>
    oneChange("copy_file", { path, base, renameTo, isCopy: true, content: { kind: "same" } }),
});

/** A set of one change, whose answer is that of its file. */
function oneChange(tool: string, change: FileChange): FileIntent {
  const request = { kind: "apply_changes", changes: [change], tool } as const;
  return fileIntent(request, { oneFile: true, quiet: true });
}

export const moveLines = defineTool({
  name: "move_lines",
  title: "Move lines",
  several: true,
  description: `Moves whole lines to another file, or elsewhere in the same one, without sending their text: both files change, or none. The lines must have been shown. They get the encoding and the line endings of the target. \`undo_edit\` takes it back.`,
  parameters: z.object({
    file_path: filePath,
    lines: z.string().describe('"20-45" or "20", as base_content_sha256 has them'),
    base_content_sha256: fileBase,
    to: z.string().exactOptional().describe("The target file, unless it is the same one"),
    to_base_content_sha256: z
      .string()
      .exactOptional()
      .describe("sha256 of the version of `to` that you see; without it, `to` is a new file"),
    after: z.coerce
      .string()
      .describe('A line of the target before the move, such as "25", or "start" or "end"'),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  intent({ file_path, lines, base_content_sha256: base, to, to_base_content_sha256: toBase, after: given }) {
    const span = readLines(lines);
    if (span === undefined || span.to < span.from)
      return refuseArguments(`move_lines: ${JSON.stringify(lines)} names no lines: "20-45" and "20" do.`);
    const after = readPlace(given);
    if (after === undefined)
      return refuseArguments(
        `move_lines: after is ${JSON.stringify(given)}, and must be "25", "start" or "end".`,
      );
    const isWithin = to === undefined || bareName(to) === bareName(file_path);
    if (isWithin && toBase !== undefined && toBase !== base)
      return refuseArguments("move_lines: without to, both hashes name the same version.", file_path);
    const cut = { kind: "cut", ...span } as const;
    const changes: readonly FileChange[] = isWithin
      ? [{ path: file_path, base, content: { ...cut, after } }]
      : [
          { path: file_path, base, content: cut },
          { path: to, ...baseOf(toBase), content: { kind: "paste", after } },
        ];
    return fileIntent({ kind: "apply_changes", changes, tool: "move_lines" });
  },
});

function readPlace(given: string): LinePlace | undefined {
  const [, number, word] = /^\s*(?:(?:after\s+)?(\d+)|(start|end))\s*$/i.exec(given) ?? [];
  if (number !== undefined) return Number(number);
  if (word === undefined) return undefined;
  return word.toLowerCase() === "end" ? "end" : 0;
}
