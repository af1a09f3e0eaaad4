import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "@holdfast/core/node";
import { runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { hasStrace, runTraced } from "./node/support.js";
import { ground, hangMs, sha } from "./support.js";

/** What an attacker of the first version found, each as a test that it stays found. */

const blobsIn = (stateDir: string) =>
  readdirSync(join(stateDir, "blobs"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );

describe("the hash", () => {
  it("cannot be replaced by a word that means whatever is there", async () => {
    const on = await ground({ "a.txt": "precious\n" });
    for (const word of ["current", "Symbol(whatever stands there now)", "*", "HEAD"]) {
      const reply = await on.call("write_file", {
        file_path: "a.txt",
        content: "x",
        base_content_sha256: word,
      });
      expect(reply).toMatchObject({ success: false, code: "invalid_hash" });
    }
    expect(on.text("a.txt")).toBe("precious\n");
  });
});

describe("without a way back", () => {
  it("nothing is replaced: a state folder that cannot keep the old state refuses the write", async () => {
    const on = await ground({ "a.txt": "precious\n" });
    mkdirSync(on.stateDir, { recursive: true });
    writeFileSync(join(on.stateDir, "blobs"), "not a folder");
    const outcome = await on.workspace.write({ path: "a.txt", content: "x\n", base: sha("precious\n") });
    expect(outcome).toMatchObject({ success: false, code: "disk_full" });
    expect(on.text("a.txt")).toBe("precious\n");
  });

  it("a kept state that was damaged is kept again before it is replaced", async () => {
    const on = await ground({ "a.txt": "precious\n" });
    await on.workspace.read({ path: "a.txt" });
    for (const blob of blobsIn(on.stateDir)) {
      const path = join(blob.parentPath, blob.name);
      truncateSync(path, 0);
      truncateSync(path, "precious\n".length);
    }
    await on.workspace.write({ path: "a.txt", content: "x\n", base: sha("precious\n") });
    expect(await on.workspace.undo({ path: "a.txt" })).toMatchObject({ code: "applied" });
    expect(on.text("a.txt")).toBe("precious\n");
  });

  it("no file grows past what can be read again", async () => {
    const on = await ground({ "a.txt": "precious\n" }, { limits: { changeBytes: 1000 } });
    const outcome = await on.workspace.write({
      path: "a.txt",
      content: "x".repeat(1001),
      base: sha("precious\n"),
    });
    expect(outcome.code).toBe("too_large");
    expect(on.text("a.txt")).toBe("precious\n");
  });

  it("a secret of which nothing is kept is overwritten only with consent and a word about it", async () => {
    const on = await ground({ ".env": "A=1\n" }, { keepSecrets: "none", allowProtected: [".env"] });
    const overwritten = await on.workspace.write({ path: ".env", content: "A=2\n", base: sha("A=1\n") });
    expect(overwritten).toMatchObject({ code: "applied" });
    expect(overwritten.message).toContain("cannot be undone");
    await on.workspace.write({ path: "k.pem", content: "key\n" });
    expect(await on.workspace.undo({ path: "k.pem" })).toMatchObject({ code: "protected_path" });
    expect(on.text("k.pem")).toBe("key\n");
  });
});

describe("a damaged state folder", () => {
  it.each([
    ["intents is a file", (dir: string) => writeFileSync(join(dir, "intents"), "x")],
    ["an intent holds null", (dir: string) => put(dir, "intents/x.y", "null")],
    ["sessions holds a plain file", (dir: string) => put(dir, "sessions/x", "x")],
    ["a change set's journal is junk", (dir: string) => put(dir, "change-sets/x", "{")],
  ])("still serves reads and writes where %s", async (_, damage) => {
    const on = await ground({ "a.txt": "one\n" });
    mkdirSync(on.stateDir, { recursive: true });
    damage(on.stateDir);
    const workspace = await on.again();
    expect(await workspace.read({ path: "a.txt" })).toMatchObject({ kind: "read" });
    const outcome = await workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") });
    expect(outcome.success || on.text("a.txt") === "one\n").toBe(true);
    const { collectGarbage } = await import("@holdfast/core/node");
    await expect(Promise.resolve(collectGarbage({ stateDir: on.stateDir }))).resolves.toBeDefined();
  });
});

describe("a state folder that cannot be made", () => {
  it("refuses the write at once, wherever it was to be", async () => {
    const on = await ground({ "a.txt": "one\n" });
    const workspace = await on.again({ stateDir: "/proc/nope" });
    expect(await workspace.read({ path: "a.txt" })).toMatchObject({ kind: "read" });
    expect((await workspace.write({ path: "a.txt", content: "two\n", base: sha("one\n") })).success).toBe(
      false,
    );
    expect(on.text("a.txt")).toBe("one\n");
    const below = await openWorkspace({ roots: [on.root], stateDir: join(on.root, "a.txt", "state") });
    expect(below).toMatchObject({ kind: "refusal", code: "not_a_file" });
  });
});

function put(dir: string, path: string, text: string): void {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), text);
}

