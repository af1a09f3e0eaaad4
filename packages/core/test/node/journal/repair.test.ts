import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readExport } from "../../../src/conversation/import/index.js";
import {
  ContextManager,
  createConversation,
  exportSession,
  forkSession,
  openConversation,
  pathTo,
  searchSessions,
  verifySession,
} from "../../../src/conversation/index.js";
import { describeLosses, repairSession } from "../../../src/conversation/journal/index.js";
import type { SessionStore } from "../../../src/conversation/values/index.js";
import { compilePattern } from "../../../src/files/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { collectGarbage } from "../../../src/node/workspace/gc.js";
import { codeOf, countedIds, must, reply, say, steadyClock } from "../../conversation/support.js";
import { freshFolder } from "../support.js";

interface Ground {
  readonly store: SessionStore;
  readonly stateDir: string;
  readonly room: string;
  readonly file: string;
  readonly id: string;
}

const sources = () => ({ ids: countedIds("x"), now: steadyClock(9_000_000) });

/** A session of some turns, its journal damaged by `change`. */
async function damaged(change: (lines: string[], ground: Ground) => void, turns = 4): Promise<Ground> {
  const stateDir = join(freshFolder(), "state");
  const store = openJournalStore({ stateDir });
  if (isRefusal(store)) throw new Error(store.message);
  const begun = must(await createConversation(store, { ids: countedIds(), now: steadyClock(), title: "t" }));
  for (let turn = 0; turn < turns; turn += 1) {
    say(begun.manager, `question ${turn}`);
    reply(begun.manager, `answer ${turn}`);
  }
  must(await begun.close());
  const room = join(stateDir, "conversations");
  const file = join(room, `${begun.session.id}.jsonl`);
  const ground = { store, stateDir, room, file, id: begun.session.id };
  const lines = readFileSync(file, "utf8").split("\n");
  change(lines, ground);
  writeFileSync(file, lines.join("\n"));
  return ground;
}

function flip(lines: string[], at: number): void {
  lines[at] = (lines[at] ?? "").replace(/"ts":1/, '"ts":7');
}

async function isSound({ store, id }: Ground): Promise<number> {
  const verified = must(await verifySession(store, id, () => []));
  expect([verified.problems, verified.losses, verified.findings]).toEqual([[], [], []]);
  return verified.placeholders;
}

