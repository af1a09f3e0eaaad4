import * as z from "zod";
import { baseOf, filePath, optionalBase } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

/** The tool of fast-apply models; the host gives the applier (`WorkspaceOptions.applier`). */
export const applyEdit = defineTool({
  name: "apply_edit",
  title: "Apply edit",
  description:
    "Changes a file by a sketch: `instructions` say in one sentence what changes, `code_edit` gives the changed lines with `// ... existing code ...` for everything that stays. Another model makes the whole text from it; what was changed comes back, look it over. Read the file first, or give the `sha256` of the version you see.",
  parameters: z.object({
    file_path: filePath,
    instructions: z.string().describe("What the edit does, in one sentence"),
    code_edit: z.string().describe("The changed lines and marks for what stays"),
    base_content_sha256: optionalBase,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  intent: ({ file_path, instructions, code_edit, base_content_sha256 }) => {
    const sketch = { path: file_path, instructions, codeEdit: code_edit, tool: "apply_edit" };
    return fileIntent({ kind: "apply_edit", ...sketch, ...baseOf(base_content_sha256) });
  },
});
