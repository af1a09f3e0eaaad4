import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "@holdfast/core/node";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../test/end-process.js";
import { until } from "../../../test/until.js";
import { builtRoom, fixture, hasStrace } from "./node/support.js";
import { type Ground, ground, hangMs, sha } from "./support.js";

const inPlacePaths = ["f", "logs/**"];

function inodeOf({ root }: Ground, path = "f"): number {
  return statSync(join(root, path)).ino;
}

function start(command: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => endProcess(child));
  return child;
}

/** What the process prints until it ends, or the next piece of it. */
async function printed(child: ChildProcess, much: "all" | "next"): Promise<string> {
  if (much === "next") return String((await once(child.stdout!, "data"))[0]);
  const pieces: Buffer[] = [];
  child.stdout!.on("data", (piece: Buffer) => pieces.push(piece));
  await once(child, "close");
  return Buffer.concat(pieces).toString();
}

describe("a file that a person has written in place", () => {
  it("is the same file after any change, under each of its names, and after its undo", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "ä", "\r\n", "🙂"), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, after, more) => {
        const on = await ground({ f: before }, { inPlacePaths });
        linkSync(join(on.root, "f"), join(on.root, "g"));
        const inode = inodeOf(on);
        const steps = [
          () => on.workspace.write({ path: "f", content: after, base: sha(before) }),
          () => on.workspace.append({ path: "f", content: more }),
          () => on.workspace.prepend({ path: "f", content: more }),
        ];
        const states = [on.text("f")];
        for (const step of steps) {
          const done = await step();
          expect([done.success, done.state?.sha256]).toEqual([true, sha(on.bytes("f"))]);
          if (done.code === "applied") states.push(on.text("f"));
        }
        for (const state of states.toReversed()) {
          expect([on.text("f"), on.text("g"), inodeOf(on)]).toEqual([state, state, inode]);
          await on.workspace.undo({ path: "f" });
        }
      }),
      { numRuns: 25 },
    );
  });

  it("is seen as it is by another program that has it open; a file elsewhere is not", async () => {
    const on = await ground({ f: "old\n", other: "old\n" }, { inPlacePaths });
    const reads = `const fs = require("fs"); const fds = ["f", "other"].map((name) => fs.openSync(name));
      const text = (fd) => { const b = Buffer.alloc(99); return b.toString("utf8", 0, fs.readSync(fd, b, 0, 99, 0)); };
      console.log("open"); process.stdin.once("data", () => { console.log(JSON.stringify(fds.map(text))); process.exit(); });`;
    const reader = start(process.execPath, "-e", `process.chdir(${JSON.stringify(on.root)}); ${reads}`);
    await printed(reader, "next");
    for (const path of ["f", "other"])
      await on.workspace.write({ path, content: "fresh\n", base: sha("old\n") });
    reader.stdin!.write("now\n");
    expect(JSON.parse(await printed(reader, "next"))).toEqual(["fresh\n", "old\n"]);
  });

  it("is undone in place also where nobody asks for that", async () => {
    const on = await ground({ f: "old\n" }, { inPlacePaths });
    const inode = inodeOf(on);
    await on.workspace.write({ path: "f", content: "new\n", base: sha("old\n") });
    const other = await on.again({ inPlacePaths: [] });
    expect((await other.undo({ path: "f" })).code).toBe("applied");
    expect([on.text("f"), inodeOf(on)]).toEqual(["old\n", inode]);
  });

  it("is refused by its name among several files, and alone it is changed", async () => {
    const on = await ground({ f: "one\n", a: "one\n", x: "x" }, { inPlacePaths });
    const inode = inodeOf(on);
    const text = (path: string) => ({
      path,
      base: sha("one\n"),
      content: { kind: "text", text: "two\n" } as const,
    });
    const both = await on.workspace.applyChanges({ changes: [text("a"), text("f")] });
    expect(both.success).toBe(false);
    expect(both.files.map(({ path, outcome }) => [path, outcome.code])).toEqual([
      ["a", "not_applied"],
      ["f", "cannot_preserve"],
    ]);
    const alone = { kind: "apply_changes", changes: [text("f")] } as const;
    const preview = await on.workspace.preview(alone);
    expect(preview).toMatchObject({ kind: "preview", files: [{ agreed: { inPlace: true } }] });
    expect((await on.workspace.applyChanges(alone)).files[0]?.outcome.code).toBe("applied");
    expect([on.text("a"), on.text("f"), inodeOf(on)]).toEqual(["one\n", "two\n", inode]);
    const bit = { ...text("f"), base: sha("two\n"), isExecutable: true };
    const mode = await on.workspace.applyChanges({ changes: [{ ...bit, content: { kind: "same" } }] });
    expect(mode.files[0]?.outcome.code).toBe("cannot_preserve");
    // What replaces no file goes on.
    const gone = { path: "f", base: sha("two\n"), content: { kind: "delete" } as const };
    expect((await on.workspace.applyChanges({ changes: [gone, text("a")] })).success).toBe(true);
  });
});

