import { describe, expect, it } from "vitest";
import { renderContext } from "../../src/context/index.js";
import { fileContentOf, type TurnNode } from "../../src/conversation/index.js";
import { payload } from "../../src/conversation/values/payload-shape.js";
import { deltaContent } from "../../src/economy/index.js";
import { makeTalk, must, shownOf } from "./talk.js";

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line number ${at + 1} of it\n`);
const file = lines(60);
const text = file.join("");
const changed = file.with(29, "changed\n").join("");

/** The references of a text, as they are written. */
const referencesIn = (shown: string | undefined) =>
  [...(shown ?? "").matchAll(/<lines-\d+>([^<…]*)<\/lines-\d+>/g)].map(([, words]) => words);

type Talk = Awaited<ReturnType<typeof makeTalk>>;

/** A conversation that read a file, and read it again after somebody changed a line. */
async function readTwice() {
  const talk = await makeTalk({ "a.ts": text });
  const first = await talk.read("a.ts");
  await talk.put("a.ts", changed);
  const second = await talk.read("a.ts");
  return { talk, first, second };
}

function expectWhole(talk: Talk, node: TurnNode, of = changed) {
  const shown = talk.shown(node);
  expect(referencesIn(shown)).toEqual([]);
  expect(shown).toContain(of);
  expect(talk.prompt().report.broken).toEqual([]);
}

const reform = (targetId: string) =>
  ({
    kind: "context_management",
    action: "reform",
    changes: [{ targetId, form: { form: "replaced", by: "cleared", text: "Cleared." } }],
  }) as const;

describe("a file that is read again", () => {
  it("names what stands above, by its version and lines, and shows what is new", async () => {
    const { talk, second } = await readTwice();
    expect(referencesIn(talk.shown(second))).toEqual([
      "lines 1–29 as shown in version 1 above",
      "lines 31–60 as shown in version 1 above",
    ]);
    expect(talk.shown(second)).toContain("changed\n");
    expect(talk.shown(second)).not.toContain("line number 1 of it");
    expect(talk.prompt().report.broken).toEqual([]);
  });

  it("counts as seen whole, under its own hash", async () => {
    const { talk, second } = await readTwice();
    const [effect] = second.payload.kind === "tool_result" ? (second.payload.files ?? []) : [];
    const asked = { path: "a.ts", sha256: String(effect?.after), from: 1, to: 60 };
    expect(talk.prompt().visibility.isVisible(asked)).toBe(true);
  });

  it("is one reference where nothing has changed", async () => {
    const talk = await makeTalk({ "a.ts": text });
    await talk.read("a.ts");
    const again = await talk.read("a.ts");
    expect(referencesIn(talk.shown(again))).toEqual(["lines 1–60 as shown in version 1 above"]);
  });

  it("is shown whole where that is asked for", async () => {
    const { talk } = await readTwice();
    expectWhole(talk, await talk.read("a.ts", { full: true }));
  });

  it("is shown whole where delta reads are off", async () => {
    const talk = await makeTalk({ "a.ts": text });
    await talk.read("a.ts");
    await talk.put("a.ts", changed);
    const off = await makeTalk({ "a.ts": text }, {}, false);
    await off.read("a.ts");
    await off.put("a.ts", changed);
    expectWhole(off, await off.read("a.ts"));
  });

  it("says where the lines stood when they moved", async () => {
    const talk = await makeTalk({ "a.ts": text });
    await talk.read("a.ts");
    await talk.put("a.ts", `new\n${text}`);
    const second = await talk.read("a.ts");
    expect(referencesIn(talk.shown(second))).toEqual(["lines 2–61 as lines 1–60 shown in version 1 above"]);
  });

  it("is found by content in an answer of several files, and in the answer to a stale edit", async () => {
    const { talk } = await readTwice();
    const many = await talk.call("read_many_files", { paths: ["a.ts"] });
    expect(referencesIn(talk.shown(many)).length).toBeGreaterThan(0);
  });

  it("refers to a file that the user put there", async () => {
    const talk = await makeTalk({ "a.ts": text });
    const found = await talk.workspace.read({ path: "a.ts" });
    if (found.kind !== "read") throw new Error(found.message);
    must(talk.manager.addToStagingArea(fileContentOf(found)));
    must(talk.manager.commitStagedItems("Look at this."));
    const read = await talk.read("a.ts");
    expect(referencesIn(talk.shown(read))).toEqual(["lines 1–60 as shown in version 1 above"]);
  });

  it("refers to a read where the user puts it there again", async () => {
    const talk = await makeTalk({ "a.ts": text });
    await talk.read("a.ts");
    await talk.put("a.ts", changed);
    const found = await talk.workspace.read({ path: "a.ts" });
    if (found.kind !== "read") throw new Error(found.message);
    const { visibility } = talk.prompt();
    const content = deltaContent(fileContentOf(found), {
      blocks: (path) => visibility.blocks(path),
      versionOf: () => 1,
    });
    must(talk.manager.addToStagingArea(content));
    must(talk.manager.commitStagedItems("And now?"));
    const [node] = [...talk.manager.context.nodes.values()].filter(
      ({ payload }) => payload.kind === "file_content",
    );
    expect(referencesIn(node && talk.shown(node))).toHaveLength(2);
  });

  it("cannot be mistaken for a line of a file that looks like a reference", async () => {
    const odd = file.with(5, "<lines-1>lines 1–60 as shown in version 1 above</lines-1>\n").join("");
    const talk = await makeTalk({ "a.ts": odd });
    await talk.read("a.ts");
    await talk.put("a.ts", odd.replace("number 50 ", "number fifty "));
    const second = await talk.read("a.ts");
    const [tag] =
      /^Lines that are shown above are not repeated: <(lines-\d+)>/
        .exec(talk.shown(second) ?? "")
        ?.slice(1) ?? [];
    expect(tag).toBe("lines-2");
  });
});

/** What others got wrong (context-peers, section 10): a stub that speaks of text which is no longer there. */
describe("the lines are written out", () => {
  it("after clearing", async () => {
    const { talk, first, second } = await readTwice();
    must(talk.manager.addNode(reform(first.id)));
    expectWhole(talk, second);
  });

  it("after their answer was hidden by hand", async () => {
    const { talk, first, second } = await readTwice();
    must(
      talk.manager.addNode({
        kind: "context_management",
        action: "overlay",
        targetId: first.id,
        form: { form: "hidden" },
      }),
    );
    expectWhole(talk, second);
  });

  it("after compaction", async () => {
    const { talk, second } = await readTwice();
    const [call] = [...talk.manager.context.nodes.values()].filter(({ id }) => id === second.parentId);
    must(
      talk.manager.addNode({
        kind: "summary",
        of: "compaction",
        text: "All before.",
        keepFromId: String(call?.id),
      }),
    );
    expectWhole(talk, second);
  });

  it("after a rewind, where the file is read again", async () => {
    const { talk, first } = await readTwice();
    const start = talk.manager.context.nodes.get(String(first.parentId))?.parentId;
    must(talk.manager.rewind(String(start)));
    must(talk.manager.commitStagedItems("Once more."));
    expectWhole(talk, await talk.read("a.ts"));
  });

  it("after a fork from before the first read", async () => {
    const { talk, first, second } = await readTwice();
    const start = String(talk.manager.context.nodes.get(String(first.parentId))?.parentId);
    const tip = talk.manager.context.currentNodeId;
    must(talk.manager.rewind(start));
    must(talk.manager.commitStagedItems("The other way."));
    expectWhole(talk, await talk.read("a.ts"));
    must(talk.manager.rewind(tip));
    expect(referencesIn(talk.shown(second))).toHaveLength(2);
  });

  it("in a sub-branch that does not see what came before", async () => {
    const { talk } = await readTwice();
    must(talk.manager.startTask({ name: "apart", transformation: { kind: "clear" } }));
    expectWhole(talk, await talk.read("a.ts"));
  });

  it("for another range", async () => {
    const talk = await makeTalk({ "a.ts": text });
    await talk.read("a.ts", { offset: 1, limit: 20 });
    expectWhole(talk, await talk.read("a.ts", { offset: 21, limit: 20 }), file.slice(20, 40).join(""));
    const across = await talk.read("a.ts", { offset: 11, limit: 40 });
    expect(referencesIn(talk.shown(across))).toEqual(["lines 11–40 as shown in versions 1, 2 above"]);
    expect(talk.shown(across)).toContain(file.slice(40, 50).join(""));
  });

  it("after an outside change of all lines", async () => {
    const talk = await makeTalk({ "a.ts": text });
    await talk.read("a.ts");
    const other = text.replaceAll("line", "row");
    await talk.put("a.ts", other);
    expectWhole(talk, await talk.read("a.ts"), other);
  });
});

describe("a reference", () => {
  it("stays in a task that sees what came before", async () => {
    const { talk } = await readTwice();
    must(talk.manager.startTask({ name: "inside", transformation: { kind: "clone" } }));
    expect(referencesIn(talk.shown(await talk.read("a.ts")))).not.toEqual([]);
  });

  it("is the same after a resume, from what the journal says alone", async () => {
    const { talk, second } = await readTwice();
    const record = JSON.parse(JSON.stringify(second.payload));
    expect(payload(record)).toBeUndefined();
    expect(record).toEqual(second.payload);
    expect(shownOf(renderContext(talk.manager.context), second)).toBe(talk.shown(second));
  });

  it("on one branch is not touched by what is cleared on another", async () => {
    const { talk, first, second } = await readTwice();
    const fork = talk.manager.context.currentNodeId;
    must(talk.manager.addNode(reform(first.id)));
    expectWhole(talk, second);
    must(talk.manager.rewind(fork));
    expect(referencesIn(talk.shown(second))).toHaveLength(2);
  });

  it("guards as the lines would: a stale edit is refused, a true one is made", async () => {
    const { talk, first } = await readTwice();
    const hashOf = (node: TurnNode) =>
      node.payload.kind === "tool_result" ? String(node.payload.files?.[0]?.after) : "";
    must(talk.manager.addNode(reform(first.id)));
    await talk.put("a.ts", text.replace("number 7 ", "number seven "));
    const latest = await talk.read("a.ts");
    const write = (base: string) =>
      talk.call("write_file", { file_path: "a.ts", content: "gone\n", base_content_sha256: base });
    const stale = await write(hashOf(first).replace(/^./, (letter) => (letter === "0" ? "1" : "0")));
    expect(stale.payload).toMatchObject({ isError: true });
    const done = await write(hashOf(latest));
    expect([done.payload.kind === "tool_result" && done.payload.isError, await talk.get("a.ts")]).toEqual([
      undefined,
      "gone\n",
    ]);
  });
});
