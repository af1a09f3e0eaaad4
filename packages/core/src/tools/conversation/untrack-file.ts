import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const untrackFile = defineConversationTool({
  name: "untrack_file",
  command: "file untrack",
  title: "Stop tracking a file",
  description: "New states of the file are no longer put into the context by themselves.",
  parameters: z.object({ file_path: z.string().min(1).describe("As it was tracked") }),
  annotations: movingAnnotations,
  alone: false,
  run({ manager }, { file_path }) {
    const told = answer("The file is no longer tracked.", { file_path });
    const node = manager.untrackFile(file_path);
    return isRefusal(node) ? node : told;
  },
});
