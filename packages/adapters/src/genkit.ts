import {
  type CallKnowledge,
  catching,
  cutVisibly,
  escapeForDisplay,
  type FileName,
  type FileState,
  isRefusal,
  type JsonSchema,
  type ListOutcome,
  type OutcomeCode,
  type ReadOutcome,
  type Refusal,
  SessionKnowledge,
  understand,
  type Vocabulary,
  type WriteOutcome,
} from "@holdfast/core";
import { type OpenedWorkspace, openWorkspace, sha256 } from "@holdfast/core/node";
import {
  type GenerateMiddleware,
  type GenerateMiddlewareDef,
  generateMiddleware,
  type MessageData,
  type Part,
  ToolInterruptError,
  type ToolRequestPart,
  type ToolResponsePart,
  tool,
  z,
} from "genkit";
import { type AnswerFacts, FactRecorder, factsOf, isAnswerFacts } from "./answer-facts.js";
import { genkitWords } from "./framework-words.js";
import { contentToShow, fitContent, fitItems, mostToldUnits, phraseRefusal } from "./hashless.js";

/** Options of the `holdfast` middleware. They are mutable since Genkit infers them from its own schema. */
export interface HoldfastOptions {
  /** The folder in which the tools work. */
  root: string;
  /** Work also in the whole disk, or in a folder that holds a home folder. */
  allowWideRoot?: boolean | undefined;
  /** Offer only the tools that change nothing. */
  readOnly?: boolean | undefined;
  /** Interrupt before every change, until a person has said yes (`restartTool(part, { approved: true })`). */
  approval?: boolean | undefined;
  /** In front of the tools' names, where a request uses this middleware for several folders. */
  toolNamePrefix?: string | undefined;
  /** Where states and history are kept; `HOLDFAST_STATE_DIR` or the XDG state folder unless given. */
  stateDir?: string | undefined;
}

/**
 * Genkit's file tools (seed 2: `list_files`, `read_file`, `write_file`, `edit_file`) on a workspace:
 * `generate({ use: [holdfast({ root })] })`. Nothing is changed that the conversation has not read, or that
 * is not as it was read; every refusal is a tool response. What was read is known from the messages, so it
 * holds over interrupts and over several calls of `generate` with one history. Put it last in `use`: it
 * decides by the messages as they are sent whether a repeated read has to hold the text again.
 */
export const holdfast: GenerateMiddleware<z.ZodType<HoldfastOptions>> = generateMiddleware<
  void,
  z.ZodType<HoldfastOptions>
>(
  {
    name: "holdfast",
    description: "File tools that never act on a state of a file that is not real.",
    configSchema: z.object({
      root: z.string().describe("The folder in which the tools work"),
      readOnly: z.boolean().optional().describe("Offer only the tools that change nothing"),
      approval: z.boolean().optional().describe("Interrupt before every change"),
      toolNamePrefix: z.string().optional().describe("In front of the tools' names"),
      stateDir: z.string().optional().describe("Where states and history are kept"),
    }),
  },
  ({ config }) => {
    if (config?.root === undefined) throw new Error("holdfast needs the option root: the folder to work in.");
    return new FileTools(config);
  },
);

/** The hooks of one call of `generate`: Genkit makes one for each. */
class FileTools implements GenerateMiddlewareDef {
  readonly tools: NonNullable<GenerateMiddlewareDef["tools"]>;
  private readonly offered: ReadonlyMap<string, FileTool>;
  private turn: Turn | undefined;

  constructor(private readonly options: HoldfastOptions) {
    const prefix = options.toolNamePrefix ?? "";
    const offered = fileTools.filter(({ writes }) => !writes || options.readOnly !== true);
    this.offered = new Map(offered.map((file) => [`${prefix}${file.name}`, file]));
    this.tools = [...this.offered].map(([name, { description, inputJsonSchema, run }]) =>
      tool({ name, description, inputJsonSchema }, async (input) => {
        if (this.turn === undefined) throw new Error("holdfast's tools work only inside generate.");
        return run(this.turn, input);
      }),
    );
  }

  private turnOf(told: readonly AnswerFacts[], workspace: OpenedWorkspace): Turn {
    const { toolNamePrefix, readOnly } = this.options;
    const words = genkitWords(toolNamePrefix, readOnly);
    return { workspace, knowledge: knowledgeFrom(told, workspace), words };
  }

