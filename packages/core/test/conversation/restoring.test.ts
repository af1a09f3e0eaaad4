import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createConversation,
  memorySessionStore,
  openConversation,
  recoverRestore,
  restoreFiles,
} from "../../src/conversation/index.js";
import type { ConversationRefusal } from "../../src/conversation/values/index.js";
import { type ApplyChangesRequest, isRefusal, refuse } from "../../src/files/values/index.js";
import { Scene, shaOf } from "./restore-scene.js";
import { call, countedIds, must, steadyClock } from "./support.js";

describe("a restore", () => {
  it("moves the files and the head, says what it did, and can be taken back and made again", async () => {
    const scene = new Scene({ edited: "one", gone: "kept" });
    const start = scene.head;
    await scene.write("edited", "two");
    await scene.write("made", "new");
    await scene.write("gone", null);
    const paths = ["edited", "made", "gone"];
    const [before, tip] = [scene.texts(paths), scene.head];
    const restored = await scene.goTo(start);
    expect(scene.texts(paths)).toEqual({ edited: "one", made: null, gone: "kept" });
    expect(restored.files).toEqual([
      { path: "edited", from: shaOf("two"), to: shaOf("one") },
      { path: "gone", from: null, to: shaOf("kept") },
      { path: "made", from: shaOf("new"), to: null },
    ]);
    expect(restored.node).toMatchObject({
      parentId: start,
      payload: { kind: "restore", fromId: tip, toId: start },
    });
    expect(scene.head).toBe(restored.node.id);
    expect(scene.manager.context.pendingRestore).toBeUndefined();
    const undone = await scene.undo(restored);
    expect(scene.texts(paths)).toEqual(before);
    expect(undone.node).toMatchObject({ parentId: tip, payload: { undoes: "r4" } });
    await scene.undo(undone);
    expect(scene.texts(paths)).toEqual({ edited: "one", made: null, gone: "kept" });
  });

  it("asks about conflicts, overwrites what is consented to, and keeps that for an undo", async () => {
    const scene = new Scene({ x: "one", y: "one" });
    const start = scene.head;
    await scene.write("x", "two");
    await scene.write("y", "two");
    scene.poke("x", "theirs");
    const plan = await scene.plan({ fromId: scene.head, toId: start });
    const tip = scene.head;
    const refused = await scene.restore(plan);
    expect(refused).toMatchObject({ code: "files_in_conflict", message: expect.stringContaining("x: ") });
    expect([scene.texts(["x", "y"]), scene.head]).toEqual([{ x: "theirs", y: "two" }, tip]);
    const restored = must(await scene.restore(plan, { consent: ["./x"] }));
    expect(scene.texts(["x", "y"])).toEqual({ x: "one", y: "one" });
    await scene.undo(restored);
    expect(scene.texts(["x", "y"])).toEqual({ x: "theirs", y: "two" });
  });

  it("moves nothing where a file changed after the plan was made", async () => {
    const scene = new Scene({ x: "one", y: "one" });
    const start = scene.head;
    await scene.write("x", "two");
    await scene.write("y", "two");
    const tip = scene.head;
    const plan = await scene.plan({ fromId: tip, toId: start });
    scene.poke("y", "theirs");
    expect(await scene.restore(plan)).toMatchObject({
      code: "files_refused",
      message: expect.stringContaining("state_mismatch"),
    });
    expect([scene.texts(["x", "y"]), scene.head]).toEqual([{ x: "two", y: "theirs" }, tip]);
    expect(scene.manager.context.pendingRestore).toBeUndefined();
  });

  it("brings secrets back, and takes that back", async () => {
    const scene = new Scene({ ".env": "KEY=1" });
    const start = scene.head;
    await scene.write(".env", "KEY=2");
    await scene.write("k.pem", "key");
    const restored = await scene.goTo(start);
    expect(scene.texts([".env", "k.pem"])).toEqual({ ".env": "KEY=1", "k.pem": null });
    await scene.undo(restored);
    expect(scene.texts([".env", "k.pem"])).toEqual({ ".env": "KEY=2", "k.pem": "key" });
  });

  it("never touches protected files and folders, with no consent", async () => {
    const scene = new Scene({ ".env": "KEY=1", x: "one" });
    const start = scene.head;
    scene.record({ path: ".env", before: shaOf("KEY=0"), after: shaOf("KEY=1"), by: "tool" });
    scene.record({ path: ".git/config", before: null, after: shaOf("git"), by: "tool" });
    await scene.write("x", null);
    scene.poke(".git/config", "git");
    scene.poke("x/inside", "a folder now");
    const plan = await scene.plan({ fromId: scene.head, toId: start });
    const files = plan.files.map((file) => [file.path, file.kind === "conflict" && file.why]);
    expect(files).toEqual([
      [".env", "bytes_gone"],
      [".git/config", "barred"],
      ["x", "barred"],
    ]);
    const consent = [".env", ".git/config", "x"];
    expect(await scene.restore(plan, { consent })).toMatchObject({ code: "files_in_conflict" });
    expect(await scene.restore(plan, { consent, conflicts: "leave" })).toMatchObject({
      code: "files_in_conflict",
    });
    const { files: moved } = must(await scene.restore(plan, { conflicts: "leave" }));
    expect([moved, scene.text(".env"), scene.text(".git/config")]).toEqual([[], "KEY=1", "git"]);
  });

  it("is not begun while another one waits to be settled, nor in the middle of a batch of calls", async () => {
    const scene = new Scene({ x: "one" });
    const start = scene.head;
    await scene.write("x", "two");
    const plan = await scene.plan({ fromId: scene.head, toId: start });
    call(scene.manager, "open");
    expect(await scene.restore(plan)).toMatchObject({ code: "open_calls" });
    const answering = () => ({ callId: "open", name: "rewind", output: "gone back" });
    const restored = must(await scene.restore(plan, { answering }));
    const { payload } = restored.node;
    const left = payload.kind === "restore" ? scene.manager.context.nodes.get(payload.fromId) : undefined;
    expect(left?.payload).toMatchObject({ kind: "tool_result", callId: "open", output: "gone back" });
    must(scene.manager.beginRestore({ restoreId: "other", fromId: start, toId: start, files: [] }));
    expect(await scene.restore(plan)).toMatchObject({ code: "restore_pending" });
  });
});

