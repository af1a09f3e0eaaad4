import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderContext } from "../../../src/context/index.js";
import { ContextManager } from "../../../src/conversation/index.js";
import { transitionsAlong } from "../../../src/conversation/tree/file-transitions.js";
import { nodesBelow } from "../../../src/conversation/tree/path.js";
import { type JsonObject, namesFrom, timeSortedIds } from "../../../src/conversation/values/index.js";
import { joinSpans } from "../../../src/files/seen/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { carryOut, type TurnHost } from "../../../src/tools/index.js";
import { sha } from "../../support.js";
import { makeGround } from "../ground.js";

/** A model that sends one call at a time, and the node of its result. */
async function makeTalk(files: Readonly<Record<string, string | Uint8Array>>) {
  const ground = await makeGround(files);
  const { workspace } = ground;
  const ids = timeSortedIds(Date.now, randomBytes);
  const manager = new ContextManager({ ids, now: Date.now, naming: namesFrom(ground.root) });
  manager.commitStagedItems("Go on.");
  let calls = 0;
  const ask = async (name: string, args: JsonObject, host: Partial<TurnHost> = {}) => {
    calls += 1;
    const callId = `call ${calls}`;
    const call = manager.addNode({ kind: "tool_call", callId, name, args, step: callId });
    if (isRefusal(call)) throw new Error(call.message);
    const carried = await carryOut({ callId }, { manager, workspace, ...host });
    if (isRefusal(carried) || carried.kind !== "answered") throw new Error("no result was recorded");
    const { payload } = carried.node;
    if (payload.kind !== "tool_result") throw new Error("no result");
    return { ...payload, nodeId: carried.node.id, code: carried.code };
  };
  return { ...ground, manager, ask };
}

const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");
const stub = "File unchanged since last read.";

describe("the result of a read that is not sent again", () => {
  it("names the lines that have to stand in the prompt, as they are named there", async () => {
    const { ask, manager, root } = await makeTalk({ "f.txt": ten });
    const first = await ask("read_file", { file_path: "f.txt" });
    expect(first).not.toHaveProperty("refers");
    const again = await ask("read_file", { file_path: `${root}/f.txt`, offset: 2, limit: 3 });
    expect(again.output).toContain(stub);
    expect(again.refers).toEqual([{ path: "f.txt", sha256: sha(ten), from: 2, to: 4 }]);
    expect(renderContext(manager.context).report.broken).toEqual([]);
    manager.overlay(first.nodeId, { form: "replaced", by: "cleared", text: "(cleared)" });
    expect(renderContext(manager.context).report.broken).toEqual([
      { nodeId: again.nodeId, lines: again.refers?.[0] },
    ]);
    expect((await ask("read_file", { file_path: "f.txt" })).output).toContain("line 10");
  });

  it("names them piece by piece where they were shown under several names", async () => {
    const { ask, root } = await makeTalk({ "f.txt": ten });
    await ask("read_file", { file_path: "f.txt", offset: 1, limit: 5 });
    await ask("read_file", { file_path: `${root}/f.txt`, offset: 6, limit: 5 });
    const { refers } = await ask("read_file", { file_path: "f.txt" });
    expect(refers).toEqual([
      { path: "f.txt", sha256: sha(ten), from: 1, to: 5 },
      { path: `${root}/f.txt`, sha256: sha(ten), from: 6, to: 10 },
    ]);
  });
});

describe("the result of a change that a stale base refused", () => {
  const changed = ten.replace("line 3\n", "");

  async function refused(host: Partial<TurnHost>) {
    const talk = await makeTalk({ "f.txt": ten });
    await talk.ask("read_file", { file_path: "f.txt", offset: 1, limit: 8 });
    await talk.put("f.txt", changed);
    const args = { file_path: "f.txt", content: "new\n", base_content_sha256: sha(ten) };
    const result = await talk.ask("write_file", args, host);
    expect(result.code).toBe("state_mismatch");
    const lines = () => {
      const call = talk.manager.addNode({
        kind: "tool_call",
        callId: "x",
        name: "read_file",
        args: {},
        step: "x",
      });
      if (isRefusal(call)) throw new Error(call.message);
      return talk.manager.knowledge.forCall(call.id).find({ path: "f.txt", realPath: "" }, sha(changed))
        ?.lines;
    };
    return { ...result, lines };
  }

  it("carries what was known of the base over by the difference that it shows", async () => {
    const { files, lines } = await refused({ resultContent: "none" });
    expect(files).toMatchObject([
      {
        by: "seen",
        before: sha(ten),
        after: sha(changed),
        changes: [{ at: 3, removed: 1, added: 0 }],
        lines: 9,
      },
    ]);
    expect(joinSpans(lines() ?? [])).toEqual([{ from: 1, to: 7 }]);
  });

  it("does not make a change of somebody else out of an old base of our own file", async () => {
    const { ask, manager } = await makeTalk({ "f.txt": ten });
    await ask("read_file", { file_path: "f.txt" });
    const before = manager.context.currentNodeId;
    await ask("edit_file", { file_path: "f.txt", edits: [{ old_string: "line 3\n", new_string: "" }] });
    const args = { file_path: "f.txt", content: "new\n", base_content_sha256: sha(ten) };
    const { files } = await ask("write_file", args);
    expect(files?.[0]).not.toHaveProperty("changes");
    expect(manager.manifests.at(manager.context, manager.context.currentNodeId).get("f.txt")).toBe(
      sha(changed),
    );
    const { context, manifests } = manager;
    const nodes = nodesBelow(context, before, context.currentNodeId);
    const transitions = transitionsAlong(context, nodes, {
      naming: manifests.naming,
      before: () => sha(ten),
    });
    expect(transitions.get("f.txt")).toMatchObject({
      first: sha(ten),
      last: sha(changed),
      ours: true,
      others: false,
    });
  });
});
