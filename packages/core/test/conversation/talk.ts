import { randomUUID } from "node:crypto";
import {
  type ContextManager,
  createConversation,
  driftedFiles,
  memorySessionStore,
  openConversation,
  type StoredConversation,
} from "../../src/conversation/index.js";
import type { JsonObject } from "../../src/conversation/values/index.js";
import { Workspace } from "../../src/files/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { sha256 } from "../../src/node/disk/reading.js";
import { carryOut, followFiles, runConversationTool } from "../../src/tools/index.js";
import { type MemoryDisk, memoryPorts } from "../memory-disk.js";
import { countedIds, must } from "./support.js";

/** A conversation in a store and its files, all in memory. */
export class Talk {
  readonly disk: MemoryDisk;
  readonly workspace: Workspace;
  readonly ids = countedIds();
  private readonly store = memorySessionStore();
  private opened: StoredConversation | undefined;

  constructor(
    files: Readonly<Record<string, string>>,
    private readonly now: () => number,
  ) {
    const newId = () => randomUUID().replaceAll("-", "");
    const ports = memoryPorts({ digest: sha256, newId, codec: openCharsets(), clock: { now } });
    this.disk = ports.disk;
    this.workspace = new Workspace(ports);
    for (const [path, text] of Object.entries(files)) this.disk.poke(path, Buffer.from(text));
  }

  async begin(): Promise<this> {
    this.opened = must(await createConversation(this.store, { ids: this.ids, now: this.now }));
    must(this.manager.commitStagedItems("go"));
    await this.manager.flush();
    return this;
  }

  get conversation(): StoredConversation {
    if (this.opened === undefined) throw new Error("not opened");
    return this.opened;
  }

  get manager(): ContextManager {
    return this.conversation.manager;
  }

  get host() {
    const { manager, workspace } = this;
    return { manager, workspace, files: followFiles(manager, workspace, this.ids) };
  }

  get head(): string {
    return this.manager.context.currentNodeId;
  }

  text(path: string): string | undefined {
    const bytes = this.disk.peek(path);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  }

  /** The model calls a tool, which is not carried out yet. */
  ask(name: string, args: JsonObject): string {
    const callId = this.ids();
    must(this.manager.addNode({ kind: "tool_call", callId, name, args }));
    return callId;
  }

  async call(name: string, args: JsonObject): Promise<string> {
    const carried = await carryOut({ callId: this.ask(name, args) }, this.host);
    if (carried.kind === "refusal" || carried.isError) throw new Error(JSON.stringify(carried));
    return carried.text;
  }

  /** A person moves the head, or the files. */
  async move(name: string, args: object): Promise<string> {
    const reply = await runConversationTool(name, args, this.host);
    if (reply.isError) throw new Error(reply.text);
    return reply.text;
  }

  apart() {
    return driftedFiles(this.manager.context, this.workspace, this.manager.manifests);
  }

  /** Opens the session again; what was not flushed is gone. */
  async kill(): Promise<void> {
    const { sessionId } = this.manager.context;
    await this.conversation.session.close();
    const sources = { ids: this.ids, now: this.now, files: this.workspace };
    this.opened = must(await openConversation(this.store, sessionId, "write", sources));
  }
}
