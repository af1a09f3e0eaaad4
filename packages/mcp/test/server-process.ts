import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkspaceOptions } from "@holdfast/core/files";
import { parseEnvelope } from "@holdfast/core/tools";
import type { McpOptions } from "@holdfast/mcp";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { buildSync } from "esbuild";
import { onTestFinished } from "vitest";
import { afterThisFile } from "../../../test/cleanups.js";

/** Everything about a server process but the workspace, which it opens itself, within these limits and guards. */
export type ServerOptions = Omit<McpOptions, "workspace" | "onError"> & {
  readonly limits?: WorkspaceOptions["limits"];
  readonly guards?: WorkspaceOptions["guards"];
  /** The client's first root is the folder. */
  readonly byClient?: boolean;
};

export const revisions = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof revisions)[number];

/** A folder of files and a folder for state, removed after the test. */
export interface Ground {
  readonly root: string;
  readonly stateDir: string;
  put(path: string, content: string | Uint8Array): Promise<void>;
  get(path: string): Promise<string>;
}

export async function makeGround(): Promise<Ground> {
  const top = await mkdtemp(join(tmpdir(), "holdfast-mcp-"));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const root = join(top, "project");
  await mkdir(root);
  return {
    root,
    stateDir: join(top, "state"),
    async put(path, content) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    get: (path) => readFile(join(root, path), "utf8"),
  };
}

/**
 * The server as one file, made of the built packages once for each test file: it starts twice as fast as from its
 * hundreds of modules, and the tests start hundreds of servers.
 */
function serverProgram(): string {
  if (program !== undefined) return program;
  const house = new URL("../../../", import.meta.url);
  const cache = fileURLToPath(new URL("node_modules/.cache", house));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "holdfast-mcp-"));
  const ofCore = (path: string) => fileURLToPath(new URL(`packages/core/dist/node/${path}`, house));
  buildSync({
    // A thread is started from a file of its own, beside the program.
    entryPoints: {
      server: fileURLToPath(new URL("server.mjs", import.meta.url)),
      "search-worker": ofCore("search/search-worker.js"),
      "section-thread": ofCore("workspace/section-thread.js"),
    },
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["fs-native-extensions"],
    banner: { js: requireBanner },
    logLevel: "error",
  });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  program = join(folder, "server.js");
  afterThisFile(() => {
    rmSync(folder, { recursive: true, force: true });
    program = undefined;
  });
  return program;
}

let program: string | undefined;

/** CommonJS dependencies ask for Node's own modules by `require`. */
const requireBanner =
  'import { createRequire as made } from "node:module"; const require = made(import.meta.url);';

export function serverArguments(ground: Ground, options: ServerOptions = {}): string[] {
  return [serverProgram(), ground.root, ground.stateDir, JSON.stringify(options)];
}

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

/** The real client, by whatever name, against a real server process in the given revision; closed after the test. */
export async function connect(
  revision: Revision,
  ground: Ground,
  options: ServerOptions = {},
  name = "test-client",
): Promise<Session> {
  const client = new Client(
    { name, version: "1.0.0" },
    { versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" } },
  );
  const args = serverArguments(ground, options);
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  onTestFinished(() => client.close());
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

export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

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
