import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isKnownWhole,
  type KnowledgeEvent,
  KnownFiles,
  type LineSpan,
  SessionKnowledge,
} from "../../src/files/seen/index.js";
import { comparingReport } from "../../src/files/values/change-report.js";
import { finish } from "../../src/text/index.js";
import { hangMs, sha } from "../support.js";

const file = { path: "f", realPath: "/root/f" };
const other = { path: "g", realPath: "/root/g" };
const all = (to: number): readonly LineSpan[] => [{ from: 1, to }];
const shown = (sha256: string, lines: readonly LineSpan[], total = 10) =>
  ({ path: "f", sha256, lines, total }) as const;
const read = (sha256: string, lines: readonly LineSpan[], total = 10): KnowledgeEvent => ({
  kind: "shown",
  file,
  sha256,
  lines,
  total,
});
const wrote = (before: string | null, after: string, more: object = {}): KnowledgeEvent => ({
  kind: "changed",
  file,
  before,
  after,
  version: 0,
  total: 10,
  ...more,
});

describe("what a session's call knows", () => {
  it("is what was sent before it came: a reply that is sent later counts for the next call", () => {
    const session = new SessionKnowledge();
    const reading = session.begin();
    reading.learn(read("A", all(10)));
    const sentTogether = session.begin();
    reading.end([shown("A", all(10))]);
    expect(sentTogether.find(file, "A")).toMatchObject({ isSeen: true, lines: all(10), beforeCall: [] });
    expect(session.begin().find(file, "A")).toMatchObject({ lines: all(10), beforeCall: all(10) });
  });

  it("is not what a call read and its reply did not show", () => {
    const session = new SessionKnowledge();
    const reading = session.begin();
    reading.learn(read("A", all(10)));
    reading.end([shown("A", all(3))]);
    expect(session.begin().find(file, "A")?.lines).toEqual(all(3));
    expect(session.begin().find(other, "A")).toBeUndefined();
  });

  it("is what earlier calls wrote at once, before their replies are sent", () => {
    const session = new SessionKnowledge();
    const writing = session.begin();
    const next = session.begin();
    writing.learn(wrote(null, "A", { authored: all(10) }));
    expect(isKnownWhole(next.find(file, "A"))).toBe(true);
    expect(next.find(file, "A")?.beforeCall).toEqual(all(10));
  });

  it("carries lines on that a reply showed of a state which another call has replaced meanwhile", () => {
    const session = new SessionKnowledge();
    const first = session.begin();
    first.learn(wrote("A", "B"));
    const second = session.begin();
    second.learn(wrote("B", "C", { changes: [{ at: 1, removed: 1, added: 1 }] }));
    second.end([]);
    first.end([shown("B", [{ from: 1, to: 2 }])]);
    expect(session.begin().find(file, "C")).toMatchObject({ isSeen: true, lines: [{ from: 2, to: 2 }] });
  });

  it("forgets the file that was met longest ago, and old states, beyond the limit", () => {
    const session = new SessionKnowledge({ limit: 2 });
    const nameOf = (at: number) => ({ path: `${at}`, realPath: `/${at}` });
    for (const at of [1, 2, 1, 3]) {
      const call = session.begin();
      call.learn({ kind: "met", file: nameOf(at), sha256: "A", version: 1 });
      call.end([]);
    }
    const known = [1, 2, 3].map((at) => session.begin().find(nameOf(at), "A") !== undefined);
    expect(known).toEqual([true, false, true]);
    const call = session.begin();
    for (const sha256 of ["B", "C"]) call.learn({ kind: "met", file: nameOf(3), sha256, version: 2 });
    call.end([]);
    expect(session.begin().states(nameOf(3))).toEqual(["C", "B"]);
  });

  it("forgets by weight, too: of files with very many changed places few, and of one alone that has more nothing", () => {
    const session = new SessionKnowledge({ limit: 200 });
    const named = (at: number) => ({ path: `f${at}`, realPath: `/root/f${at}` });
    const change = (at: number, places: number) => {
      const changes = Array.from({ length: places }, (_, place) => ({
        at: 1 + 2 * place,
        removed: 1,
        added: 1,
      }));
      const call = session.begin();
      call.learn({
        ...wrote("A", "B", { total: 2 * places, changes, own: { base: "A", request: "" } }),
        file: named(at),
      });
      call.end([]);
    };
    const known = () => {
      const call = session.begin();
      const found = Array.from({ length: 40 }, (_, at) => at).filter((at) => call.find(named(at), "B"));
      call.end([]);
      return found;
    };
    for (let at = 0; at < 30; at++) change(at, 1_000);
    expect(known()).toHaveLength(30);
    for (let at = 30; at < 39; at++) change(at, 100_000);
    expect(known()).toEqual([35, 36, 37, 38]);
    change(39, 500_000);
    expect(known()).toEqual([]);
    change(0, 1_000);
    expect(known()).toEqual([0]);
  });

  it("can begin with facts, under other names than the real ones", () => {
    const facts = [read("A", all(10)), wrote("A", "B", { changes: [] })];
    const session = new SessionKnowledge({ facts, nameOf: ({ path }) => path });
    const call = session.begin();
    expect(isKnownWhole(call.find({ path: "f", realPath: "elsewhere" }, "B"))).toBe(true);
    expect(call.find(file, "A")?.beforeCall).toEqual(all(10));
    expect(call.find({ path: "/root/f", realPath: "/root/f" }, "B")).toBeUndefined();
  });
});

