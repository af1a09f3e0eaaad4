import * as z from "zod";
import { filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";
import { editorWords } from "./anthropic-words.js";
import { create, insert, strReplace, view } from "./text-editor.js";

/** Anthropic's text editor, on our core; `undo_edit` is of its older schema. */
export const strReplaceBasedEditTool = defineTool({
  name: "str_replace_based_edit_tool",
  title: "Text editor",
  description:
    "Views, creates and edits files. `view` a file before you change it; a change of a state that you have not seen is refused. `str_replace` needs an old_str that stands exactly once. `insert` puts whole lines after insert_line of the state you saw last. `create` overwrites only a file that you have viewed. `undo_edit` takes the last change back.",
  parameters: z.object({
    command: z.enum(["view", "create", "str_replace", "insert", "undo_edit"]),
    path: filePath,
    view_range: z.array(z.int()).exactOptional().describe("[first, last] line for view; -1 is the end"),
    file_text: z.string().optional().describe("Content for create"),
    old_str: z.string().optional().describe("Exact text for str_replace"),
    new_str: z.string().optional().describe("New text for str_replace or insert"),
    insert_line: z.int().min(0).exactOptional().describe("Line after which to insert; 0 is the top"),
    insert_text: z.string().optional().describe("Text for insert"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  spoken: editorWords,
  intent(args) {
    const call = { path: args.path, tool: "str_replace_based_edit_tool" };
    switch (args.command) {
      case "view":
        return view(call, args.view_range);
      case "create":
        return create(call, args.file_text);
      case "str_replace":
        return strReplace(call, args.old_str, args.new_str);
      case "insert":
        return insert(call, args.insert_line, args.insert_text ?? args.new_str);
      case "undo_edit":
        return fileIntent({ kind: "undo", ...call });
      default:
        return args.command satisfies never;
    }
  },
});
