import type { MadeState, Workspace } from "@holdfast/core/files";
import { isRefusal, type OutcomeCode, type Refusal } from "@holdfast/core/files/values";
import { escapeForPeople, escapeInJson, isObject } from "@holdfast/core/text";
import {
  allTools,
  type FileTool,
  factsOf,
  fileOfCall,
  findTool,
  jsonSchema,
  type MediaKind,
  mediaOfRead,
  mediaReply,
  protocolText,
  readingTools,
  renderResult,
  runToolWithResult,
  type SharedRoom,
  shownTools,
  type ToolReply,
  type ToolResult,
  type ToolRun,
  tools,
  toolsInShort,
  withNames,
} from "@holdfast/core/tools";
import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import { footingOf, type ServedWorkspace } from "./client-roots.js";
import { pathToFileUri } from "./file-uri.js";
import { factsOfCall, type Host, hostOf, hostOfRequest, metaFor, roomAt } from "./hosts.js";
import type { McpOptions } from "./options.js";
import type { RunningCalls } from "./running-calls.js";
import type { UndeliveredCalls } from "./undelivered-calls.js";

/**
 * One server for one connection, for both protocol revisions. It declares tools and nothing else.
 *
 * @param client what the client says of itself where it opens the connection.
 */
export function createServer(
  options: McpOptions,
  calls: RunningCalls,
  undelivered: UndeliveredCalls,
  client: unknown,
): Server {
  const own = offeredTools(options);
  const shownTo = toolsByHost(own);
  const server = new Server(
    { name: "holdfast", title: "Holdfast", version: options.version ?? "0.0.0" },
    {
      capabilities: { tools: {} },
      instructions: instructionsTo(hostOf(client), own),
    },
  );
  const footing = footingOf(server, options);
  const inOrder = keptInOrder();
  const scripts = new ScriptRooms();
  server.setRequestHandler("tools/list", ({ params }, { mcpReq }) => {
    // All tools stand on one page: no cursor is one of ours.
    if (params?.cursor !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page.");
    const host = hostOfRequest(server, mcpReq);
    return { tools: shownTo(host).map((tool) => toListing(tool, host, options)) };
  });
  server.setRequestHandler("tools/call", async (request, { mcpReq }) => {
    calls.begin();
    try {
      const host = hostOfRequest(server, mcpReq);
      const found = inOrder(footing.footing(mcpReq));
      // Awaited only where it has to be: calls begin in the order of their arrival.
      const workspace = found instanceof Promise ? await found : found;
      if (isInputRequiredResult(workspace)) return workspace;
      if (isRefusal(workspace)) return refuseUnopened(request, workspace, options, host);
      const once = (work: Work) => runOnce(request, mcpReq.id, undelivered, work);
      const askAgain = (code: OutcomeCode) => footing.askAgain(code, mcpReq);
      const call = { ...options, workspace, offered: shownTo(host), scripts, askAgain };
      return await callTool(request, call, host, once);
    } finally {
      calls.end();
    }
  });
  return server;
}

/** The tools under the names that a host shows; made once for each prefix, since refusals are worded by the list. */
function toolsByHost(own: readonly FileTool[]): (host: Host) => readonly FileTool[] {
  const shown = new Map([["", own]]);
  return ({ toolPrefix }) => {
    const known = shown.get(toolPrefix) ?? shownTools(own, (name) => toolPrefix + name);
    shown.set(toolPrefix, known);
    return known;
  };
}

function instructionsTo({ toolPrefix, scriptBytes }: Host, own: readonly FileTool[]): string {
  const names = new Set(own.map(({ name }) => name));
  // Where scripts make calls, they stand behind each description again.
  const text = scriptBytes === undefined ? protocolText(names) : toolsInShort(names);
  return withNames(text, names, (name) => toolPrefix + name);
}

/** While a call waits for its folder, those that came after it wait for the call: a read goes before the edit of its file. */
function keptInOrder(): <Found>(found: Found | Promise<Found>) => Found | Promise<Found> {
  let last: Promise<unknown> | undefined;
  return (found) => {
    if (last === undefined && !(found instanceof Promise)) return found;
    const mine = Promise.all([found, last]).then(([own]) => own);
    const over = mine.then(
      () => {},
      () => {},
    );
    last = over;
    void over.then(() => {
      if (last === over) last = undefined;
    });
    return mine;
  };
}

/** The answer to any call while there is no folder to work in. */
function refuseUnopened(
  { params }: CallToolRequest,
  refusal: Refusal,
  { wire = "text", resultContent = "auto", structured = false, answerBudget }: McpOptions,
  host: Host,
): CallToolResult {
  const writing = findTool(params.name)?.annotations.readOnly === false;
  const reply = renderResult(
    { kind: "refused", refusal, writing },
    { wire, resultContent, isStructured: structured, ...roomAt(host, answerBudget) },
  );
  return toCallResult(reply, { structured, host });
}

function offeredTools({ tools: names, readOnly }: McpOptions): readonly FileTool[] {
  if (names === undefined) return readOnly === true ? readingTools : tools;
  return allTools.filter(
    (tool) => names.includes(tool.name) && (readOnly !== true || tool.annotations.readOnly),
  );
}

interface ServedCall extends McpOptions {
  readonly workspace: ServedWorkspace;
  readonly offered: readonly FileTool[];
  readonly scripts: ScriptRooms;
  readonly askAgain: (code: OutcomeCode) => InputRequiredResult | undefined;
}

/**
 * A call that has begun is carried through even if the client cancels it: a write is not torn, and its lock
 * is released by the workspace like any other's.
 */
async function callTool(
  { params }: CallToolRequest,
  options: ServedCall,
  host: Host,
  once: (work: Work) => Promise<ToolRun>,
): Promise<CallToolResult | InputRequiredResult> {
  if (!isKnown(params.name, options)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
  }
  const { workspace, offered, scripts, wire = "text", resultContent = "auto", onError } = options;
  const facts = factsOfCall(host, params._meta);
  const room = scripts.of(facts, host.scriptBytes ?? 0);
  const context = {
    workspace,
    ...(room === undefined ? {} : { room }),
    readOnly: options.readOnly === true || facts.isReadOnly,
    wire,
    resultContent,
    offered,
    isStructured: options.structured === true,
    ...roomAt(host, options.answerBudget),
    ...(onError === undefined ? {} : { onError }),
  };
  const { reply, ...run } = await once((repeats) =>
    runToolWithResult(params.name, params.arguments, {
      ...context,
      ...(repeats === undefined ? {} : { repeats }),
    }),
  );
  const question = options.askAgain(reply.code);
  if (question !== undefined) return question;
  const shown = await mediaAnswer({ ...run, wire, kinds: host.media }, workspace);
  if (shown !== undefined) return shown;
  const structured = room === undefined ? options.structured === true : "facts";
  const answer = toCallResult(reply, { structured, host });
  const listing = params.name === "list_files" ? findTool(params.name) : undefined;
  const isFirstRoot = listing && /^\.?\/?$/.test(fileOfCall(listing, params.arguments ?? {}) ?? ".");
  return isFirstRoot && wire === "text" ? withOtherRoots(answer, workspace.roots) : answer;
}

/** Names count from the first root: who lists it is told of the others. */
function withOtherRoots(answer: CallToolResult, [, ...others]: readonly string[]): CallToolResult {
  const [shown] = answer.content;
  if (others.length === 0 || shown?.type !== "text") return answer;
  const named = `Other roots, whose files are named by absolute paths: ${others.map(escapeForPeople).join(", ")}`;
  return { ...answer, content: [{ type: "text", text: `${shown.text}\n${named}` }] };
}

type Work = (repeats?: MadeState) => Promise<ToolRun>;

/** A call that would do more the second time is made once, where it is known that its answer was not delivered. */
function runOnce(
  { params }: CallToolRequest,
  id: string | number,
  undelivered: UndeliveredCalls,
  work: Work,
): Promise<ToolRun> {
  if (findTool(params.name)?.annotations.idempotent !== false) return work();
  return undelivered.run(id, params.name, params.arguments ?? {}, work);
}

/** A writing tool that read-only mode hides is known: it is refused with its own code. */
function isKnown(name: string, { tools: names }: McpOptions): boolean {
  const tool = findTool(name);
  return tool !== undefined && (names?.includes(tool.name) ?? tools.includes(tool));
}

function toListing(tool: FileTool, host: Host, { answerBudget }: McpOptions): ToolListing {
  const { readOnly, destructive, idempotent, openWorld } = tool.annotations;
  const { description, parameters } = host.showsArguments === true ? (tool.flat ?? tool) : tool;
  return {
    name: tool.name,
    title: tool.title,
    description: describeTo(host, description),
    inputSchema: { ...jsonSchema(parameters), type: "object" },
    annotations: {
      title: tool.title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
    ...metaFor(host, coreTools.includes(tool.name), roomAt(host, answerBudget).budgetChars),
  };
}

/** What stands in a later paragraph would not be sent: then there is none. */
function describeTo({ firstParagraphOnly }: Host, description: string): string {
  return firstParagraphOnly ? description.replaceAll(/\n\s*\n/g, "\n") : description;
}

/** What a day's work begins with; the rest is found by the client's own search for tools. */
const coreTools: readonly string[] = [
  "read_file",
  "list_files",
  "search_files",
  "edit_file",
  "safe_patch",
  "write_file",
];

/** What a read of an image or a PDF was answered with, and how. */
interface MediaRead {
  readonly result: ToolResult | undefined;
  readonly ignored: string;
  readonly wire: "text" | "json";
  /** The kinds that the client hands to its model. */
  readonly kinds: readonly MediaKind[];
}

/**
 * The answer to a read of an image or a PDF, where the client hands such blocks to its model: the block, and a
 * sentence with what it is, or in the JSON form an object.
 *
 * @returns undefined where it was no such read, or the client shows its model no such block; the refusal of the read
 *   then says what the file is.
 */
async function mediaAnswer(
  { result, ignored, wire, kinds }: MediaRead,
  workspace: Pick<Workspace, "readBytes" | "roots">,
): Promise<CallToolResult | undefined> {
  const media = await mediaOfRead(result, workspace, kinds);
  if (media === undefined) return undefined;
  const { kind, path, mimeType, data } = media;
  const { text } = mediaReply(media, wire, ignored);
  const block =
    kind === "image"
      ? ({ type: "image", data, mimeType } as const)
      : ({
          type: "resource",
          resource: { uri: pathToFileUri(workspace.roots, path), mimeType, blob: data },
        } as const);
  return { content: [{ type: "text", text }, block], isError: false };
}

/** How replies are sent to one client. */
interface ResultForm {
  /** As `McpOptions.structured`; `facts`: for a script, which takes facts from the JSON form and prints the text. */
  readonly structured: boolean | "facts";
  readonly host: Pick<Host, "passesErrors">;
}

/**
 * A reply as a tool result. A refusal is an error where the client passes its text on; other clients answer
 * `isError` by echoing every argument to the model, doubly encoded, or by words of their own before ours. Its
 * first line says that it failed, and with which code, either way.
 */
export function toCallResult(reply: ToolReply, { structured, host }: ResultForm): CallToolResult {
  const isError = host.passesErrors ? !reply.success : reply.code === "internal_error";
  const facts = structured === "facts" ? factsOf(reply.json) : undefined;
  if (isObject(facts))
    return { content: [{ type: "text", text: reply.text }], structuredContent: facts, isError };
  if (structured && !reply.bearsContent && isObject(reply.json)) {
    return {
      content: [{ type: "text", text: escapeInJson(JSON.stringify(reply.json)) }],
      structuredContent: reply.json,
      isError,
    };
  }
  return { content: [{ type: "text", text: reply.text }], isError };
}

/** What the scripts of a client's model have been answered with; what one prints is cut as a whole. */
class ScriptRooms {
  private readonly taken = new Map<string, number>();
  private readonly held = new Set<Caller & { end(): void }>();

  /**
   * The room of the script that makes a call. What the other scripts of its thread have read counts as shown from here on.
   *
   * @param bytes what may reach the model of all its answers, if it prints them whole.
   * @returns undefined for a call that the model makes itself.
   */
  of(caller: Caller, bytes: number): SharedRoom | undefined {
    const { thread, script } = caller;
    for (const one of this.held)
      if (one.thread === thread && one.script !== script && this.held.delete(one)) one.end();
    if (script === undefined) return undefined;
    return {
      hold: (end) => void this.held.add({ ...caller, end }),
      left: () => {
        const left = Math.max(leastBytes, bytes - (this.taken.get(script) ?? 0));
        return { budgetChars: left, within: { printedBytes: left } };
      },
      take: (size) => {
        this.taken.set(script, (this.taken.get(script) ?? 0) + size);
        const [oldest] = this.taken.keys();
        if (this.taken.size > mostScripts && oldest !== undefined) this.taken.delete(oldest);
      },
    };
  }
}

type Caller = Omit<ReturnType<typeof factsOfCall>, "isReadOnly">;

/** Of any answer the status and the head of a file are to arrive. */
const leastBytes = 1_500;
/** Side by side in one session, by its agents. */
const mostScripts = 100;
