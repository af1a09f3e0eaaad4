import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openAgent, scriptedModel } from "@holdfast/agent";
import { checkContents, providers, renderContext } from "@holdfast/core/context";
import { filesDue, namesFrom, openConversation } from "@holdfast/core/conversation";
import { isRefusal } from "@holdfast/core/files";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import { type FileMove, followFiles } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { newIds } from "../../src/sessions/open-store.js";
import { Project, program } from "../process.js";

/**
 * The agent is killed at system calls of a turn that hands its work to a sub-agent: at writes of the journal and of the disk.
 * Resumed twice, it sends the second time all that it sent the first time, to the byte, and what came of it; files and
 * conversation agree, no write is lost or made again. `HOLDFAST_SWEEP=all` kills at each call.
 */
const isWhole = process.env.HOLDFAST_SWEEP === "all";
const points = isWhole ? Number.POSITIVE_INFINITY : 6;

const append = (line: string) => ({
  name: "append_to_file",
  args: { file_path: "log.txt", content: `${line}\n` },
});
const edit = {
  name: "edit_file",
  args: {
    file_path: "a.ts",
    base_content_sha256: "{{sha256:a.ts}}",
    edits: [{ old_string: "v0", new_string: "v1" }],
  },
};
const write = { name: "write_file", args: { file_path: "new.ts", content: "new\n" } };
const script = [
  { calls: [{ name: "task_start", args: { name: "Log", goal: "Write the log.", agent: {} } }] },
  { calls: [{ name: "read_file", args: { file_path: "a.ts" } }, append("one")] },
  { calls: [edit, write, append("two")] },
  { calls: [{ name: "task_complete", args: { summary: "It is written." } }] },
  { calls: [append("three")] },
  { text: "Done." },
];

interface Ground {
  readonly project: Project;
  readonly home: Project;
  readonly stateDir: string;
}

function ground(): Ground {
  const project = new Project({ "a.ts": 'const a = "v0";\n', "log.txt": "" });
  const home = new Project({
    "settings.jsonc": JSON.stringify({ subAgents: {} }),
    "script.json": JSON.stringify(script),
  });
  return { project, home, stateDir: join(home.folder, "state", "holdfast") };
}

const names = "write,pwrite64,rename,renameat,renameat2,link,unlink,fsync,fdatasync,ftruncate";

/** Runs the turn under strace. @returns the trace. */
async function traced({ project, home }: Ground, options: readonly string[]): Promise<string> {
  const log = join(home.folder, "trace");
  const args = ["-p", "Go.", "--approval-mode", "yolo", "--script", join(home.folder, "script.json")];
  const child = spawn(
    "strace",
    ["-f", "-qq", "-y", "-o", log, ...options, process.execPath, program, ...args],
    {
      cwd: project.folder,
      env: {
        PATH: process.env.PATH ?? "",
        HOLDFAST_HOME: home.folder,
        XDG_STATE_HOME: join(home.folder, "state"),
      },
      stdio: "ignore",
    },
  );
  await new Promise((resolve) => child.once("close", resolve));
  return readFileSync(log, "latin1");
}

/** The calls of the turn by name and count in their thread; those on other files than ours only count. */
async function callsOf(at: Ground): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  const calls: string[] = [];
  for (const line of (await traced(at, ["-e", `trace=${names}`])).split("\n")) {
    const [, thread = "", name = "", rest = ""] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    const count = (counts.get(`${thread} ${name}`) ?? 0) + 1;
    counts.set(`${thread} ${name}`, count);
    if (rest.includes(at.home.folder) || rest.includes(at.project.folder)) calls.push(`${name}:${count}`);
  }
  return calls;
}

function filesOf({ project }: Ground): string {
  return [project.text("log.txt"), project.text("a.ts"), project.has("new.ts")].join("|");
}

/** Goes on with the session, if it was begun. @returns what the model was sent. */
async function resumed(at: Ground): Promise<string | undefined> {
  const { project, stateDir } = at;
  const workspace = must(await openWorkspace({ roots: [project.folder], stateDir }));
  const store = must(openJournalStore({ stateDir }));
  try {
    const [listed] = must(await store.list());
    if (listed === undefined) return undefined;
    const sources = { ids: newIds(), now: Date.now, naming: namesFrom(project.folder), files: workspace };
    const conversation = must(await openConversation(store, listed.id, "write", sources));
    const { manager } = conversation;
    expect(conversation.files?.apart).toEqual([]);
    let sent = "";
    const model = scriptedModel([{ text: "Here." }]);
    const agent = openAgent({
      manager,
      workspace,
      newId: newIds(),
      now: Date.now,
      model: {
        target: model.target,
        ask: (step, signal) => {
          sent = JSON.stringify(step.contents);
          return model.ask(step, signal);
        },
      },
    });
    expect(await agent.turn({ text: "Go on." })).toMatchObject({ reason: "complete" });
    const { contents } = renderContext(manager.context);
    expect(providers.flatMap((provider) => checkContents(contents, provider))).toEqual([]);
    const move: FileMove = { kind: "stay", stateOf: manager.context.currentNodeId };
    const due = filesDue(must(await followFiles(manager, workspace, newIds()).plan(move)));
    expect(due).toEqual([]);
    await conversation.close();
    return sent;
  } finally {
    await store.close();
    await workspace.close();
  }
}

function must<Value extends object>(value: Value): Exclude<Value, { readonly kind: "refusal" }> {
  if (isRefusal(value)) throw new Error(JSON.stringify(value));
  // A cast: what is no refusal is the value.
  return value as Exclude<Value, { readonly kind: "refusal" }>;
}

describe("an agent that is killed at a call of the disk, also within a sub-agent", () => {
  it(
    "goes on from there, in the same way each time, with nothing lost and nothing repeated",
    async () => {
      const calls = await callsOf(ground());
      expect(calls.length).toBeGreaterThan(40);
      const every = Math.max(1, Math.floor(calls.length / points));
      const seen = new Map<string, number>();
      for (const call of calls.filter((_, at) => at % every === every - 1)) {
        const at = ground();
        const [name = "", count] = call.split(":");
        await traced(at, ["-e", `trace=${name}`, "-e", `inject=${name}:signal=KILL:when=${count}`]);
        const files = filesOf(at);
        const first = await resumed(at);
        expect(filesOf(at), call).toBe(files);
        const second = await resumed(at);
        expect(second?.startsWith(first?.slice(0, -1) ?? ""), call).toBe(first !== undefined || undefined);
        expect(filesOf(at), call).toBe(files);
        // In the order of the calls, each at most once.
        expect(["", "one\n", "one\ntwo\n", "one\ntwo\nthree\n"]).toContain(at.project.text("log.txt"));
        seen.set(files, (seen.get(files) ?? 0) + 1);
      }
      const told = [...seen].map(([state, times]) => `${times} × ${JSON.stringify(state)}`);
      console.log(`killed at every ${every}. of ${calls.length} calls: ${told.join(", ")}`);
      expect(seen.size).toBeGreaterThan(2);
    },
    isWhole ? 7_200_000 : 600_000,
  );
});
