import { createHash } from "node:crypto";
import { linkSync, mkdirSync, realpathSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { newStageName } from "../../../src/node/commit/stage.js";
import { type OpenedWorkspace, openWorkspace } from "../../../src/node/index.js";
import { freshFolder, must, textAt } from "../support.js";

let root: string;
let workspace: OpenedWorkspace;
const base = createHash("sha256").update("one\n").digest("hex");
const change = { path: "f", base, content: { kind: "text", text: "two\n" } } as const;

beforeEach(async () => {
  const top = realpathSync(freshFolder());
  root = join(top, "root");
  mkdirSync(root);
  writeFileSync(join(root, "f"), "one\n");
  const guards = { wholeReplacement: "hash" } as const;
  workspace = must(await openWorkspace({ roots: [root], stateDir: join(top, "state"), guards }));
});

const write = () => workspace.write({ path: "f", content: "two\n", base });
const applySet = () => workspace.applyChanges({ changes: [change] });

it.each([
  ["a write", write],
  ["a change set", applySet],
])("%s waits while a change set of another state folder holds the file by a second name", async (_, act) => {
  const kept = join(root, newStageName());
  linkSync(join(root, "f"), kept);
  let isOver = false;
  const done = act().finally(() => {
    isOver = true;
  });
  // Enough turns to get as far as the step many times over.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect([isOver, textAt(join(root, "f"))]).toEqual([false, "one\n"]);
  unlinkSync(kept);
  expect((await done).code).toBe("applied");
  expect(textAt(join(root, "f"))).toBe("two\n");
  await workspace.close();
});

it("a second name that is no change set's is refused at once, and only with ways that the request has", async () => {
  await workspace.append({ path: "f", content: "x\n" });
  linkSync(join(root, "f"), join(root, "g"));
  const undone = await workspace.undo({ path: "f" });
  const set = await workspace.applyChanges({
    changes: [{ ...change, base: createHash("sha256").update("one\nx\n").digest("hex") }],
  });
  const appended = await workspace.append({ path: "f", content: "y\n" });
  expect([undone.code, set.code, appended.code]).toEqual(Array(3).fill("cannot_preserve"));
  expect([undone, set, appended].map(({ message }) => message.includes("inPlace"))).toEqual([
    true,
    false,
    true,
  ]);
  await workspace.close();
});
