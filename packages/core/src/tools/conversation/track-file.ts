import * as z from "zod";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const trackFile = defineConversationTool({
  name: "track_file",
  command: "file track",
  title: "Track a file",
  description:
    "From now on the newest state of the file is put into the context by itself whenever it has changed, with its version and hash: it need not be read again. For the few files that the work turns on.",
  parameters: z.object({ file_path: z.string().min(1).describe("Relative to the workspace's root") }),
  annotations: movingAnnotations,
  alone: false,
  intent: ({ file_path }) => ({ kind: "track_file", path: file_path }),
});