describe("settling what a kill left open", () => {
  const cases: readonly (readonly [
    string,
    Readonly<Record<string, string | null>>,
    string,
    readonly string[],
  ])[] = [
    ["all files as before: it did not happen", { x: "two", y: "new" }, "restore_dropped", []],
    ["all files as after: it happened", { x: "one", y: null }, "restore_happened", []],
    ["one as after, one changed since: it happened", { x: "theirs", y: null }, "restore_happened", ["x"]],
    ["one as before, one changed since: it did not", { x: "two", y: "theirs" }, "restore_dropped", ["y"]],
    ["one as before, one as after: unclear", { x: "one", y: "new" }, "restore_unclear", []],
    ["all changed since: unclear", { x: "theirs", y: "theirs" }, "restore_unclear", ["x", "y"]],
  ];
  for (const [name, disk, kind, changed] of cases) {
    it(name, async () => {
      const scene = new Scene({ x: "one" });
      const start = scene.head;
      await scene.write("x", "two");
      await scene.write("y", "new");
      const tip = scene.head;
      const files = [
        { path: "x", from: shaOf("two"), to: shaOf("one") },
        { path: "y", from: shaOf("new"), to: null },
      ];
      must(scene.manager.beginRestore({ restoreId: "r", fromId: tip, toId: start, files }));
      for (const [path, text] of Object.entries(disk)) scene.poke(path, text);
      const settled = must(await recoverRestore(scene.manager, scene.workspace));
      expect(settled).toMatchObject({ kind, changed });
      expect(scene.manager.context.pendingRestore).toBeUndefined();
      const head = scene.manager.getCurrentNode();
      if (kind === "restore_happened")
        expect(head).toMatchObject({ parentId: start, payload: { restoreId: "r" } });
      else expect(head.id).toBe(tip);
      expect(await recoverRestore(scene.manager, scene.workspace)).toEqual({ kind: "nothing_pending" });
    });
  }
});

