import { createHash, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { Workspace, type WorkspaceOptions } from "../../src/files/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { openPorts } from "../../src/node/index.js";
import { runTool, type ToolContext } from "../../src/tools/index.js";
import type { WireAnswer } from "../../src/tools/wire/answers.js";
import { memoryPorts } from "../memory-disk.js";

export const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

/** A folder of real files with a workspace over it; both are gone after the test. */
export async function makeGround(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const top = await mkdtemp(join(tmpdir(), "holdfast-tools-"));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const root = join(top, "project");
  const put = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  await mkdir(root);
  for (const [path, content] of Object.entries(files)) await put(path, content);
  const ports = await openPorts({ roots: [root], stateDir: join(top, "state") });
  if (isRefusal(ports)) throw new Error(ports.message);
  onTestFinished(() => ports.close());
  // What replacing a whole file needs has tests of its own.
  const workspace = new Workspace(ports, { guards: { wholeReplacement: "hash" } });
  const call = (name: string, args: unknown, options: Partial<ToolContext> = {}) =>
    runTool(name, args, { workspace, wire: "json", resultContent: "full", ...options });
  return { root, workspace, put, get: (path: string) => readFile(join(root, path), "utf8"), call };
}

/** A workspace over files in memory. */
export function openMemory(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: WorkspaceOptions = {},
) {
  const ports = memoryPorts({ digest: sha256, newId: randomUUID, codec: openCharsets(), clock: Date });
  const put = (path: string, content: string | Uint8Array) => ports.disk.poke(path, Buffer.from(content));
  for (const [path, content] of Object.entries(files)) put(path, content);
  const bytes = (path: string) => Buffer.from(ports.disk.peek(path) ?? []);
  const get = (path: string) => bytes(path).toString();
  return { workspace: new Workspace(ports, options), put, get, bytes };
}

export type Ground = Awaited<ReturnType<typeof makeGround>>;

/** Calls a writing tool and gives its wire object, which its schema describes. */
export async function write(ground: Ground, name: string, args: unknown): Promise<WireAnswer<"write">> {
  return JSON.parse((await ground.call(name, args)).text);
}
