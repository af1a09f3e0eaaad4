import {
  chmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { collectGarbage, inspectState, openKeptStates } from "@holdfast/core/node";
import { runTool, type ToolName } from "@holdfast/core/tools";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../src/files/index.js";
import type { FileChange } from "../src/files/values/index.js";
import { holding, leaks, one, rename, secretsOf, two, word } from "./leaks.js";
import { type Ground, ground, sha } from "./support.js";

describe("the states of a secret", () => {
  it("are kept apart, in files that nobody else may read", async () => {
    const on = await ground({ ".env": one });
    await on.workspace.read({ path: ".env" });
    await on.workspace.write({ path: ".env", content: two, base: sha(one) });
    expect(secretsOf(on)).toHaveLength(2);
    expect(leaks(on)).toEqual([]);
    for (const path of secretsOf(on)) expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
    const folders = [join(on.stateDir, "secrets"), ...secretsOf(on).map((path) => join(path, ".."))];
    for (const folder of folders) expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
  });

  it("are what undo goes back to, step by step, down to the creation", async () => {
    const on = await ground();
    await on.workspace.write({ path: "k.pem", content: one });
    await on.workspace.write({ path: "k.pem", content: two, base: sha(one) });
    expect(await on.workspace.undo({ path: "k.pem" })).toMatchObject({ code: "applied" });
    expect(on.text("k.pem")).toBe(one);
    expect(await on.workspace.undo({ path: "k.pem" })).toMatchObject({ code: "applied" });
    expect(readdirSync(on.root)).toEqual([]);
    expect(leaks(on)).toEqual([]);
  });

  it("are what a restore brings back, also after a deletion, in another session", async () => {
    const on = await ground({ ".env": one });
    const changes = [{ path: ".env", base: sha(one), content: { kind: "delete" as const } }];
    expect(await on.workspace.applyChanges({ changes })).toMatchObject({ code: "applied" });
    const later = await on.again();
    const [file] = await later.fileStates([".env"], [sha(one)]);
    expect(file).toMatchObject({ sha256: null, wantedKept: true });
    expect(file).not.toHaveProperty("barred");
    const restored = await later.restore({ path: ".env", sha256: sha(one).slice(0, 16), base: sha("") });
    expect(restored).toMatchObject({ code: "applied" });
    expect(on.text(".env")).toBe(one);
    expect((await later.log({ path: ".env" })) as object).toMatchObject({ entries: [{ kept: true }, {}] });
  });

  it("are told of to who would send them elsewhere: by name, link and past, and where nobody can look", async () => {
    const on = await ground({
      ".env": one,
      "kept.txt": "a\n",
      "notes.txt": "b\n",
      ".holdfastignore": "kept.txt\n",
    });
    symlinkSync(".env", join(on.root, "link.txt"));
    const isSecret = (path: string, text: string) => on.workspace.mayHoldSecrets(path, sha(text));
    expect(await isSecret(".env", one)).toBe(true);
    expect(await isSecret("link.txt", one)).toBe(true);
    expect(await isSecret("kept.txt", "a\n")).toBe(true);
    expect(await isSecret("../outside.txt", "a\n")).toBe(true);
    expect(await isSecret("notes.txt", "b\n")).toBe(false);
    expect(await isSecret("gone.txt", "b\n")).toBe(false);
    await on.workspace.applyChanges({ changes: [rename(".env", "moved.txt", sha(one))] });
    expect(await isSecret("moved.txt", one)).toBe(true);
    expect(await isSecret("moved.txt", two)).toBe(false);
  });

  it("are found under their own name only, never by a hash", async () => {
    const on = await ground({ ".env": one, ".env.local": "A=1\n", "notes.txt": "a\n" });
    await on.workspace.read({ path: ".env" });
    const { secrets, blobs } = (on.workspace as unknown as { shared: { ports: Ports } }).shared.ports;
    expect(await blobs.get(sha(one))).toBeUndefined();
    expect(await on.workspace.keptStates([sha(one)])).toEqual(new Set());
    const kept = openKeptStates(on.stateDir);
    expect(kept.kind === "kept_states" && kept.bytes(sha(one))).toBe(undefined);
    expect(await secrets.get(join(on.root, ".env"), sha(one))).toBeDefined();
    for (const other of [".env.local", "notes.txt"]) {
      expect(await secrets.get(join(on.root, other), sha(one))).toBeUndefined();
      const refused = await on.call("safe_patch", {
        file_path: other,
        unified_diff: "@@ -1 +1 @@\n-x\n+y\n",
        base_content_sha256: sha(one),
      });
      expect(JSON.stringify(refused)).not.toContain(word);
      expect(await on.workspace.restore({ path: other, sha256: sha(one) })).toMatchObject({
        code: "bytes_gone",
      });
    }
  });

  it("are not those of the ordinary store, though both hold the same bytes", async () => {
    const on = await ground({ ".env": one, "notes.txt": one });
    await on.workspace.read({ path: "notes.txt" });
    await on.workspace.write({ path: ".env", content: two, base: sha(one) });
    expect(secretsOf(on)).toHaveLength(2);
    await collectGarbage({ stateDir: on.stateDir, secrets: "all" });
    expect(await on.workspace.undo({ path: ".env" })).toMatchObject({ code: "bytes_gone" });
  });

  it("are kept apart whatever link they are reached by, and whatever root", async () => {
    const on = await ground({ ".env": one, ".aws/config": one });
    symlinkSync(".env", join(on.root, "plain.txt"));
    await on.workspace.write({ path: "plain.txt", content: two, base: sha(one) });
    const inside = await on.again({ roots: [join(on.root, ".aws")] });
    await inside.write({ path: "config", content: two, base: sha(one) });
    expect(leaks(on)).toEqual([]);
    expect(await inside.undo({ path: "config" })).toMatchObject({ code: "applied" });
  });
});

interface Ports {
  readonly blobs: { get(sha256: string): Promise<Uint8Array | undefined> };
  readonly secrets: { get(realPath: string, sha256: string): Promise<Uint8Array | undefined> };
}

describe("nothing that was kept of a secret is shown", () => {
  it("a mismatch names hash and version only", async () => {
    const on = await ground({ ".env": one });
    const [first] = [await on.call("read_file", { file_path: ".env" })];
    on.put(".env", two);
    for (const base of [sha(one), sha("never")]) {
      const refused = await on.call("write_file", {
        file_path: ".env",
        content: "A=1\n",
        base_content_sha256: base,
      });
      expect(refused.code).toBe(base === sha(one) ? "state_mismatch" : "unknown_base");
      expect(JSON.stringify(refused)).not.toContain(word);
      expect(refused.latest_file_state).toMatchObject({ sha256: sha(two), content: null });
    }
    expect(first).toBeDefined();
    const auto = { workspace: on.workspace };
    const args = { file_path: ".env", content: "A=1\n", base_content_sha256: sha(one) };
    const { text } = await runTool("write_file", args, auto);
    expect(text).toContain(sha(two));
    expect(text).toContain("read it");
    expect(text).not.toContain(word);
  });

  it.each([
    ["a write", "text", "auto"],
    ["a set", "text", "auto"],
    ["a write", "json", "full"],
    ["a set", "json", "full"],
  ] as const)(
    "an undo of %s does not show what it brings back (%s, %s)",
    async (what, wire, resultContent) => {
      const on = await ground({ ".env": one, "a.txt": "a\n" });
      const changes: FileChange[] = [
        { path: ".env", base: sha(one), content: { kind: "text", text: "A=1\n" } },
      ];
      if (what === "a set")
        changes.push({ path: "a.txt", base: sha("a\n"), content: { kind: "text", text: "b\n" } });
      await on.workspace.applyChanges({ changes });
      const terms = { workspace: on.workspace, wire, resultContent } as const;
      const { text } = await runTool("undo_edit", { file_path: ".env" }, terms);
      expect(on.text(".env")).toBe(one);
      expect(text).toContain("applied");
      expect(text).not.toContain(word);
    },
  );
});

describe("a file that changes its name", () => {
  it.each([
    ["config.txt", ".env"],
    [".env", "config.txt"],
    [".env", ".env.old"],
  ])("from %s to %s: its states stay apart, and the move is undone", async (from, to) => {
    const on = await ground({ [from]: one });
    const set = await on.workspace.applyChanges({ changes: [rename(from, to, sha(one))] });
    expect(set).toMatchObject({ code: "applied" });
    expect(leaks(on)).toEqual([]);
    const { text } = await runTool("undo_edit", { file_path: to }, { workspace: on.workspace });
    expect(text).not.toContain(word);
    expect(readdirSync(on.root)).toEqual([from]);
    expect(on.text(from)).toBe(one);
    expect(leaks(on)).toEqual([]);
  });
});

describe("every way of writing", () => {
  const ways: readonly (readonly [string, (on: Ground) => Promise<unknown>])[] = [
    ["a write", (on) => on.workspace.write({ path: ".env", content: two, base: sha(one) })],
    ["an append", (on) => on.workspace.append({ path: ".env", content: `MORE=${word}3\n` })],
    ["a prepend", (on) => on.workspace.prepend({ path: ".env", content: `MORE=${word}3\n` })],
    [
      "an edit",
      (on) =>
        on.workspace.edit({
          path: ".env",
          base: sha(one),
          edits: [{ oldString: "MODE=x", newString: "MODE=y" }],
        }),
    ],
    [
      "a change set",
      (on) =>
        on.workspace.applyChanges({
          changes: [
            { path: ".env", base: sha(one), content: { kind: "text", text: two } },
            { path: "a.txt", base: sha("a\n"), content: { kind: "text", text: "b\n" } },
          ],
        }),
    ],
    ["in place", (on) => on.workspace.write({ path: ".env", content: two, base: sha(one), inPlace: true })],
  ];
  it.each(ways)("%s keeps the states apart and can be undone", async (_, write) => {
    const on = await ground({ ".env": one, "a.txt": "a\n" });
    expect(await write(on)).toMatchObject({ success: true });
    expect(on.text(".env")).not.toBe(one);
    expect(leaks(on)).toEqual([]);
    expect(await on.workspace.undo({ path: ".env" })).toMatchObject({ success: true });
    expect(on.text(".env")).toBe(one);
    expect(leaks(on)).toEqual([]);
  });

  it("what another program wrote into the replaced file is kept apart and reported", async () => {
    const on = await ground({ ".env": one });
    const fd = openSync(join(on.root, ".env"), "r+");
    await on.workspace.write({ path: ".env", content: two, base: sha(one) });
    writeSync(fd, `TOKEN=${word}9`, 0);
    const read = await on.workspace.read({ path: ".env" });
    expect(read).toMatchObject({ notice: expect.stringContaining("can be restored") });
    expect(leaks(on)).toEqual([]);
    expect(secretsOf(on)).toHaveLength(3);
  });

  it("law: whatever is done in whatever order, no word of a secret is in the ordinary store", async () => {
    const steps = fc.array(fc.nat({ max: ways.length + 1 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(steps, async (chosen) => {
        const on = await ground({ ".env": one, "a.txt": "a\n" });
        for (const at of chosen) {
          if (at === ways.length) await on.workspace.undo({ path: ".env" });
          else if (at > ways.length) await on.workspace.read({ path: ".env" });
          else await ways[at]?.[1](on);
        }
        expect(leaks(on)).toEqual([]);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 5) },
    );
  });
});

const dayMs = 24 * 60 * 60 * 1_000;

/** A clock that stands until it is moved. */
function handClock(): Clock & { move(ms: number): void } {
  let now = Date.now();
  return {
    now: () => now,
    move: (ms) => {
      now += ms;
    },
  };
}

describe("the days of a secret", () => {
  it.each([
    [undefined, 7],
    [2, 2],
  ])("set to %s, a state is kept for %s, then no more", async (keepSecrets, days) => {
    const clock = handClock();
    const on = await ground(
      { ".env": one },
      { clock, ...(keepSecrets === undefined ? {} : { keepSecrets }) },
    );
    await on.workspace.write({ path: ".env", content: two, base: sha(one) });
    clock.move(days * dayMs - 1_000);
    expect(await collectGarbage({ stateDir: on.stateDir, clock })).toMatchObject({
      secrets: { removed: 0, kept: 2 },
    });
    clock.move(1_000);
    const { secrets } = (on.workspace as unknown as { shared: { ports: Ports } }).shared.ports;
    expect(await secrets.get(join(on.root, ".env"), sha(one))).toBeUndefined();
    expect(secretsOf(on)).toHaveLength(2);
    const over = { secrets: { removed: 2, kept: 0 } };
    expect(await collectGarbage({ stateDir: on.stateDir, clock, dryRun: true })).toMatchObject(over);
    expect(await collectGarbage({ stateDir: on.stateDir, clock })).toMatchObject(over);
    expect(readdirSync(join(on.stateDir, "secrets"))).toEqual([]);
    expect(await on.workspace.undo({ path: ".env" })).toMatchObject({ code: "bytes_gone" });
    expect(on.text(".env")).toBe(two);
  });

  it("are over at the next start, without any garbage collection", async () => {
    const clock = handClock();
    const on = await ground({ ".env": one }, { clock });
    await on.workspace.write({ path: ".env", content: two, base: sha(one) });
    clock.move(7 * dayMs);
    await on.again({ clock });
    expect(secretsOf(on)).toEqual([]);
  });

  it("can be cut short by whoever collects", async () => {
    const clock = handClock();
    const on = await ground({ ".env": one }, { clock, keepSecrets: 30 });
    await on.workspace.write({ path: ".env", content: two, base: sha(one) });
    clock.move(3 * dayMs);
    expect(await collectGarbage({ stateDir: on.stateDir, clock, secrets: 3 })).toMatchObject({
      secrets: { removed: 2, kept: 0 },
    });
  });

  it("end at once where all are collected, and other states stay", async () => {
    const on = await ground({ ".env": one, "a.txt": "a\n" });
    await on.workspace.write({ path: ".env", content: two, base: sha(one) });
    await on.workspace.write({ path: "a.txt", content: "b\n", base: sha("a\n") });
    const facts = inspectState(on.stateDir, [on.root]).state;
    expect(facts).toMatchObject({ secrets: 2, blobs: 2 });
    expect(await collectGarbage({ stateDir: on.stateDir, secrets: "all" })).toMatchObject({
      secrets: { removed: 2, removedBytes: one.length + two.length, kept: 0 },
      keptBlobs: 2,
    });
    expect(secretsOf(on)).toEqual([]);
    expect(await on.workspace.undo({ path: "a.txt" })).toMatchObject({ code: "applied" });
  });
});

describe("where none are kept", () => {
  const none = { keepSecrets: "none" } as const;
  const write = { path: ".env", content: two, base: sha(one) };

  it.each([
    ["a write", (on: Ground) => on.workspace.write(write)],
    ["an append", (on: Ground) => on.workspace.append({ path: ".env", content: "x\n" })],
    [
      "a deletion",
      (on: Ground) =>
        on.workspace.applyChanges({
          changes: [{ path: ".env", base: sha(one), content: { kind: "delete" } }],
        }),
    ],
  ])("%s over a secret asks first, and is refused by name where there is nobody", async (_, act) => {
    const on = await ground({ ".env": one }, none);
    expect(await act(on)).toMatchObject({ code: "protected_path", success: false });
    expect(on.text(".env")).toBe(one);
    expect(holding(on.stateDir)).toEqual([]);
  });

  it("is carried out with a person's consent to just that, and says that it cannot be undone", async () => {
    const on = await ground({ ".env": one }, none);
    const questions: string[] = [];
    const reply = await runTool(
      "write_file",
      { file_path: ".env", content: two, base_content_sha256: sha(one) },
      {
        workspace: on.workspace,
        approve: async ({ preview }) => {
          questions.push(...preview.files.map(({ path }) => path));
          return { kind: "yes" };
        },
      },
    );
    expect(questions).toEqual([".env"]);
    expect(reply.text).toContain("cannot be undone");
    expect(on.text(".env")).toBe(two);
    expect(holding(on.stateDir)).toEqual([]);
    expect(await on.workspace.undo({ path: ".env" })).toMatchObject({ code: "bytes_gone" });
  });

  it("is carried out where the path was opened", async () => {
    const on = await ground({ ".env": one }, { ...none, allowProtected: [".env"] });
    expect(await on.workspace.write(write)).toMatchObject({ code: "applied" });
  });

  it("a new secret and other files need no consent", async () => {
    const on = await ground({ "a.txt": "a\n" }, none);
    expect(await on.workspace.write({ path: ".env", content: one })).toMatchObject({ code: "applied" });
    expect(await on.workspace.write({ path: "a.txt", content: "b\n", base: sha("a\n") })).toMatchObject({
      code: "applied",
    });
    expect(holding(on.stateDir)).toEqual([]);
  });

  it("a move needs none, since nothing is taken away, and keeps nothing", async () => {
    const on = await ground({ ".env": one }, none);
    const set = await on.workspace.applyChanges({ changes: [rename(".env", ".env.old", sha(one))] });
    expect(set).toMatchObject({ code: "applied" });
    expect(holding(on.stateDir)).toEqual([]);
  });

  it("what another program wrote into the replaced file is not kept", async () => {
    const on = await ground({ ".env": one }, { ...none, allowProtected: [".env"] });
    const fd = openSync(join(on.root, ".env"), "r+");
    await on.workspace.write(write);
    writeSync(fd, `TOKEN=${word}9`, 0);
    expect(await on.workspace.read({ path: ".env" })).not.toHaveProperty("notice");
    expect(holding(on.stateDir)).toEqual([]);
  });
});

describe("what a pattern of paths", () => {
  it("matches and may hold secrets is counted, and read only by its name", async () => {
    const on = await ground({ ".env": one, "a.txt": "a\n" });
    symlinkSync(".env", join(on.root, "link"));
    for (const globs of [["**/*"], [".*", "*"], ["{a.txt,.env,link}"]]) {
      const read = await runTool("read_many_files", { globs }, { workspace: on.workspace });
      expect(read.text).not.toContain(word);
      expect(read.text).toContain("2 left out that may hold secrets");
      expect(read.text).toContain("a.txt");
    }
    for (const named of [{ paths: [".env"], globs: ["*"] }, { globs: [".env"] }])
      expect((await runTool("read_many_files", named, { workspace: on.workspace })).text).toContain(word);
  });
});

describe("a state folder below a root", () => {
  it("is read, listed, searched and written by no tool, but for the memory", async () => {
    const on = await ground({ ".env": one, "p/a.txt": `${word}\n` });
    const stateDir = join(on.root, "state/holdfast");
    const memoryFolder = join(stateDir, "memory/p");
    mkdirSync(memoryFolder, { recursive: true });
    writeFileSync(join(memoryFolder, "workspace.md"), `# Notes ${word}\n`);
    chmodSync(stateDir, 0o700);
    const workspace = await on.again({ stateDir, memoryFolder, roots: [on.root, memoryFolder] });
    await workspace.read({ path: ".env" });
    await workspace.append({ path: ".env", content: "Z=1\n" });
    symlinkSync("state/holdfast/secrets", join(on.root, "door"));
    const states = (readdirSync(stateDir, { recursive: true }) as string[]).filter(
      (path) => !path.startsWith("memory"),
    );
    const names = ["state/holdfast", "door", ...states.map((path) => join("state/holdfast", path))];
    const reach = (tool: ToolName, args: object) => runTool(tool, args, { workspace });
    for (const path of [...names, ...names.map((name) => join(on.root, name))]) {
      const asked: readonly (readonly [ToolName, object])[] = [
        ["read_file", { file_path: path }],
        ["list_files", { path }],
        ["search_files", { pattern: ".", path }],
        ["find_files", { glob: "*", path }],
        ["write_file", { file_path: path, content: "x" }],
        // Of a link the name alone goes.
        [
          "delete_file",
          { file_path: path.endsWith("door") ? join(path, "x") : path, base_content_sha256: sha("") },
        ],
      ];
      for (const [tool, args] of asked)
        expect(await reach(tool, args)).toMatchObject({ code: "protected_path" });
      expect((await reach("read_many_files", { paths: [path] })).text).not.toContain(word);
    }
    const whole: readonly (readonly [ToolName, object])[] = [
      ["list_files", { path: "state", depth: 9 }],
      ["find_files", { glob: "state/**" }],
      ["read_many_files", { globs: ["state/**", "**/*"], exclude: ["p/**"] }],
      ["search_files", { pattern: word, exclude: ["p/**"], output: "counts" }],
    ];
    for (const [tool, args] of whole)
      expect((await reach(tool, args)).text).not.toMatch(/state\/holdfast\/.|workspace.md/);
    expect(await reach("delete_file", { file_path: "state", recursive: true })).not.toMatchObject({
      success: true,
    });
    const notes = join(memoryFolder, "workspace.md");
    expect((await reach("read_file", { file_path: notes })).text).toContain(word);
    expect(await reach("append_to_file", { file_path: notes, content: "more\n" })).toMatchObject({
      success: true,
    });
  });
});
