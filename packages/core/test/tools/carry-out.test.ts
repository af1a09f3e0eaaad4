import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ContextManager } from "../../src/conversation/index.js";
import { type JsonObject, timeSortedIds } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import {
  type Approval,
  carryOut,
  type HostTool,
  type Question,
  type TurnHost,
} from "../../src/tools/index.js";
import { makeGround } from "./ground.js";

/** A conversation on files, whose model sends calls together. */
async function makeTalk(files: Readonly<Record<string, string>>) {
  const { workspace, ...ground } = await makeGround(files);
  const manager = new ContextManager({ ids: timeSortedIds(Date.now, randomBytes), now: Date.now });
  manager.commitStagedItems("Go on.");
  let answers = 0;
  const answer = async (calls: readonly (readonly [string, JsonObject])[], host: Partial<TurnHost> = {}) => {
    answers += 1;
    const step = `step ${answers}`;
    const ids = calls.map(([name, args], at) => {
      const callId = `${step}.${at}`;
      const node = manager.addNode({ kind: "tool_call", callId, name, args, step });
      if (isRefusal(node)) throw new Error(node.message);
      return callId;
    });
    return Promise.all(
      ids.map(async (callId) => {
        const carried = await carryOut({ callId }, { manager, workspace, ...host });
        if (isRefusal(carried)) throw new Error(carried.message);
        return carried;
      }),
    );
  };
  return { ...ground, workspace, manager, answer };
}

const read = (path: string) => ["read_file", { file_path: path }] as const;
const edit = (path: string, old_string: string, new_string: string) =>
  ["edit_file", { file_path: path, edits: [{ old_string, new_string }] }] as const;

/** Answers each question with the next word, and remembers what was asked. */
function person(...says: readonly (Approval | ((asked: Question) => Promise<Approval>))[]) {
  const asked: Question[] = [];
  const approve = async (question: Question): Promise<Approval> => {
    const next = says[asked.length];
    asked.push(question);
    if (next === undefined) throw new Error("nobody expected a question");
    return typeof next === "function" ? next(question) : next;
  };
  return { asked, approve };
}

const yes: Approval = { kind: "yes" };

describe("a person who is asked", () => {
  it("is shown what the change comes to, and it is made when agreed to", async () => {
    const talk = await makeTalk({ f: "a\nb\n" });
    await talk.answer([read("f")]);
    const { asked, approve } = person(yes);
    const [done] = await talk.answer([edit("f", "a", "A")], { approve });
    expect(done?.code).toBe("applied");
    expect(asked[0]?.preview.files).toMatchObject([{ path: "f", before: "a\nb\n", after: "A\nb\n" }]);
    expect(await talk.get("f")).toBe("A\nb\n");
  });

  it("is not asked about what would be refused, or would change nothing", async () => {
    const talk = await makeTalk({ f: "a\nb\n" });
    const { asked, approve } = person();
    const [unread] = await talk.answer([edit("f", "a", "A")], { approve });
    await talk.answer([read("f")]);
    const [absent] = await talk.answer([edit("f", "x", "y")], { approve });
    expect([unread?.code, absent?.code, asked.length]).toEqual(["not_read", "not_found", 0]);
  });

  it("can say no: nothing is written, and the model reads why", async () => {
    const talk = await makeTalk({ f: "a\n" });
    await talk.answer([read("f")]);
    const { approve } = person({ kind: "no", message: "Not this file." });
    const [done] = await talk.answer([edit("f", "a", "A")], { approve });
    expect(done).toMatchObject({ code: "denied", isError: true });
    expect(done?.text).toContain("Not this file.");
    expect(await talk.get("f")).toBe("a\n");
  });

  it("can put another request in its place", async () => {
    const talk = await makeTalk({ f: "a\n" });
    await talk.answer([read("f")]);
    const request = { kind: "edit", path: "f", edits: [{ oldString: "a", newString: "mine" }] } as const;
    const { approve } = person({ kind: "instead", request });
    await talk.answer([edit("f", "a", "A")], { approve });
    expect(await talk.get("f")).toBe("mine\n");
  });

  it("is asked again where it would come to something else by then", async () => {
    const talk = await makeTalk({ f: "a\n" });
    const append = ["append_to_file", { file_path: "f", content: "end\n" }] as const;
    const moved = async (): Promise<Approval> => {
      await talk.put("f", "a\nb\n");
      return yes;
    };
    const { asked, approve } = person(moved, yes);
    const [done] = await talk.answer([append], { approve });
    expect([done?.code, asked.length]).toEqual(["applied", 2]);
    expect(await talk.get("f")).toBe("a\nb\nend\n");
  });

  it("is not asked for ever about a file that moves each time", async () => {
    const talk = await makeTalk({ f: "a\n" });
    const append = ["append_to_file", { file_path: "f", content: "end\n" }] as const;
    let moves = 0;
    const moved = async (): Promise<Approval> => {
      moves += 1;
      await talk.put("f", `a${moves}\n`);
      return yes;
    };
    const [done] = await talk.answer([append], person(moved, moved, moved));
    expect([done?.isError, moves]).toEqual([true, 3]);
    expect(await talk.get("f")).toBe("a3\n");
  });

  it("is asked about a later call on the file only after the earlier one ran", async () => {
    const talk = await makeTalk({ f: "a\nb\n" });
    await talk.answer([read("f")]);
    const { asked, approve } = person(yes, yes);
    const done = await talk.answer([edit("f", "a", "A"), edit("f", "b", "B")], { approve });
    expect(done.map(({ code }) => code)).toEqual(["applied", "applied"]);
    expect(asked.map(({ preview }) => preview.files[0]?.after)).toEqual(["A\nb\n", "A\nB\n"]);
  });
});

