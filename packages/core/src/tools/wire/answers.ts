import * as z from "zod";
import { type OutcomeCode, refusalCodes, successCodes } from "../../files/values/index.js";

// The JSON of the tools' answers: a contract, held by `test/tools/schemas/answers.json`. The sources import
// its types alone: to build the schemas takes longer than to answer a call.

const code = z.enum([...successCodes, ...refusalCodes] satisfies readonly OutcomeCode[]);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const lineNumber = z.int().min(0);

const unusualFacts = {
  encoding: z.string().exactOptional().describe("Only where it is not UTF-8"),
  encoding_guessed: z.literal(true).exactOptional().describe("The charset was inferred, not proven"),
  bytes_not_utf8: z.int().min(1).exactOptional().describe("Each is shown as U+FFFD and kept as it is"),
  bom: z.literal(true).exactOptional().describe("The file begins with a byte order mark"),
};

/** A state of a file, as every answer has it that tells one. */
export const wireFileState = z.object({
  file_path: z.string(),
  leads_to: z.string().exactOptional().describe("Where the name leads, of a link"),
  version: z.int().min(0).describe("Counts the session's reads and writes; the highest is the newest"),
  sha256: sha256.nullable().describe("Of the bytes on disk; null where there is no file"),
  content: z.string().nullable().exactOptional().describe("Left out where it is not shown"),
  lines: z
    .object({ from: lineNumber, to: lineNumber, total: lineNumber })
    .exactOptional()
    .describe("Set where content is a window; 1-based, both included"),
  chars: z
    .object({ from: z.int().min(0), to: z.int().min(0), of: z.int().min(0) })
    .exactOptional()
    .describe("Set where content is a part of that one line; 0-based code points, the end excluded"),
  message: z.string().exactOptional().describe("In place of the content: why it is not sent again"),
  ...unusualFacts,
});

/** What every answer of a tool that only reads may tell. */
const ofReading = {
  after: z.string().exactOptional().describe("The same call with this goes on where the answer ends"),
  ignored_arguments: z.string().exactOptional().describe("What was not taken of the arguments"),
};

const wireRefusal = z.object({
  file_path: z.string().exactOptional(),
  success: z.literal(false),
  code,
  message: z.string(),
  size_bytes: z.int().min(0).exactOptional(),
  ...ofReading,
});

const wireReadState = wireFileState.extend({
  notice: z.string().exactOptional().describe("What was found about earlier writes"),
  ignored_arguments: ofReading.ignored_arguments,
});

/** An image or a PDF, whose bytes stand in a block of their own beside this. */
const wireReadMedia = z.object({
  file_path: z.string(),
  sha256,
  media: z.object({ mime_type: z.string(), size_bytes: z.int().min(0) }),
  message: z.string(),
});

const wireReadResult = z.union([wireReadState, wireReadMedia, wireRefusal]);

const wireReadAnswer = z.union([wireReadState, wireRefusal]);

/** One element for each file asked for, in that order; files that were refused or left out say so. */
const wireReadManyResult = z.union([z.array(wireReadAnswer), wireRefusal]);

const listedEntry = z.object({
  path: z.string(),
  is_directory: z.boolean(),
  size_bytes: z.int().min(0).exactOptional(),
  special: z.enum(["link", "other"]).exactOptional(),
  leads_to: z.string().exactOptional(),
  openable: z.literal(false).exactOptional(),
});

/** What a walk of folders came by without looking in. */
const passedBy = {
  closed_folders: z
    .int()
    .min(0)
    .exactOptional()
    .describe("Folders that may not be entered: what is in them is missing"),
  ignored: z.int().min(0).exactOptional().describe("Entries that the ignore rules leave out"),
};

const more = z.enum(["limit", "answer", "time"]).exactOptional().describe("Why there may be more");

const wireListResult = z.union([
  z.object({
    path: z.string(),
    entries: z.array(listedEntry),
    more: z.boolean(),
    because: more,
    ...passedBy,
    ...ofReading,
  }),
  wireRefusal,
]);

const wireFindResult = z.union([
  z.object({
    path: z.string(),
    files: z.array(listedEntry),
    more,
    ...passedBy,
    ...ofReading,
  }),
  wireRefusal,
]);

/** Snippets: without version and hash, since what is shown is no licence to write. */
const wireSearchResult = z.union([
  z.object({
    path: z.string(),
    matches: z.array(
      z.object({
        file_path: z.string(),
        line: z.int().min(1),
        column: z.int().min(1),
        text: z.string(),
        before: z.array(z.string()).exactOptional(),
        after: z.array(z.string()).exactOptional(),
      }),
    ),
    files: z
      .array(z.object({ file_path: z.string(), lines: z.int().min(1).exactOptional() }))
      .exactOptional()
      .describe("Instead of matches, where only the files were asked for, or how many lines each has"),
    searched_files: z.int().min(0),
    searched_bytes: z.int().min(0),
    skipped: z.object({
      binary: z.int().min(0),
      secret: z.int().min(0),
      unreadable: z.int().min(0),
      long_lines: z.int().min(0),
      across_lines: z.literal(true).exactOptional().describe("Lines were searched one by one"),
      ...passedBy,
    }),
    more,
    ...ofReading,
  }),
  wireRefusal,
]);

const wireWriteResult = z.object({
  success: z.boolean(),
  code,
  message: z.string(),
  latest_file_state: wireFileState.nullable().describe("null where the call named no file"),
  changed_lines: z
    .array(z.object({ from: lineNumber, to: lineNumber, text: z.string() }))
    .exactOptional()
    .describe("The changed lines with context, in place of the content"),
  landed: z.array(z.object({ hunk: z.int(), from: lineNumber, to: lineNumber })).exactOptional(),
  repairs: z
    .array(z.object({ kind: z.string(), hunk: z.int().exactOptional(), detail: z.string() }))
    .exactOptional(),
  content_omitted: z.string().exactOptional(),
});

/** All of it was carried out, or nothing was written; one element for each file. */
const wireChangeSetResult = z.object({
  success: z.boolean(),
  code,
  message: z.string(),
  changes: z.array(z.object({ file_path: z.string(), ...wireWriteResult.shape })),
});

/** The schemas of the answers by the name of what is answered. */
export const resultSchemas = {
  read_file: wireReadResult,
  read_many_files: wireReadManyResult,
  list_files: wireListResult,
  find_files: wireFindResult,
  search_files: wireSearchResult,
  write: wireWriteResult,
  apply_changes: wireChangeSetResult,
} as const;

/** The JSON object of an answer, by the name of what is answered. */
export type WireAnswer<Name extends keyof typeof resultSchemas> = z.infer<(typeof resultSchemas)[Name]>;

/** Any of the wire's objects. */
export type WireResult = WireAnswer<keyof typeof resultSchemas>;

/** A state of a file in them. */
export type WireFileState = z.infer<typeof wireFileState>;
