import { describe, expect, it } from "vitest";
import { type KnowledgeEvent, KnownFiles } from "../../src/files/seen/index.js";
import { carryOut } from "../../src/tools/index.js";
import { type Call, must, openTalk, type Talk } from "../reproductions/scene.js";

/** What licensed a write without a prompt that showed the file, each seen once. */
const read: Call = ["read_file", { file_path: "f.txt" }];
const edit: Call = ["edit_file", { file_path: "f.txt", edits: [{ old_string: "two", new_string: "2" }] }];
const create: Call = [
  "str_replace_based_edit_tool",
  { command: "create", path: "f.txt", file_text: "blind\n" },
];
const write: Call = ["write_file", { file_path: "f.txt", content: "one\ntwo\nthree\n" }];

function last(talk: Talk, kind: "tool_call" | "tool_result"): string {
  const nodes = [...talk.manager.context.nodes.values()].filter(({ payload }) => payload.kind === kind);
  const node = nodes.sort((one, other) => other.depth - one.depth)[0];
  if (node === undefined) throw new Error(`there is no ${kind}`);
  return node.id;
}

describe("a file counts as shown to a path", () => {
  it("not because a finished task made it", async () => {
    const talk = await openTalk();
    talk.manager.startTask({ name: "sub", transformation: { kind: "clear" } });
    talk.say("Make f.txt.");
    expect((await talk.call(...write)).code).toBe("applied");
    must(talk.manager.completeTask({ summary: "f.txt is made." }));
    expect((await talk.call(...edit)).code).toBe("not_read");
  });

  it("not because it was read and cleared before any prompt", async () => {
    for (const kind of ["tool_result", "tool_call"] as const) {
      const talk = await openTalk({ files: { "f.txt": "one\ntwo\n" } });
      await talk.call(...read);
      const form =
        kind === "tool_call"
          ? ({ form: "hidden" } as const)
          : ({ form: "replaced", by: "cleared", text: "(cleared)" } as const);
      must(talk.manager.overlay(last(talk, kind), form));
      expect((await talk.call(...edit)).code).toBe("not_read");
    }
  });

  it("not because an undo brought a state that came from one that was shown", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\n" } });
    await talk.call("read_file", { file_path: "f.txt" });
    await talk.call("write_file", { file_path: "f.txt", content: "two\n", base_content_sha256: shaOf(talk) });
    talk.manager.startTask({ name: "sub", transformation: { kind: "clear" } });
    talk.say("Go on.");
    await talk.call(...read);
    expect((await talk.call("undo_edit", { file_path: "f.txt" })).code).toBe("applied");
    talk.manager.overlay(last(talk, "tool_result"), { form: "replaced", by: "cleared", text: "-" });
    const one = { file_path: "f.txt", edits: [{ old_string: "one", new_string: "1" }] };
    expect((await talk.call("edit_file", one)).code).toBe("state_mismatch");
  });

  it("but an empty one that was read has nothing else to show", async () => {
    const talk = await openTalk({ files: { "f.txt": "" } });
    await talk.call(...read);
    expect((await talk.call(...create)).code).toBe("applied");
  });

  it("and one that was shown whole is not shown again by every refusal", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\ntwo\n" } });
    await talk.call(...read);
    const { code, text } = await talk.call("edit_file", {
      file_path: "f.txt",
      edits: [{ old_string: "four", new_string: "4" }],
    });
    expect(code).toBe("not_found");
    expect(text).not.toContain("one\ntwo\n");
  });
});

describe("a whole replacement is not licensed", () => {
  it("by lines whose call was cleared", async () => {
    const talk = await openTalk();
    expect((await talk.call(...write)).code).toBe("applied");
    talk.say("Go on.");
    const [callId, resultId] = [last(talk, "tool_call"), last(talk, "tool_result")];
    const cleared = { form: "replaced", by: "cleared", text: "(cleared)" } as const;
    must(talk.manager.reform([{ targetId: callId, form: cleared }]));
    must(talk.manager.reform([{ targetId: resultId, form: cleared }]));
    expect((await talk.call(...create)).code).not.toBe("applied");
    expect(talk.text("f.txt")).toBe("one\ntwo\nthree\n");
  });

  it("by a read of the same answer whose result came before the call", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\ntwo\n" } });
    const step = "s";
    const [first, second] = [read, create];
    const add = (callId: string, [name, args]: Call) =>
      must(talk.manager.addNode({ kind: "tool_call", callId, name, args, step }));
    add("c1", first);
    add("c0", first);
    const host = { manager: talk.manager, workspace: talk.workspace };
    must(await carryOut({ callId: "c1" }, host));
    add("c2", second);
    const outcome = must(await carryOut({ callId: "c2" }, host));
    expect(outcome.code).toBe("not_read");
    expect(talk.text("f.txt")).toBe("one\ntwo\n");
  });
});

describe("two states that become each other again and again", () => {
  it("do not hand the parts of a long line to and fro in growing numbers", () => {
    const file = { path: "f", realPath: "/f" };
    const parts = [{ line: 1, from: 0, to: 5, of: 10 }];
    let known = KnownFiles.empty.learn("f", { kind: "shown", file, sha256: "A", lines: [], parts, total: 2 });
    for (let at = 0; at < 60; at++) {
      const [before, after] = at % 2 === 0 ? (["A", "B"] as const) : (["B", "A"] as const);
      const changes = [{ at: 2, removed: 1, added: 1 }];
      const event: KnowledgeEvent = { kind: "changed", file, before, after, version: 0, total: 2, changes };
      known = known.learn("f", event);
    }
    expect(known.find("f", "A")?.parts).toEqual(parts);
  });
});

function shaOf(talk: Talk): string {
  const { payload } =
    [...talk.manager.context.nodes.values()].find(({ id }) => id === last(talk, "tool_result")) ?? {};
  if (payload?.kind !== "tool_result") throw new Error("no result");
  return payload.files?.[0]?.after ?? "";
}
