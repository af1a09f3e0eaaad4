import * as z from "zod";
import { readOnlyAnnotations } from "../tool/tool.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

/** What is kept in the context by itself. */
export const trackingTools = [
  defineConversationTool({
    name: "track_file",
    command: "file track",
    title: "Track a file",
    description:
      "From now on the newest state of the file is put into the context by itself whenever it has changed, with its version and hash: it need not be read again. For the few files that the work turns on.",
    parameters: z.object({ file_path: z.string().min(1).describe("Relative to the workspace's root") }),
    annotations: movingAnnotations,
    intent: ({ file_path }) => ({ kind: "track_file", path: file_path }),
  }),
  defineConversationTool({
    name: "untrack_file",
    command: "file untrack",
    title: "Stop tracking a file",
    description: "New states of the file are no longer put into the context by themselves.",
    parameters: z.object({ file_path: z.string().min(1).describe("As it was tracked") }),
    annotations: movingAnnotations,
    intent: ({ file_path }) => ({ kind: "untrack_file", path: file_path }),
  }),
  defineConversationTool({
    name: "list_tracked_files",
    command: "file list",
    title: "List tracked files",
    description: "Names the files whose newest state is put into the context by itself.",
    parameters: z.object({}),
    annotations: readOnlyAnnotations,
    intent: () => ({ kind: "list_tracked_files" }),
  }),
] as const;
