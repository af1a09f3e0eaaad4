import * as z from "zod";
import { baseOf, encoding, filePath, optionalBase } from "../tool/parameters.js";
import { defineTool, fileIntent, unlisted } from "../tool/tool.js";

export const updateSection = defineTool({
  name: "update_section",
  title: "Update section",
  description: `Replaces what stands under a Markdown heading, up to the next of the same or a higher level. No read is needed.`,
  parameters: z.object({
    file_path: filePath,
    section_header: z.string().min(1).describe('Such as "## Current State"'),
    new_content: z.string().describe("Without the heading"),
    base_content_sha256: optionalBase,
    create: z.boolean().exactOptional().meta(unlisted),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { section: "update_section" },
  intent: ({ file_path, section_header, new_content, base_content_sha256, ...options }) => {
    const section = { path: file_path, sectionHeader: section_header, newContent: new_content };
    const request = { ...section, ...baseOf(base_content_sha256), tool: "update_section", ...options };
    return fileIntent({ kind: "update_section", ...request });
  },
});
