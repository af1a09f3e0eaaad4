import { describe, expect, it } from "vitest";
import {
  planRestore,
  type RestoreDirection,
  type RestoreDisk,
  type RestorePlan,
} from "../../src/conversation/index.js";
import type { ConversationContext, TurnPayload } from "../../src/conversation/values/index.js";
import { type FileStatus, isRefusal, refuse } from "../../src/files/values/index.js";
import {
  boundary,
  freshConversation,
  result,
  said,
  saw,
  withNode,
  withPath,
  wrote,
} from "./files-support.js";

/** What is on the disk; all states are kept but those that begin with `gone`. */
function diskOf(files: Readonly<Record<string, string | null | Omit<FileStatus, "path">>>): RestoreDisk {
  return {
    fileStates: async (paths) =>
      paths.map((path) => {
        const file = files[path] ?? null;
        const standing = typeof file === "object" && file !== null ? file : { sha256: file };
        return { path, realPath: `/disk/${path}`, ...standing };
      }),
    keptStates: async (hashes) => new Set(hashes.filter((sha256) => !sha256.startsWith("gone"))),
  };
}

async function planOf(
  tree: ConversationContext,
  way: RestoreDirection,
  disk: Parameters<typeof diskOf>[0],
): Promise<RestorePlan> {
  const plan = await planRestore(tree, way, diskOf(disk));
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan;
}

/** Each file as `kind path from→to`, conflicts with their reason. */
function shown({ files, unknown }: RestorePlan): readonly string[] {
  const lines = files.map((file) => {
    if (file.kind === "same") return `same ${file.path} ${file.sha256}`;
    const ends = `${file.path} ${file.from}→${file.to}`;
    if (file.kind !== "conflict") return `${file.kind} ${ends}${file.others ? " with others" : ""}`;
    return `${file.consentable ? "conflict" : "closed"} ${ends} ${file.why}`;
  });
  return [...lines, ...unknown.map((path) => `unknown ${path}`)];
}

const barred = refuse("protected_path", "not here");

describe("back to a node above", () => {
  /** What was done after the node that is gone back to, the disk, the plan, and what was done before that node. */
  const cases: readonly (readonly [
    name: string,
    since: readonly TurnPayload[],
    disk: Parameters<typeof diskOf>[0],
    plan: readonly string[],
    before?: readonly TurnPayload[],
  ])[] = [
    ["an edit is taken back", [wrote("x", "1", "2")], { x: "2" }, ["restore x 2→1"]],
    ["a new file goes", [wrote("x", null, "2")], { x: "2" }, ["created x 2→null"]],
    ["a deleted file comes back", [wrote("x", "1", null)], {}, ["deleted x null→1"]],
    ["what is as wanted is left", [wrote("x", "1", "2")], { x: "1" }, ["same x 1"]],
    ["nor what came back by itself", [wrote("x", "1", "2"), wrote("x", "2", "1")], { x: "5" }, []],
    ["somebody else's bytes are a conflict", [wrote("x", "1", "2")], { x: "7" }, ["conflict x 7→1 changed"]],
    ["and a new file that was changed", [wrote("x", null, "2")], { x: "7" }, ["conflict x 7→null changed"]],
    [
      "a change that only others made is a conflict",
      [saw("x", "1"), saw("x", "2")],
      { x: "2" },
      ["conflict x 2→1 not_ours"],
    ],
    [
      "a formatter after our edit goes with it",
      [wrote("x", "1", "2"), saw("x", "3")],
      { x: "3" },
      ["restore x 3→1 with others"],
    ],
    [
      "what came between two looks is told",
      [wrote("x", "1", "2")],
      { x: "2" },
      ["restore x 2→0 with others"],
      [saw("x", "0")],
    ],
    [
      "bytes that were never kept cannot come back",
      [wrote("x", "gone", "2")],
      { x: "2" },
      ["closed x 2→gone bytes_gone"],
    ],
    ["what nobody knows stays", [result({ path: "x", after: "2", by: "tool" })], { x: "2" }, ["unknown x"]],
    [
      "a protected place is closed",
      [wrote("x", "1", "2")],
      { x: { sha256: "2", barred } },
      ["closed x 2→1 barred"],
    ],
    [
      "a folder in its place is closed",
      [wrote("x", "1", "2")],
      { x: { barred } },
      ["closed x undefined→1 barred"],
    ],
    [
      "two names of one file are one, where they agree",
      [wrote("x", "1", "2"), wrote("l", "1", "2")],
      { x: { sha256: "2", realPath: "/r" }, l: { sha256: "2", realPath: "/r" } },
      ["restore l 2→1"],
    ],
    [
      "and closed where they do not",
      [wrote("x", "1", "2"), wrote("l", "2", "3")],
      { x: { sha256: "3", realPath: "/r" }, l: { sha256: "3", realPath: "/r" } },
      ["closed l 3→2 two_names", "closed x 3→1 two_names"],
    ],
  ];
  for (const [name, since, disk, plan, before = []] of cases) {
    it(name, async () => {
      const above = withPath(freshConversation(), "o", "root", [...before, said]);
      const tree = withPath(above, "a", above.currentNodeId, since);
      const way = { fromId: tree.currentNodeId, toId: above.currentNodeId };
      expect(shown(await planOf(tree, way, disk))).toEqual(plan);
    });
  }
});