it.each(["inPlacePaths", "memoryPaths", "allowProtected"])(
  "a glob of %s that is none is refused",
  async (option) => {
    const on = await ground();
    const opened = await openWorkspace({ roots: [on.root], stateDir: on.stateDir, [option]: ["a", "[z-a]"] });
    expect(opened).toMatchObject({ kind: "refusal", code: "invalid_arguments" });
  },
);

describe("a process that is killed while it writes in place", () => {
  const sizes = { old: 8_000_000, new: 30_000_000 };

  /** Kills at this moment. @returns what the next start finds. */
  async function killed(moment: (on: Ground) => Promise<unknown>) {
    const old = "o".repeat(sizes.old);
    const on = await ground({ f: old });
    const inode = inodeOf(on);
    const args = [fixture("in-place.mjs"), builtRoom(), on.root, on.stateDir, sha(old), `${sizes.new}`];
    const child = start(process.execPath, ...args);
    await printed(child, "next");
    await moment(on);
    await endProcess(child);
    const left = on.text("f");
    const named: string[] = [];
    const next = await on.again({ onHalfWritten: (path) => named.push(path) });
    const isHalf = left !== old && left !== "n".repeat(sizes.new);
    expect(named).toEqual(isHalf ? [join(on.root, "f")] : []);
    if (left !== old) expect((await next.undo({ path: "f" })).code).toBe("applied");
    expect([on.text("f") === old, inodeOf(on)]).toEqual([true, inode]);
    // Said once.
    await on.again({ onHalfWritten: (path) => named.push(path) });
    expect(named).toHaveLength(isHalf ? 1 : 0);
    return isHalf;
  }

  it(
    "in the middle of it: the next start names the file, and an undo puts the old bytes back",
    async () => {
      const grows = (on: Ground) => until(() => statSync(join(on.root, "f")).size !== sizes.old);
      const halves: boolean[] = [];
      while (!halves.includes(true) && halves.length < 10) {
        const watched = async (on: Ground) => {
          const end = performance.now() + hangMs;
          while (statSync(join(on.root, "f")).size === sizes.old && performance.now() < end);
        };
        halves.push(await killed(halves.length % 2 === 0 ? watched : grows));
      }
      expect(halves).toContain(true);
    },
    hangMs,
  );

  it(
    "at any moment: the file is old, or new, or named",
    async () => {
      for (let round = 0; round < 6; round += 1)
        await killed(() => new Promise((resolve) => setTimeout(resolve, Math.random() * 400)));
    },
    hangMs,
  );
});

