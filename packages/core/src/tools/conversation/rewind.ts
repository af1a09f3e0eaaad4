import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { defined } from "../../text/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { filesAtMove, filesParameters } from "./files-at-move.js";

export const rewind = defineConversationTool({
  name: "rewind",
  command: "history rewind",
  title: "Go back in the conversation",
  description:
    "Moves back to an earlier turn, from which another path can be tried; the path left is kept. With files: restore, the files go back to what they were there, all or none. Call it alone.",
  parameters: z.object({
    turn_id: z
      .string()
      .min(1)
      .exactOptional()
      .describe("A node's id, as history_view shows it; before the last message of the user unless given"),
    ...filesParameters,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  intent({ turn_id, ...args }) {
    const files = filesAtMove(args);
    return isRefusal(files) ? files : { kind: "rewind", files, ...defined({ turnId: turn_id }) };
  },
});
