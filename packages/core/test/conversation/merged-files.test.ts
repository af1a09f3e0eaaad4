import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/node/disk/reading.js";
import { must, restlessClock } from "./support.js";
import { Talk } from "./talk.js";

/** A conversation about one file. */
class OneFile extends Talk {
  static async begin(now: () => number): Promise<OneFile> {
    const talk = await new OneFile({ x: "A" }, now).begin();
    await talk.read();
    return talk;
  }

  async read(): Promise<void> {
    await this.call("read_file", { file_path: "x", full: true });
  }

  async write(content: string): Promise<void> {
    await this.read();
    const base_content_sha256 = hash(this.text("x") ?? "");
    await this.call("write_file", { file_path: "x", content, base_content_sha256 });
  }

  /** A task that wrote the file and was paused. */
  async pausedTask(content: string, files: "keep" | "restore" = "keep"): Promise<string> {
    const task = must(this.manager.startTask({ name: "t" }));
    await this.write(content);
    await this.move("task_pop", { files });
    return task.id;
  }

  /** What stands in the file, and which files are not as the conversation has them. */
  async stands() {
    return { x: this.text("x"), apart: await this.apart() };
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

/** Whatever the clock says: what counts is the order of the journal. */
const clockFrom = restlessClock;

describe("a file that a task and the branch around it wrote in turn, when the task is completed", () => {
  it.each(["keep", "restore"])("stays as the branch left it later, files: %s", async (files) => {
    const talk = await OneFile.begin(clockFrom());
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
      const talk = await OneFile.begin(clockFrom());
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
    const talk = await OneFile.begin(clockFrom());
    const task = await talk.pausedTask("B", "restore");
    await talk.move("task_resume", { task_id: task });
    await talk.move("task_complete", { summary: "done", files: "restore" });
    expect(await talk.stands()).toEqual({ x: "B", apart: [] });
    expect(talk.merged).toEqual([[hash("A"), hash("B")]]);
  });

  it("is as it was put back in a pause where the files stay, and the answer names it", async () => {
    const talk = await OneFile.begin(clockFrom());
    const task = await talk.pausedTask("B", "restore");
    await talk.move("task_resume", { task_id: task });
    const told = await talk.move("task_complete", { summary: "done" });
    expect(told).toContain("not as they were there: x");
    expect(await talk.stands()).toEqual({ x: "A", apart: [] });
    expect(talk.merged).toEqual([]);
  });

  it("is as the task left it, where that wrote it again", async () => {
    const talk = await OneFile.begin(clockFrom());
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
      const talk = await OneFile.begin(clockFrom());
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
    const talk = await OneFile.begin(clockFrom());
    const first = await talk.pausedTask("B");
    const second = await talk.pausedTask("D");
    for (const task_id of [second, first]) {
      await talk.move("task_resume", { task_id });
      await talk.move("task_complete", { summary: "done" });
    }
    expect(await talk.stands()).toEqual({ x: "D", apart: [] });
  });
});
