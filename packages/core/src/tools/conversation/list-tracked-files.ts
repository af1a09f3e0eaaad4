import * as z from "zod";
import { readOnlyAnnotations } from "../tool/tool.js";
import { defineConversationTool } from "./conversation-tool.js";

export const listTrackedFiles = defineConversationTool({
  name: "list_tracked_files",
  command: "file list",
  title: "List tracked files",
  description: "Names the files whose newest state is put into the context by itself.",
  parameters: z.object({}),
  annotations: readOnlyAnnotations,
  alone: false,
  intent: () => ({ kind: "list_tracked_files" }),
});
