import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { prove } from "../../../src/node/commit/proved-file.js";
import { Cleanup } from "../../../src/node/commit/stage.js";
import { openRoot } from "../../../src/node/disk/folder.js";
import { identityOf, statAt } from "../../../src/node/disk/reading.js";
import { sha } from "../../support.js";
import { freshFolder } from "../support.js";

const content = "a line of a large file\n".repeat(100_000);

/** A large file that was just written, and how to prove that it is the expected one. */
function youngFile() {
  const root = freshFolder();
  const path = join(root, "f");
  const { folder } = openRoot(root);
  const cleanup = new Cleanup();
  onTestFinished(() => {
    cleanup.run();
    folder.close();
  });
  writeFileSync(path, content);
  const spot = { folder, name: "f", shown: "f" };
  const stat = statAt(spot);
  if (stat === undefined) throw new Error("the file is there");
  // As of a file that somebody else copied there: what was read before was another one.
  const identity = { ...identityOf(stat), inode: 0n };
  const expected = { kind: "file", identity, sha256: sha(Buffer.from(content)) } as const;
  return { path, proving: () => prove(spot, expected, cleanup) };
}

it("the time stamp of a large file, once it is proved, hides no write that came after", async () => {
  const { path, proving } = youngFile();
  expect(await proving()).toMatchObject({ kind: "proved" });
  expect(Date.now() - statSync(path).ctimeMs).toBeGreaterThanOrEqual(100);
});

it("what is written into it before that is found", async () => {
  const { path, proving } = youngFile();
  const proved = proving();
  setTimeout(() => writeFileSync(path, content.replace("a line", "A LINE")), 60);
  expect(await proved).toMatchObject({ kind: "changed" });
  expect(readFileSync(path, "utf8")).toMatch(/^A LINE/);
});