describe("a restore whose journal or lock fails", () => {
  async function stored(full: { refusal?: ConversationRefusal<"disk_full"> }) {
    const store = memorySessionStore({ refusal: () => full.refusal });
    const sources = { ids: countedIds(), now: steadyClock() };
    const conversation = must(await createConversation(store, sources));
    const scene = new Scene({ x: "one" }, conversation.manager);
    const start = scene.head;
    await scene.write("x", "two");
    must(await scene.manager.flush());
    return {
      store,
      sources,
      conversation,
      scene,
      plan: await scene.plan({ fromId: scene.head, toId: start }),
    };
  }

  const refusal = refuse("disk_full", "The disk is full.");

  it("moves nothing where it cannot say durably what is to come", async () => {
    const full: { refusal?: ConversationRefusal<"disk_full"> } = {};
    const { scene, plan } = await stored(full);
    full.refusal = refusal;
    expect(await scene.restore(plan)).toEqual(refusal);
    expect([scene.text("x"), scene.manager.context.pendingRestore]).toEqual(["two", undefined]);
  });

  it("says that the files were moved where that cannot be recorded, and settling makes it good", async () => {
    const full: { refusal?: ConversationRefusal<"disk_full"> } = {};
    const { store, sources, conversation, scene, plan } = await stored(full);
    const [tip, { workspace }] = [scene.head, scene];
    const applyChanges = async (request: ApplyChangesRequest) => {
      full.refusal = refusal;
      return workspace.applyChanges(request);
    };
    const failed = await restoreFiles(scene.manager, { applyChanges }, plan, { restoreId: "r" });
    expect(failed).toMatchObject({ code: "disk_full", message: expect.stringContaining("files were moved") });
    expect([scene.text("x"), scene.head]).toEqual(["one", tip]);
    delete full.refusal;
    await conversation.close();
    const again = must(await openConversation(store, scene.manager.context.sessionId, "write", sources));
    expect(must(await recoverRestore(again.manager, workspace))).toMatchObject({ kind: "restore_happened" });
    expect(again.manager.getCurrentNode()).toMatchObject({
      parentId: plan.toId,
      payload: { restoreId: "r" },
    });
  });

  it("waits with settling until the files can be looked at", async () => {
    const { scene, plan } = await stored({});
    const files = [{ path: "x", from: shaOf("two"), to: shaOf("one") }];
    must(scene.manager.beginRestore({ restoreId: "r", fromId: plan.fromId, toId: plan.toId, files }));
    const barred = refuse("busy", "Somebody holds it.");
    const recoveredStates = async (paths: readonly string[]) => paths.map((path) => ({ path, barred }));
    expect(await recoverRestore(scene.manager, { recoveredStates: recoveredStates })).toMatchObject({
      code: "files_refused",
    });
    expect(scene.manager.context.pendingRestore?.restoreId).toBe("r");
  });

  it("of a cancelled task prunes it also when a kill came in between", async () => {
    const { scene } = await stored({});
    const start = scene.head;
    const { id } = must(scene.manager.startTask());
    await scene.write("x", "three");
    const files = [{ path: "x", from: shaOf("three"), to: shaOf("two") }];
    must(scene.manager.beginRestore({ restoreId: "r", fromId: scene.head, toId: start, files, cancels: id }));
    scene.poke("x", "two");
    expect(must(await recoverRestore(scene.manager, scene.workspace))).toMatchObject({
      kind: "restore_happened",
    });
    expect([scene.manager.context.pruned.has(id), scene.manager.context.tasks.get(id)?.outcome]).toEqual([
      true,
      "cancelled",
    ]);
  });
});

const paths = ["a", "b", "d/x", "d"];
const contents = ["1", "2", "3", "longer\r\ntext", ""];
const op = fc.record({
  kind: fc.constantFrom(
    "write",
    "write",
    "delete",
    "look",
    "poke",
    "go",
    "go",
    "head",
    "undo",
    "task",
    "done",
  ),
  path: fc.nat(paths.length - 1),
  text: fc.nat(contents.length - 1),
  to: fc.nat(1_000),
  consent: fc.boolean(),
});
type Op = typeof op extends fc.Arbitrary<infer Value> ? Value : never;

const runs = Number(process.env.HOLDFAST_RUNS ?? 15);

describe("on random histories", () => {
  it("where nobody else writes and the files always go with the head, each node gets its very files back", async () => {
    const quiet = fc
      .array(op, { minLength: 10, maxLength: 40, size: "max" })
      // A file in the place of a folder is one of the things that a restore leaves to a person.
      .map((ops) =>
        ops.filter(({ kind, path }) => kind !== "poke" && kind !== "head" && paths[path] !== "d"),
      );
    let moves = 0;
    await fc.assert(
      fc.asyncProperty(quiet, async (ops) => {
        const scene = new Scene({ a: "1", "d/x": "2" });
        const snapshots = new Map([[scene.head, scene.texts(paths)]]);
        for (const each of ops) {
          const isMove = each.kind === "go" || each.kind === "undo";
          if (each.kind === "go") {
            const to = pick([...snapshots.keys()], each.to);
            const plan = await scene.plan({ fromId: scene.head, toId: to });
            expect(plan.unknown).toEqual([]);
            expect(plan.files.filter(({ kind }) => kind === "conflict")).toEqual([]);
            moves += must(await scene.restore(plan)).files.length;
            expect(scene.texts(paths)).toEqual(snapshots.get(to));
          } else if (each.kind === "undo") await undoHead(scene);
          else await quietStep(scene, each);
          if (!isMove && snapshots.has(scene.head)) continue;
          snapshots.set(scene.head, scene.texts(paths));
        }
      }),
      { numRuns: runs },
    );
    expect(moves).toBeGreaterThan(runs / 10);
  }, 600_000);

  it("with others at work no byte that nobody recorded is lost without consent, and an undo gives back what was", async () => {
    const seen = { moved: 0, conflicts: 0, undone: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 10, maxLength: 30, size: "max" }), async (ops) => {
        const scene = new Scene({ a: "1", "d/x": "2" });
        const nodes = [scene.head];
        for (const each of ops) {
          if (each.kind === "poke") poke(scene, each);
          else if (each.kind === "head") scene.manager.rewind(pick(nodes, each.to));
          else if (each.kind === "go") await checkedMove(scene, pick(nodes, each.to), each.consent, seen);
          else if (each.kind === "undo") await undoHead(scene);
          else await quietStep(scene, each);
          nodes.push(scene.head);
        }
      }),
      { numRuns: runs },
    );
    expect(Math.min(seen.moved, seen.conflicts, seen.undone)).toBeGreaterThan(runs / 30);
  }, 600_000);
});