describe("an imported branch that stands in the journal behind what went on beside it", () => {
  it.each([
    { written: "before the node that is gone back to", at: 20, plan: ["restore x 4→3"] },
    { written: "after it", at: 40, plan: ["restore x 4→2"] },
  ])("counts by its times: $written", async ({ at, plan }) => {
    const metadata = { provenance: { source: "import:claude" } };
    let tree = withNode(freshConversation(), "c1", "root", wrote("x", "1", "2"), { timestamp: 10, metadata });
    tree = withNode(tree, "c2", "c1", said, { timestamp: 30, metadata });
    tree = withNode(tree, "c3", "c2", wrote("x", "3", "4"), { timestamp: 50, metadata });
    tree = withNode(tree, "b1", "c1", wrote("x", "2", "3"), { timestamp: at, metadata });
    expect(shown(await planOf(tree, { fromId: "c3", toId: "c2" }, { x: "4" }))).toEqual(plan);
  });
});

describe("sideways, through the common ancestor", () => {
  const start = withPath(freshConversation(), "o", "root", [saw("x", "1"), saw("keep", "1")]);

  it("takes back what one branch did and makes what the other did", async () => {
    let tree = withPath(start, "a", "o2", [
      wrote("x", "1", "2"),
      wrote("new", null, "5"),
      wrote("old", "8", null),
    ]);
    tree = withPath(tree, "b", "o2", [wrote("x", "1", "3"), wrote("other", null, "6")]);
    const disk = { x: "2", new: "5", keep: "1" };
    const plan = await planOf(tree, { fromId: "a3", toId: "b2" }, disk);
    expect(shown(plan)).toEqual([
      "created new 5→null",
      "deleted old null→8",
      "deleted other null→6",
      "restore x 2→3",
    ]);
  });

  it("goes forward as well as back", async () => {
    const tree = withPath(start, "a", "o2", [wrote("x", "1", "2"), wrote("keep", "1", null)]);
    const plan = await planOf(tree, { fromId: "o2", toId: "a2" }, { x: "1", keep: "1" });
    expect(shown(plan)).toEqual(["created keep 1→null", "restore x 1→2"]);
  });

  it("takes nobody's work for ours: what others did on the branch that is left needs consent", async () => {
    let tree = withPath(start, "a", "o2", [saw("x", "2")]);
    tree = withPath(tree, "b", "o2", [wrote("x", "1", "3")]);
    const plan = await planOf(tree, { fromId: "a1", toId: "b1" }, { x: "2" });
    expect(shown(plan)).toEqual(["conflict x 2→3 not_ours"]);
  });

  it("leaves what both branches brought to the same state", async () => {
    let tree = withPath(start, "a", "o2", [wrote("x", "1", "2")]);
    tree = withPath(tree, "b", "o2", [wrote("x", "1", "2")]);
    expect((await planOf(tree, { fromId: "a1", toId: "b1" }, { x: "9" })).files).toEqual([]);
  });

  it("out of a nested task takes back what the task and its own task did, ours and others' told apart", async () => {
    let tree = withPath(start, "t", "o2", [boundary("outer"), wrote("x", "1", "2")]);
    tree = withPath(tree, "s", "t2", [boundary("inner"), wrote("x", "2", "3"), saw("y", "1"), saw("y", "2")]);
    const files = [
      { path: "x", from: "2", to: "3" },
      { path: "y", from: "1", to: "2" },
    ];
    const done = {
      kind: "task_summary",
      taskId: "s1",
      name: "inner",
      summary: "",
      files,
      tipId: "s4",
    } as const;
    tree = withNode(tree, "t3", "t2", done);
    const plan = await planOf(tree, { fromId: "t3", toId: "o2" }, { x: "3", y: "2" });
    expect(shown(plan)).toEqual(["restore x 3→1", "conflict y 2→1 not_ours"]);
  });
});

