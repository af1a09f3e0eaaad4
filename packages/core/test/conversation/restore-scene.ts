import { randomUUID } from "node:crypto";
import {
  ContextManager,
  planRestore,
  type RestoreDirection,
  type Restored,
  type RestorePlan,
  type RestoreTerms,
  restoreFiles,
} from "../../src/conversation/index.js";
import type { ConversationRefusal, FileEffect, TurnNode } from "../../src/conversation/values/index.js";
import { Workspace } from "../../src/files/index.js";
import { currentBase, isRefusal } from "../../src/files/values/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { sha256 } from "../../src/node/disk/reading.js";
import { type MemoryDisk, memoryPorts } from "../memory-disk.js";
import { call, countedIds, must, steadyClock } from "./support.js";

/** A conversation and the files it works on, in memory; ids of nodes are `n1`, `n2`, … */
export class Scene {
  readonly disk: MemoryDisk;
  readonly workspace: Workspace;
  /** Every state of a file that the conversation was told of, as `path sha256`. */
  readonly recorded = new Set<string>();
  private count = 0;

  constructor(
    files: Readonly<Record<string, string>> = {},
    readonly manager = new ContextManager({ ids: countedIds(), now: steadyClock() }),
  ) {
    const newId = () => randomUUID().replaceAll("-", "");
    const clock = { now: () => 0 };
    const ports = memoryPorts({ digest: sha256, newId, codec: openCharsets(), clock });
    this.disk = ports.disk;
    this.workspace = new Workspace(ports);
    for (const [path, text] of Object.entries(files)) this.poke(path, text);
  }

  get head(): string {
    return this.manager.context.currentNodeId;
  }

  /** Changes a file behind everybody's back; `null` deletes it. */
  poke(path: string, text: string | null): void {
    this.disk.poke(path, text === null ? undefined : Buffer.from(text));
  }

  text(path: string): string | null {
    const bytes = this.disk.peek(path);
    return bytes === undefined ? null : Buffer.from(bytes).toString();
  }

  /** The present content of these files; `null` where there is none. */
  texts(paths: readonly string[]): Record<string, string | null> {
    return Object.fromEntries(paths.map((path) => [path, this.text(path)]));
  }

  /** A tool of ours writes a file, or with `null` deletes it; the conversation records it. */
  async write(path: string, text: string | null): Promise<void> {
    const content =
      text === null
        ? ({ kind: "delete" } as const)
        : ({ kind: "text", text: new Uint8Array(Buffer.from(text)) } as const);
    const done = await this.workspace.applyChanges({ changes: [{ path, base: currentBase, content }] });
    const outcome = done.files[0]?.outcome;
    if (outcome?.code !== "applied" || outcome.replaced === undefined) return;
    this.record({ path, before: outcome.replaced, after: outcome.state?.sha256 ?? null, by: "tool" });
  }

  /** The model reads a file: what is there is seen, and kept. */
  async look(path: string): Promise<void> {
    const read = await this.workspace.read({ path });
    if (read.kind === "read") this.record({ path, after: read.state.sha256, by: "seen" });
    else if (read.code === "file_missing") this.record({ path, after: null, by: "seen" });
  }

  record(...files: readonly FileEffect[]): TurnNode {
    for (const { path, before, after } of files)
      for (const state of [before, after]) this.recorded.add(`${path} ${state}`);
    this.count += 1;
    const callId = `c${this.count}`;
    call(this.manager, callId, "t");
    return must(this.manager.addNode({ kind: "tool_result", callId, name: "t", output: "", files }));
  }

  async plan(way: RestoreDirection): Promise<RestorePlan> {
    return must(await planRestore(this.manager.context, way, this.workspace, this.manager.manifests));
  }

  async restore(
    plan: RestorePlan,
    terms: Omit<RestoreTerms, "restoreId"> = {},
  ): Promise<Restored | ConversationRefusal> {
    this.count += 1;
    const restoreId = `r${this.count}`;
    const restored = await restoreFiles(this.manager, this.workspace, plan, { restoreId, ...terms });
    if (isRefusal(restored)) return restored;
    for (const { path, from } of restored.files) this.recorded.add(`${path} ${from}`);
    return restored;
  }

  /** Back or on to a node, with the files. */
  async goTo(toId: string, terms?: Omit<RestoreTerms, "restoreId">): Promise<Restored> {
    return must(await this.restore(await this.plan({ fromId: this.head, toId }), terms));
  }

  async undo(restored: Restored, terms?: Omit<RestoreTerms, "restoreId">): Promise<Restored> {
    const plan = await this.plan({ fromId: this.head, undoes: restored.node.id });
    return must(await this.restore(plan, terms));
  }
}

export function shaOf(text: string | null): string | null {
  return text === null ? null : sha256(Buffer.from(text));
}
