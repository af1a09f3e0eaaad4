import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type ContextManager,
  createConversation,
  filesApart,
  memorySessionStore,
} from "../../src/conversation/index.js";
import { type MemoryDisk, memoryPorts, Workspace } from "../../src/files/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { sha256 } from "../../src/node/disk/digest.js";
import { carryOut, followFiles, runConversationTool } from "../../src/tools/index.js";
import { countedIds, must, restlessClock, steadyClock } from "./support.js";

/** A conversation about one file, all in memory. */
class Talk {
  readonly sources: { readonly ids: () => string; readonly now: () => number };
  readonly disk: MemoryDisk;
  readonly workspace: Workspace;

  private constructor(
    private opened: ContextManager | undefined,
    now: () => number,
  ) {
    this.sources = { ids: countedIds(), now };
    const newId = () => randomUUID().replaceAll("-", "");
    const clock = { now: this.sources.now };
    const ports = memoryPorts({ digest: sha256, newId, codec: openCharsets(), clock });
    this.disk = ports.disk;
    this.workspace = new Workspace(ports);
    this.disk.poke("x", Buffer.from("A"));
  }

  static async begin(now: () => number): Promise<Talk> {
    const talk = new Talk(undefined, now);
    talk.opened = must(await createConversation(memorySessionStore(), talk.sources)).manager;
    must(talk.manager.commitStagedItems("go"));
    await talk.read();
    return talk;
  }

  get manager(): ContextManager {
    if (this.opened === undefined) throw new Error("not opened");
    return this.opened;
  }

  get host() {
    const { manager, workspace, sources } = this;
    return { manager, workspace, files: followFiles(manager, workspace, sources.ids) };
  }

  async call(name: string, args: Readonly<Record<string, string | boolean>>): Promise<string> {
    const callId = this.sources.ids();
    must(this.manager.addNode({ kind: "tool_call", callId, name, args }));
    const carried = await carryOut({ callId }, this.host);
    if (carried.kind === "refusal" || carried.isError) throw new Error(JSON.stringify(carried));
    return carried.text;
  }

  async read(): Promise<void> {
    await this.call("read_file", { file_path: "x", full: true });
  }

  async write(content: string): Promise<void> {
    await this.read();
    const base_content_sha256 = sha256(this.disk.peek("x") ?? new Uint8Array());
    await this.call("write_file", { file_path: "x", content, base_content_sha256 });
  }

  /** A task that wrote the file and was paused. */
  async pausedTask(content: string, files: "keep" | "restore" = "keep"): Promise<string> {
    const task = must(this.manager.startTask({ name: "t" }));
    await this.write(content);
    await this.move("task_pop", { files });
    return task.id;
  }

  /** A person moves the head, or the files. */
  async move(name: string, args: object) {
    const reply = await runConversationTool(name, args, this.host);
    if (reply.isError) throw new Error(reply.text);
    return reply.text;
  }

  get head(): string {
    return this.manager.context.currentNodeId;
  }

  /** What stands in the file, and which files are not as the conversation has them. */
  async stands() {
    const apart = await filesApart(this.manager.context, this.workspace, this.manager.manifests);
    return { x: Buffer.from(this.disk.peek("x") ?? []).toString(), apart };
  }

  /** What the last merge tells. */
  get merged() {
    const { payload } = [...this.manager.context.nodes.values()].findLast(
      (node) => node.payload.kind === "task_summary",
    ) ?? { payload: undefined };
    return payload?.kind === "task_summary" ? payload.files.map(({ from, to }) => [from, to]) : undefined;
  }
}

const hash = (text: string) => sha256(Buffer.from(text));

