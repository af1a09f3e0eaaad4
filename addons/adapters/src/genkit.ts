import { type CallKnowledge, type FileName, SessionKnowledge } from "@holdfast/core/files/seen";
import { isRefusal } from "@holdfast/core/files/values";
import { type OpenedWorkspace, openWorkspace, sha256 } from "@holdfast/core/node";
import { catching, understand } from "@holdfast/core/tools";
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
import { type AnswerFacts, factsOf, isAnswerFacts } from "./answer-facts.js";
import { type ApprovalQuestion, questionFrom } from "./approval.js";
import { genkitWords } from "./framework-words.js";
import {
  type Answer,
  failure,
  type GenkitTool,
  genkitTools,
  isAnswer,
  refusal,
  runTool,
  type ShownImage,
  type Turn,
} from "./genkit-tools.js";

/** Options of the `holdfast` middleware. They are mutable since Genkit infers them from its own schema. */
export interface HoldfastOptions {
  /** The folder in which the tools work. */
  root: string;
  /** Work also in the whole disk, or in a folder that holds a home folder. */
  allowWideRoot?: boolean | undefined;
  /** Offer only the tools that change nothing. */
  readOnly?: boolean | undefined;
  /**
   * Interrupt before every change that would be made, with its diff, until a person has said yes
   * (`restartTool(part, { approved: true })`).
   */
  approval?: boolean | undefined;
  /** In front of the tools' names, where a request uses this middleware for several folders. */
  toolNamePrefix?: string | undefined;
  /** Where states and history are kept; `HOLDFAST_STATE_DIR` or the XDG state folder unless given. */
  stateDir?: string | undefined;
}

/**
 * Genkit's file tools (seed 2: `list_files`, `read_file`, `write_file`, `edit_file`; `move_file`, `delete_file`) on a workspace:
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
  private readonly offered: ReadonlyMap<string, GenkitTool>;
  private readonly unasked = new WeakSet<object>();
  private turn: Turn | undefined;
  private images: ShownImage[] = [];

  constructor(private readonly options: HoldfastOptions) {
    const prefix = options.toolNamePrefix ?? "";
    const offered = genkitTools.filter(({ writes }) => !writes || options.readOnly !== true);
    this.offered = new Map(offered.map((file) => [`${prefix}${file.name}`, file]));
    this.tools = [...this.offered].map(([name, file]) => {
      const { description, inputJsonSchema } = file;
      return tool({ name, description, inputJsonSchema }, async (input) => {
        if (this.turn === undefined) throw new Error("holdfast's tools work only inside generate.");
        return runTool(file, this.turn, input);
      });
    });
  }

  private turnOf(told: readonly AnswerFacts[], workspace: OpenedWorkspace): Turn {
    const { toolNamePrefix, readOnly } = this.options;
    const words = genkitWords(toolNamePrefix, readOnly);
    return { workspace, knowledge: knowledgeFrom(told, workspace), words, unasked: this.unasked };
  }

  /** The first turn holds all others: the workspace is open as long as it lasts. */
  readonly generate: NonNullable<GenerateMiddlewareDef["generate"]> = async (envelope, context, next) => {
    const told = this.toldIn(envelope.request.messages);
    if (this.turn !== undefined) {
      const { workspace } = this.turn;
      this.turn = this.turnOf(told, workspace);
      return next(this.withImages(envelope, context), context);
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
    const door = { name, schema: file.inputJsonSchema, readOnly: !file.writes };
    const understood = understand(door, { ...Object(part.toolRequest.input) });
    if (isRefusal(understood)) return respond(part, refusal(understood.code, understood.message));
    const meant = { ...part, toolRequest: { ...part.toolRequest, input: understood.values } };
    if (file.writes && this.options.approval === true) {
      const approved = approvalOf(part);
      if (approved === undefined) await this.ask(meant, file);
      if (approved === false)
        return respond(part, refusal("denied", "A person said no; nothing was changed."));
    }
    const work = async () => {
      const done = await next(meant, context);
      const output = done?.toolResponse.output;
      if (!isAnswer(output)) return done;
      if (output.image !== undefined) this.images.push(output.image);
      return respond(part, withIgnored(output, understood.ignored));
    };
    return catching(name, work, {}, (error) => {
      if (error instanceof Error && error.name === "ToolInterruptError") throw error;
      return respond(part, failure(name, error));
    });
  };

  /** Interrupts for a change that would be made; nobody is asked about what would be refused. */
  private async ask(part: ToolRequestPart, file: GenkitTool): Promise<void> {
    const { name, input } = part.toolRequest;
    if (!file.writes || this.turn === undefined) return;
    const { workspace, knowledge } = this.turn;
    const preview = await workspace.preview(file.change(input ?? {}), { knowledge });
    if (preview.kind === "preview") {
      const question: ApprovalQuestion = questionFrom(preview);
      throw new ToolInterruptError({ holdfast: "approval", tool: name, ...question });
    }
    if (typeof input === "object" && input !== null) this.unasked.add(input);
  }

  /** Images come in a message of their own after the answers, as Genkit's own middleware sends them. */
  private withImages(envelope: GenerateEnvelope, { onChunk }: GenerateContext): GenerateEnvelope {
    if (this.images.length === 0) return envelope;
    const content = this.images
      .splice(0)
      .flatMap(({ path, contentType, url }): Part[] => [
        { text: `\n\nread_file result ${contentType} ${path}` },
        { media: { url, contentType } },
      ]);
    const { request, messageIndex } = envelope;
    onChunk?.({ role: "user", index: messageIndex, content });
    const messages: MessageData[] = [...request.messages, { role: "user", content }];
    return { ...envelope, request: { ...request, messages }, messageIndex: messageIndex + 1 };
  }

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

type GenerateHook = Parameters<NonNullable<GenerateMiddlewareDef["generate"]>>;
type GenerateEnvelope = GenerateHook[0];
type GenerateContext = GenerateHook[1];

/** Seed 2, to the letter. */
const unchanged =
  "File unchanged since last read. The content from the earlier read_file result in this conversation is still current — refer to that instead of re-reading.";

/**
 * All calls of a turn are one to the session: none of them has seen what another one read. It is never
 * ended: the next turn is made from its own messages.
 */
function knowledgeFrom(told: readonly AnswerFacts[], { roots: [root = ""] }: OpenedWorkspace): CallKnowledge {
  const nameOf = ({ path }: FileName) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  return new SessionKnowledge({ limit: mostFiles, nameOf, facts: factsOf(told) }).begin();
}

const mostFiles = 200;

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

/** What a call gave beside the tool's arguments is said with the answer. */
function withIgnored(answer: Answer, ignored: string): Answer {
  if (ignored === "") return answer;
  const { output } = answer;
  const said =
    typeof output === "string" ? `${output}\n\nIgnored: ${ignored}` : { ...Object(output), ignored };
  return { ...answer, output: said };
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
