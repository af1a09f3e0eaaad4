import * as z from "zod";
import { isRefusal, refuse } from "../../files/index.js";
import { defined } from "../../text/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { filesAtMove, filesParameters } from "./files-at-move.js";

export const restoreFilesTool = defineConversationTool({
  name: "restore_files",
  command: "history restore_files",
  title: "Put files back",
  description:
    "Puts the files back to what they were at an earlier turn, all or none, and stays in the conversation where it is. With restore_id, takes an earlier restore back instead, together with its move. Call it alone.",
  parameters: z.object({
    turn_id: z
      .string()
      .min(1)
      .exactOptional()
      .describe("A node's id, as history_view shows it; before the last message of the user unless given"),
    restore_id: z.string().min(1).exactOptional().describe("The restore that is to be taken back"),
    preview: z.boolean().exactOptional().describe("Only says what would happen"),
    consent: filesParameters.consent,
    conflicts: filesParameters.conflicts,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  intent({ turn_id, restore_id, preview = false, ...args }) {
    if (turn_id !== undefined && restore_id !== undefined)
      return refuse("invalid_arguments", "Give turn_id or restore_id, not both.");
    const files = filesAtMove({ files: preview ? "preview" : "restore", ...args });
    if (isRefusal(files)) return files;
    return { kind: "restore_files", files, ...defined({ turnId: turn_id, restoreId: restore_id }) };
  },
});