describe("globs", () => {
  it("of a dozen stars are answered at once", async () => {
    const on = await ground({ [`${"a".repeat(60)}b`]: "x\n" });
    const start = Date.now();
    const wire = { workspace: on.workspace, wire: "text", resultContent: "auto" } as const;
    await runTool("read_many_files", { globs: [`${"*a".repeat(13)}*c`, `${"**/".repeat(60)}*c`] }, wire);
    expect(Date.now() - start).toBeLessThan(hangMs);
  });

  it("that cannot be followed are told, not silently empty", async () => {
    const on = await ground({ "a.txt": "x\n" });
    for (const glob of ["x".repeat(70_000), "../*", "/etc/*", `{${"a,".repeat(200)}b}`]) {
      const outcome = await on.workspace.readMany({ globs: [glob] });
      expect(outcome.files).toMatchObject([{ kind: "refusal" }]);
    }
  });
});

describe("several roots, and roots in odd places", () => {
  it("judge a path by every root that holds it", async () => {
    const on = await ground({
      "in/secret.txt": "x\n",
      ".holdfastignore": "secret.txt\n",
      ".git/config": "[core]\n",
    });
    const nested = await on.again({ roots: [join(on.root, "in"), on.root] });
    expect(await nested.read({ path: "secret.txt" })).toMatchObject({ code: "ignored_path" });
    const inGit = await on.again({ roots: [join(on.root, ".git"), on.root] });
    expect(await inGit.write({ path: "hooks/pre-commit", content: "x" })).toMatchObject({
      code: "protected_path",
    });
  });

  it("below a protected name are ordinary roots, by relative and by absolute paths", async () => {
    const on = await ground({ ".claude/worktrees/x/a.ts": "a\n" });
    const root = join(on.root, ".claude/worktrees/x");
    const worktree = await on.again({ roots: [root] });
    expect(await worktree.write({ path: "b.ts", content: "b\n" })).toMatchObject({ code: "applied" });
    expect(await worktree.write({ path: join(root, "c.ts"), content: "c\n" })).toMatchObject({
      code: "applied",
    });
  });

  it("that are links obey their .holdfastignore, too", async () => {
    const on = await ground({ "a.txt": "x\n", ".holdfastignore": "a.txt\n" });
    symlinkSync(on.root, `${on.root}-link`);
    const linked = await on.again({ roots: [`${on.root}-link`] });
    expect(await linked.read({ path: "a.txt" })).toMatchObject({ code: "ignored_path" });
    rmSync(`${on.root}-link`);
  });

  it("keep their .holdfastignore from being changed, and everything away where it cannot be read", async () => {
    const on = await ground({ "a.txt": "x\n" });
    expect(await on.workspace.write({ path: ".holdfastignore", content: "" })).toMatchObject({
      code: "protected_path",
    });
    on.put(".holdfastignore", Buffer.from("a\0b"));
    expect(await on.workspace.read({ path: "a.txt" })).toMatchObject({ code: "ignored_path" });
  });
});

describe("a .holdfastignore that is a link", () => {
  const files = { "sub/a.txt": "x\n", "rules.txt": "sub/\n" };
  it.each([
    ["out of the root", "../outside/rules.txt"],
    ["to itself", ".holdfastignore"],
    ["through a file", "rules.txt/x"],
    ["with a control character", "\u0001"],
    ["with a name that is too long", "n".repeat(300)],
    ["to nothing", "gone.txt"],
    ["into a missing folder", "gone/rules.txt"],
    ["to a folder", "sub"],
  ])("%s keeps everything away", async (_, to) => {
    const on = await ground(files);
    symlinkSync(to, join(on.root, ".holdfastignore"));
    expect(await on.workspace.read({ path: "sub/a.txt" })).toMatchObject({ code: "ignored_path" });
    expect(await on.workspace.write({ path: "new.txt", content: "x\n" })).toMatchObject({
      code: "ignored_path",
    });
    expect(await on.workspace.list({ path: ".", depth: 2 })).toMatchObject({ entries: [] });
    expect(await on.workspace.search({ pattern: "x", path: "." })).toMatchObject({ matches: [] });
  });

  it("to a file of rules means these", async () => {
    const on = await ground(files);
    symlinkSync("rules.txt", join(on.root, ".holdfastignore"));
    expect(await on.workspace.read({ path: "sub/a.txt" })).toMatchObject({ code: "ignored_path" });
    expect(await on.workspace.read({ path: "rules.txt" })).toMatchObject({ kind: "read" });
  });
});

it("a .gitignore that is a link to nothing shortens no listing", async () => {
  const on = await ground({ "a.txt": "x\n" });
  symlinkSync("gone.txt", join(on.root, ".gitignore"));
  expect(await on.workspace.list({ path: "." })).toMatchObject({ entries: [{}, { path: "a.txt" }] });
});

