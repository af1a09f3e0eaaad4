import * as z from "zod";
import { after } from "../tool/parameters.js";
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
    after,
  }),
  annotations: readOnlyAnnotations,
  intent({ ignored: all = false, paths = [], globs = [], ...args }) {
    if (paths.length + globs.length === 0) return refuseArguments("No file is named: give paths or globs.");
    // Models write globs among the paths; a name with a star is its own glob.
    const meant = {
      paths: paths.filter((path) => !isGlob(path)),
      globs: [...globs, ...paths.filter(isGlob)],
    };
    return fileIntent({ kind: "read_many", ...args, ...meant, all });
  },
});

const isGlob = (path: string) => /\*|\{[^{}]*,[^{}]*\}/.test(path);
