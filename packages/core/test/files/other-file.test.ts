import { expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { memoryWith, sha } from "../support.js";

const base = sha("one\n");

it.each([
  ["Patch applied successfully.", "one", "two"],
  [
    "Invalid Diff: The provided diff content does not match the file's content. The context or lines to be removed may be incorrect.",
    "never",
    "two",
  ],
  ["The diff changes nothing; the file stays as it is.", "one", "one"],
])("a diff whose header names another file: right after «%s»", async (words, before, after) => {
  const ports = memoryWith();
  const workspace = new Workspace(ports);
  await workspace.write({ path: "f.txt", content: "one\n" });
  const diff = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-${before}\n+${after}\n`;
  const told = await workspace.patch({ path: "f.txt", diff: diff("g.txt"), base });
  expect(told.message.slice(0, words.length)).toBe(words);
  expect(told.message.slice(words.length)).toMatch(
    /^ The diff's header names another file, "g\.txt"; the file that the call names counts\./,
  );
});

it("a diff whose header names the file says nothing of it", async () => {
  const ports = memoryWith();
  const workspace = new Workspace(ports);
  await workspace.write({ path: "f.txt", content: "one\n" });
  const diff = "--- a/src/f.txt\n+++ b/src/f.txt\n@@ -1 +1 @@\n-one\n+two\n";
  expect((await workspace.patch({ path: "f.txt", diff, base })).message).not.toContain("another file");
});
