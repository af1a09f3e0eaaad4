// The tools of the Genkit middleware, which knows Genkit; these do not.
import { outcomeOfOneFile } from "@holdfast/core/files";
import type { CallKnowledge } from "@holdfast/core/files/seen";
import type { OutcomeCode } from "@holdfast/core/files/values";
import {
  type ApplyChangesRequest,
  type ChangeRequest,
  displacedNoteOf,
  type FileState,
  isRefusal,
  type ListOutcome,
  type ReadOutcome,
  type Refusal,
  type Vocabulary,
  type WriteOutcome,
} from "@holdfast/core/files/values";
import { base64, type OpenedWorkspace, sha256 } from "@holdfast/core/node";
import { causeOf, cutVisibly, escapeForDisplay } from "@holdfast/core/text";
import type { JsonSchema } from "@holdfast/core/tools";
import { type AnswerFacts, FactRecorder } from "./answer-facts.js";
import { contentToShow, fitContent, fitItems, mostToldUnits, phraseRefusal } from "./hashless.js";

/** One answer of the model with its calls. */
export interface Turn {
  readonly workspace: OpenedWorkspace;
  /** What stood in the messages that the model was sent, and what its calls have written since. */
  readonly knowledge: CallKnowledge;
  /** How the tools that are offered here are called. */
  readonly words: Vocabulary;
  /** Nobody was asked about these inputs, since they would have been refused: they change nothing now, either. */
  readonly unasked: WeakSet<object>;
}

/** What a tool gives to the middleware, which makes a tool response of it. */
export interface Answer {
  readonly kind: "holdfast_answer";
  readonly output: unknown;
  readonly told?: AnswerFacts;
  /** Shown to the model in a message after the answer, as Genkit's own middleware shows images. */
  readonly image?: ShownImage;
}

/** An image as Genkit's parts have it. */
export interface ShownImage {
  readonly path: string;
  readonly contentType: string;
  /** A data URL. */
  readonly url: string;
}

/** One of the tools. Genkit holds an input against the schema before `run`, and after `change`. */
export type GenkitTool = {
  readonly name: string;
  readonly description: string;
  readonly inputJsonSchema: JsonSchema;
} & (
  | { readonly writes: false; run(turn: Turn, input: unknown): Promise<Answer> }
  | { readonly writes: true; change(input: unknown): ChangeRequest }
);

/** Carries a call of one of the tools out. */
export function runTool(tool: GenkitTool, turn: Turn, input: unknown): Promise<Answer> {
  return tool.writes ? changing(turn, tool.change(input), input) : tool.run(turn, input);
}

const filePath = { type: "string", minLength: 1, description: "File path relative to the root" };

