import { describe, expect, it } from "vitest";
import { readExport } from "../../src/conversation/import/index.js";
import {
  createConversation,
  exportSession,
  findSession,
  forkSession,
  loadSession,
  memorySessionStore,
  renameSession,
  searchSessions,
  summarizeSession,
  verifySession,
} from "../../src/conversation/index.js";
import type { SessionStore } from "../../src/conversation/values/index.js";
import { compilePattern } from "../../src/files/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { call, codeOf, countedIds, must, reply, result, say, steadyClock } from "./support.js";

/** A store with one conversation: a question, a task with a call, its summary, and a rewound branch. */
async function storeWithOne(prefix = "n") {
  const store = memorySessionStore();
  const { manager, close } = must(
    await createConversation(store, {
      ids: countedIds(prefix),
      now: steadyClock(),
      title: "First",
      cwd: "/srv/app",
    }),
  );
  const asked = say(manager, "Where is the parser?");
  must(manager.startTask({ name: "look", goal: "find it" }));
  call(manager, "c1");
  must(manager.addNode(result("c1", "src/parser.ts: export function parse()")));
  must(manager.completeTask({ summary: "It is in src/parser.ts." }));
  reply(manager, "In src/parser.ts.");
  must(manager.rewind(asked.id));
  reply(manager, "Somewhere else.");
  must(await manager.flush());
  must(await close());
  return { store, id: manager.context.sessionId, context: manager.context, asked };
}

async function search(store: SessionStore, text: string, limit = 100) {
  const pattern = compilePattern(text, {});
  if (isRefusal(pattern)) throw new Error(pattern.message);
  return searchSessions(store, must(await store.list()), pattern, limit);
}

describe("sessions of a store", () => {
  it("are found by the beginning of an id, and never by chance", async () => {
    const { store, id } = await storeWithOne("ab");
    const fork = must(await forkSession(store, id, { newId: () => "abc", now: 1 }));
    expect(await findSession(store, "ab1")).toMatchObject({ id: "ab1" });
    expect(await findSession(store, "abc")).toMatchObject({ id: fork.id });
    expect(codeOf(await findSession(store, "ab"))).toBe("invalid_arguments");
    expect(codeOf(await findSession(store, "zz"))).toBe("unknown_session");
    expect(codeOf(await findSession(store, ""))).toBe("unknown_session");
  });

  it("are summed up", async () => {
    const { context } = await storeWithOne();
    const summary = summarizeSession(context);
    expect(summary).toMatchObject({
      nodes: context.nodes.size,
      branches: 2,
      pruned: 0,
      staged: 0,
    });
    expect(summary.head?.payload).toMatchObject({ text: "Somewhere else." });
    expect(summary.tasks.tasks.map(({ name, state }) => `${name} ${state}`)).toEqual(["look complete"]);
  });

  it("are searched line by line, up to a limit", async () => {
    const { store } = await storeWithOne();
    const found = await search(store, "parser");
    expect(found.matches.map(({ kind, snippet }) => `${kind}: ${snippet}`)).toEqual([
      "user_message: Where is the parser?",
      "tool_result: src/parser.ts: export function parse()",
      "task_summary: It is in src/parser.ts.",
      "model_message: In src/parser.ts.",
    ]);
    expect(await search(store, "parser", 2)).toMatchObject({ more: true, sessions: 1 });
    expect((await search(store, "pars.r")).matches).toHaveLength(4);
    expect((await search(store, "nowhere")).matches).toEqual([]);
  });

  it("fork whole, and stand where they are told", async () => {
    const { store, id, context, asked } = await storeWithOne();
    const { id: forkId } = must(
      await forkSession(store, id, { newId: () => "fork", now: 9, head: asked.id, title: "Second" }),
    );
    const fork = must(await loadSession(store, forkId));
    expect(fork.problems).toEqual([]);
    expect(fork.context).toMatchObject({ sessionId: "fork", title: "Second", currentNodeId: asked.id });
    expect(fork.context.nodes.size).toBe(context.nodes.size);
    expect(fork.records[0]?.event).toMatchObject({ origin: { kind: "fork", from: id } });
    expect(must(await loadSession(store, id)).context.currentNodeId).toBe(context.currentNodeId);
    for (const head of ["nothing", "n4x"])
      expect(codeOf(await forkSession(store, id, { newId: () => "other", now: 9, head }))).toBe(
        "unknown_node",
      );
    expect(must(await store.list())).toHaveLength(2);
  });

  it("go to another machine as one text", async () => {
    const { store, id, context } = await storeWithOne();
    const text = [...must(await exportSession(store, id)).lines].join("");
    const session = must(readExport(text, {}));
    const other = memorySessionStore();
    must(await other.create(session.sessionId, session.events));
    const there = must(await loadSession(other, id));
    expect(there.problems).toEqual([]);
    expect([...there.context.nodes]).toEqual([...context.nodes]);
    expect(there.context.currentNodeId).toBe(context.currentNodeId);
  });

  it("are renamed unless somebody else writes", async () => {
    const { store, id } = await storeWithOne();
    must(await renameSession(store, id, "Another title", 5));
    expect(must(await findSession(store, id)).title).toBe("Another title");
    const writer = must(await store.open(id, "write"));
    expect(codeOf(await renameSession(store, id, "No", 5))).toBe("busy");
    await writer.close();
  });

  it("are verified branch by branch", async () => {
    const { store, id } = await storeWithOne();
    const heads: string[] = [];
    const check = (context: { readonly currentNodeId: string }) => {
      heads.push(context.currentNodeId);
      return heads.length === 1 ? ["it is odd"] : [];
    };
    const verified = must(await verifySession(store, id, check));
    expect(verified).toMatchObject({ rendered: 3, problems: [] });
    expect(verified.findings).toEqual([{ nodeId: heads[0], message: "it is odd" }]);
    expect(new Set(heads).size).toBe(3);
    expect(codeOf(await verifySession(store, "none", () => []))).toBe("unknown_session");
  });
});
