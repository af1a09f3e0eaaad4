import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRoot } from "../../../../../test/tools.js";
import type { Workspace } from "../../../src/files/index.js";
import { nativeExtension } from "../../../src/node/disk/folder.js";
import { keyOf } from "../../../src/node/state-folder/locks.js";
import { parseLine, withCheck } from "../../../src/node/state-folder/operation-segment.js";
import { type Ground, ground, sha } from "../../support.js";
import { hasStrace, runTraced } from "../support.js";

const modeOf = (on: Ground, path: string) => (statSync(join(on.root, path)).mode & 0o7777).toString(8);
const delete_ = (on: Ground, ...paths: readonly string[]) =>
  on.workspace.applyChanges({
    changes: paths.map((path) => ({ path, base: sha(on.text(path)), content: { kind: "delete" } })),
  });

/** Histories as earlier builds left them, a file a path: only deletions say who could use the file, as `removed`; in 0.1 none does. */
function forgetAccess(on: Ground, isOlder: boolean): void {
  const [log, older] = ["operations", "history"].map((room) => join(on.stateDir, room)) as [string, string];
  mkdirSync(older);
  for (const name of readdirSync(log))
    for (const line of readFileSync(join(log, name), "utf8").split("\n"))
      for (const { access, ...entry } of parseLine(line)?.entries.values() ?? []) {
        const old = isOlder || entry.after !== null ? entry : { ...entry, removed: access };
        appendFileSync(join(older, `${keyOf(entry.realPath)}.jsonl`), `${withCheck(JSON.stringify(old))}\n`);
      }
  rmSync(log, { recursive: true });
}

const open = { allowProtected: [".env"] };
const asBefore = "the file is as it was before the";

describe.skipIf(process.platform === "win32")("a deleted file that is made again", () => {
  it.each([
    { path: ".env", mode: 0o600 },
    { path: "run.sh", mode: 0o755 },
    { path: "tool", mode: 0o2750 },
  ])("gets its mode back: $path", async ({ path, mode }) => {
    const on = await ground({ [path]: "one\n" }, open);
    chmodSync(join(on.root, path), mode);
    expect((await delete_(on, path)).code).toBe("applied");
    const later = await on.again();
    const undone = await later.undo({ path });
    expect(undone).toMatchObject({ code: "applied", message: expect.stringContaining(asBefore) });
    expect([on.text(path), modeOf(on, path)]).toEqual(["one\n", mode.toString(8)]);
  });

  it("gets it back by an undo of a set, and by a restore", async () => {
    const on = await ground({ ".env": "one\n", "run.sh": "two\n" }, open);
    const restrict = () => {
      chmodSync(join(on.root, ".env"), 0o600);
      chmodSync(join(on.root, "run.sh"), 0o700);
    };
    restrict();
    await delete_(on, ".env", "run.sh");
    expect((await on.workspace.undo({ path: "run.sh" })).code).toBe("applied");
    expect([modeOf(on, ".env"), modeOf(on, "run.sh")]).toEqual(["600", "700"]);
    await delete_(on, ".env", "run.sh");
    for (const [path, text] of [
      [".env", "one\n"],
      ["run.sh", "two\n"],
    ] as const)
      expect((await on.workspace.restore({ path, sha256: sha(text) })).code).toBe("applied");
    expect([modeOf(on, ".env"), modeOf(on, "run.sh")]).toEqual(["600", "700"]);
  });

  it("gets it back when a created file was deleted by an undo, and when a state is put back", async () => {
    const on = await ground();
    await on.workspace.write({ path: "new", content: "one\n" });
    chmodSync(join(on.root, "new"), 0o600);
    await on.workspace.undo({ path: "new" });
    const state = { kind: "state", from: null, sha256: sha("one\n") } as const;
    const put = await on.workspace.applyChanges({ changes: [{ path: "new", content: state }] });
    expect([put.code, modeOf(on, "new")]).toEqual(["applied", "600"]);
  });

  it("is its owner's alone where nothing is recorded and it may hold secrets", async () => {
    const on = await ground({ ".env": "one\n", "a.txt": "two\n" }, open);
    await delete_(on, ".env");
    await delete_(on, "a.txt");
    forgetAccess(on, true);
    const later = await on.again();
    for (const path of [".env", "a.txt"]) {
      const { message } = await later.undo({ path });
      expect(message).toContain("Its mode was not recorded then.");
    }
    expect(modeOf(on, ".env")).toBe("600");
    expect(modeOf(on, "a.txt")).toBe((0o666 & ~process.umask()).toString(8));
  });

  it("gets back the mode that an earlier build recorded", async () => {
    const on = await ground({ "run.sh": "one\n" });
    chmodSync(join(on.root, "run.sh"), 0o750);
    await delete_(on, "run.sh");
    forgetAccess(on, false);
    const { message } = await (await on.again()).undo({ path: "run.sh" });
    expect([message, modeOf(on, "run.sh")]).toEqual([expect.stringContaining(asBefore), "750"]);
  });

  it.runIf(isRoot)("gets its owner back where that can be given", async () => {
    const on = await ground({ "a.txt": "one\n" });
    chownSync(join(on.root, "a.txt"), 4_321, 4_322);
    chmodSync(join(on.root, "a.txt"), 0o640);
    await delete_(on, "a.txt");
    await on.workspace.undo({ path: "a.txt" });
    const { uid, gid } = statSync(join(on.root, "a.txt"));
    expect([uid, gid, modeOf(on, "a.txt")]).toEqual([4_321, 4_322, "640"]);
  });

  it.skipIf(process.platform !== "linux")(
    "says that an extended attribute and an access list are gone, and opens it to no group",
    async () => {
      const on = await ground({ "a.txt": "one\n" });
      if (!hasAccessList(join(on.root, "a.txt"))) return;
      await delete_(on, "a.txt");
      const { message } = await on.workspace.undo({ path: "a.txt" });
      expect(message).not.toContain(asBefore);
      expect(message).toContain("access list and extended attributes are not all brought back");
      expect(modeOf(on, "a.txt")).toBe("600");
    },
  );
});