/** A move with files, held against the plan, and then taken back and made again. */
async function checkedMove(
  scene: Scene,
  toId: string,
  consents: boolean,
  seen: { moved: number; conflicts: number; undone: number },
): Promise<void> {
  const plan = await scene.plan({ fromId: scene.head, toId });
  const conflicts = plan.files.filter((file) => file.kind === "conflict");
  const consent = consents ? conflicts.filter((file) => file.consentable).map(({ path }) => path) : [];
  const before = scene.texts(paths);
  const recorded = new Set(scene.recorded);
  const restored = await scene.restore(plan, { consent, conflicts: "leave" });
  const after = scene.texts(paths);
  if (isRefusal(restored)) {
    // A folder that stands where a file is to go: nothing has moved.
    expect([restored.code, after]).toEqual(["files_refused", before]);
    return;
  }
  const moving = new Map(
    plan.files
      .filter((file) => file.kind !== "same" && (file.kind !== "conflict" || consent.includes(file.path)))
      .map((file) => [file.path, file.kind === "same" ? null : file.to] as const),
  );
  for (const path of paths) {
    const sha256 = shaOf(before[path] ?? null);
    const isKnown = sha256 === null || recorded.has(`${path} ${sha256}`) || consent.includes(path);
    if (after[path] !== before[path]) expect(isKnown, path).toBe(true);
    if (moving.has(path)) expect(shaOf(after[path] ?? null), path).toBe(moving.get(path));
    else expect(after[path], path).toBe(before[path]);
  }
  expect(restored.files.map(({ path }) => path)).toEqual([...moving.keys()]);
  seen.moved += moving.size;
  seen.conflicts += conflicts.length;
  const undone = await scene.undo(restored);
  expect(scene.texts(paths)).toEqual(before);
  seen.undone += undone.files.length;
  await scene.undo(undone);
  expect(scene.texts(paths)).toEqual(after);
}

async function quietStep(scene: Scene, { kind, path, text }: Op): Promise<void> {
  const { manager } = scene;
  const file = paths[path] ?? "";
  if (kind === "write") await scene.write(file, contents[text] ?? "");
  else if (kind === "delete") await scene.write(file, null);
  else if (kind === "look") await scene.look(file);
  else if (kind === "task") must(manager.startTask());
  else if (isAtEndOfParent(scene)) must(manager.completeTask({ summary: "done" }));
}

/** A task that is completed elsewhere than where it began brings its files to a branch that has others. */
function isAtEndOfParent({ manager: { context } }: Scene): boolean {
  const task = context.tasks.get(context.nodes.get(context.currentNodeId)?.taskId ?? "");
  const parent = context.tasks.get(task?.parentTaskId ?? "");
  return parent !== undefined && context.nodes.get(task?.id ?? "")?.parentId === parent.tipId;
}

async function undoHead(scene: Scene): Promise<void> {
  const { id, payload } = scene.manager.getCurrentNode();
  if (payload.kind !== "restore") return;
  const plan = await scene.plan({ fromId: id, undoes: id });
  await scene.restore(plan, { conflicts: "leave" });
}

function poke(scene: Scene, { path, text, consent }: Op): void {
  const file = paths[path] ?? "";
  const clashes = file === "d" ? scene.text("d/x") !== null : file === "d/x" && scene.text("d") !== null;
  if (!clashes) scene.poke(file, consent ? (contents[text] ?? "") : null);
}

function pick<Item>(items: readonly Item[], at: number): Item {
  const item = items[at % items.length];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

describe("files that were left when the head went on", () => {
  it("are at the next node as the other branch had left them, not as the way to it says", async () => {
    const scene = new Scene({ x: "0", y: "0" });
    await scene.look("x");
    const root = scene.head;
    await scene.write("x", "1");
    await scene.write("x", "2");
    // The head goes back alone: the file stays.
    must(scene.manager.rewind(root));
    must(scene.manager.addNode({ kind: "user_message", text: "Leave it." }));
    const left = scene.head;
    await scene.write("x", "3");
    await scene.write("x", "4");
    must(await scene.restore(await scene.plan({ fromId: scene.head, stateOf: left })));
    expect(scene.text("x")).toBe("2");
  });
});