describe.each([
  { clock: "steady", clockFrom: steadyClock },
  { clock: "restless", clockFrom: restlessClock },
])(
  "a file that a task and the branch around it wrote in turn, when the task is completed, by a $clock clock",
  ({ clockFrom }) => {
    it.each(["keep", "restore"])("stays as the branch left it later, files: %s", async (files) => {
      const talk = await Talk.begin(clockFrom());
      const task = await talk.pausedTask("B");
      await talk.write("C");
      await talk.move("task_resume", { task_id: task });
      await talk.move("task_complete", { summary: "done", files });
      expect(await talk.stands()).toEqual({ x: "C", apart: [] });
      expect(talk.merged).toEqual([]);
    });

    it.each(["keep", "restore"])(
      "stays as it was put back there without the head, files: %s",
      async (files) => {
        const talk = await Talk.begin(clockFrom());
        const before = talk.head;
        const task = await talk.pausedTask("B");
        await talk.move("restore_files", { turn_id: before });
        await talk.move("task_resume", { task_id: task });
        await talk.move("task_complete", { summary: "done", files });
        expect(await talk.stands()).toEqual({ x: "A", apart: [] });
        expect(talk.merged).toEqual([]);
      },
    );

    it("is as the task made it once the files follow, also where they were put back in a pause", async () => {
      const talk = await Talk.begin(clockFrom());
      const task = await talk.pausedTask("B", "restore");
      await talk.move("task_resume", { task_id: task });
      await talk.move("task_complete", { summary: "done", files: "restore" });
      expect(await talk.stands()).toEqual({ x: "B", apart: [] });
      expect(talk.merged).toEqual([[hash("A"), hash("B")]]);
    });

    it("is as it was put back in a pause where the files stay, and the answer names it", async () => {
      const talk = await Talk.begin(clockFrom());
      const task = await talk.pausedTask("B", "restore");
      await talk.move("task_resume", { task_id: task });
      const told = await talk.move("task_complete", { summary: "done" });
      expect(told).toContain("not as they were there: x");
      expect(await talk.stands()).toEqual({ x: "A", apart: [] });
      expect(talk.merged).toEqual([]);
    });

    it("is as somebody else left it, where that was seen there later", async () => {
      const talk = await Talk.begin(clockFrom());
      const task = await talk.pausedTask("B");
      talk.disk.poke("x", Buffer.from("S"));
      await talk.read();
      await talk.move("task_resume", { task_id: task });
      await talk.move("task_complete", { summary: "done" });
      expect(await talk.stands()).toEqual({ x: "S", apart: [] });
    });

    it("is as the task left it, where that wrote it again", async () => {
      const talk = await Talk.begin(clockFrom());
      const task = await talk.pausedTask("B");
      await talk.write("C");
      await talk.move("task_resume", { task_id: task });
      await talk.write("D");
      await talk.move("task_complete", { summary: "done" });
      expect(await talk.stands()).toEqual({ x: "D", apart: [] });
      expect(talk.merged).toEqual([[hash("A"), hash("D")]]);
    });

    it.each(["keep", "restore"])(
      "counts by when it was written, not by when it was merged, files: %s",
      async (files) => {
        const talk = await Talk.begin(clockFrom());
        const outer = must(talk.manager.startTask({ name: "outer" }));
        const inner = await talk.pausedTask("B");
        await talk.move("task_pop", {});
        await talk.write("C");
        await talk.move("task_resume", { task_id: inner });
        await talk.move("task_complete", { summary: "inner" });
        expect(talk.manager.getCurrentNode().taskId).toBe(outer.id);
        await talk.move("task_complete", { summary: "outer", files });
        expect(await talk.stands()).toEqual({ x: "C", apart: [] });
      },
    );

    it("is as the later of two merged tasks made it, in whichever order they are merged", async () => {
      const talk = await Talk.begin(clockFrom());
      const first = await talk.pausedTask("B");
      const second = await talk.pausedTask("D");
      for (const task_id of [second, first]) {
        await talk.move("task_resume", { task_id });
        await talk.move("task_complete", { summary: "done" });
      }
      expect(await talk.stands()).toEqual({ x: "D", apart: [] });
    });
  },
);