describe.skipIf(process.platform === "win32")("a state is bytes and mode", () => {
  const [path, text] = ["a/b/f.txt", "one\n"];
  const ownerMay = (least: number) => fc.integer({ min: 0, max: 0o777 }).map((mode) => mode | least);

  /** Ways in which the tools come to know a state; all but a creation begin with the file that is there. */
  const meet: Readonly<Record<string, (on: Ground) => Promise<unknown>>> = {
    read: (on) => on.workspace.read({ path }),
    edited: (on) =>
      on.workspace.edit({ path, base: sha(on.text(path)), edits: [{ oldString: "zero", newString: "one" }] }),
    appended: (on) => on.workspace.append({ path, content: text }),
    "part of a set": (on) =>
      on.workspace.applyChanges({
        changes: [
          { path, base: sha(on.text(path)), content: { kind: "text", text } },
          { path: "other", content: { kind: "text", text } },
        ],
      }),
    created: (on) => on.workspace.write({ path, content: text }),
    "created in a set": (on) =>
      on.workspace.applyChanges({ changes: [{ path, content: { kind: "text", text } }] }),
  };
  const before: Readonly<Record<string, string>> = {
    read: text,
    edited: "zero\n",
    appended: "",
    "part of a set": "0",
  };

  const take: Readonly<Record<string, (on: Ground) => unknown>> = {
    "a shell": (on) => rmSync(join(on.root, path)),
    "a shell, with its folders": (on) => rmSync(join(on.root, "a"), { recursive: true }),
    "our deletion, and a shell its folders": async (on) => {
      expect((await delete_(on, path)).code).toBe("applied");
      rmSync(join(on.root, "a"), { recursive: true });
    },
  };

  const state = { kind: "state", from: null, sha256: sha(text) } as const;
  const bring: Readonly<Record<string, (on: Workspace) => Promise<{ readonly code: string }>>> = {
    "a restore": (on) => on.restore({ path, sha256: sha(text) }),
    "a rewind": (on) => on.applyChanges({ changes: [{ path, content: state }] }),
    "a set of several": (on) =>
      on.applyChanges({
        changes: [
          { path: "first", content: { kind: "text", text } },
          { path, content: state },
        ],
      }),
    "an undo": (on) => on.undo({ path }),
  };

  it("whoever knew it, took it away and brings it back: file and folders have their modes again", async () => {
    const cases = fc.record({
      met: fc.constantFrom(...Object.keys(meet)),
      taken: fc.constantFrom(...Object.keys(take)),
      brought: fc.constantFrom(...Object.keys(bring)),
      mode: ownerMay(0o600),
      folders: fc.tuple(ownerMay(0o700), ownerMay(0o700)),
      later: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ met, taken, brought, mode, folders, later }) => {
        // An undo brings back what a tool took away, and nothing else.
        fc.pre(brought !== "an undo" || taken.startsWith("our"));
        const on = await ground();
        mkdirSync(join(on.root, "a/b"), { recursive: true });
        const content = before[met];
        if (content !== undefined) on.put(path, content);
        if (content !== undefined) chmodSync(join(on.root, path), mode);
        chmodSync(join(on.root, "a"), folders[0]);
        chmodSync(join(on.root, "a/b"), folders[1]);
        await meet[met]?.(on);
        const modes = () => ["a", "a/b", path].map((each) => modeOf(on, each));
        const known = modes();
        await take[taken]?.(on);
        const workspace = later ? await on.again() : on.workspace;
        expect((await bring[brought]?.(workspace))?.code).toBe("applied");
        expect([on.text(path), ...modes()]).toEqual([text, ...known]);
      }),
      { numRuns: 25 },
    );
  });

  it("each state has its own, and the last one where it had several", async () => {
    const on = await ground({ f: "one\n" });
    const file = join(on.root, "f");
    const have = async (text: string, mode: number) => {
      writeFileSync(file, text);
      chmodSync(file, mode);
      await on.workspace.read({ path: "f" });
    };
    await have("one\n", 0o755);
    await have("two\n", 0o640);
    await have("one\n", 0o700);
    await have("two\n", 0o600);
    await have("two\n", 0o640);
    for (const [text, mode] of [
      ["one\n", "700"],
      ["two\n", "640"],
    ] as const) {
      rmSync(file);
      expect((await on.workspace.restore({ path: "f", sha256: sha(text) })).code).toBe("applied");
      expect(modeOf(on, "f")).toBe(mode);
    }
  });

  it("a new file that a diff made executable is so again", async () => {
    const on = await ground();
    const diff = "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n";
    const made = await on.workspace.patch({ path: "x", diff, base: sha("") });
    const mode = modeOf(on, "x");
    expect([made.code, Number.parseInt(mode, 8) & 0o100]).toEqual(["applied", 0o100]);
    rmSync(join(on.root, "x"));
    await on.workspace.restore({ path: "x", sha256: sha("one\n") });
    expect(modeOf(on, "x")).toBe(mode);
  });

  it("a folder is made again with more rights for nobody but its owner", async () => {
    const on = await ground({ "a/f": "one\n" });
    chmodSync(join(on.root, "a"), 0o500);
    await on.workspace.read({ path: "a/f" });
    chmodSync(join(on.root, "a"), 0o700);
    rmSync(join(on.root, "a"), { recursive: true });
    await on.workspace.restore({ path: "a/f", sha256: sha("one\n") });
    expect(modeOf(on, "a")).toBe("700");
  });
});

