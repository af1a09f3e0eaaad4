import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { type OpenWorkspaceOptions, openWorkspace } from "@holdfast/core/node";
import { runTool, type ToolName } from "@holdfast/core/tools";
import { afterThisTest } from "../../../test/cleanups.js";
import { hangMs } from "../../../test/until.js";
import { openCharsets } from "../src/node/disk/charsets.js";
import { memoryPorts } from "./memory-disk.js";

/** A real folder with a real state folder beside it, gone after the test. */
export interface Ground {
  readonly root: string;
  readonly stateDir: string;
  readonly workspace: Workspace;
  /** Writes a file behind everybody's back, making its folders. */
  put(path: string, content: string | Uint8Array): string;
  bytes(path: string): Buffer;
  text(path: string): string;
  /** Calls a tool as the seed's protocol has it: JSON on the wire, the content always in full. */
  call(tool: ToolName, args: Record<string, unknown>): Promise<SeedReply>;
  /** A second session on the same files. */
  again(options?: Partial<OpenWorkspaceOptions>): Promise<Workspace>;
}

export interface SeedState {
  readonly file_path: string;
  readonly version: number;
  readonly sha256: string | null;
  readonly content: string | null;
}

export interface SeedReply {
  readonly success: boolean;
  readonly code: string;
  readonly message: string;
  readonly latest_file_state: SeedState;
}

export async function ground(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<OpenWorkspaceOptions> = {},
): Promise<Ground> {
  const base = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  const [root, stateDir] = [join(base, "root"), join(base, "state")];
  mkdirSync(root);
  afterThisTest(() => rmSync(base, { recursive: true, force: true }));
  const again = async (more: Partial<OpenWorkspaceOptions> = {}) => {
    // Whole to replace whole has tests of its own; the others write over files with the hash alone.
    const guards = { wholeReplacement: "hash", ...options.guards, ...more.guards } as const;
    // How long a search or an edit may take has tests of its own, too.
    const limits = { searchMs: hangMs, editMs: hangMs, ...options.limits, ...more.limits };
    const opened = await openWorkspace({ roots: [root], stateDir, ...options, ...more, guards, limits });
    if (isRefusal(opened)) throw new Error(opened.message);
    afterThisTest(() => opened.close());
    return opened;
  };
  const workspace = await again();
  const put = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    return sha(content);
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return {
    root,
    stateDir,
    workspace,
    put,
    again,
    bytes: (path) => readFileSync(join(root, path)),
    text: (path) => readFileSync(join(root, path), "utf8"),
    call: async (tool, args) => {
      const reply = await runTool(tool, args, { workspace, wire: "json", resultContent: "full" });
      return JSON.parse(reply.text) as SeedReply;
    },
  };
}

/** The ports of a disk in memory that holds these files. */
export function memoryWith(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  newId: () => string = () => randomUUID().replaceAll("-", ""),
): ReturnType<typeof memoryPorts> {
  const ports = memoryPorts({ digest: sha, newId, codec: openCharsets(), clock: { now: () => 0 } });
  for (const [path, content] of Object.entries(files)) ports.disk.poke(path, Buffer.from(content));
  return ports;
}

export function sha(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

export const emptySha = sha("");

export { hangMs };
