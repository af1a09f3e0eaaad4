import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { FileOutcome } from "../../../src/files/values/index.js";
import { type OpenedWorkspace, openWorkspace } from "../../../src/node/index.js";
import { freshFolder, hasStrace, must, openDescriptors, runTraced, textAt } from "../support.js";

let top: string;
let root: string;
let workspace: OpenedWorkspace;
const sha = (text: string) => createHash("sha256").update(text).digest("hex");
const codeOf = (outcome: FileOutcome) => ("code" in outcome ? outcome.code : outcome.kind);

beforeEach(async () => {
  top = realpathSync(freshFolder());
  root = join(top, "root");
  mkdirSync(root);
  writeFileSync(join(root, "f"), "one\n");
  workspace = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
});

/** Another folder takes the root's place, with this text in the same file. */
function replace(text: string): void {
  renameSync(root, join(top, "away"));
  mkdirSync(root);
  writeFileSync(join(root, "f"), text);
}

it("the first call in a folder that was made anew says so, and the next ones work in it", async () => {
  await workspace.append({ path: "f", content: "old\n" });
  replace("another\n");
  const first = await workspace.append({ path: "f", content: "more\n" });
  expect(codeOf(first)).toBe("root_changed");
  expect(first.message).toContain("was replaced by another one");
  expect([textAt(join(root, "f")), textAt(join(top, "away", "f"))]).toEqual(["another\n", "one\nold\n"]);
  expect(codeOf(await workspace.append({ path: "f", content: "more\n" }))).toBe("applied");
  expect([textAt(join(root, "f")), textAt(join(top, "away", "f"))]).toEqual([
    "another\nmore\n",
    "one\nold\n",
  ]);
  await workspace.close();
});

it("what was known of the old folder is no licence in the new one, though the bytes are the same", async () => {
  await workspace.read({ path: "f" });
  replace("one\n");
  expect(codeOf(await workspace.read({ path: "f" }))).toBe("root_changed");
  const edit = { path: "f", edits: [{ oldString: "one", newString: "two" }] };
  expect(codeOf(await workspace.edit(edit))).toBe("not_read");
  expect(codeOf(await workspace.write({ path: "f", content: "x\n", base: sha("one\n") }))).toBe(
    "unseen_lines",
  );
  await workspace.read({ path: "f" });
  expect(codeOf(await workspace.edit(edit))).toBe("applied");
  await workspace.close();
});

it("no base and no write of the old folder counts in the new one", async () => {
  await workspace.append({ path: "f", content: "two\n" });
  replace("one\ntwo\n");
  expect(codeOf(await workspace.undo({ path: "f" }))).toBe("root_changed");
  expect(codeOf(await workspace.undo({ path: "f" }))).toBe("nothing_to_undo");
  expect(codeOf(await workspace.append({ path: "f", content: "two\n", base: sha("one\n") }))).toBe(
    "unknown_base",
  );
  await workspace.append({ path: "f", content: "three\n" });
  expect(codeOf(await workspace.undo({ path: "f" }))).toBe("applied");
  expect(textAt(join(root, "f"))).toBe("one\ntwo\n");
  await workspace.close();
});

it("a link to a folder somewhere else is not taken for the root", async () => {
  const outside = join(top, "outside");
  mkdirSync(outside);
  renameSync(root, join(top, "away"));
  symlinkSync(outside, root);
  for (let call = 0; call < 3; call++)
    expect(codeOf(await workspace.append({ path: "g", content: "x" }))).toBe("root_changed");
  expect(readdirSync(outside)).toEqual([]);
  await workspace.close();
});

it("however often a root is replaced, no handle is left open for each", async () => {
  const swap = async () => {
    replace("another\n");
    rmSync(join(top, "away"), { recursive: true });
    expect(codeOf(await workspace.read({ path: "f" }))).toBe("root_changed");
    expect(codeOf(await workspace.read({ path: "f" }))).toBe("read");
  };
  for (let round = 0; round < 20; round++) await swap();
  const before = openDescriptors();
  for (let round = 0; round < 20; round++) await swap();
  expect(openDescriptors()).toBe(before);
  await workspace.close();
});