describe("taking a restore back", () => {
  /** Gone back from a1 to o1: x as planned, y by consent, z left alone; then worked on. */
  const gone = withPath(freshConversation(), "a", "root", [
    said,
    wrote("x", "1", "2"),
    wrote("y", "1", "2"),
    wrote("z", "1", "2"),
  ]);
  const files = [
    { path: "x", from: "2", to: "1" },
    { path: "y", from: "theirs", to: "1" },
  ];
  const back = withNode(gone, "r", "a1", {
    kind: "restore",
    restoreId: "R",
    fromId: "a4",
    toId: "a1",
    files,
  });

  it("brings back what was there, not what the conversation believed", async () => {
    const plan = await planOf(back, { fromId: "r", undoes: "r" }, { x: "1", y: "1", z: "theirs" });
    expect(plan).toMatchObject({ fromId: "r", toId: "a4", undoes: "R" });
    expect(shown(plan)).toEqual(["restore x 1→2", "restore y 1→theirs"]);
  });

  it("takes back what was done since, and is a conflict where somebody came in between", async () => {
    const tree = withPath(back, "b", "r", [wrote("x", "1", "5"), wrote("n", null, "6")]);
    const plan = await planOf(tree, { fromId: "b2", undoes: "r" }, { x: "5", y: "theirs too", n: "6" });
    expect(shown(plan)).toEqual([
      "created n 6→null",
      "restore x 5→2",
      "conflict y theirs too→theirs changed",
    ]);
  });

  it("can itself be taken back", async () => {
    const undone = withNode(back, "u", "a4", {
      kind: "restore",
      restoreId: "U",
      fromId: "r",
      toId: "a4",
      files: [{ path: "x", from: "1", to: "2" }],
      undoes: "R",
    });
    const plan = await planOf(undone, { fromId: "u", undoes: "u" }, { x: "2" });
    expect(plan).toMatchObject({ toId: "r", undoes: "U" });
    expect(shown(plan)).toEqual(["restore x 2→1"]);
  });
});

describe("what cannot be planned", () => {
  const tree = withPath(freshConversation(), "a", "root", [said, wrote("x", "1", "2")]);
  const pruned = { ...tree, pruned: tree.pruned.set("a1", true as const) };
  const cases: readonly (readonly [string, ConversationContext, RestoreDirection, string])[] = [
    ["an unknown node to go to", tree, { fromId: "a2", toId: "no" }, "unknown_node"],
    ["an unknown node to come from", tree, { fromId: "no", toId: "a2" }, "unknown_node"],
    ["a pruned branch", pruned, { fromId: "root", toId: "a2" }, "pruned_node"],
    ["an undo of what is no restore", tree, { fromId: "a2", undoes: "a1" }, "invalid_arguments"],
    ["an undo of what is not there", tree, { fromId: "a2", undoes: "no" }, "unknown_node"],
  ];
  for (const [name, context, way, code] of cases) {
    it(`is refused: ${name}`, async () => {
      expect(await planRestore(context, way, diskOf({}))).toMatchObject({ kind: "refusal", code });
    });
  }
});
