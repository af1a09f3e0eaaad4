import * as z from "zod";
import {
  type ContentChange,
  type FileChange,
  isRefusal,
  type Refusal,
  refuse,
} from "../../files/values/index.js";
import { encoding, exactEdit, filePath, readEdit } from "../tool/parameters.js";
import { defineTool, fileIntent, refuseArguments } from "../tool/tool.js";

const change = z.object({
  file_path: filePath,
  base_content_sha256: z
    .string()
    .exactOptional()
    .describe("The sha256 of the version that is changed; only for a new file leave it out"),
  unified_diff: z.string().exactOptional(),
  edits: z.array(exactEdit).exactOptional().describe("Exact replacements, one after the other"),
  content: z.string().exactOptional().describe("The whole new content"),
  delete: z.boolean().exactOptional(),
  rename_to: z
    .string()
    .exactOptional()
    .describe("The new path; alone, or with one of unified_diff, edits, content"),
  encoding,
});

export const applyChanges = defineTool({
  name: "apply_changes",
  title: "Apply changes",
  several: true,
  description: `Changes several files together: all changes are made, or none. Use it where files have to change at the same time; for one file use \`safe_patch\`.

Usage protocol:
1. Give \`changes\`, one for each file, each with exactly one of \`unified_diff\`, \`edits\`, \`content\`, \`delete\` (or \`rename_to\`, alone or with one of the first three). Name each file once.
2. Each change of an existing file **MUST** give the \`sha256\` of its latest version as \`base_content_sha256\`. A new file needs none.
3. If one change is refused, nothing is written; the answer says which ones were the reason and gives their latest states. Correct those and send the whole set again.

Instead of \`changes\` you may give one \`unified_diff\` of several files and \`bases\`, the sha256 of each file by its path in the diff.`,
  parameters: z.object({
    changes: z.array(change).exactOptional(),
    unified_diff: z.string().exactOptional().describe("A diff of several files, instead of changes"),
    bases: z.record(z.string(), z.string()).exactOptional().describe("With unified_diff: sha256 by path"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { changes: "apply_changes" },
  intent({ changes, unified_diff, bases }) {
    if ((changes === undefined) === (unified_diff === undefined))
      return refuseArguments("Give either changes or unified_diff with bases.");
    const asked = { kind: "apply_changes", tool: "apply_changes" } as const;
    if (changes === undefined)
      return fileIntent({ ...asked, diff: unified_diff ?? "", bases: bases ?? {}, modes: "keep" });
    const wanted: FileChange[] = [];
    for (const [at, given] of changes.entries()) {
      const read = readChange(given);
      if (isRefusal(read)) return refuseArguments(`changes[${at}]: ${read.message}`);
      wanted.push(read);
    }
    return fileIntent({ ...asked, changes: wanted });
  },
});

type Given = z.output<typeof change>;

function readChange(given: Given): FileChange | Refusal {
  const contents = contentsOf(given);
  const [content = { kind: "same" } as const] = contents;
  const renameTo = given.rename_to === "" ? undefined : given.rename_to;
  if (contents.length > 1 || (contents.length === 0 && renameTo === undefined))
    return refuse(
      "invalid_arguments",
      "a change has exactly one of unified_diff, edits, content and delete, or rename_to.",
    );
  const base = given.base_content_sha256 === "" ? undefined : given.base_content_sha256;
  return {
    path: given.file_path,
    content,
    ...(base === undefined ? {} : { base }),
    ...(renameTo === undefined ? {} : { renameTo }),
    ...(given.encoding === undefined ? {} : { encoding: given.encoding }),
  };
}

function contentsOf({ unified_diff, edits, content, delete: gone }: Given): readonly ContentChange[] {
  return [
    ...(unified_diff === undefined ? [] : [{ kind: "diff", diff: unified_diff } as const]),
    ...(content === undefined ? [] : [{ kind: "text", text: content } as const]),
    ...(gone === true ? [{ kind: "delete" } as const] : []),
    ...(edits === undefined ? [] : [{ kind: "edits", edits: edits.map(readEdit) } as const]),
  ];
}
