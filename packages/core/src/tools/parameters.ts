import * as z from "zod";
import type { ExactEdit } from "../files/index.js";

/** Parameters that several tools have, described once. */
export const filePath = z
  .string()
  .min(1)
  .describe("Path of the file, relative to the workspace's root, or absolute inside it");

export const encoding = z
  .string()
  .exactOptional()
  .describe("Name of the file's encoding; only when the tool asked for it");

/** The lock of the tools that take a file as a whole, of any kind. */
export const fileBase = z.string().describe("The sha256 of the file's latest version");

/** The lock of the tools that can do without one. */
export const optionalBase = z
  .string()
  .exactOptional()
  .describe("The sha256 of the version that is changed; refused if the file has another state by now");

/** The lock of the tools that need none, for a call that may have to be sent again. */
export const repeatBase = z
  .string()
  .exactOptional()
  .describe("The sha256 of the version that is changed: the same call sent again is then made once");

export const exactEdit = z.object({
  old_string: z
    .string()
    .describe("Exact text, unique unless replace_all or expected_replacements says otherwise"),
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
