import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { driftedFiles, listTasks, openCalls } from "../../src/conversation/index.js";
import { currentBase, isRefusal } from "../../src/files/values/index.js";
import { sha256 } from "../../src/node/disk/reading.js";
import { carryOut, runConversationTool } from "../../src/tools/index.js";
import { restlessClock } from "./support.js";
import { Talk } from "./talk.js";

const paths = ["a", "b", "c"];

/** Each text says who wrote it. What counts is the order of the journal: the clock goes back and forth. */
class Follower extends Talk {
  private count = 0;

  constructor() {
    super({ a: "shell 0", b: "shell 0" }, restlessClock());
  }

  by(who: string): string {
    this.count += 1;
    return `${who} ${this.count}`;
  }

  tree(): Record<string, string | undefined> {
    return Object.fromEntries(paths.map((path) => [path, this.text(path)]));
  }

  /** The model calls a tool that writes. */
  askToWrite(path: string): string {
    const bytes = this.disk.peek(path);
    const base = bytes === undefined ? {} : { base_content_sha256: sha256(bytes) };
    return this.ask("write_file", { file_path: path, content: this.by("ours"), ...base });
  }

  async read(path: string): Promise<void> {
    await carryOut({ callId: this.ask("read_file", { file_path: path }) }, this.host);
  }

  /** The tool of the call at the head writes, and nobody hears of it. */
  async writesUnheard(path: string, isDeletion: boolean): Promise<void> {
    const caller = {
      conversation: this.manager.context.sessionId,
      call: this.askToWrite(path) && this.head,
    };
    if (isDeletion) await this.workspace.delete({ path, base: currentBase, hashless: true }, { caller });
    else await this.workspace.write({ path, base: currentBase, content: this.by("ours") }, { caller });
  }
}

const everything = [
  ...["write", "write", "lost", "lost", "late", "say", "shell", "other", "flush", "kill", "kill"],
  ...["start", "complete", "pop", "restart", "cancel", "resume", "rewind", "only"],
] as const;

/** Tasks that are paused, taken up again and completed, beside a branch that writes the same files. */
const tasksInTurn = [
  ...["write", "write", "write", "shell", "kill", "start", "start", "pop", "pop", "resume", "resume"],
  ...["complete", "complete", "only"],
] as const;

function stepOf(kinds: readonly string[]) {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    path: fc.constantFrom(...paths),
    at: fc.nat(1_000),
    files: fc.constantFrom("keep", "restore", "leave"),
  });
}

type Step = ReturnType<typeof stepOf> extends fc.Arbitrary<infer Value> ? Value : never;

const runs = Number(process.env.HOLDFAST_RUNS ?? 15);

describe("with kills, late results, users who speak and others who write at any point", () => {
  it.each([
    ["all there is", everything],
    ["tasks in turn", tasksInTurn],
  ])(
    "each file is as the manifest says once the session is open again, or is named with who made it so: %s",
    async (_, kinds) => {
      const seen = { settled: 0, apart: 0, kills: 0, undone: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.array(stepOf(kinds), { minLength: 5, maxLength: 40, size: "max" }),
          async (steps) => {
            const talk = new Follower();
            await talk.begin();
            for (const each of steps) {
              if (each.kind !== "kill") await take(talk, each);
              else {
                await talk.kill();
                await checkOpened(talk, seen);
                await checkUndone(talk, each.at, seen);
              }
            }
          },
        ),
        { numRuns: runs },
      );
      if (process.env.HOLDFAST_RUNS !== undefined) console.log(runs, seen);
      const happened =
        kinds === everything ? [seen.settled, seen.apart, seen.undone] : [seen.kills, seen.undone];
      expect(Math.min(...happened)).toBeGreaterThan(runs / 30);
    },
    600_000,
  );
});

