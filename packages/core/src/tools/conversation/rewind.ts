import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { conflictParameters, follow, strayParameter } from "./follow.js";

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
    files: z
      .enum(["keep", "restore"])
      .exactOptional()
      .describe("keep, unless given: the files stay as they are"),
    ...conflictParameters,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  async run(host, { turn_id, files = "keep", ...terms }, asked) {
    const { manager } = host;
    const target = manager.rewindTarget(turn_id);
    if (isRefusal(target)) return target;
    if (files === "restore") return follow(host, { consent: [], ...terms, toId: target.id }, asked);
    const stray = strayParameter(terms);
    if (stray !== undefined) return stray;
    const told = answer("Went back; the path left is kept.", { turn_id: target.id });
    const node = manager.rewind(target.id, asked.answering(told));
    return isRefusal(node) ? node : told;
  },
});
