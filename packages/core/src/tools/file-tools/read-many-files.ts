import * as z from "zod";
import { defineTool, fileIntent, readOnlyAnnotations, refuseArguments, unlisted } from "../tool/tool.js";

export const readManyFiles = defineTool({
  name: "read_many_files",
  title: "Read many files",
  description: `Reads several files as \`read_file\` does.`,
  parameters: z.object({
    paths: z.array(z.string().min(1)).exactOptional(),
    globs: z.array(z.string().min(1)).exactOptional(),
    exclude: z.array(z.string().min(1)).exactOptional(),
    ignored: z.boolean().exactOptional().meta(unlisted),
  }),
  annotations: readOnlyAnnotations,
  intent: ({ ignored: all = false, ...args }) =>
    (args.paths ?? []).length + (args.globs ?? []).length === 0
      ? refuseArguments("No file is named: give paths or globs.")
      : fileIntent({ kind: "read_many", ...args, all }),
});
