import { describe, expect, it } from "vitest";
import { renderContext } from "../../src/context/index.js";
import { fileContentOf, type TurnNode } from "../../src/conversation/values/index.js";
import { payload } from "../../src/conversation/values/payload.js";
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

  it("is shown whole where that is asked for", async () => {
    const { talk } = await readTwice();
    expectWhole(talk, await talk.read("a.ts", { full: true }));
  });

  it("says where the lines stood when they moved", async () => {
    const talk = await makeTalk({ "a.ts": text });
    await talk.read("a.ts");
    await talk.put("a.ts", `new\n${text}`);
    const second = await talk.read("a.ts");
    expect(referencesIn(talk.shown(second))).toEqual(["lines 2–61 as lines 1–60 shown in version 1 above"]);
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

  it("in a sub-branch that does not see what came before", async () => {
    const { talk } = await readTwice();
    must(talk.manager.startTask({ name: "apart", transformation: { kind: "clear" } }));
    expectWhole(talk, await talk.read("a.ts"));
  });
});

describe("a reference", () => {
  it("is the same after a resume, from what the journal says alone", async () => {
    const { talk, second } = await readTwice();
    const record = JSON.parse(JSON.stringify(second.payload));
    expect(payload(record)).toBeUndefined();
    expect(record).toEqual(second.payload);
    expect(shownOf(renderContext(talk.manager.context), second)).toBe(talk.shown(second));
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