/** Gives the file a list by which one other user may write; false where that cannot be done here. */
function hasAccessList(path: string): boolean {
  const native = nativeExtension();
  if (process.platform !== "linux" || native.kind === "missing") return false;
  const entries = [
    [1, 6, nobody],
    [2, 6, 4_321],
    [4, 0, nobody],
    [16, 6, nobody],
    [32, 0, nobody],
  ] as const;
  const list = Buffer.alloc(4 + 8 * entries.length);
  list.writeUInt32LE(2, 0);
  for (const [at, [tag, rights, id]] of entries.entries()) {
    list.writeUInt16LE(tag, 4 + 8 * at);
    list.writeUInt16LE(rights, 6 + 8 * at);
    list.writeUInt32LE(id, 8 + 8 * at);
  }
  const fd = openSync(path, "r+");
  try {
    native.functions.setAttrSync(fd, "system.posix_acl_access", list);
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
  return (statSync(path).mode & 0o777) === 0o660;
}

const nobody = 0xffffffff;

describe.skipIf(!hasStrace)("a set that makes deleted files again and is killed", () => {
  it.each([
    { at: "between its two steps", inject: "link,linkat:signal=KILL:when=2", ends: [] },
    { at: "after its steps", inject: "unlink,unlinkat:signal=KILL:when=2", ends: ["600", "755"] },
  ])("$at opens no file to others, nor does the recovery", async ({ inject, ends }) => {
    const on = await ground({ a: "one\n", b: "two\n" });
    chmodSync(join(on.root, "a"), 0o600);
    chmodSync(join(on.root, "b"), 0o755);
    await delete_(on, "a", "b");
    const state = (path: string, text: string) => ({
      path,
      content: { kind: "state", from: null, sha256: sha(text) },
    });
    const request = join(on.stateDir, "..", "request.json");
    writeFileSync(request, JSON.stringify([state("a", "one\n"), state("b", "two\n")]));
    const [traced] = inject.split(":");
    const options = ["-o", "/dev/null", "-e", `trace=${traced}`, "-e", `inject=${inject}`];
    runTraced(options, "change-set.mjs", on.root, on.stateDir, request);
    const modes = () =>
      readdirSync(on.root)
        .sort()
        .map((name) => modeOf(on, name));
    expect(modes()).toContain("600");
    expect(modes().filter((mode) => mode !== "755")).toEqual(modes().filter((mode) => mode === "600"));
    await on.again();
    expect(modes()).toEqual(ends);
  });
});
