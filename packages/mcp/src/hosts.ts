import { answerBudgetChars, type HostLimits } from "@holdfast/core/tools";
import { CLIENT_INFO_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";

/**
 * What a client does with what a server sends, one row a client. A row that is wrong costs the model sight of a
 * text, never a file: what is written is decided by hashes.
 */
export interface Host {
  /** The client as its users call it. */
  readonly title: string;
  /** The version that was looked at, and when (ISO date). */
  readonly version: string;
  readonly date: string;
  /** How it was looked at. */
  readonly source: string;
  /** How much of one answer reaches the model whole, in characters (UTF-16 units). */
  readonly answerChars: number;
  /** Limits that the client counts otherwise. */
  readonly within?: HostLimits;
  /**
   * Its model may call tools from a script. The model sees what the script prints, the whole of it cut to more than so
   * many bytes.
   */
  readonly scriptBytes?: number;
  /** What it puts before the names of our tools where it shows them to its model. */
  readonly toolPrefix: string;
  /** It defers the schemas of tools, or cuts what is long, unless a tool's `_meta` asks otherwise. */
  readonly heedsMeta: boolean;
  /** Whoever is asked about a call is shown its arguments as they are sent. */
  readonly showsArguments?: true;
  /** The text of an `isError` result reaches the model as it is: then a refusal is one. */
  readonly passesErrors: boolean;
  /** Which part the model sees of a result that has both. */
  readonly sees: "text" | "structured" | "both";
  /** The blocks beside text that it hands as what they are to a model that takes them. */
  readonly media: readonly ("image" | "pdf")[];
  /** Of a tool's description only the first paragraph is sent, always or in some mode. */
  readonly firstParagraphOnly: boolean;
}

/** What is true of every client that was looked at; for those that were not, and where a row says nothing else. */
export const carefulHost: Host = {
  title: "any other",
  version: "",
  date: "2026-11-23",
  source: "less than any client of this table but Codex, Copilot CLI and Qwen Code lets through",
  answerChars: 36_000,
  toolPrefix: "",
  heedsMeta: false,
  // As the protocol says.
  passesErrors: true,
  sees: "text",
  media: [],
  firstParagraphOnly: false,
};

/** A client that was looked at: what it does otherwise than the careful one. */
function looked(
  name: string | RegExp,
  row: Partial<Host> & Pick<Host, "title" | "version" | "date" | "answerChars" | "toolPrefix">,
) {
  return {
    name,
    host: { ...carefulHost, source: "run headless against a scripted model on loopback", ...row },
  };
}

/** By the name in `clientInfo`, to the letter or by what it begins with. */
const rows: readonly { readonly name: string | RegExp; readonly host: Host }[] = [
  looked("claude-code", {
    title: "Claude Code",
    version: "2.1.332",
    date: "2026-11-27",
    answerChars: answerBudgetChars,
    toolPrefix: "mcp__holdfast__",
    heedsMeta: true,
    showsArguments: true,
    sees: "structured",
    media: ["image"],
    firstParagraphOnly: true,
  }),
  looked(/^gemini-cli-mcp-client/, {
    title: "Gemini CLI",
    version: "0.61.0",
    date: "2026-11-23",
    answerChars: 36_000,
    toolPrefix: "mcp_holdfast_",
    passesErrors: false,
    media: ["image", "pdf"],
  }),
  looked("codex-mcp-client", {
    title: "Codex",
    version: "0.171.0",
    date: "2026-11-27",
    answerChars: 11_000,
    within: { bytes: 11_000 },
    // It cuts what a script prints to 40,000 bytes; the rest is for what the script says besides.
    scriptBytes: 37_000,
    toolPrefix: "mcp__holdfast__",
    sees: "structured",
    media: ["image"],
  }),
  looked("opencode", {
    title: "opencode",
    version: "1.18.33",
    date: "2026-11-23",
    answerChars: 50_000,
    within: { bytes: 50_000, lines: 1_950 },
    toolPrefix: "holdfast_",
    media: ["image", "pdf"],
  }),
  looked(/^qwen-cli-mcp-client/, {
    title: "Qwen Code",
    version: "0.24.4",
    date: "2026-11-23",
    answerChars: 25_000,
    toolPrefix: "mcp__holdfast__",
    passesErrors: false,
    sees: "both",
    media: ["image"],
    firstParagraphOnly: true,
  }),
  looked("copilot-cli", {
    title: "GitHub Copilot CLI",
    version: "1.0.102",
    date: "2026-11-23",
    answerChars: 20_000,
    within: { bytes: 20_000 },
    toolPrefix: "holdfast-",
    passesErrors: false,
    sees: "both",
  }),
];

/** The clients that were looked at. */
export const knownHosts: readonly Host[] = rows.map(({ host }) => host);

/** The row of a client; the careful one for who is not in the table, or says nothing that is a name. */
export function hostOf(clientInfo: unknown): Host {
  const name: unknown = Object(clientInfo).name;
  if (typeof name !== "string") return carefulHost;
  const row = rows.find((one) => (typeof one.name === "string" ? one.name === name : one.name.test(name)));
  return row?.host ?? carefulHost;
}

/** What one answer to this client may hold: its row, unless a person has named a number of characters. */
export function roomAt(
  host: Host,
  answerBudget: number | undefined,
): { readonly budgetChars: number; readonly within?: HostLimits } {
  // Who names a budget has set the client up for it.
  if (answerBudget !== undefined) return { budgetChars: answerBudget };
  return { budgetChars: host.answerChars, ...(host.within === undefined ? {} : { within: host.within }) };
}

/**
 * What stands in a call's `_meta`, where the host is known to say it: keys of Codex.
 *
 * @returns the conversation; the script that makes the call, if one does; whether the person lets nothing be written.
 */
export function factsOfCall(
  { scriptBytes }: Host,
  meta: unknown,
): { readonly thread?: string; readonly script?: string; readonly isReadOnly: boolean } {
  if (scriptBytes === undefined) return { isReadOnly: false };
  const { callId, itemId, threadId, "x-codex-turn-metadata": turn } = Object(meta);
  const facts = { thread: String(threadId), isReadOnly: Object(turn).sandbox_mode === "read-only" };
  return String(callId).startsWith("exec-") ? { ...facts, script: String(itemId ?? callId) } : facts;
}

/**
 * What a client is told of a tool in `_meta`, where it heeds that: keys of Claude Code.
 *
 * @param isCore its schema is to be there from the start; other tools are found by the client's own search.
 * @param budgetChars the length up to which nothing of an answer is to be cut.
 */
export function metaFor(
  host: Host,
  isCore: boolean,
  budgetChars: number,
): { readonly _meta?: Record<string, unknown> } {
  if (!host.heedsMeta) return {};
  const load = isCore ? { "anthropic/alwaysLoad": true } : {};
  return { _meta: { ...load, "anthropic/maxResultSizeChars": budgetChars } };
}

/** The client that sends this request: a request of the stateless revision says it itself. */
export function hostOfRequest(server: Server, { envelope }: ServerContext["mcpReq"]): Host {
  return hostOf(Object(envelope)[CLIENT_INFO_META_KEY] ?? server.getClientVersion());
}

/** The least budget that a person can name, in characters: one page of a file and what is said of it. */
export const leastAnswerBudget = 1_000;

/** The most: a larger answer is never made. */
export const mostAnswerBudget = answerBudgetChars;