export const genkitTools: readonly GenkitTool[] = [
  {
    name: "list_files",
    writes: false,
    description:
      "Lists what a folder holds as entries: path, isDirectory, and for files sizeBytes. What the ignore files leave out is not listed. more says whether entries were left out.",
    inputJsonSchema: schema({
      dirPath: { type: "string", description: "Folder relative to the root; the root unless given" },
      recursive: { type: "boolean", description: "Whether to go down into its folders" },
    }),
    async run({ workspace, words }, input) {
      const { dirPath = "", recursive = false } = input as { dirPath?: string; recursive?: boolean };
      const path = dirPath === "" ? "." : dirPath;
      return listing(
        words,
        path,
        await workspace.list({ path, depth: recursive ? 100 : 1, limit: mostEntries }),
      );
    },
  },
  {
    name: "read_file",
    writes: false,
    description:
      "Reads a file, or with offset and limit some of its lines. A file has to be read before it can be changed. The text stands between the read_file line and its closing tag, every byte as it is on disk. Files above 256 KiB are read in windows. Images are shown.",
    inputJsonSchema: schema(
      {
        filePath,
        offset: { type: "integer", minimum: 1, description: "First line to read, counted from 1" },
        limit: { type: "integer", minimum: 1, description: "Number of lines to read" },
      },
      ["filePath"],
    ),
    async run({ workspace, knowledge: known, words }, input) {
      const { filePath: path, ...window } = input as { filePath: string; offset?: number; limit?: number };
      const knowledge = new FactRecorder(known);
      const outcome = await workspace.run({ kind: "read", path, ...window }, { knowledge, isSilent: true });
      const image = outcome.kind === "refusal" ? await imageAt(workspace, path, outcome) : undefined;
      return image ?? reading(words, knowledge, outcome);
    },
  },
  {
    name: "write_file",
    writes: true,
    description:
      "Creates a file, or replaces all of its content. To replace a file, read it first; to change a part of it, use edit_file.",
    inputJsonSchema: schema({ filePath, content: { type: "string", description: "The whole new content" } }, [
      "filePath",
      "content",
    ]),
    change(input) {
      const { filePath: path, content } = input as { filePath: string; content: string };
      return { kind: "write", path, content, tool: "write_file", hashless: true };
    },
  },
  {
    name: "edit_file",
    writes: true,
    description:
      "Replaces exact text in a file that was read before. The edits apply one after the other, each on the result of the one before, all or none. oldString must stand in the file exactly once, byte for byte, unless replaceAll is set; an empty newString deletes it.",
    inputJsonSchema: schema({ filePath, edits: editsSchema() }, ["filePath", "edits"]),
    change(input) {
      const { filePath: path, edits } = input as { filePath: string; edits: readonly Edit[] };
      return { kind: "edit", path, edits, tool: "edit_file" };
    },
  },
  {
    name: "move_file",
    writes: true,
    description:
      "Moves or renames one file that was read before; missing folders are made. An existing target is refused, never overwritten.",
    inputJsonSchema: schema(
      {
        filePath,
        toPath: { type: "string", minLength: 1, description: "Its new path, relative to the root" },
      },
      ["filePath", "toPath"],
    ),
    change(input) {
      const { filePath: path, toPath: renameTo } = input as { filePath: string; toPath: string };
      const change = { path, renameTo, hashless: true, content: { kind: "same" } } as const;
      return { kind: "apply_changes", changes: [change], tool: "move_file" };
    },
  },
  {
    name: "delete_file",
    writes: true,
    description: "Deletes one file that was read before.",
    inputJsonSchema: schema({ filePath }, ["filePath"]),
    change(input) {
      const { filePath: path } = input as { filePath: string };
      const change = { path, hashless: true, content: { kind: "delete" } } as const;
      return { kind: "apply_changes", changes: [change], tool: "delete_file" };
    },
  },
];

/** A folder with more is listed by its folders. */
const mostEntries = 1_000;

interface Edit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll?: boolean;
}

function editsSchema(): JsonSchema {
  const edit = {
    oldString: { type: "string", description: "The exact text to replace" },
    newString: { type: "string", description: "What takes its place; empty to delete" },
    replaceAll: { type: "boolean", description: "Replace every occurrence, for renames" },
  };
  return { type: "array", minItems: 1, items: schema(edit, ["oldString", "newString"]) };
}

function schema(properties: Readonly<Record<string, object>>, required: readonly string[] = []): JsonSchema {
  return { type: "object", properties, required };
}

function listing(words: Vocabulary, path: string, outcome: ListOutcome): Answer {
  if (outcome.kind === "refusal") return refused(words, path, outcome);
  const entries = outcome.entries.map(({ path, isDirectory, sizeBytes }) => ({
    path,
    isDirectory,
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
  }));
  const { items, isCut } = fitItems(entries);
  const more = outcome.more || isCut;
  return answer({ entries: items, more, ...(more ? { note: "There are more; list a folder of it." } : {}) });
}

/** An image where its bytes are no text: the model is shown it, and may move, replace or delete it then. */
async function imageAt(
  workspace: OpenedWorkspace,
  path: string,
  refusal: Refusal,
): Promise<Answer | undefined> {
  const contentType = imageTypes[/\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? ""];
  if (refusal.code !== "binary" || contentType === undefined) return undefined;
  const outcome = await workspace.readBytes({ path });
  if (isRefusal(outcome)) return undefined;
  const hash = sha256(outcome.bytes);
  const url = `data:${contentType};base64,${base64(outcome.bytes)}`;
  const facts = [{ kind: "shown", sha256: hash, lines: [], someText: true }] as const;
  const output = `File ${escapeForDisplay(path)} read successfully, see contents below`;
  const told = { path: outcome.path, sha256: hash, facts };
  return { kind: "holdfast_answer", output, told, image: { path: outcome.path, contentType, url } };
}

const imageTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".bmp": "image/bmp",
  ".avif": "image/avif",
  ".heic": "image/heic",
};

