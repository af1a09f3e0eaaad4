import { expect, it } from "vitest";
import {
  createConversation,
  forkSession,
  openConversation,
  placeOf,
  pruneSessions,
  readPlace,
  searchSessions,
} from "../../../src/conversation/index.js";
import type { RecordPlace, SessionQuery, SessionStore } from "../../../src/conversation/values/index.js";
import { compilePattern, requiredLiterals } from "../../../src/files/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { countedIds, must, reply, say, steadyClock } from "../support.js";
import { message, renamed, started } from "./store-events.js";

interface Stores {
  store(): SessionStore;
  reopen(): Promise<SessionStore>;
}

const hour = 3_600_000;
const begun = 1_760_000_000_000;

/** How stores with many sessions are looked through and emptied; part of the suite that every store passes. */
export function describePages({ store, reopen }: Stores): void {
  /** Sessions that changed an hour apart, the last one now; two of them at the same moment. */
  const hourly = async (count: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const id = `s-${String(at).padStart(2, "0")}`;
      const ts = begun + Math.max(at, 1) * hour;
      const session = must(await store().create(id, [started(id, { title: `Über ${at} %_\\ "x"` }, ts)]));
      session.append(message(`${id}-m`, id, `text of ${id}`, ts));
      must(await session.flush());
      await session.close();
      ids.push(id);
    }
    return ids;
  };
  const listed = async (query: SessionQuery) => must(await store().list(query)).map(({ id }) => id);

  it("lists page by page, each session once, in the order of the whole list", async () => {
    await hourly(7);
    const whole = await listed({});
    expect(whole).toEqual(["s-06", "s-05", "s-04", "s-03", "s-02", "s-00", "s-01"]);
    for (const limit of [1, 2, 3, 7, 100]) {
      const found: string[] = [];
      for (let query: SessionQuery = { limit }; ; ) {
        const page = must(await store().list(query));
        found.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        if (last === undefined) break;
        const after = readPlace(placeOf(last));
        if (after === undefined) throw new Error(`no place: ${placeOf(last)}`);
        query = { limit, after };
      }
      expect(found).toEqual(whole);
    }
  });

  it("lists by time, by title in upper or lower case, and by the beginning of an id", async () => {
    await hourly(5);
    const at = begun + 3 * hour;
    expect(await listed({ changedSince: at })).toEqual(["s-04", "s-03"]);
    expect(await listed({ changedBefore: at })).toEqual(["s-02", "s-00", "s-01"]);
    expect(await listed({ changedSince: at, changedBefore: at + 1, limit: 9 })).toEqual(["s-03"]);
    expect(await listed({ title: "ÜBER 3" })).toEqual(["s-03"]);
    for (const title of ["%_", "\\ ", '"X"']) expect(await listed({ title })).toHaveLength(5);
    for (const title of ["%3", "über_", "\0", "nowhere"]) expect(await listed({ title })).toEqual([]);
    expect(await listed({ idPrefix: "s-0" })).toHaveLength(5);
    expect(await listed({ idPrefix: "s-03" })).toEqual(["s-03"]);
    for (const idPrefix of ["s-9", "S", "%", "s_", "\0", "'"]) expect(await listed({ idPrefix })).toEqual([]);
  });

  it("finds the same by whatever text is sought first, and pages through it", async () => {
    const ids = await hourly(4);
    const session = must(await store().open("s-01", "write"));
    const texts = [
      `in a large text: needle\n${"large ".repeat(10_000)}`,
      'quoted "needle" \\ and %_ and \ttab',
      "NEEDLE in capitals, \u212Aelvin \u017Fharp",
      "nothing of it\0",
    ];
    for (const [at, text] of texts.entries())
      session.append(message(`t-${at}`, at === 0 ? "s-01-m" : `t-${at - 1}`, text, begun + 3 * hour));
    must(await session.flush());
    await session.close();
    const facts = ids.map((id) => ({ id }));
    const search = async (
      text: string,
      options: { literal?: boolean; ignoreCase?: boolean },
      seek: boolean,
    ) => {
      const pattern = compilePattern(text, options);
      if (isRefusal(pattern)) throw new Error(pattern.message);
      const anyOf = seek ? requiredLiterals(text, options) : undefined;
      const sought = { ...(anyOf === undefined ? {} : { anyOf }), ignoreCase: options.ignoreCase === true };
      const { matches, unread } = await searchSessions(store(), facts, pattern, 100, sought);
      expect(unread).toEqual([]);
      return matches.map(({ nodeId }) => nodeId);
    };
    for (const [text, options, found] of [
      ["needle", { literal: true }, ["t-0", "t-1"]],
      ["needle", { literal: true, ignoreCase: true }, ["t-0", "t-1", "t-2"]],
      ["kelvin sharp", { ignoreCase: true }, ["t-2"]],
      ['"needle" \\ and %_', { literal: true }, ["t-1"]],
      ["and \ttab", { literal: true }, ["t-1"]],
      ["%", { literal: true }, ["t-1"]],
      ["text of (s-0[02]|nobody)", {}, ["s-00-m", "s-02-m"]],
      ["n[e]{2}dle", {}, ["t-0", "t-1"]],
      ["nowhere at all", {}, []],
    ] as const) {
      expect([text, await search(text, options, true)]).toEqual([text, found]);
      expect([text, await search(text, options, false)]).toEqual([text, found]);
    }
  });

  it("hands records out page by page, each once, and none that bears no node", async () => {
    const ids = await hourly(3);
    const session = must(await store().open("s-02", "write"));
    session.append(renamed("another name", begun + 9 * hour));
    must(await session.flush());
    await session.close();
    const found: string[] = [];
    for (let after: RecordPlace | undefined; ; ) {
      const page = must(
        await store().recordsHolding({ sessions: ids, limit: 2, ...(after === undefined ? {} : { after }) }),
      );
      found.push(...page.records.map(({ sessionId, record }) => `${sessionId} ${record.seq}`));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(found).toEqual(["s-00 1", "s-00 2", "s-01 1", "s-01 2", "s-02 1", "s-02 2"]);
    const none = must(await store().recordsHolding({ sessions: [], limit: 2 }));
    expect([none.records, none.next]).toEqual([[], undefined]);
  });

  it("prunes by age and by number, says before what would go, and spares what is in use", async () => {
    await hourly(6);
    await must(await (await reopen()).open("s-01", "write"));
    const ids = (facts: readonly { readonly id: string }[]) => facts.map(({ id }) => id);
    const changedBefore = begun + 4 * hour;
    const would = must(await pruneSessions(store(), { changedBefore, dryRun: true }));
    expect([ids(would.removed), ids(would.kept)]).toEqual([["s-03", "s-02", "s-00"], ["s-01"]]);
    expect(await listed({})).toHaveLength(6);
    const spared = must(await pruneSessions(store(), { changedBefore, keep: 5 }));
    expect([ids(spared.removed), ids(spared.kept)]).toEqual([[], ["s-01"]]);
    const done = must(await pruneSessions(store(), { changedBefore, keep: 3 }));
    expect([ids(done.removed), ids(done.kept)]).toEqual([["s-02", "s-00"], ["s-01"]]);
    expect(must(await pruneSessions(store(), { keep: 99 })).removed).toEqual([]);
    expect(ids(must(await pruneSessions(store(), { keep: 1 })).removed)).toEqual(["s-04", "s-03"]);
    expect(await listed({})).toEqual(["s-05", "s-01"]);
    expect(await pruneSessions(store(), {})).toMatchObject({ code: "invalid_arguments" });
  });

  it("takes a fork for as old as itself, not as what it was made from", async () => {
    await hourly(1);
    const now = begun + 9 * hour;
    must(await forkSession(store(), "s-00", { newId: () => "s-fork", now }));
    const fork = must(await store().list()).find(({ id }) => id === "s-fork");
    expect(fork).toMatchObject({ createdMs: now, modifiedMs: now });
    const { removed } = must(await pruneSessions(store(), { changedBefore: now, dryRun: true }));
    expect(removed.map(({ id }) => id)).toEqual(["s-00"]);
  });

  it("prunes nothing that has changed since it was listed", async () => {
    await hourly(2);
    const before = must(await store().list());
    const session = must(await store().open("s-01", "write"));
    session.append(renamed("changed", begun + 50 * hour));
    must(await session.flush());
    await session.close();
    const answer = must(await store().prune([...before, { id: "s-99", modifiedMs: 1, sizeBytes: 1 }]));
    expect(answer).toEqual({ kind: "pruned", removed: ["s-00"] });
    expect(await listed({})).toEqual(["s-01"]);
  });

  it("opens to the same state, whether by its records or as the store likes", async () => {
    const sources = { ids: countedIds("n"), now: steadyClock() };
    const made = must(await createConversation(store(), sources));
    const { sessionId } = made.manager.context;
    for (let turn = 0; turn < 20; turn += 1) {
      say(made.manager, `turn ${turn}`);
      must(made.manager.startTask({ name: `task ${turn}`, goal: "g" }));
      reply(made.manager, "answer");
      must(made.manager.completeTask({ summary: "done" }));
      must(await made.manager.flush());
    }
    const live = made.manager.context;
    await made.close();
    const opened = must(await openConversation(await reopen(), sessionId, "write", sources));
    expect(opened.problems).toEqual([]);
    const shown = ({ nodes, tasks, ...rest }: typeof live) => ({
      nodes: [...nodes].sort(([one], [other]) => (one < other ? -1 : 1)),
      tasks: [...tasks].sort(([one], [other]) => (one < other ? -1 : 1)),
      head: rest.currentNodeId,
    });
    expect(shown(opened.manager.context)).toEqual(shown(live));
    say(opened.manager, "one more");
    must(await opened.manager.flush());
    await opened.close();
    const { records } = must(await store().open(sessionId, "read"));
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at + 1));
  });
}
