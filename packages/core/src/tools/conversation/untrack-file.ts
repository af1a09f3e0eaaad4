import * as z from "zod";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const untrackFile = defineConversationTool({
  name: "untrack_file",
  command: "file untrack",
  title: "Stop tracking a file",
  description: "New states of the file are no longer put into the context by themselves.",
  parameters: z.object({ file_path: z.string().min(1).describe("As it was tracked") }),
  annotations: movingAnnotations,
  alone: false,
  intent: ({ file_path }) => ({ kind: "untrack_file", path: file_path }),
});