async function take(talk: Follower, { kind, path, at, files }: Step): Promise<void> {
  const { manager, workspace, host } = talk;
  const nodes = [...manager.context.nodes.keys()];
  const turn_id = nodes[at % nodes.length] ?? "";
  const move =
    files === "keep" ? {} : { files: "restore", ...(files === "leave" ? { conflicts: "leave" } : {}) };
  const command = (name: string, args: object) => runConversationTool(name, { ...args, ...move }, host);
  if (kind === "write" || kind === "late") await talk.read(path);
  if (kind === "write") await carryOut({ callId: talk.askToWrite(path) }, host);
  else if (kind === "lost") await talk.writesUnheard(path, at % 4 === 0);
  else if (kind === "late") {
    const running = carryOut({ callId: talk.askToWrite(path) }, host);
    manager.commitStagedItems("stop!");
    await running;
  } else if (kind === "say") manager.commitStagedItems("go on");
  else if (kind === "shell") talk.disk.poke(path, Buffer.from(talk.by("shell")));
  else if (kind === "other")
    await workspace.write({ path, content: talk.by("other"), base: currentBase }, otherSession);
  else if (kind === "flush") await manager.flush();
  else if (kind === "start") manager.startTask({ name: "t" });
  else if (kind === "complete") await command("task_complete", { summary: "done" });
  else if (kind === "pop") await command("task_pop", {});
  else if (kind === "restart") await command("task_restart", { hint: "again" });
  else if (kind === "cancel") await command("task_cancel", {});
  else if (kind === "resume") {
    const { tasks } = listTasks(manager.context);
    await command("task_resume", { task_id: tasks[at % Math.max(tasks.length, 1)]?.id ?? "none" });
  } else if (kind === "rewind") await command("rewind", { turn_id });
  else if (kind === "only") await runConversationTool("restore_files", { turn_id, conflicts: "leave" }, host);
}

const otherSession = { caller: { conversation: "another", call: "elsewhere" } };

async function checkOpened(
  talk: Follower,
  seen: { settled: number; apart: number; kills: number },
): Promise<void> {
  const { manager, conversation, workspace } = talk;
  const { files } = conversation;
  if (files === undefined || isRefusal(files.writes)) throw new Error("not settled");
  seen.kills += 1;
  seen.settled += files.writes.nodes.length;
  seen.apart += files.apart.length;
  expect(await driftedFiles(manager.context, workspace, manager.manifests)).toEqual(files.apart);
  const named = new Map(files.apart.map((file) => [file.path, file]));
  const tree = talk.tree();
  for (const [path, expected] of manager.manifests.at(manager.context, talk.head)) {
    const text = tree[path];
    const found = text === undefined ? null : sha256(Buffer.from(text));
    const file = named.get(path);
    expect([path, file?.found], path).toEqual([path, found === expected ? undefined : found]);
    if (file === undefined) continue;
    // What the path to the head did itself is never unknown to it.
    expect(file.by.who === "this_conversation" && file.by.here, `${path} by ${JSON.stringify(file.by)}`).toBe(
      false,
    );
    const [who] = (text ?? "").split(" ");
    if (who === "ours") expect(file.by.who, path).toBe("this_conversation");
    if (who === "other") expect(["another_session", "this_conversation"], path).toContain(file.by.who);
    if (who === "shell") expect(["someone_else", "this_conversation"], path).toContain(file.by.who);
  }
}

/** Files go back to some node, and that is taken back. */
async function checkUndone(talk: Follower, at: number, seen: { undone: number }): Promise<void> {
  const { manager, host } = talk;
  const { context } = manager;
  const nodes = [...context.nodes.keys()].filter((id) => openCalls(context, id).length === 0);
  const toId = nodes[at % nodes.length] ?? "";
  const before = talk.tree();
  const asked = { consent: [], conflicts: "leave", answering: undefined } as const;
  const move =
    at % 2 === 0
      ? ({ kind: "stay", stateOf: toId } as const)
      : ({ kind: "go", toId, words: "Went back" } as const);
  const done = await host.files.follow({ move, ...asked });
  if (isRefusal(done)) return expect(talk.tree()).toEqual(before);
  const undone = await host.files.follow({ move: { kind: "undo", restoreId: talk.head }, ...asked });
  if (isRefusal(undone)) throw new Error(`${undone.code}: ${undone.message}`);
  expect(talk.tree()).toEqual(before);
  seen.undone += 1;
}
