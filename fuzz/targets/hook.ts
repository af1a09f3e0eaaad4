import { readHookEvent } from "../../addons/hosts/src/guard/hook-event.js";
import { ensure, isRecord, jsonOf, type Target } from "../target.js";

/** What a client's hook sends. Held against: it throws for nothing but what is no object, and reads whole numbers. */
export const hook: Target = {
  name: "hook",
  words: [
    ...[
      "hook_event_name",
      "PreToolUse",
      "PostToolUse",
      "BeforeTool",
      "AfterTool",
      "tool_name",
      "tool_input",
      "Read",
      "Edit",
    ],
    ...[
      "Write",
      "MultiEdit",
      "replace",
      "read_file",
      "write_file",
      "file_path",
      "old_string",
      "new_string",
      "edits",
      "cwd",
    ],
    ...[
      "offset",
      "limit",
      "start_line",
      "end_line",
      "pages",
      "mcp__holdfast__read_file",
      "tool_response",
      "session_id",
    ],
    ...["changes", "paths", "mcp_a_apply_changes", "notebook_path", "replace_all", "tool_use_id", "error"],
  ],
  run(input) {
    if (!isRecord(jsonOf(input))) return;
    const event = readHookEvent(input);
    if (event?.tool.kind !== "read") return;
    const { window } = event.tool;
    if (window === undefined) return;
    ensure(window.from >= 1, "a window begins in the file", window);
    ensure(Number.isInteger(window.from) && !Number.isNaN(window.to), "a window has whole lines", window);
  },
};