it.each(["the next process", "a link to it"])(
  "what was recorded of a folder that is gone is not undone in a new one (%s)",
  async (how) => {
    await workspace.append({ path: "f", content: "two\n" });
    await workspace.close();
    rmSync(root, { recursive: true });
    mkdirSync(root);
    writeFileSync(join(root, "f"), "one\ntwo\n");
    if (how === "a link to it") symlinkSync(root, join(top, "link"));
    const roots = [how === "a link to it" ? join(top, "link") : root];
    const open = async () => must(await openWorkspace({ roots, stateDir: join(top, "state") }));
    const next = await open();
    const undone = await next.undo({ path: "f" });
    expect(undone).toMatchObject({
      code: "nothing_to_undo",
      message: expect.stringContaining("another folder"),
    });
    expect(codeOf(await next.restore({ path: "f", sha256: sha("one\n"), base: sha("one\ntwo\n") }))).toBe(
      "bytes_gone",
    );
    expect(await next.log({ path: "f" })).toMatchObject({ entries: [{ ofOtherFolder: true, kept: false }] });
    await next.append({ path: "f", content: "three\n" });
    await next.close();
    const last = await open();
    expect(await last.log({ path: "f" })).toMatchObject({
      entries: [{ current: true }, { ofOtherFolder: true }],
    });
    expect(codeOf(await last.undo({ path: "f" }))).toBe("applied");
    expect(textAt(join(root, "f"))).toBe("one\ntwo\n");
    await last.close();
  },
);

it("a folder that stays the same, moves away and comes back keeps its history", async () => {
  await workspace.append({ path: "f", content: "two\n" });
  await workspace.close();
  renameSync(root, join(top, "away"));
  renameSync(join(top, "away"), root);
  const next = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
  expect(codeOf(await next.undo({ path: "f" }))).toBe("applied");
  await next.close();
});

it.skipIf(!hasStrace)(
  "a root that could not be looked at, at any moment, is no other folder: its history stays",
  async () => {
    await workspace.close();
    let looks = 0;
    for (; looks < 40; looks += 1) {
      const base = realpathSync(freshFolder());
      const place = { root: join(base, "root"), state: join(base, "state"), log: join(base, "trace") };
      mkdirSync(place.root);
      const strike = [
        "-P",
        place.root,
        "-e",
        "trace=statx",
        "-e",
        `inject=statx:error=EIO:when=${looks + 1}`,
      ];
      runTraced(["-o", place.log, ...strike], "append.mjs", place.root, place.state, "line", "2");
      if (!textAt(place.log).includes("INJECTED")) break;
      const later = must(await openWorkspace({ roots: [place.root], stateDir: place.state }));
      const { entries } = must(await later.log({ path: "log.txt" }));
      const there = readdirSync(place.root).includes("log.txt") ? textAt(join(place.root, "log.txt")) : "";
      const own = entries.filter((entry) => entry.tool !== "read" && entry.ofOtherFolder !== true);
      expect(own).toHaveLength(there.split("\n").length - 1);
      await later.close();
    }
    expect(looks).toBeGreaterThan(5);
  },
);

it.skipIf(!hasStrace)("a program that is told no birth times hides no history", async () => {
  await workspace.append({ path: "f", content: "two\n" });
  await workspace.close();
  // As where a filter of system calls does not know `statx`: Node goes back to `stat`.
  const strike = ["-o", "/dev/null", "-e", "trace=statx", "-e", "inject=statx:error=EPERM"];
  runTraced(strike, "append.mjs", root, join(top, "state"), "line", "1");
  const next = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
  expect(must(await next.log({ path: "log.txt" })).entries).toHaveLength(1);
  expect(must(await next.log({ path: "f" })).entries.filter((entry) => entry.ofOtherFolder)).toEqual([]);
  expect(codeOf(await next.undo({ path: "f" }))).toBe("applied");
  await next.close();
});
