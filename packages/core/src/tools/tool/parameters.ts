import * as z from "zod";
import type { ExactEdit, NumberedEdit } from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import { unlisted } from "./tool.js";

// Parameters that several tools have. A word here is paid for by every prompt, once a tool.

/** What a path may be is said by the tool that is called first, `read_file`. */
export const filePath = z.string().min(1);

export const encoding = z.string().exactOptional().describe("Only if asked for").meta(unlisted);

/** The answer that is cut says what it is for. */
export const after = z.string().min(1).exactOptional().meta(unlisted);

/** The lock of the tools that take a file as a whole, of any kind. */
export const fileBase = z.string();

/** The lock of the tools that can do without one. */
export const optionalBase = z.string().exactOptional();

/** The lock of the tools that need none, for a call that may have to be sent again. */
export const repeatBase = z
  .string()
  .exactOptional()
  .describe("sha256 of the version you see: a repeat is made once")
  .meta(unlisted);

export const exactEdit = z.object({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().exactOptional(),
  expected_replacements: z.int().min(1).exactOptional(),
});

/** The same, or one by the numbers of lines. */
export const anyEdit = exactEdit.extend({
  old_string: exactEdit.shape.old_string.exactOptional(),
  lines: z.string().exactOptional().describe('Instead of old_string: "20-25", "20" or "after 25"'),
});

type AnyEdit = z.output<typeof anyEdit>;

/**
 * Edits by lines as the workspace takes them.
 *
 * @returns undefined where none names lines; a sentence where they are none, or stand beside edits by text.
 */
export function readLineEdits(given: readonly AnyEdit[]): readonly NumberedEdit[] | string | undefined {
  if (given.every(({ lines }) => lines === undefined)) return undefined;
  const edits: NumberedEdit[] = [];
  for (const { lines, old_string, new_string } of given) {
    if (lines === undefined || old_string !== undefined)
      return "edits name either lines or an old_string: one call holds edits of one kind.";
    const place = readLines(lines);
    if (place === undefined)
      return `${JSON.stringify(lines)} names no lines: "20-25", "20" and "after 25" do.`;
    edits.push({ ...place, content: new_string });
  }
  return edits;
}

/** Lines as `NumberedEdit` has them; undefined where the text names none. */
export function readLines(lines: string): Pick<NumberedEdit, "from" | "to"> | undefined {
  const [, after, first = "", last] = /^\s*(after\s+)?(\d+)(?:\s*-\s*(\d+))?\s*$/i.exec(lines) ?? [];
  const isBackwards = last !== undefined && (after !== undefined || Number(last) < Number(first));
  if (first === "" || isBackwards) return undefined;
  const from = Number(first);
  return after === undefined ? { from, to: Number(last ?? first) } : { from: from + 1, to: from };
}

/** An edit as the workspace takes it. */
export function readEdit(given: z.output<typeof exactEdit>): ExactEdit {
  const { old_string, new_string, replace_all, expected_replacements } = given;
  return {
    oldString: old_string,
    newString: new_string,
    ...defined({ replaceAll: replace_all, expectedReplacements: expected_replacements }),
  };
}

/** An empty base is none. */
export function baseOf(given: string | undefined): { readonly base?: string } {
  return given === undefined || given === "" ? {} : { base: given };
}
