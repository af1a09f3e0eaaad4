import * as z from "zod";
import { isRefusal, refuse } from "../../files/values/index.js";
import type { ArgumentRefusal } from "../tool/tool.js";
import type { FilesAtMove } from "./conversation-request.js";

/** A text that may be left out. */
export function optionalText(describes: string) {
  return z.string().min(1).exactOptional().describe(describes);
}

/** Parameters of the tools that move the head: what becomes of the files. */
export const filesParameters = {
  files: z
    .enum(["keep", "restore", "preview"])
    .exactOptional()
    .describe(
      "keep, unless given: the files stay as they are; preview: nothing moves, it says what restore would do",
    ),
  consent: z
    .array(z.string().min(1))
    .exactOptional()
    .describe("Paths to be put back although somebody else changed them; only where the user agreed"),
  conflicts: z
    .enum(["refuse", "leave"])
    .exactOptional()
    .describe("leave: other files in conflict stay as they are; refuse, unless given: then nothing is moved"),
};

/** @returns `invalid_arguments` for what goes with `files: restore` only. */
function filesAtMove(args: {
  readonly files?: "keep" | "restore" | "preview";
  readonly consent?: readonly string[];
  readonly conflicts?: "refuse" | "leave";
}): FilesAtMove | ArgumentRefusal {
  const { files = "keep", consent = [], conflicts = "refuse" } = args;
  if (files === "restore") return { kind: "restore", consent, conflicts };
  const stray = (["consent", "conflicts"] as const).find((name) => args[name] !== undefined);
  return stray === undefined
    ? { kind: files }
    : refuse("invalid_arguments", `${stray} goes with files: restore.`);
}

/** The request of a tool that moves the head, from what becomes of the files. */
export function atFiles<Request>(
  args: Parameters<typeof filesAtMove>[0],
  request: (files: FilesAtMove) => Request,
): Request | ArgumentRefusal {
  const files = filesAtMove(args);
  return isRefusal(files) ? files : request(files);
}
