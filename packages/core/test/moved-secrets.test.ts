import { chmodSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage } from "@holdfast/core/node";
import { runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { leaks, one, rename, secretsOf, two, word } from "./leaks.js";
import { type Ground, ground, sha } from "./support.js";

const none = { keepSecrets: "none" } as const;

/** The secret, moved to an ordinary name, with nothing of it kept any more. */
async function moved(how: "none" | "collected"): Promise<Ground> {
  const on = await ground({ ".env": one }, how === "none" ? none : {});
  const set = await on.workspace.applyChanges({ changes: [rename(".env", "notes.txt", sha(one))] });
  expect(set).toMatchObject({ code: "applied" });
  if (how === "collected") await collectGarbage({ stateDir: on.stateDir, secrets: "all" });
  expect(secretsOf(on)).toEqual([]);
  return on;
}

describe.each(["none", "collected"] as const)("a file moved away from a secret's name (%s)", (how) => {
  it("is not kept with all others when it is read, in this session or another", async () => {
    const on = await moved(how);
    await on.workspace.read({ path: "notes.txt" });
    const later = await on.again();
    await later.read({ path: "notes.txt" });
    expect(leaks(on)).toEqual([]);
    expect(secretsOf(on)).toHaveLength(how === "none" ? 0 : 1);
  });

  it("gets its old name back by an undo, with its mode and without any kept bytes", async () => {
    const on = await ground({ ".env": one }, how === "none" ? none : {});
    chmodSync(join(on.root, ".env"), 0o600);
    await on.workspace.applyChanges({ changes: [rename(".env", "notes.txt", sha(one))] });
    if (how === "collected") await collectGarbage({ stateDir: on.stateDir, secrets: "all" });
    const { text } = await runTool("undo_edit", { file_path: "notes.txt" }, { workspace: on.workspace });
    expect(text).toContain("OK (applied)");
    expect(text).not.toContain(word);
    expect(readdirSync(on.root)).toEqual([".env"]);
    expect(on.text(".env")).toBe(one);
    expect((statSync(join(on.root, ".env")).mode & 0o777).toString(8)).toBe("600");
    expect(leaks(on)).toEqual([]);
  });

  it("stays apart under its next name, too, and comes all the way back", async () => {
    const on = await moved(how);
    const again = { changes: [rename("notes.txt", "other.txt", sha(one))] };
    expect(await on.workspace.applyChanges(again)).toMatchObject({ code: "applied" });
    if (how === "collected") await collectGarbage({ stateDir: on.stateDir, secrets: "all" });
    await on.workspace.read({ path: "other.txt" });
    expect(leaks(on)).toEqual([]);
    expect(await on.workspace.undo({ path: "other.txt" })).toMatchObject({ code: "applied" });
    expect(await on.workspace.undo({ path: "notes.txt" })).toMatchObject({ code: "applied" });
    expect(readdirSync(on.root)).toEqual([".env"]);
    expect(leaks(on)).toEqual([]);
  });

  it("is called a secret in every answer that has its lines", async () => {
    const on = await moved(how);
    const given = how === "none" ? await on.again({ ...none, allowProtected: ["notes.txt"] }) : on.workspace;
    const change = { path: "notes.txt", content: "plain\n", base: sha(one) };
    expect(await given.write(change)).toMatchObject({ code: "applied", isSecret: true });
    const plain = await given.write({ path: "notes.txt", content: "plainer\n", base: sha("plain\n") });
    expect(plain).not.toHaveProperty("isSecret");
    const other = await moved(how);
    const undone = await other.workspace.undo({ path: "notes.txt" });
    expect(undone).toMatchObject({ code: "applied", isSecret: true, together: [{ isSecret: true }] });
  });

  it("is a file like all others once it was changed", async () => {
    const on = await moved(how);
    const given = how === "none" ? await on.again({ ...none, allowProtected: ["notes.txt"] }) : on.workspace;
    const change = { path: "notes.txt", content: "plain\n", base: sha(one) };
    if (how === "none") expect(await on.workspace.write(change)).toMatchObject({ code: "protected_path" });
    expect(await given.write(change)).toMatchObject({ code: "applied" });
    expect(leaks(on)).toEqual([]);
    await given.write({ path: "notes.txt", content: "plainer\n", base: sha("plain\n") });
    expect(await given.undo({ path: "notes.txt" })).toMatchObject({ code: "applied" });
    expect(on.text("notes.txt")).toBe("plain\n");
  });

  it("keeps apart what another program writes into it while it is replaced", async () => {
    const on = await moved(how);
    const fd = openSync(join(on.root, "notes.txt"), "r+");
    const given = await on.again(how === "none" ? { ...none, allowProtected: ["notes.txt"] } : {});
    await given.write({ path: "notes.txt", content: "plain\n", base: sha(one) });
    writeSync(fd, `TOKEN=${word}9`, 0);
    await given.read({ path: "notes.txt" });
    expect(leaks(on)).toEqual([]);
  });
});

it("a rename that changed the file, too, is undone by what is kept, or not at all", async () => {
  const on = await ground({ ".env": one });
  const changes = [
    { path: ".env", base: sha(one), content: { kind: "text" as const, text: two }, renameTo: "notes.txt" },
  ];
  expect(await on.workspace.applyChanges({ changes })).toMatchObject({ code: "applied" });
  await collectGarbage({ stateDir: on.stateDir, secrets: "all" });
  expect(await on.workspace.undo({ path: "notes.txt" })).toMatchObject({ code: "bytes_gone" });
  expect(on.text("notes.txt")).toBe(two);
  await on.workspace.read({ path: "notes.txt" });
  expect(leaks(on)).toEqual([]);
});

it("an ordinary file that is renamed and renamed back keeps its mode, too", async () => {
  const on = await ground({ "run.sh": "echo\n" });
  chmodSync(join(on.root, "run.sh"), 0o755);
  await on.workspace.applyChanges({ changes: [rename("run.sh", "go.sh", sha("echo\n"))] });
  expect(await on.workspace.undo({ path: "go.sh" })).toMatchObject({ code: "applied" });
  expect((statSync(join(on.root, "run.sh")).mode & 0o777).toString(8)).toBe("755");
});