async function changing(turn: Turn, request: ChangeRequest, input: unknown): Promise<Answer> {
  const { workspace, words, unasked } = turn;
  const knowledge = new FactRecorder(turn.knowledge);
  const agreed = typeof input === "object" && input !== null && unasked.has(input) ? { agreed: [] } : {};
  const outcome = await workspace.run(request, { knowledge, ...agreed });
  if (!("files" in outcome)) return writing(words, knowledge, pathOf(request), outcome);
  const answered = writing(words, knowledge, pathOf(request), outcomeOfOneFile(outcome));
  if (isRefusal(outcome)) return answered;
  // A file that was moved is read anew under its name; of one that is gone there is nothing to know.
  const { told: _, ...said } = answered;
  return said;
}

function pathOf(request: ChangeRequest): string {
  return request.kind === "apply_changes" ? onlyPath(request) : request.path;
}

function onlyPath(request: ApplyChangesRequest): string {
  return "changes" in request ? (request.changes[0]?.path ?? "") : "";
}

function reading(words: Vocabulary, recorder: FactRecorder, outcome: ReadOutcome): Answer {
  if (outcome.kind === "refusal") return refused(words, outcome.path, outcome);
  const { sha256: hash, path, content } = outcome.state;
  const fitted = fitContent(outcome.state, content, envelope, words);
  if ("omission" in fitted) return answer(`Error (too_large): ${fitted.omission}`);
  const { text, state, shown } = fitted;
  const { from, to } = state.lines ?? {};
  const read = from === undefined ? "" : `${from}-${to}`;
  const facts = recorder.factsWith(shown);
  return answer(text, { path, sha256: hash, read, facts, envelope: sha256(text) });
}

/** A refusal that brings the state on disk has shown it: the next turn may build on it. */
function writing(words: Vocabulary, recorder: FactRecorder, path: string, outcome: WriteOutcome): Answer {
  const { code, message, state } = outcome;
  const told = state?.sha256 == null ? undefined : { path: state.path, sha256: state.sha256 };
  if (!isRefusal(outcome))
    return answer(
      cutVisibly(`OK (${code}): ${message}`, mostToldUnits),
      told && { ...told, facts: recorder.factsWith([]) },
    );
  const phrase = phraseRefusal(path, outcome, words);
  const sentence = phrase + displacedNoteOf(outcome, phrase);
  const content = contentToShow(outcome);
  if (content === undefined || state === null || told === undefined) return answer(sentence);
  const frame = (shown: FileState, text: string) =>
    `${sentence}\nIts content is now:\n${envelope(shown, text)}`;
  const fitted = fitContent(state, content, frame, words);
  if ("omission" in fitted) return answer(sentence);
  return answer(fitted.text, { ...told, facts: recorder.factsWith(fitted.shown) });
}

/** Seed 2's envelope; no newline is invented before its end, and its text cannot close it. */
function envelope(state: FileState, content: string): string {
  const { lines, facts, path } = state;
  const name = escapeForDisplay(path).replace(/["\\]/g, (char) => `\\${char}`);
  let tag = "read_file";
  for (let at = 1; content.includes(`<${tag}`) || content.includes(`</${tag}`); at += 1)
    tag = `read_file-${at}`;
  const window = lines === undefined ? "" : ` lines="${lines.from}-${lines.to}"`;
  return `<${tag} path="${name}"${window} totalLines="${facts?.totalLines ?? 0}">\n${content}</${tag}>`;
}

function refused(words: Vocabulary, path: string, refusal: Refusal): Answer {
  return answer(phraseRefusal(path, refusal, words));
}

/** A refusal that no request of the workspace came to. */
export function refusal(code: OutcomeCode, message: string): Answer {
  return answer(`Error (${code}): ${message}`);
}

/** Arguments that fit no schema are told as Genkit tells them; of everything else only that it failed. */
export function failure(name: string, error: unknown): Answer {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (status === "INVALID_ARGUMENT" && error instanceof Error)
    return refusal("invalid_arguments", error.message);
  return refusal(
    "internal_error",
    `Internal Error: ${name} failed unexpectedly (${causeOf(error)}). Read the file before you go on.`,
  );
}

function answer(output: unknown, told?: AnswerFacts): Answer {
  return { kind: "holdfast_answer", output, ...(told === undefined ? {} : { told }) };
}

/** Whether one of these tools gave it: Genkit hands on what a tool returns as it is. */
export function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "holdfast_answer";
}
