import { describe, expect, it } from "vitest";
import { createConversation, memorySessionStore, openConversation } from "../../../src/conversation/index.js";
import type { SessionStore } from "../../../src/conversation/values/index.js";
import { refuse } from "../../../src/files/values/index.js";
import { codeOf, countedIds, must, reply, say, steadyClock } from "../support.js";

const sources = () => ({ ids: countedIds("x"), now: steadyClock() });

async function begun(store: SessionStore) {
  return must(
    await createConversation(store, { ids: countedIds(), now: steadyClock(), title: "t", cwd: "/w" }),
  );
}

describe("a stored conversation", () => {
  it("is the same when it is opened again, with what was staged and the head where it was", async () => {
    const store = memorySessionStore();
    const { manager, session, close } = await begun(store);
    const first = say(manager, "one");
    reply(manager, "1");
    must(manager.startTask({ name: "task" }));
    reply(manager, "inside");
    must(manager.addToStagingArea({ kind: "note", text: "staged", audience: "model" }));
    must(manager.rewind(first.id));
    must(await manager.flush());
    must(await close());

    const again = must(await openConversation(store, session.id, "write", sources()));
    expect(again.problems).toEqual([]);
    expect(again.manager.context.currentNodeId).toBe(first.id);
    expect(again.manager.context.stagingArea).toEqual(manager.context.stagingArea);
    expect(new Map(again.manager.context.nodes)).toEqual(new Map(manager.context.nodes));
    expect(new Map(again.manager.context.tasks)).toEqual(new Map(manager.context.tasks));
  });

  it("goes back to the last acknowledged state where the disk is full, and goes on once it is not", async () => {
    let full = false;
    const store = memorySessionStore({ refusal: () => (full ? refuse("disk_full", "full") : undefined) });
    const { manager, session, close } = await begun(store);
    say(manager, "kept");
    reply(manager, "yes");
    must(await manager.flush());
    const kept = manager.context;
    const told: (string | undefined)[] = [];
    manager.subscribe((_, event) => told.push(event?.type));
    full = true;
    say(manager, "lost");
    expect(codeOf(await manager.flush())).toBe("disk_full");
    expect(manager.context).toBe(kept);
    expect(told).toEqual(["nodes_added", undefined]);
    full = false;
    const next = say(manager, "after");
    must(await manager.flush());
    must(await close());
    const again = must(await openConversation(store, session.id, "read", sources()));
    expect(again.problems).toEqual([]);
    expect(again.manager.getCurrentNode()).toEqual(next);
    expect(
      [...again.manager.context.nodes.values()].some(
        ({ payload }) => "text" in payload && payload.text === "lost",
      ),
    ).toBe(false);
  });

  it("is what the store holds, whatever is said again while refused flushes are being answered", async () => {
    for (let ticks = 0; ticks < 12; ticks += 1) {
      let full = false;
      const store = memorySessionStore({ refusal: () => (full ? refuse("disk_full", "full") : undefined) });
      const { manager, session, close } = await begun(store);
      say(manager, "lost");
      full = true;
      const flushes = [manager.flush(), manager.flush()];
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      manager.commitStagedItems("again");
      await Promise.all(flushes);
      full = false;
      must(await manager.flush());
      must(await close());
      const { problems, manager: kept } = must(await openConversation(store, session.id, "read", sources()));
      expect(problems).toEqual([]);
      expect([...kept.context.nodes.keys()]).toEqual([...manager.context.nodes.keys()]);
    }
  });

  it("that is open for reading refuses every change", async () => {
    const store = memorySessionStore();
    const { manager, session } = await begun(store);
    say(manager, "one");
    must(await manager.flush());
    expect(codeOf(await openConversation(store, session.id, "write", sources()))).toBe("busy");
    const { manager: reader } = must(await openConversation(store, session.id, "read", sources()));
    const before = reader.context;
    expect(codeOf(reader.commitStagedItems("two"))).toBe("read_only");
    expect(codeOf(reader.setTitle("x"))).toBe("read_only");
    expect(reader.context).toBe(before);
  });
});