/** What happens to a file whose lines are these letters, and what replies show of it. */
const step = fc.oneof(
  fc.record({ kind: fc.constant("show" as const), from: fc.nat(7), lines: fc.nat(4) }),
  fc.record({ kind: fc.constant("edit" as const), at: fc.nat(7), removed: fc.nat(2), added: fc.nat(2) }),
  fc.record({ kind: fc.constant("back" as const), to: fc.nat(5) }),
);

describe("what is known of a file", () => {
  it("weighs what is held of it, whatever comes and goes", () => {
    const hash = fc.constantFrom("A", "B", "C", "D");
    const span = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 3 }));
    const spans = fc.array(span.map(([from, more]) => ({ from, to: from + more })));
    const edits = fc
      .uniqueArray(fc.integer({ min: 1, max: 10 }))
      .map((lines) => lines.toSorted((one, next) => one - next).map((at) => ({ at, removed: 1, added: 1 })));
    const events = fc.oneof(
      fc.record({ kind: fc.constant("read" as const), hash, spans }),
      fc.record({ kind: fc.constant("wrote" as const), hash, to: hash, edits }),
      fc.record({ kind: fc.constant("forget" as const), most: fc.nat(3) }),
    );
    const steps = fc.array(fc.tuple(fc.constantFrom("f", "g"), events), { maxLength: 40 });
    const held = (files: KnownFiles) =>
      ["f", "g"].reduce((sum, name) => {
        const records = [...files.states(name)].map((sha256) => files.find(name, sha256));
        const weights = records.map((record) => {
          const own = (record?.origins ?? []).map(({ changes }) => changes?.length ?? 0);
          const lists = [record?.lines, record?.verbatim, record?.parts].map((list) => list?.length ?? 0);
          return [...own, ...lists].reduce((one, next) => one + next, 0);
        });
        return sum + weights.reduce((one, next) => one + next, 0);
      }, 0);
    fc.assert(
      fc.property(steps, (list) => {
        let files = KnownFiles.empty;
        for (const [name, step] of list) {
          if (step.kind === "read") files = files.learn(name, read(step.hash, step.spans));
          else if (step.kind === "forget")
            files = step.most === 0 ? files.forget(name) : files.forgetOldStates(name, step.most);
          else {
            const own = { base: step.hash, request: "" };
            files = files.learn(name, wrote(step.hash, step.to, { changes: step.edits, own, derived: true }));
          }
          expect(files.weight).toBe(held(files));
        }
      }),
    );
  });

  it("is never a line whose text was neither shown nor written", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let next = 0;
        const fresh = () => `line ${next++}\n`;
        let lines = Array.from({ length: 6 }, fresh);
        const states = [lines];
        const met = new Set<string>();
        let known = KnownFiles.empty;
        for (const one of steps) {
          const text = lines.join("");
          if (one.kind === "show") {
            const span = { from: one.from + 1, to: Math.min(lines.length, one.from + one.lines) };
            if (span.from > span.to) continue;
            for (const line of lines.slice(span.from - 1, span.to)) met.add(line);
            known = known.learn("f", read(sha(text), [span], lines.length));
          } else if (one.kind === "back") {
            // Somebody else puts an earlier state there; nothing is learnt by it.
            lines = states[one.to % states.length] ?? lines;
          } else {
            const added = Array.from({ length: one.added }, fresh);
            const after = lines.toSpliced(one.at, one.removed, ...added);
            if (after.join("") === text) continue;
            for (const line of added) met.add(line);
            const at = Math.min(one.at, lines.length);
            const authored = added.length === 0 ? [] : [{ from: at + 1, to: at + added.length }];
            const { changes } = finish(comparingReport(text, after.join("")));
            const fact = { changes, authored, total: after.length };
            known = known.learn("f", wrote(sha(text), sha(after.join("")), fact));
            lines = after;
            states.push(after);
          }
          for (const state of states) {
            const record = known.find("f", sha(state.join("")));
            for (const { from, to } of record?.lines ?? [])
              for (const line of state.slice(from - 1, to)) expect(met).toContain(line);
          }
        }
      }),
    );
  });
});

describe("a call that stays open for ever", () => {
  it("costs the calls beside it nothing that grows: 1,000 reads and edits of the file that it read", () => {
    const session = new SessionKnowledge();
    const open = session.begin();
    open.learn(read("0", all(10)));
    const began = performance.now();
    for (let at = 0; at < 1_000; at++) {
      const reading = session.begin();
      reading.learn(read(`${at}`, all(10)));
      reading.end([shown(`${at}`, all(10))]);
      const editing = session.begin();
      expect(editing.find(file, `${at}`)?.beforeCall).toEqual(all(10));
      const changes = [{ at: 1, removed: 1, added: 1 }];
      editing.learn(wrote(`${at}`, `${at + 1}`, { changes, derived: true }));
      editing.end([]);
    }
    console.info(`6,000 calls beside an open one: ${(performance.now() - began).toFixed(0)} ms`);
    expect(performance.now() - began).toBeLessThan(hangMs);
    expect(open.find(file, "1000")?.beforeCall).toEqual([]);
  });

  it("hands what its reply shows on to the states that others made of it meanwhile", () => {
    const session = new SessionKnowledge();
    const reading = session.begin();
    reading.learn(read("A", all(10)));
    const writing = session.begin();
    writing.learn(wrote("A", "B", { changes: [{ at: 1, removed: 1, added: 1 }] }));
    writing.end([]);
    expect(session.begin().find(file, "B")?.beforeCall).toEqual([]);
    reading.end([shown("A", all(10))]);
    expect(session.begin().find(file, "B")?.beforeCall).toEqual([{ from: 2, to: 10 }]);
    expect(session.begin().latest(file)?.sha256).toBe("B");
  });
});
