import { describe, expect, it } from "vitest";
import { shownBase } from "../../src/files/values/index.js";
import { ground, sha } from "../support.js";

const edits = [{ oldString: "one", newString: "uno" }];
const edit = { path: "a.txt", edits, base: shownBase } as const;

describe("an edit against the state that was shown last", () => {
  it("is made on what stands there, where nothing was shown", async () => {
    const on = await ground({ "a.txt": "one\n" });
    expect(await on.workspace.edit(edit)).toMatchObject({ code: "applied" });
    expect(on.text("a.txt")).toBe("uno\n");
  });

  it("is a mismatch where somebody else wrote since", async () => {
    const on = await ground({ "a.txt": "one\n" });
    await on.workspace.read({ path: "a.txt" });
    on.put("a.txt", "one, and more\n");
    expect(await on.workspace.edit(edit)).toMatchObject({ code: "state_mismatch" });
    expect(await on.workspace.edit(edit)).toMatchObject({ code: "applied" });
  });

  it("is refused where the file that was shown is gone", async () => {
    const on = await ground({ "a.txt": "one\n" });
    await on.workspace.read({ path: "a.txt" });
    await on.workspace.applyChanges({
      changes: [{ path: "a.txt", base: shownBase, renameTo: "c.txt", content: { kind: "same" } }],
    });
    expect(await on.workspace.edit(edit)).toMatchObject({ code: "file_missing" });
    expect(await on.workspace.edit({ ...edit, path: "c.txt" })).toMatchObject({ code: "applied" });
  });

  it("knows what calls that were sent with it wrote: all of them are made", async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at};\n`);
    for (const isRead of [true, false]) {
      const on = await ground({ "a.txt": lines.join("") });
      if (isRead) await on.workspace.read({ path: "a.txt" });
      const calls = lines.map((_, at) => {
        const one = [{ oldString: `line ${at};`, newString: `LINE ${at};` }];
        return on.workspace.edit({ path: "a.txt", edits: one, base: shownBase });
      });
      expect((await Promise.all(calls)).filter(({ code }) => code !== "applied")).toEqual([]);
      expect(on.text("a.txt")).toBe(lines.join("").replaceAll("line", "LINE"));
    }
  });
});

describe("a deletion by a tool that has no argument for a hash", () => {
  it("needs a read of the state that is there", async () => {
    const on = await ground({ "a.txt": "one\n" });
    const change = { path: "a.txt", hashless: true, content: { kind: "delete" } } as const;
    expect(await on.workspace.applyChanges({ changes: [change] })).toMatchObject({ code: "not_read" });
    await on.workspace.read({ path: "a.txt", limit: 1 });
    expect(await on.workspace.applyChanges({ changes: [change] })).toMatchObject({ code: "applied" });
  });
});

it("lines of a change that was moved to the present state are counted there, and that is said", async () => {
  const text = "one\ntwo\nthree\nfour\n";
  const on = await ground({ f: text }, { guards: { strictView: true, onMismatch: "rebase" } });
  await on.workspace.read({ path: "f", offset: 1, limit: 1 });
  on.put("f", `zero\n${text}`);
  const edits = [{ oldString: "three", newString: "3" }];
  const refused = await on.workspace.edit({ path: "f", base: sha(text), edits });
  expect(refused).toMatchObject({ code: "unseen_lines" });
  expect(refused.message).toContain("of the present state, which is not the call's base: 4.");
});
