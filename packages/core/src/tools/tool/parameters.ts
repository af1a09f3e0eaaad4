import * as z from "zod";
import type { ExactEdit } from "../../files/index.js";

// Parameters that several tools have. A word here is paid for by every prompt, once a tool.

/** What a path may be is said by the tool that is called first, `read_file`. */
export const filePath = z.string().min(1);

export const encoding = z.string().exactOptional().describe("Only if asked for");

/** The lock of the tools that take a file as a whole, of any kind. */
export const fileBase = z.string().describe("sha256 of the version you see");

/** The lock of the tools that can do without one. */
export const optionalBase = z.string().exactOptional().describe("sha256 of the version you see: a lock");

/** The lock of the tools that need none, for a call that may have to be sent again. */
export const repeatBase = z
  .string()
  .exactOptional()
  .describe("sha256 of the version you see: a repeat is made once");

export const exactEdit = z.object({
  old_string: z.string().describe("Unique, unless replace_all or expected_replacements is given"),
  new_string: z.string(),
  replace_all: z.boolean().exactOptional(),
  expected_replacements: z.int().min(1).exactOptional(),
});

/** An edit as the workspace takes it. */
export function readEdit(given: z.output<typeof exactEdit>): ExactEdit {
  const { old_string, new_string, replace_all, expected_replacements } = given;
  return {
    oldString: old_string,
    newString: new_string,
    ...(replace_all === undefined ? {} : { replaceAll: replace_all }),
    ...(expected_replacements === undefined ? {} : { expectedReplacements: expected_replacements }),
  };
}

/** An empty base is none. */
export function baseOf(given: string | undefined): { readonly base?: string } {
  return given === undefined || given === "" ? {} : { base: given };
}
