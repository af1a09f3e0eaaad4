import { closeSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/until.js";
import { carryApproved } from "../src/tools/tool/approval.js";
import { type Ground, ground, sha } from "./support.js";

/** Another program that opened a file and has not written yet. */
function opener(on: Ground, path: string) {
  const fd = openSync(join(on.root, path), "r+");
  return {
    writes: (text: string) => void writeSync(fd, text, statSync(`/proc/self/fd/${fd}`).size),
    close: () => closeSync(fd),
  };
}

describe.each([
  { how: "exchanging", exchanges: true },
  { how: "renaming", exchanges: false },
])("a program that had the file open before a write by $how", ({ exchanges }) => {
  const disk = { exchanges };

  it("loses nothing: the next answer says what it wrote, and it can be restored", async () => {
    const on = await ground({ "a.txt": "one\n", "b.txt": "b\n" }, { disk });
    const other = opener(on, "a.txt");
    const first = await on.workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
    expect(first).toMatchObject({ code: "applied", message: expect.not.stringContaining("displaced") });
    other.writes("late\n");
    const next = await on.workspace.write({ path: "b.txt", content: "c\n", base: sha("b\n") });
    const late = sha("one\nlate\n");
    expect(next).toMatchObject({ code: "applied", message: expect.stringContaining(late.slice(0, 12)) });
    expect(next.message).toContain('A displaced write was found: another program still had "a.txt" open');
    const log = await on.workspace.log({ path: "a.txt" });
    expect(log).toMatchObject({ entries: [{ after: late, displaced: true, kept: true }, { current: true }] });
    expect((await on.workspace.restore({ path: "a.txt", sha256: late })).code).toBe("applied");
    expect(on.text("a.txt")).toBe("one\nlate\n");
    other.close();
  });

  it("is told of in the answer to a read, once, in both forms of the wire", async () => {
    const on = await ground({ "a.txt": "one\n" }, { disk });
    const other = opener(on, "a.txt");
    await on.workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
    // Calls in a row share a look, but not that at what was replaced last.
    await on.workspace.read({ path: "a.txt" });
    other.writes("late\n");
    const read = await on.call("read_file", { file_path: "a.txt" });
    expect(read).toMatchObject({ content: "two\n", notice: expect.stringContaining("displaced write") });
    expect(await on.call("read_file", { file_path: "a.txt" })).not.toHaveProperty("notice");
    other.close();
  });

  it("is found a second later, and at the end, when nobody calls", async () => {
    const on = await ground({ "a.txt": "one\n" }, { disk });
    const session = await on.again();
    const other = opener(on, "a.txt");
    await session.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
    other.writes("late\n");
    const displaced = async () => {
      const log = await on.workspace.log({ path: "a.txt" });
      return log.kind === "log" ? log.entries.filter((entry) => entry.displaced === true).length : -1;
    };
    await until(async () => (await displaced()) > 0);
    expect(await displaced()).toBe(1);
    other.writes("later still\n");
    await session.letGo();
    expect(await displaced()).toBe(2);
    other.close();
  });

  it("is told of after a change set, too", async () => {
    const on = await ground({ "a.txt": "one\n", "b.txt": "b\n" }, { disk });
    const other = opener(on, "a.txt");
    const set = await on.workspace.applyChanges({
      changes: [
        { path: "a.txt", base: sha("one\n"), content: { kind: "text", text: "two\n" } },
        { path: "b.txt", base: sha("b\n"), content: { kind: "text", text: "c\n" } },
      ],
    });
    expect(set.code).toBe("applied");
    other.writes("late\n");
    const next = await on.workspace.undo({ path: "a.txt" });
    expect(next).toMatchObject({ code: "applied", message: expect.stringContaining("displaced write") });
    other.close();
  });

  it("is told of in the answer about the one file of a set, too", async () => {
    const on = await ground({ "a.txt": "one\n", "b.txt": "b\n" }, { disk });
    const other = opener(on, "a.txt");
    await on.workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
    other.writes("late\n");
    const args = { file_path: "b.txt", base_content_sha256: sha("b\n") };
    expect(await on.call("delete_file", args)).toMatchObject({
      code: "applied",
      message: expect.stringContaining("displaced write"),
    });
    other.close();
  });

  it("is told of once, with the answer that is shown, where a person's answer was overtaken", async () => {
    const on = await ground({ "a.txt": "one\n", "b.txt": "b\nc\n" }, { disk });
    const { workspace } = on;
    const other = opener(on, "a.txt");
    await workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
    let asked = 0;
    const approve = async () => {
      asked += 1;
      if (asked > 1) return { kind: "yes" } as const;
      other.writes("late\n");
      // So that the next call looks again.
      await new Promise((go) => setTimeout(go, 60));
      on.put("b.txt", "b\nchanged\n");
      return { kind: "yes" } as const;
    };
    const request = { kind: "edit", path: "b.txt", edits: [{ oldString: "b\n", newString: "B\n" }] } as const;
    await workspace.read({ path: "b.txt" }, { isSilent: true });
    const outcome = await carryApproved(workspace, request, {}, approve);
    const message = "message" in outcome ? outcome.message : "";
    expect([asked, outcome.kind]).toEqual([2, "written"]);
    expect(message.split("displaced write")).toHaveLength(2);
    expect(message).toContain(sha("one\nlate\n").slice(0, 12));
    expect(await workspace.read({ path: "a.txt" })).not.toHaveProperty("notice");
    other.close();
  });

  it("waits for an answer that shows it", async () => {
    const on = await ground({ "a.txt": "one\n" }, { disk });
    const other = opener(on, "a.txt");
    await on.workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
    other.writes("late\n");
    expect(await on.workspace.read({ path: "a.txt" }, { isSilent: true })).not.toHaveProperty("notice");
    expect(await on.workspace.read({ path: "a.txt" })).toHaveProperty("notice");
    other.close();
  });

  it("of a secret nothing is kept where none are kept", async () => {
    const on = await ground({ ".env": "one\n" }, { disk, keepSecrets: "none", allowProtected: [".env"] });
    const other = opener(on, ".env");
    await on.workspace.write({ path: ".env", content: "two\n", base: sha("one\n") });
    other.writes("late\n");
    expect(await on.workspace.read({ path: ".env" })).not.toHaveProperty("notice");
    other.close();
  });
});

it("a touched file, and one that is only read on, are no displaced writes", async () => {
  const on = await ground({ "a.txt": "one\n" });
  const fd = openSync(join(on.root, "a.txt"), "r+");
  await on.workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
  writeSync(fd, "one\n", 0);
  expect(await on.workspace.read({ path: "a.txt" })).not.toHaveProperty("notice");
  closeSync(fd);
});

it("many writes hold few files open", async () => {
  const on = await ground({ "a.txt": "0" });
  for (let turn = 1; turn <= 150; turn++) {
    const { code } = await on.workspace.write({
      path: "a.txt",
      content: `${turn}`,
      base: sha(`${turn - 1}`),
    });
    expect(code).toBe("applied");
  }
  const before = readdirSync("/proc/self/fd").length;
  await on.workspace.letGo();
  // And the one that the last call has no room for.
  expect(before - readdirSync("/proc/self/fd").length).toBe(64 + 1);
});
