import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PersonsAnswer } from "../../src/loop/gate.js";
import { openStage, type Stage } from "./stage.js";

const done = { text: "Done." };
const call = (name: string, file_path: string, more: object) => ({ name, args: { file_path, ...more } });
const create = (name: string) => call("write_file", name, { content: "new\n" });
const reading = { calls: [call("read_file", "a.ts", {})] };
const edit = (path: string, old_string: string, new_string: string) =>
  call("edit_file", path, {
    base_content_sha256: `{{sha256:${path}}}`,
    edits: [{ old_string, new_string }],
  });

/** Which files each list is about. */
async function listsOf(
  script: Parameters<typeof openStage>[0],
  answer: (name: string, stage: () => Stage) => PersonsAnswer,
) {
  const lists: string[][] = [];
  let open = 0;
  const stage: Stage = await openStage(
    script,
    {
      mode: "ask",
      ask: async (list) => {
        open += 1;
        expect(open).toBe(1);
        const names = list.map((one) => (one.kind === "change" && one.question.preview.files[0]?.path) || "");
        lists.push(names.toSorted());
        await new Promise((resolve) => setTimeout(resolve, 20));
        open -= 1;
        return names.map((name) => answer(name, () => stage));
      },
    },
    { "a.ts": "one\ntwo\nthree\n", "b.ts": "b\n" },
  );
  return { stage, lists, end: await stage.turn("Go.") };
}

describe("changes of one answer", () => {
  it("asks about the changes of one answer as one list, and each gets its own answer", async () => {
    const script = [
      { calls: ["w1.txt", "w2.txt", "w3.txt"].map(create) },
      { ...done, expects: ["Not this one."] },
    ];
    const { stage, lists, end } = await listsOf(script, (name) =>
      name === "w2.txt" ? { kind: "no", message: "Not this one." } : { kind: "yes" },
    );
    expect(lists).toEqual([["w1.txt", "w2.txt", "w3.txt"]]);
    expect(end.undone).toMatchObject([{ name: "write_file", code: "denied" }]);
    expect(["w1.txt", "w2.txt", "w3.txt"].map((name) => existsSync(join(stage.root, name)))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("asks about a second change of a file by itself, beside reads and calls that are refused", async () => {
    const calls = [
      edit("a.ts", "two", "2"),
      edit("a.ts", "three", "3"),
      edit("b.ts", "nowhere", "x"),
      create("w.txt"),
      ...reading.calls,
    ];
    const { stage, lists } = await listsOf([reading, { calls }, done], () => ({ kind: "yes" }));
    expect(lists).toEqual([["a.ts", "w.txt"], ["a.ts"]]);
    expect(stage.read("a.ts")).toBe("one\n2\n3\n");
  });

  it("makes only what was agreed to where a file of a list moves meanwhile", async () => {
    let moved = false;
    const script = [reading, { calls: [edit("a.ts", "two", "2"), create("w.txt")] }, done];
    const { stage, lists, end } = await listsOf(script, (_, here) => {
      if (!moved) here().write("a.ts", "zero\none\ntwo\nthree\n");
      moved = true;
      return { kind: "yes" };
    });
    expect(lists).toEqual([["a.ts", "w.txt"]]);
    expect(end.undone).toMatchObject([{ name: "edit_file", code: "state_mismatch" }]);
    expect([stage.read("a.ts"), stage.read("w.txt")]).toEqual(["zero\none\ntwo\nthree\n", "new\n"]);
  });
});
