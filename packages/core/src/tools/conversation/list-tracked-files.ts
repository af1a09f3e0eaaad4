import * as z from "zod";
import { escapeForDisplay } from "../../text/index.js";
import { readOnlyAnnotations } from "../tool.js";
import { answer, defineConversationTool } from "./conversation-tool.js";

export const listTrackedFiles = defineConversationTool({
  name: "list_tracked_files",
  command: "file list",
  title: "List tracked files",
  description: "Names the files whose newest state is put into the context by itself.",
  parameters: z.object({}),
  annotations: readOnlyAnnotations,
  alone: false,
  run({ manager }) {
    const paths = manager.trackedFiles();
    if (paths.length === 0) return answer("No file is tracked here.");
    return answer(`${paths.length} tracked:`, undefined, paths.map(escapeForDisplay).join("\n"));
  },
});
