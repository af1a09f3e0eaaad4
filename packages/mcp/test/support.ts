import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Workspace, type WorkspaceOptions } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { type OpenedWorkspace, openPorts, openWorkspace } from "@holdfast/core/node";
import { parseEnvelope } from "@holdfast/core/tools";
import { type McpOptions, type OpenFor, serveMcp } from "@holdfast/mcp";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { onTestFinished } from "vitest";
import { endProcess } from "../../../test/end-process.js";
import { until } from "../../../test/until.js";

/** Everything about a server but the workspace, which it opens itself, within these limits and guards. */
export type ServerOptions = Omit<McpOptions, "workspace" | "onError" | "input"> &
  Pick<WorkspaceOptions, "limits" | "guards"> & {
    /** The client's first root is the folder. */
    readonly byClient?: boolean;
    /** Folders beside that of the ground. */
    readonly otherRoots?: readonly string[];
  };

export const revisions = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof revisions)[number];

interface Place {
  readonly root: string;
  readonly stateDir: string;
}

/** A folder of files and a folder for state, removed after the test. */
export interface Ground extends Place {
  put(path: string, content: string | Uint8Array): Promise<void>;
  get(path: string): Promise<string>;
}

export async function makeGround(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Ground> {
  const top = await mkdtemp(join(tmpdir(), "holdfast-mcp-"));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const root = join(top, "project");
  await mkdir(root);
  const put = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) await put(path, content);
  return { root, stateDir: join(top, "state"), put, get: (path) => readFile(join(root, path), "utf8") };
}

/** A server that reads messages from one stream and writes its answers to another. */
interface Served {
  readonly input: Writable;
  readonly output: Readable;
  /** What it reported beside the protocol. */
  errors(): string;
  /** Resolves when the server has ended: after the end of its input, and of the calls that had begun. */
  readonly ended: Promise<unknown>;
}

/** `serveMcp` in this process. */
export async function serve(place: Place, options: ServerOptions = {}): Promise<Served> {
  const { limits = {}, guards = {}, byClient = false, otherRoots = [], ...given } = options;
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { workspace, close } = byClient
    ? workspaceOfClient(place)
    : await workspaceOf([place.root, ...otherRoots], place.stateDir, { limits, guards });
  let errors = "";
  const onError = (error: unknown, where: string) => {
    errors += `${where}: ${error}\n`;
  };
  const ended = writingTo(output, () =>
    serveMcp({ workspace, version: "1.2.3", input, onError, ...given }),
  ).finally(() => output.end());
  onTestFinished(async () => {
    input.end();
    await ended;
    await close();
  });
  return { input, output, errors: () => errors, ended };
}

async function workspaceOf(roots: readonly string[], stateDir: string, options: WorkspaceOptions) {
  const ports = await openPorts({ roots, stateDir });
  if (isRefusal(ports)) throw new Error(ports.message);
  return { workspace: new Workspace(ports, options), close: () => ports.close() };
}

function workspaceOfClient({ root, stateDir }: Place) {
  const opened: OpenedWorkspace[] = [];
  const workspace: OpenFor = async (uris = []) => {
    const roots = uris.length === 0 ? [root] : uris.slice(0, 1).map((uri) => fileURLToPath(uri));
    const one = await openWorkspace({ roots, stateDir });
    if (!isRefusal(one)) opened.push(one);
    return one;
  };
  return {
    workspace,
    async close() {
      for (const one of opened) await one.close();
    },
  };
}

/** The server takes this process's stdout when it starts. */
function writingTo<Result>(output: Writable, start: () => Result): Result {
  const own = Object.getOwnPropertyDescriptor(process, "stdout") ?? {};
  Object.defineProperty(process, "stdout", { configurable: true, value: output });
  try {
    return start();
  } finally {
    Object.defineProperty(process, "stdout", own);
  }
}

/** A server process from the built packages. It is killed after the test. */
export function startProcess({ root, stateDir }: Place, options: ServerOptions = {}) {
  const program = fileURLToPath(new URL("server.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, root, stateDir, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => endProcess(child));
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, input: child.stdin, output: child.stdout, errors: () => errors, ended };
}

/** A server that a test writes lines to and reads lines from. */
export function byHand({ input, output, errors, ended }: Served & { readonly child?: ChildProcess }) {
  let stdout = "";
  output.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  const lines = () => stdout.split("\n").filter((line) => line !== "");
  // The server's own words, one JSON value a line.
  const answers = (): readonly Message[] => lines().map((line) => JSON.parse(line));
  return {
    input,
    answers,
    errors,
    /** @returns the answers to these requests, once all of them are there. */
    async say(given: readonly string[], ids: readonly number[] = []): Promise<readonly Message[]> {
      input.write(given.map((line) => `${line}\n`).join(""));
      const answer = (id: number) => answers().find((one) => one.id === id);
      await until(() => ids.every((id) => answer(id) !== undefined));
      return ids.flatMap((id) => answer(id) ?? []);
    },
    end(): Promise<unknown> {
      input.end();
      return ended;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the server wrote; each test says what it expects.
export type Message = any;

/** One message of a client. */
export const request = (id: number | string, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
export const toolCall = (id: number, name: string, args: object, more: object = {}) =>
  request(id, "tools/call", { name, arguments: args, ...more });
export const notification = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", method: `notifications/${method}`, params });
/** How a client begins. */
export const opening = [
  request(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "by-hand", version: "1" },
  }),
  notification("initialized"),
];

export { until };

type EnvelopeFile = NonNullable<ReturnType<typeof parseEnvelope>>["files"][number];

/** A tool's answer as a client sees it and as a model reads it. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: unknown;
  readonly success: boolean | undefined;
  readonly code: string | undefined;
  /** The first file of the reply. */
  readonly file: EnvelopeFile | undefined;
  readonly files: readonly EnvelopeFile[];
  readonly details: string;
}

export interface Session {
  readonly client: Client;
  call(name: string, args: Record<string, unknown>, options?: { signal: AbortSignal }): Promise<Answer>;
}

/** The real client, by whatever name, against a server in the given revision; closed after the test. */
export async function connect(
  revision: Revision,
  ground: Ground,
  options: ServerOptions = {},
  name = "test-client",
): Promise<Session> {
  const client = newClient(name, revision);
  await attach(client, await serve(ground, options));
  return {
    client,
    async call(name, args, callOptions) {
      const result = await client.callTool({ name, arguments: args }, callOptions);
      const [first, ...others] = result.content;
      if (first?.type !== "text" || others.length > 0) throw new Error("an answer is one text");
      return toAnswer(first.text, result.isError === true, result.structuredContent);
    },
  };
}

export function newClient(name: string, revision: Revision, more: ClientOptions = {}): Client {
  const mode = revision === "2026-07-28" ? { pin: revision } : ("legacy" as const);
  return new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode }, ...more });
}

export async function attach(client: Client, served: Served): Promise<void> {
  await client.connect(transportTo(served));
  onTestFinished(() => client.close());
}

/** A client's end of the streams: the protocol library's transport of lines is the same from either side. */
export function transportTo({ input, output }: Served): StdioServerTransport {
  return new StdioServerTransport(output, input, { maxBufferSize: 64 * 1024 * 1024 });
}

export const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

function toAnswer(text: string, isError: boolean, structured: unknown): Answer {
  const envelope = parseEnvelope(text);
  return {
    text,
    isError,
    structured,
    success: envelope?.status?.success,
    code: envelope?.status?.code,
    file: envelope?.files[0],
    files: envelope?.files ?? [],
    details: envelope?.details ?? "",
  };
}