describe("a call that is carried out", () => {
  it("is cancelled by the signal before anything is changed, and the next one is not", async () => {
    const talk = await makeTalk({ f: "a\n" });
    await talk.answer([read("f")]);
    const controller = new AbortController();
    controller.abort();
    const [stopped] = await talk.answer([edit("f", "a", "A")], { signal: controller.signal });
    expect(stopped?.code).toBe("cancelled");
    expect(await talk.get("f")).toBe("a\n");
    const [done] = await talk.answer([edit("f", "a", "A")]);
    expect(done?.code).toBe("applied");
  });

  it("can be of a tool of the host, whose result is a node like any other", async () => {
    const talk = await makeTalk({});
    const shell: HostTool = {
      kind: "host",
      name: "run_shell_command",
      title: "Shell",
      description: "Runs a command.",
      parameters: z.object({ command: z.string() }),
      intent: (args) => ({ kind: "host_request", tool: "run_shell_command", summary: "echo", args }),
      run: async ({ args }, { progress }) => {
        progress("half way");
        return { code: "ok", text: `ran ${String(args.command)}` };
      },
    };
    const told: string[] = [];
    const progress = (_: string, text: string) => void told.push(text);
    const host = { hostTools: [shell], progress };
    const [done, wrong] = await talk.answer(
      [
        ["run_shell_command", { command: "ls" }],
        ["run_shell_command", {}],
      ],
      host,
    );
    expect(done).toMatchObject({ kind: "answered", code: "ok", text: "ran ls", isError: false });
    expect(wrong).toMatchObject({ kind: "answered", code: "invalid_arguments", isError: true });
    expect(told).toEqual(["half way"]);
  });
});

describe("what is added while a call runs", () => {
  it.each([
    ["a note", { kind: "note", text: "Look here.", audience: "model" }],
    ["a tracked file", { kind: "context_management", action: "track_file", path: "f" }],
  ] as const)("is followed by the result, below it and at the head: %s", async (_, payload) => {
    const talk = await makeTalk({ f: "a\nb\n" });
    await talk.answer([read("f")]);
    const { approve } = person(async () => {
      const added = talk.manager.addNode(payload);
      if (isRefusal(added)) throw new Error(added.message);
      return yes;
    });
    const [done] = await talk.answer([edit("f", "a", "A")], { approve });
    const head = talk.manager.getCurrentNode();
    expect(done).toMatchObject({ kind: "answered", code: "applied", node: { id: head.id } });
    const above = talk.manager.context.nodes.get(head.parentId ?? "");
    expect(above?.payload).toMatchObject(payload);
  });
});
