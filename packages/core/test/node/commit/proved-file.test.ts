import { type BigIntStats, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { ExpectedFile } from "../../../src/files/index.js";
import { prove, provedAgain } from "../../../src/node/commit/exchanged.js";
import { Cleanup } from "../../../src/node/commit/stage.js";
import { openRoot } from "../../../src/node/disk/folder.js";
import { identityOf, statAt } from "../../../src/node/disk/reading.js";
import { sha } from "../../support.js";
import { freshFolder } from "../support.js";

const large = "a line of a large file\n".repeat(100_000);

/** A file that was just written, and how to prove that it is the expected one. */
function youngFile(content = large) {
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
  const proving = (looksAgain?: boolean) => prove(spot, expected, cleanup, looksAgain);
  const provingAs = (read: ExpectedFile) => prove(spot, read, cleanup, true);
  return { path, proving, provingAs, stat, sha256: expected.sha256 };
}

/** Where the machine took so long that the file was young no more; one that is waited for never is. */
const again = { retry: 5 };

/** Of the same file and the same stamps, with what was read before a second write of their tick. */
const readBefore = (stat: BigIntStats, isFirm: boolean): ExpectedFile => ({
  kind: "file",
  identity: { ...identityOf(stat), isFirm },
  sha256: sha("read before that write"),
});

it("the time stamp of a large file, once it is proved, hides no write that came after", async () => {
  const { path, proving } = youngFile();
  expect(await proving()).toMatchObject({ kind: "proved" });
  expect(Date.now() - statSync(path).ctimeMs).toBeGreaterThanOrEqual(100);
});

it("what is written into it before that is found", again, async () => {
  const { path, proving } = youngFile();
  const proved = proving();
  setTimeout(() => writeFileSync(path, large.replace("a line", "A LINE")), 60);
  expect(await proved).toMatchObject({ kind: "changed" });
  expect(readFileSync(path, "utf8")).toMatch(/^A LINE/);
});

it("a young large file is not waited for by whoever looks at it again", again, async () => {
  const { proving } = youngFile();
  expect(await proving(true)).toMatchObject({ kind: "proved", isFirm: false });
});

it.each([
  ["small", "a line\n"],
  ["large", large],
])("a time stamp that was young does not prove a %s file once it is old", async (_size, content) => {
  const { path, proving, sha256 } = youngFile(content);
  // As two writes within one tick of the kernel's clock have it, and young for long enough to be looked at.
  const stamp = (Date.now() + 1_000) / 1_000;
  utimesSync(path, stamp, stamp);
  const proved = await proving(true);
  if (proved.kind !== "proved") throw new Error("the file is as it was written");
  expect(provedAgain(proved, sha256)).toBe(true);
  writeFileSync(path, content.replace("a line", "A LINE"));
  utimesSync(path, stamp, stamp);
  await pause(1_300);
  expect(provedAgain(proved, sha256)).toBe(false);
});

it.each([
  ["small", "a line\n"],
  ["large", large],
])(
  "a time stamp that was young at the read of a %s file does not prove it once it is old",
  async (_size, content) => {
    const { provingAs, stat } = youngFile(content);
    await pause(150);
    expect(await provingAs(readBefore(stat, false))).toMatchObject({ kind: "changed" });
  },
);

it("a small file is compared at the step although every stamp is as it was: a mapping moves none", async () => {
  const { provingAs, stat, sha256 } = youngFile("a line\n");
  await pause(150);
  const read = readBefore(stat, true);
  const proved = await provingAs(read);
  if (proved.kind !== "proved") throw new Error("the stamps are those of the read");
  expect([provedAgain(proved, read.sha256), provedAgain(proved, sha256)]).toEqual([false, true]);
});

it("whether a stamp tells is judged when the identity is taken", again, async () => {
  const { path, stat } = youngFile("a line\n");
  await pause(150);
  expect(identityOf(stat).isFirm).toBe(true);
  writeFileSync(path, "another line\n");
  expect(identityOf(statSync(path, { bigint: true })).isFirm).toBe(false);
});