it.runIf(hasStrace)("the old bytes are on the disk before the first of them goes", async () => {
  const [old, one] = ["old\n".repeat(40), "one more\n"];
  const on = await ground({ f: old }, { inPlacePaths });
  await on.workspace.append({ path: "f", content: one });
  // The second state is kept as what it adds to the first.
  const states = [sha(old), sha(old + one)];
  const trace = join(on.stateDir, "trace");
  const watch = ["-f", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,pwrite64,ftruncate"];
  const write = [fixture("in-place.mjs"), builtRoom(), on.root, on.stateDir, states[1] ?? "", "9"];
  await printed(start("strace", ...watch, process.execPath, ...write), "all");
  expect(on.text("f")).toBe("n".repeat(9));
  const calls = readFileSync(trace, "utf8").split("\n");
  const gone = calls.findIndex((call) => /(pwrite64|ftruncate)\(\d+<[^>]*\/f>/.test(call));
  const isSynced = (name: string) => calls.findIndex((call) => /sync\(/.test(call) && call.includes(name));
  for (const name of [...states.map((state) => state.slice(2)), "/intents>"]) {
    expect(isSynced(name)).toBeGreaterThanOrEqual(0);
    expect(isSynced(name)).toBeLessThan(gone);
  }
});

function appending(path: string, pauseMs: number): string {
  const append = `fs.appendFileSync(${JSON.stringify(path)}, "theirs " + at++ + "\\n")`;
  return `let at = 0; const fs = require("fs"); setInterval(() => ${append}, ${pauseMs});`;
}

describe("beside a program that appends", () => {
  /** Lets both append. @returns the answers of ours, and the lines of the file. */
  async function together(count: number, pauseMs: number, ...before: readonly string[]) {
    const on = await ground({ f: "begin\n" });
    const theirs = start(process.execPath, "-e", appending(join(on.root, "f"), pauseMs));
    await until(() => on.text("f") !== "begin\n");
    const [command = "", ...args] = [...before, process.execPath, fixture("in-place.mjs"), builtRoom()];
    const ours = start(command, ...args, on.root, on.stateDir, "lines", `${count}`);
    await printed(ours, "next");
    const answers = (await printed(ours, "all")).trim().split("\n");
    await endProcess(theirs);
    return { on, answers: answers.map((line) => JSON.parse(line) as Record<string, string>) };
  }

  async function check(count: number, pauseMs: number, ...before: readonly string[]) {
    const { on, answers } = await together(count, pauseMs, ...before);
    const bytes = readFileSync(join(on.root, "f"));
    const lines = bytes.toString().trimEnd().split("\n");
    const of = (whose: string) => lines.filter((line) => line.startsWith(whose));
    const landed = answers.flatMap(({ code }, at) => (code === "applied" ? [`ours ${at}`] : []));
    expect(of("ours")).toEqual(landed);
    expect(of("theirs")).toEqual(of("theirs").map((_, at) => `theirs ${at}`));
    expect(lines).toHaveLength(1 + of("ours").length + of("theirs").length);
    // Both only add, so each state that was told is a beginning of what stands there now.
    const beginnings = new Set<string>();
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1))
      beginnings.add(sha(bytes.subarray(0, end + 1)));
    for (const { sha256 = "" } of answers) expect(beginnings).toContain(sha256);
    return { on, answers, theirs: of("theirs").length };
  }

  it(
    "no line of either is lost, and each answer is true",
    async () => {
      const { answers, theirs } = await check(40, 3);
      expect(answers.filter(({ code }) => code === "applied").length).toBeGreaterThan(20);
      expect(theirs).toBeGreaterThan(0);
    },
    hangMs,
  );

  it.skipIf(!hasStrace)(
    "also where its line comes between the last look and ours, and the undo keeps that",
    async () => {
      const delay = [
        "strace",
        "--seccomp-bpf",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=write",
        "-e",
        "inject=write:delay_enter=400000",
      ];
      const { on, answers } = await check(4, 200, ...delay);
      expect(answers.map(({ message }) => message).join()).toContain("in the same moment");
      const before = on.text("f");
      await on.again();
      if (before.endsWith("ours 3\n")) {
        expect((await on.workspace.undo({ path: "f" })).code).toBe("applied");
        expect(on.text("f")).toBe(before.slice(0, -"ours 3\n".length));
      }
    },
    hangMs,
  );
});