describe("a whole-file write", () => {
  it("that leaves something out is refused where a file is there, and is text where none is", async () => {
    const on = await ground({ "a.js": "one();\ntwo();\n" });
    const content = "one();\n// ... rest of code unchanged ...\n";
    const outcome = await on.workspace.write({ path: "a.js", content, base: sha("one();\ntwo();\n") });
    expect(outcome).toMatchObject({ code: "placeholder" });
    expect(on.text("a.js")).toBe("one();\ntwo();\n");
    expect(await on.workspace.write({ path: "new.js", content })).toMatchObject({ code: "applied" });
  });

  it("takes numbers that were written as text, as some models write them", async () => {
    const on = await ground({ "a.txt": "one\ntwo\n" });
    const wire = { workspace: on.workspace, wire: "text", resultContent: "auto" } as const;
    const reply = await runTool("read_file", { file_path: "a.txt", offset: "2", limit: "1" }, wire);
    expect(reply).toMatchObject({ code: "ok" });
  });
});

describe("what is said", () => {
  it("credits this session only with the last write", async () => {
    const on = await ground({ "f.txt": "A\n" });
    await on.workspace.write({ path: "f.txt", content: "B\n", base: sha("A\n") });
    await on.workspace.write({ path: "f.txt", content: "C\n", base: sha("B\n") });
    on.put("f.txt", "B\n");
    const outcome = await on.workspace.write({ path: "f.txt", content: "D\n", base: sha("C\n") });
    expect(outcome).toMatchObject({ code: "state_mismatch" });
    expect(outcome.message).toContain("outside of these tools");
  });

  it("of a read keeps the order of arrival: a read before a write gives the older state the older version", async () => {
    const on = await ground({ "f.txt": "A\n" });
    const [read, write] = await Promise.all([
      on.workspace.read({ path: "f.txt" }),
      on.workspace.write({ path: "f.txt", content: "B\n", base: sha("A\n") }),
    ]);
    expect(read).toMatchObject({ state: { content: "A\n", version: 1 } });
    expect(write).toMatchObject({ state: { content: "B\n", version: 2 } });
  });

  it("of content after an undo is not that it was shown", async () => {
    const on = await ground({ "f.txt": "first\n" });
    await on.workspace.write({ path: "f.txt", content: "second\n", base: sha("first\n") });
    const other = await on.again();
    await other.read({ path: "f.txt" });
    await other.undo({ path: "f.txt" });
    expect(await other.write({ path: "f.txt", content: "third\n" })).toMatchObject({
      code: "missing_base",
      shownBefore: false,
    });
  });
});

describe("bytes", () => {
  it("of a second byte order mark are content like any other", async () => {
    const before = Buffer.from("\ufeff\ufeffabc\n");
    const on = await ground({ f: before });
    const read = await on.workspace.read({ path: "f" });
    if (read.kind === "refusal") throw new Error(read.message);
    const outcome = await on.workspace.write({ path: "f", content: read.state.content, base: sha(before) });
    expect(outcome).toMatchObject({ code: "no_change" });
    expect(on.bytes("f").equals(before)).toBe(true);
  });

  it("of a file of nothing but newlines are refused before they fill the memory", async () => {
    const text = "\n".repeat(5_000_000);
    const on = await ground({ f: text }, { limits: { editMs: hangMs } });
    const outcome = await on.workspace.patch({ path: "f", diff: "@@ -1 +1 @@\n-\n+x\n", base: sha(text) });
    expect(outcome.code).toBe("too_large");
  });
});

it.skipIf(!hasStrace)(
  "a kill between the step and its record is made good by whoever takes the lock next, even if somebody else broke it",
  async () => {
    const on = await ground({ "f.txt": "one\n" });
    const kill = ["-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:signal=KILL:when=2"];
    runTraced(kill, "write.mjs", on.root, on.stateDir, "f.txt", "two\n");
    expect(on.text("f.txt")).toBe("two\n");
    // Another process has taken the dead holder's lock away and gone again.
    for (const lock of readdirSync(join(on.stateDir, "locks"))) rmSync(join(on.stateDir, "locks", lock));
    await on.workspace.write({ path: "f.txt", content: "three\n", base: sha("two\n") });
    await on.workspace.undo({ path: "f.txt" });
    expect(await on.workspace.undo({ path: "f.txt" })).toMatchObject({ code: "applied" });
    expect(on.text("f.txt")).toBe("one\n");
  },
);

describe("states kept as the beginning of another", () => {
  it("undo goes by the bytes on disk where the store's copy of them is damaged", async () => {
    const there = await ground({ f: "0\n" });
    for (const content of ["1\n", "2\n"]) await there.workspace.append({ path: "f", content });
    const newest = sha(there.text("f"));
    writeFileSync(join(there.stateDir, "blobs", newest.slice(0, 2), newest), "\0\0\0\0\0\0");
    for (const left of ["0\n1\n", "0\n"]) {
      expect(await there.workspace.undo({ path: "f" })).toMatchObject({ code: "applied" });
      expect(there.text("f")).toBe(left);
    }
  });
});
