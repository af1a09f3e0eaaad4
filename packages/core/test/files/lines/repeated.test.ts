import { expect, it } from "vitest";
import { Workspace } from "../../../src/files/index.js";
import type { WriteOutcome } from "../../../src/files/values/index.js";
import { memoryWith, sha } from "../../support.js";

function open() {
  const ports = memoryWith();
  return new Workspace(ports);
}

/** The file as text, and the codes of the answers. */
async function seen(workspace: Workspace, outcomes: readonly WriteOutcome[]) {
  const read = await workspace.read({ path: "f" });
  return [...outcomes.map(({ code }) => code), read.kind === "read" ? read.state.content : read.code];
}

it.each([
  ["append", "one\nmore\n"],
  ["prepend", "more\none\n"],
] as const)("the same %s with its base is made once", async (kind, then) => {
  const workspace = open();
  await workspace.write({ path: "f", content: "one\n" });
  const call = () => workspace[kind]({ path: "f", content: "more\n", base: sha("one\n") });
  expect(await seen(workspace, [await call(), await call()])).toEqual(["applied", "already_applied", then]);
  await workspace.append({ path: "f", content: "another\n" });
  expect((await call()).code).toBe("already_applied");
  const unknown = await workspace[kind]({ path: "f", content: "more\n", base: sha("never") });
  expect(unknown.code).toBe("unknown_base");
});

it("the append that makes a file is made once with the base of no content", async () => {
  const workspace = open();
  const call = () => workspace.append({ path: "f", content: "more\n", base: sha("") });
  expect(await seen(workspace, [await call(), await call()])).toEqual([
    "applied",
    "already_applied",
    "more\n",
  ]);
});

it("the same undo with its base takes one write back", async () => {
  const workspace = open();
  await workspace.write({ path: "f", content: "one\n" });
  await workspace.write({ path: "f", content: "two\n", base: sha("one\n") });
  await workspace.write({ path: "f", content: "three\n", base: sha("two\n") });
  const call = () => workspace.undo({ path: "f", base: sha("three\n") });
  expect(await seen(workspace, [await call(), await call()])).toEqual([
    "applied",
    "already_applied",
    "two\n",
  ]);
  await workspace.append({ path: "f", content: "more\n" });
  expect(await seen(workspace, [await call()])).toEqual(["state_mismatch", "two\nmore\n"]);
});

it("the same undo of a creation deletes once, and undoes no write of an earlier file", async () => {
  const workspace = open();
  await workspace.write({ path: "f", content: "one\n" });
  await workspace.applyChanges({ changes: [{ path: "f", base: sha("one\n"), content: { kind: "delete" } }] });
  await workspace.write({ path: "f", content: "two\n" });
  const call = () => workspace.undo({ path: "f", base: sha("two\n") });
  expect(await seen(workspace, [await call(), await call()])).toEqual([
    "applied",
    "already_applied",
    "file_missing",
  ]);
});

it("the same undo of a change set takes one set back, with its base", async () => {
  const workspace = open();
  const set = (text: string, from?: string) =>
    workspace.applyChanges({
      changes: ["f", "g"].map((path) => ({
        path,
        content: { kind: "text", text } as const,
        ...(from === undefined ? {} : { base: sha(from) }),
      })),
    });
  await set("one\n");
  await set("two\n", "one\n");
  await set("three\n", "two\n");
  const call = () => workspace.undo({ path: "f", base: sha("three\n") });
  expect(await seen(workspace, [await call(), await call()])).toEqual([
    "applied",
    "already_applied",
    "two\n",
  ]);
  const other = await workspace.read({ path: "g" });
  expect(other.kind === "read" ? other.state.content : other.code).toBe("two\n");
});