  /** The first turn holds all others: the workspace is open as long as it lasts. */
  readonly generate: NonNullable<GenerateMiddlewareDef["generate"]> = async (envelope, context, next) => {
    const told = this.toldIn(envelope.request.messages);
    if (this.turn !== undefined) {
      const { workspace } = this.turn;
      this.turn = this.turnOf(told, workspace);
      return next(envelope, context);
    }
    const workspace = await open(this.options, told.length);
    try {
      this.turn = this.turnOf(told, workspace);
      return await next(envelope, context);
    } finally {
      this.turn = undefined;
      await workspace.close();
    }
  };

  /** Decided as late as can be: only here is it known which texts the model will have before it. */
  readonly model: NonNullable<GenerateMiddlewareDef["model"]> = (request, context, next) =>
    next({ ...request, messages: this.withStubs(request.messages) }, context);

  readonly tool: NonNullable<GenerateMiddlewareDef["tool"]> = async (part, context, next) => {
    const { name } = part.toolRequest;
    const file = this.offered.get(name);
    if (file === undefined) return next(part, context);
    // Genkit holds the input against the schema, and knows one shape only.
    const understood = understand(file.inputJsonSchema, { ...Object(part.toolRequest.input) });
    if (isRefusal(understood)) return respond(part, refusal(understood.code, understood.message));
    const meant = { ...part, toolRequest: { ...part.toolRequest, input: understood.values } };
    if (file.writes && this.options.approval === true) {
      const approved = approvalOf(part);
      if (approved === undefined) throw new ToolInterruptError({ holdfast: "approval", tool: name });
      if (!approved) return respond(part, refusal("denied", "A person said no; nothing was changed."));
    }
    const work = async () => {
      const done = await next(meant, context);
      return isAnswer(done?.toolResponse.output) ? respond(part, done.toolResponse.output) : done;
    };
    return catching(name, work, {}, (error) => {
      if (error instanceof Error && error.name === "ToolInterruptError") throw error;
      return respond(part, failure(name, error));
    });
  };

  /** What the answers in a history told of the files, oldest first. */
  private toldIn(messages: readonly MessageData[]): readonly AnswerFacts[] {
    return messages
      .flatMap(({ content }) => content)
      .filter((part) => this.offered.has(part.toolResponse?.name ?? ""))
      .map((part) => part.metadata?.holdfast)
      .filter(isAnswerFacts);
  }

  /**
   * Replaces the text of a repeated read where the very same text stands in an earlier answer of these
   * messages, and nothing in between told another state of the file (seed 2's stub).
   */
  private withStubs(messages: readonly MessageData[]): MessageData[] {
    const shown = new Map<string, string>();
    const shorten = (part: Part): Part => {
      const { toolResponse, metadata } = part;
      const told = metadata?.holdfast;
      if (toolResponse === undefined || !isAnswerFacts(told) || !this.offered.has(toolResponse.name))
        return part;
      if (told.read === undefined) {
        for (const key of [...shown.keys()]) if (key.startsWith(`${told.path}\n`)) shown.delete(key);
        return part;
      }
      const { output } = toolResponse;
      // A host may have put another text there: only what is still the answer shows what it showed.
      if (typeof output !== "string" || told.envelope !== sha256(output)) return part;
      const key = `${told.path}\n${told.read}`;
      if (shown.get(key) === told.envelope) {
        return { ...part, toolResponse: { ...toolResponse, output: unchanged } };
      }
      shown.set(key, told.envelope);
      return part;
    };
    return messages.map((message) =>
      message.role === "tool" ? { ...message, content: message.content.map(shorten) } : message,
    );
  }
}

/** Seed 2, to the letter. */
const unchanged =
  "File unchanged since last read. The content from the earlier read_file result in this conversation is still current — refer to that instead of re-reading.";

/** One answer of the model with its calls. */
interface Turn {
  readonly workspace: OpenedWorkspace;
  /** What stood in the messages that the model was sent, and what its calls have written since. */
  readonly knowledge: CallKnowledge;
  /** How the tools that are offered here are called. */
  readonly words: Vocabulary;
}

/**
 * All calls of a turn are one to the session: none of them has seen what another one read. It is never
 * ended: the next turn is made from its own messages.
 */
function knowledgeFrom(told: readonly AnswerFacts[], { roots: [root = ""] }: OpenedWorkspace): CallKnowledge {
  const nameOf = ({ path }: FileName) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  return new SessionKnowledge({ limit: mostFiles, nameOf, facts: factsOf(told) }).begin();
}

const mostFiles = 200;

interface Answer {
  readonly kind: "holdfast_answer";
  readonly output: unknown;
  readonly told?: AnswerFacts;
}

