import * as z from "zod";
import { clip } from "../../text/index.js";
import { filePath } from "../tool/parameters.js";
import { defineTool, fileIntent, refuseArguments } from "../tool/tool.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";
import { commandWords, create, editorParameters, insert, strReplace } from "./text-editor.js";
import { factOf, framed, spokenOf } from "./vendor-words.js";

const { file_text, old_str, insert_line } = editorParameters;
const { write, edit, insert: inserting } = commandWords;

/** Amazon Q's tool, on our core. */
export const fsWrite = defineTool({
  name: "fs_write",
  title: "Write file",
  description:
    "Creates and edits files. `create` overwrites only a file that was read in this session. `str_replace` needs an old_str that stands exactly once, in a file that was read. `insert` puts whole lines after insert_line. `append` adds new_str to the end, exactly.",
  parameters: z.object({
    command: z.enum(["create", "str_replace", "insert", "append"]),
    path: filePath,
    file_text,
    old_str,
    new_str: z.string().optional().describe("New text for str_replace, insert or append"),
    insert_line,
    summary: z.string().exactOptional().describe("What the change is for"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  words: { write, edit, insert: inserting, append: "the command append" },
  spoken: fsWriteWords,
  intent(args) {
    const call = { path: args.path, tool: "fs_write" };
    switch (args.command) {
      case "create":
        return create(call, args.file_text);
      case "str_replace":
        return strReplace(call, args.old_str, args.new_str);
      case "insert":
        return insert(call, args.insert_line, args.new_str, "new_str");
      case "append":
        return args.new_str === undefined
          ? refuseArguments("The command append needs new_str.", args.path)
          : fileIntent({ kind: "append", ...call, content: args.new_str }, { quiet: true });
      default:
        return args.command satisfies never;
    }
  },
});

/** The arguments that Amazon Q's sentences repeat. */
interface FsWriteArguments {
  readonly command: string;
  readonly old_str?: string | undefined;
}

/**
 * Amazon Q's words for the answer to its `fs_write`: two refusals. Its successes say nothing at all, and ours say
 * which state is there now.
 */
function fsWriteWords({ command, old_str = "" }: FsWriteArguments, result: ToolResult): Spoken | undefined {
  if (command !== "str_replace") return undefined;
  return spokenOf(result, (outcome) => ({
    not_found: framed(`no occurrences of "${clip(old_str, 1_000)}" were found`),
    occurrence_mismatch: framed(
      `${factOf(outcome, "count")} occurrences of old_str were found when only 1 is expected`,
    ),
  }));
}