describe("a damaged session file", () => {
  it("opens to be written with a list of what is lost, and the turn that is added survives the repair", async () => {
    const ground = await damaged((lines) => flip(lines, 3));
    const { store, id } = ground;
    const open = must(await openConversation(store, id, "write", sources()));
    expect(open.losses).toEqual([{ records: { from: 4, to: 4 }, placeholders: ["n4"], parentId: "n3" }]);
    expect(describeLosses(open.losses)).toEqual([
      "1 place of this session cannot be read:",
      "Record 4 is lost: placeholder n4 below node n3.",
    ]);
    expect(open.manager.getCurrentNode().payload).toMatchObject({ text: "answer 3" });
    const turn = say(open.manager, "after it");
    expect(must(await open.manager.flush())).toMatchObject({ kind: "acknowledged" });
    must(await open.close());

    expect(must(await repairSession(store, id, { apply: true })).kind).toBe("repaired");
    expect(await isSound(ground)).toBe(1);
    const { manager, losses } = must(await openConversation(store, id, "write", sources()));
    expect(losses).toEqual([]);
    expect(manager.getCurrentNode()).toMatchObject({ id: turn.id, payload: { text: "after it" } });
    expect(pathTo(manager.context, turn.id).map(({ payload }) => payload.kind)).toEqual([
      "task_boundary",
      ...["user_message", "model_message", "lost", "model_message"],
      ...["user_message", "model_message", "user_message", "model_message", "user_message"],
    ]);
    must(await manager.close());
  });

  it("is not touched by the plan of a repair; the repair keeps what was there, and the next finds it sound", async () => {
    const ground = await damaged((lines) => lines.splice(3, 2));
    const { store, id, file, room } = ground;
    const before = readFileSync(file);
    const plan = must(await repairSession(store, id, { apply: false }));
    expect(plan).toMatchObject({ kind: "planned", records: 7, written: 8 });
    expect(plan.losses).toHaveLength(1);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(room)).toEqual([`${id}.jsonl`]);
    const done = must(await repairSession(store, id, { apply: true }));
    expect(done).toMatchObject({ kind: "repaired", losses: plan.losses });
    expect(readFileSync(done.backup ?? "")).toEqual(before);
    expect(done.backup).toMatch(/\/n1\.damaged-[0-9a-f]{16}$/);
    const after = readFileSync(file);
    expect(must(await repairSession(store, id, { apply: true })).kind).toBe("sound");
    expect(readFileSync(file)).toEqual(after);
    expect(await isSound(ground)).toBe(1);
    await collectGarbage({ stateDir: ground.stateDir, maxAgeMs: 0, maxBytes: 0 });
    expect(readFileSync(done.backup ?? "")).toEqual(before);
  });

  it("is not repaired while another writes it, and not where a newer release wrote it", async () => {
    const { store, stateDir, id, file } = await damaged((lines) => flip(lines, 3));
    const other = openJournalStore({ stateDir });
    if (isRefusal(other)) throw new Error(other.message);
    const held = must(await other.open(id, "write"));
    expect(codeOf(await repairSession(store, id, { apply: true }))).toBe("busy");
    expect(must(await repairSession(store, id, { apply: false })).kind).toBe("planned");
    await held.close();
    const newer = '{"v":99,"seq":10,"ts":1,"type":"renamed","title":"t"';
    const { crc32 } = await import("../../../src/conversation/journal/journal-codec.js");
    const bytes = Buffer.from(newer);
    const check = crc32(bytes, 0, bytes.length).toString(16).padStart(8, "0");
    writeFileSync(file, `${readFileSync(file, "utf8")}${newer},"crc":"${check}"}\n`);
    const before = readFileSync(file);
    for (const apply of [false, true])
      expect(codeOf(await repairSession(store, id, { apply }))).toBe("newer_version");
    expect(readFileSync(file)).toEqual(before);
  });

  it("that lost its end only is repaired by opening it, and says where the end is kept", async () => {
    const ground = await damaged((lines) => lines.splice(-1, 1, '{"v":1,"seq":10,"ts'));
    const plan = must(await repairSession(ground.store, ground.id, { apply: false }));
    expect(plan.problems.map(({ what }) => what)).toEqual(["torn_tail"]);
    const done = must(await repairSession(ground.store, ground.id, { apply: true }));
    expect(done.kind).toBe("repaired");
    expect(done.problems[0]?.message).toContain(".torn-");
    expect(await isSound(ground)).toBe(0);
  });

  it("that lost its texts and media says so in their places once it is repaired", async () => {
    const ground = await damaged(() => {}, 1);
    const { store, id, room } = ground;
    const open = must(await openConversation(store, id, "write", sources()));
    say(open.manager, "long ".repeat(5_000));
    const data = Buffer.from("an image").toString("base64");
    must(
      open.manager.addNode({ kind: "user_message", text: "look", media: [{ mimeType: "image/png", data }] }),
    );
    must(await open.close());
    rmSync(join(room, `${id}.blobs`), { recursive: true });
    expect(must(await repairSession(store, id, { apply: true })).problems).toHaveLength(2);
    expect(await isSound(ground)).toBe(0);
    const { manager } = must(await openConversation(store, id, "read", sources()));
    expect(manager.getCurrentNode().payload).toMatchObject({
      text: "look\n[What was shown here (image/png) is lost.]",
      media: [],
    });
  });

  it("is searched, forked, exported and rewound across what is lost", async () => {
    const { store, id } = await damaged((lines) => flip(lines, 3));
    const pattern = compilePattern("question 0|answer 3", {});
    if (isRefusal(pattern)) throw new Error(pattern.message);
    const all = must(await store.list());
    expect((await searchSessions(store, all, pattern, 100)).matches).toHaveLength(2);
    const forked = must(await forkSession(store, id, { newId: countedIds("fork"), now: 1, head: "n4" }));
    const fork = must(await openConversation(store, forked.id, "write", sources()));
    expect(fork.losses).toEqual([]);
    expect(fork.manager.getCurrentNode().payload.kind).toBe("lost");
    must(fork.manager.rewind("n7"));
    must(await fork.close());
    expect(codeOf(await forkSession(store, id, { newId: countedIds("f"), now: 1, head: "none" }))).toBe(
      "unknown_node",
    );
    const exported = must(await exportSession(store, id));
    expect(exported.losses).toHaveLength(1);
    const read = readExport([...exported.lines].join(""), { digest: () => "" });
    if (isRefusal(read)) throw new Error(read.message);
    expect(read.problems).toEqual([]);
    expect(read.nodes).toBe(9);
  });

  it("that lost its beginning is whole again but for its title and folder", async () => {
    const ground = await damaged((lines) => flip(lines, 0));
    must(await repairSession(ground.store, ground.id, { apply: true }));
    expect(await isSound(ground)).toBe(1);
    const { manager } = must(await openConversation(ground.store, ground.id, "read", sources()));
    expect(manager.context.nodes.size).toBe(9);
    expect(manager).toBeInstanceOf(ContextManager);
  });
});