async function open(
  { root, allowWideRoot, readOnly, stateDir }: HoldfastOptions,
  resumedVersion: number,
): Promise<OpenedWorkspace> {
  const workspace = await openWorkspace({
    roots: [root],
    allowWideRoot,
    readOnly: readOnly === true,
    resumedVersion,
    ...(stateDir === undefined ? {} : { stateDir }),
  });
  if (isRefusal(workspace)) throw new Error(`holdfast cannot open ${root}: ${workspace.message}`);
  return workspace;
}

interface FileTool {
  readonly name: string;
  readonly writes: boolean;
  readonly description: string;
  readonly inputJsonSchema: JsonSchema;
  /** Genkit has held the input against the schema. */
  run(turn: Turn, input: unknown): Promise<Answer>;
}

const filePath = { type: "string", minLength: 1, description: "File path relative to the root" };

const fileTools: readonly FileTool[] = [
  {
    name: "list_files",
    writes: false,
    description:
      "Lists what a folder holds: path, isDirectory, and for files sizeBytes. What the ignore files leave out is not listed.",
    inputJsonSchema: schema({
      dirPath: { type: "string", description: "Folder relative to the root; the root unless given" },
      recursive: { type: "boolean", description: "Whether to go down into its folders" },
    }),
    async run({ workspace, words }, input) {
      const { dirPath = "", recursive = false } = input as { dirPath?: string; recursive?: boolean };
      const path = dirPath === "" ? "." : dirPath;
      return listing(words, path, await workspace.list({ path, depth: recursive ? 100 : 1, limit: 5_000 }));
    },
  },
  {
    name: "read_file",
    writes: false,
    description:
      "Reads a file, or with offset and limit some of its lines. A file has to be read before it can be changed. The text stands between the read_file line and its closing tag, every byte as it is on disk. Files above 256 KiB are read in windows.",
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
      return reading(words, knowledge, await workspace.run({ kind: "read", path, ...window }, { knowledge }));
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
    async run({ workspace, knowledge: known, words }, input) {
      const { filePath: path, content } = input as { filePath: string; content: string };
      const request = { kind: "write", path, content, tool: "write_file", hashless: true } as const;
      const knowledge = new FactRecorder(known);
      return writing(words, knowledge, path, await workspace.run(request, { knowledge }));
    },
  },
  {
    name: "edit_file",
    writes: true,
    description:
      "Replaces exact text in a file that was read before. The edits apply one after the other, each on the result of the one before, all or none. oldString must stand in the file exactly once, byte for byte, unless replaceAll is set; an empty newString deletes it.",
    inputJsonSchema: schema({ filePath, edits: editsSchema() }, ["filePath", "edits"]),
    async run({ workspace, knowledge: known, words }, input) {
      const { filePath: path, edits } = input as { filePath: string; edits: readonly Edit[] };
      const knowledge = new FactRecorder(known);
      const request = { kind: "edit", path, edits, tool: "edit_file" } as const;
      return writing(words, knowledge, path, await workspace.run(request, { knowledge }));
    },
  },
];

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
  const isMore = outcome.more || isCut;
  return answer(isMore ? { entries: items, note: "There are more; list a folder of it." } : items);
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
  const sentence = phraseRefusal(path, outcome, words);
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

function refusal(code: OutcomeCode, message: string): Answer {
  return answer(`Error (${code}): ${message}`);
}

/** Arguments that fit no schema are told as Genkit tells them; of everything else only that it failed. */
function failure(name: string, error: unknown): Answer {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  if (status === "INVALID_ARGUMENT" && error instanceof Error)
    return refusal("invalid_arguments", error.message);
  return refusal(
    "internal_error",
    `Internal Error: ${name} failed unexpectedly. Read the file before you go on.`,
  );
}

function answer(output: unknown, told?: AnswerFacts): Answer {
  return { kind: "holdfast_answer", output, ...(told === undefined ? {} : { told }) };
}

function respond({ toolRequest }: ToolRequestPart, { output, told }: Answer): ToolResponsePart {
  const { name, ref } = toolRequest;
  const toolResponse = { name, output, ...(ref === undefined ? {} : { ref }) };
  return { toolResponse, ...(told === undefined ? {} : { metadata: { holdfast: told } }) };
}

/** What a person said, by `restartTool(part, { approved })`; undefined where nobody was asked yet. */
function approvalOf({ metadata }: ToolRequestPart): boolean | undefined {
  const resumed = metadata?.resumed;
  if (typeof resumed !== "object" || resumed === null || !("approved" in resumed)) return undefined;
  return resumed.approved === true;
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "holdfast_answer";
}
