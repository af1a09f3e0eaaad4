import * as z from "zod";
import { type FileChange, isRefusal, type Refusal, refuse } from "../../files/values/index.js";
import {
  type ArgumentRefusal,
  defineTool,
  type FileIntent,
  fileIntent,
  refuseArguments,
} from "../tool/tool.js";
import { memoryWords } from "./anthropic-words.js";
import { commandWords, create, editorParameters, insert, strReplace, view } from "./text-editor.js";

/** What the model calls the folder; in the workspace it is `memories`, in the first root. */
const folder = "/memories";
const ownFolder = "memories";

/** Anthropic's memory, on our core: one folder that an agent keeps for itself. */
export const memory = defineTool({
  name: "memory",
  title: "Memory",
  description: `Keeps notes in files under ${folder} that outlast this conversation. \`view\` the folder first to see what is there. Notes may be edited (\`str_replace\`) without being viewed; \`create\` makes new notes only; \`insert\`, \`delete\` and \`rename\` need a view of the note's latest state.`,
  parameters: z.object({
    command: z.enum(["view", "create", "str_replace", "insert", "delete", "rename"]),
    path: z.string().exactOptional().describe(`Path under ${folder}`),
    ...editorParameters,
    new_str: z.string().optional().describe("New text for str_replace"),
    old_path: z.string().exactOptional().describe("For rename"),
    new_path: z.string().exactOptional().describe("For rename"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  fileAt: (path) => path.replace(/^\/+/, ""),
  words: commandWords,
  spoken: memoryWords,
  intent(args) {
    const name = args.command === "rename" ? "old_path" : "path";
    const path = args[name] === undefined ? undefined : within(args[name]);
    if (path === undefined) return refuseArguments(`The command ${args.command} needs ${name}.`, folder);
    if (isRefusal(path)) return barred(path, args[name]);
    if (path.path === ownFolder && (args.command === "delete" || args.command === "rename"))
      return refuse("invalid_arguments", `Cannot ${args.command} the ${folder} directory itself`);
    const call = { path: path.path, tool: "memory", atomic: true, within: ownFolder };
    switch (args.command) {
      case "view":
        return path.path === ownFolder ? viewAll : view(call, args.view_range);
      case "create":
        return create({ ...call, overwrites: false }, args.file_text);
      case "str_replace":
        return strReplace(call, args.old_str, args.new_str);
      case "insert":
        return insert(call, args.insert_line, args.insert_text);
      case "delete":
        return changeAll({ path: call.path, content: { kind: "delete", mustExist: true } });
      case "rename":
        return rename(call.path, args.new_path);
      default:
        return args.command satisfies never;
    }
  },
});

/** The folder itself is there from the beginning, as far as a model can tell. */
const viewAll = fileIntent({ kind: "list", path: ownFolder, depth: 2, orEmpty: true });

function rename(path: string, to: string | undefined): FileIntent | ArgumentRefusal {
  const target = to === undefined ? undefined : within(to);
  if (target === undefined) return refuseArguments("The command rename needs new_path.", path);
  if (isRefusal(target)) return barred(target, to);
  return changeAll({ path, renameTo: target.path, content: { kind: "same" } });
}

/**
 * A deletion or a rename of a state that the caller was shown: the schema has no place for its hash. Of a folder all
 * that is in it, although the caller may have been shown nothing but names: it is asked for as a whole, and undone so.
 */
function changeAll(change: FileChange): FileIntent {
  const changes: readonly FileChange[] = [
    { ...change, hashless: true, wholeFolder: true, within: ownFolder },
  ];
  return fileIntent({ kind: "apply_changes", changes, tool: "memory" }, { oneFile: true });
}

/** The path in the workspace; a path that is not below the folder, or climbs at all, is refused. */
function within(given: string): { readonly kind: "within"; readonly path: string } | Refusal {
  const parts = given.replace(/\/+$/, "").split("/");
  const inside = parts[0] === "" ? parts.slice(1) : parts;
  if (inside[0] !== ownFolder || inside.some((part) => part === ".." || part === "."))
    return refuse("outside_workspace", `Memory is only what lies under ${folder}; the path leads elsewhere.`);
  return { kind: "within", path: inside.join("/") };
}

function barred(refusal: Refusal, path: string | undefined): ArgumentRefusal {
  return path === undefined ? refusal : { ...refusal, path };
}
