import * as z from "zod";
import { readOnlyAnnotations } from "../tool/tool.js";
import { defineConversationTool } from "./conversation-tool.js";

export const taskList = defineConversationTool({
  name: "task_list",
  command: "task list",
  title: "List tasks",
  description: "Shows the tree of tasks: active, paused, complete and cancelled ones, with their ids.",
  parameters: z.object({}),
  annotations: readOnlyAnnotations,
  alone: false,
  intent: () => ({ kind: "task_list" }),
});
