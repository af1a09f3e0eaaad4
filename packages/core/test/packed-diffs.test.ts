import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { currentBase } from "@holdfast/core/files/values";
import { applyDiff } from "@holdfast/core/patch";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ground, ground } from "./support.js";

type Files = Readonly<Record<string, Uint8Array>>;

function git({ root }: Ground, args: string): Buffer {
  const config = "-c user.name=a -c user.email=a@b -c core.autocrlf=false -c core.fileMode=true";
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const options = { cwd: root, env, stdio: "pipe", maxBuffer: 1 << 28 } as const;
  return execFileSync("git", [...config.split(" "), ...args.split(" ")], options);
}

/** The bytes and the bit of each file, as text. */
function treeOf({ root }: Ground): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/^\.git/.test(name),
  );
  const show = (name: string) =>
    `${statSync(join(root, name)).mode & 0o100 ? "x " : ""}${readFileSync(join(root, name)).toString("latin1")}`;
  return Object.fromEntries(names.sort().map((name) => [name, show(name)]));
}

function fill(on: Ground, files: Files): void {
  for (const name of readdirSync(on.root)) if (name !== ".git") rmSync(join(on.root, name));
  for (const [name, bytes] of Object.entries(files)) {
    on.put(name, bytes);
    if (name.startsWith("x")) chmodSync(join(on.root, name), 0o755);
  }
}

/** A folder in the first state, the diff of git to the second one, and that state. */
async function between(before: Files, after: Files, options: string) {
  const on = await ground();
  git(on, "init -q");
  fill(on, before);
  git(on, "add -A");
  git(on, "commit -q --allow-empty -m a");
  fill(on, after);
  const wanted = treeOf(on);
  git(on, "add -A");
  const diff = git(on, `diff --cached ${options}`);
  git(on, "reset -q --hard");
  return { on, diff, wanted, had: treeOf(on) };
}

function apply({ workspace }: Ground, diff: string | Buffer) {
  const text = typeof diff === "string" ? diff : diff.toString("latin1");
  return workspace.applyChanges({ diff: text, isBytes: true, otherBase: currentBase });
}

const noise = (size: number, seed: number) => {
  const bytes = Buffer.alloc(size);
  let state = seed + 1;
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
};
/** Bytes of each kind: noise that must be literal, text with a NUL, text that is no UTF-8, text, nothing. */
const content = fc.oneof(
  fc
    .record({ size: fc.integer({ min: 1, max: 3_000 }), seed: fc.nat(1_000) })
    .map(({ size, seed }) => noise(size, seed)),
  fc
    .array(fc.constantFrom("one\n", "two\r\n", "\0", "line of text\n"), { maxLength: 60 })
    .map((all) => Buffer.from(all.join(""))),
  fc
    .array(fc.constantFrom("é\n", "b\n", "c\n"), { maxLength: 9 })
    .map((all) => Buffer.from(all.join(""), "latin1")),
  fc.constant(Buffer.alloc(200_000, "all of it the same, and a byte \0 in between. ")),
  fc.constant(Buffer.alloc(0)),
);
/** What becomes of a file: other bytes at a place, so that git writes a delta, or other content, nothing, another name. */
const change = fc.oneof(
  fc.record({
    kind: fc.constant("splice" as const),
    at: fc.nat(100),
    gone: fc.nat(40),
    put: fc.uint8Array({ maxLength: 90 }),
  }),
  fc.record({ kind: fc.constant("content" as const), bytes: content }),
  fc.constantFrom({ kind: "same" as const }, { kind: "goes" as const }, { kind: "moves" as const }),
);
const pair = fc
  .array(fc.record({ before: fc.option(content), change, mode: fc.constantFrom("", "", "x") }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((files) => {
    const [before, after]: [Record<string, Uint8Array>, Record<string, Uint8Array>] = [{}, {}];
    for (const [at, { before: old, change, mode }] of files.entries()) {
      const name = `${mode}f${at}`;
      if (old !== null) before[name] = old;
      const base = Buffer.from(old ?? "");
      const from = Math.floor((base.length * Math.min(100, "at" in change ? change.at : 0)) / 100);
      if (change.kind === "splice")
        after[name] = Buffer.concat([base.subarray(0, from), change.put, base.subarray(from + change.gone)]);
      if (change.kind === "content") after[name] = change.bytes;
      if (old !== null && change.kind === "same") after[name] = old;
      if (old !== null && change.kind === "moves") after[`${name}moved`] = old;
    }
    return { before, after };
  });
const options = fc.constantFrom(
  "--binary",
  "--binary --no-renames",
  "--binary -M40%",
  "--binary -U0",
  "--binary --patience --no-prefix",
);

describe("bytes that git packed", () => {
  it("come to git's very tree, and are known again", async () => {
    await fc.assert(
      fc.asyncProperty(pair, options, async ({ before, after }, options) => {
        const { on, diff, wanted } = await between(before, after, options);
        if (diff.length === 0) return;
        const outcome = await apply(on, diff);
        expect(outcome.success ? treeOf(on) : outcome).toEqual(wanted);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 25) },
    );
  });

  const old = { f: noise(2_000, 1), g: Buffer.from("one\n") };
  const fresh = { f: Buffer.concat([noise(1_000, 1), noise(900, 2)]), g: Buffer.from("two\n") };
  const other = { f: noise(2_000, 3), g: Buffer.from("one\n") };
  type Spoil = (diff: string) => string;
  const withoutBack: Spoil = (diff) =>
    diff.replace(/(literal|delta) \d+\n[^\n]+\n(?:[^ ]+\n)*\n(?=diff)/, "");
  const shortened: Spoil = (diff) => diff.replace(/^index (\w{7})\w*\.\.(\w{7})\w*/m, "index $1..$2");
  const withoutIndex: Spoil = (diff) => diff.replace(/^index .*\n(?=GIT)/m, "");
  const cases: readonly (readonly [
    string,
    { from?: Files; to?: Files; had?: Files; spoil?: Spoil },
    string,
  ])[] = [
    ["without the line `index`", { spoil: withoutIndex }, "done"],
    ["without the way back", { spoil: withoutBack }, "done"],
    ["without both", { spoil: (diff) => withoutBack(withoutIndex(diff)) }, "nothing proves them"],
    [
      "the first digits of names and no way back",
      { spoil: (diff) => withoutBack(shortened(diff)) },
      "nothing proves",
    ],
    ["the same with the way back", { spoil: shortened }, "done"],
    ["another file of the same size", { had: other }, "another content"],
    ["the same without `index`", { had: other, spoil: withoutIndex }, "do not lead back"],
    [
      "another file by a delta alone",
      { had: { ...old, f: noise(3, 3) }, spoil: withoutIndex },
      "made for other bytes",
    ],
    [
      "another new name",
      { spoil: (diff) => diff.replace(/(\.\.)\w{12}/, "$1000011112222") },
      "do not come to the content",
    ],
    ["a damaged digit", { spoil: (diff) => diff.replace(/^(z.{20})./m, '$1"') }, "refused"],
    [
      "a digit for another",
      { spoil: (diff) => diff.replace(/^(z.{20})(.)/m, (_, head, one) => head + (one === "0" ? "1" : "0")) },
      "damaged",
    ],
    ["a line less", { spoil: (diff) => diff.replace(/^z.*\n/m, "") }, "damaged"],
    [
      "a size that is not so",
      { spoil: (diff) => diff.replace(/(literal|delta) (\d+)/, "$1 9$2") },
      "damaged",
    ],
    [
      "nothing below the line",
      { spoil: (diff) => diff.replace(/(GIT binary patch\n)[\s\S]*?(?=diff --git a\/g)/, "$1") },
      "no lines: it is binary",
    ],
    [
      "a third part",
      { spoil: (diff) => diff.replace(/^((?:literal|delta) [\s\S]*?\n\n)/m, "$1$1") },
      "refused",
    ],
    ["a file that is gone", { had: { g: old.g } }, "no file"],
    ["a deletion", { to: { g: fresh.g } }, "done"],
    ["a deletion of another file", { to: { g: fresh.g }, had: other }, "another content"],
    ["a creation", { from: { g: old.g } }, "done"],
    ["a creation where a file stands", { from: { g: old.g }, had: other }, "a file of this name already"],
  ];
  it.each(cases)("are taken where they are proved, or the whole is refused: %s", async (_, given, says) => {
    const { from = old, to = fresh, spoil = (diff: string) => diff } = given;
    const { on, diff, wanted } = await between(from, to, "--binary");
    fill(on, given.had ?? from);
    const [had, asked] = [treeOf(on), spoil(diff.toString("latin1"))];
    if (given.spoil !== undefined) expect(asked).not.toBe(diff.toString("latin1"));
    const outcome = await apply(on, asked);
    if (says === "done") expect(outcome).toMatchObject({ success: true });
    else if (says === "refused") expect(outcome).toMatchObject({ success: false });
    else expect(outcome.message).toContain(says);
    expect(treeOf(on)).toEqual(says === "done" ? wanted : had);
  });

  it("are told as done a second time, and the undo brings the old ones back", async () => {
    const { on, diff, had } = await between(old, fresh, "--binary");
    expect(await apply(on, diff)).toMatchObject({ success: true });
    expect(await apply(on, diff)).toMatchObject({ code: "already_applied" });
    expect(await on.workspace.undo({ path: "f" })).toMatchObject({ success: true });
    expect(treeOf(on)).toEqual(had);
  });

  it("never unpack to more than a file may have", async () => {
    const { diff } = await between({}, { f: Buffer.alloc(300_000) }, "--binary");
    const small = await ground({}, { limits: { changeBytes: 200_000 } });
    expect(await apply(small, diff)).toMatchObject({ message: expect.stringContaining("too large") });
  });

  it("are no lines of one file: the patch tool names what takes them", async () => {
    const { diff } = await between({ f: old.f }, { f: fresh.f }, "--binary");
    expect(applyDiff({ base: "x\n", diff: diff.toString("latin1") })).toMatchObject({ asks: "packed" });
  });
});

describe("modes of files that exist", () => {
  /** Whether each file may be run, before and after; its bytes change, or its name, or neither. */
  const file = fc.record({
    bits: fc.tuple(fc.boolean(), fc.boolean()),
    rest: fc.constantFrom("same", "lines", "bytes", "name"),
  });
  const bitOf = (on: Ground, name: string) => (statSync(join(on.root, name)).mode & 0o111) !== 0;

  async function committed(files: readonly { bits: readonly [boolean, boolean]; rest: string }[]) {
    const on = await ground();
    git(on, "init -q");
    const put = (name: string, bytes: string | Uint8Array, bit: boolean) => {
      on.put(name, bytes);
      chmodSync(join(on.root, name), bit ? 0o750 : 0o640);
    };
    for (const [at, { bits }] of files.entries())
      put(`f${at}`, at % 2 === 0 ? noise(900, at) : `a\nb\n${at}\n`, bits[0]);
    git(on, "add -A");
    git(on, "commit -q --allow-empty -m a");
    for (const [at, { bits, rest }] of files.entries()) {
      const old = on.bytes(`f${at}`);
      const bytes =
        rest === "lines" || rest === "bytes" ? Buffer.concat([old, Buffer.from(`${rest}\n`)]) : old;
      if (rest === "name") rmSync(join(on.root, `f${at}`));
      put(rest === "name" ? `g${at}` : `f${at}`, bytes, bits[1]);
    }
    const wanted = treeOf(on);
    git(on, "add -A");
    const diff = git(on, "diff --cached --binary -M").toString("latin1");
    git(on, "reset -q --hard");
    for (const [at, { bits }] of files.entries()) chmodSync(join(on.root, `f${at}`), bits[0] ? 0o750 : 0o640);
    return { on, diff, wanted, had: treeOf(on) };
  }
  const asked = (on: Ground, diff: string, modes?: "change" | "keep") =>
    on.workspace.applyChanges({
      diff,
      isBytes: true,
      otherBase: currentBase,
      ...(modes === undefined ? {} : { modes }),
    });

  it("change with a yes, are named, and come back with an undo; stay with a no; and are asked for", async () => {
    const lists = fc.array(file, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(lists, async (files) => {
        const { on, diff, wanted, had } = await committed(files);
        if (diff === "") return;
        const changes = /^new mode/m.test(diff);
        const unsaid = await asked(on, diff);
        expect(unsaid.success).toBe(!changes);
        if (!changes) return;
        expect(unsaid.message).toContain("gives");
        expect(treeOf(on)).toEqual(had);
        const done = await asked(on, diff, "change");
        expect(done.success ? treeOf(on) : done).toEqual(wanted);
        expect(
          done.files.filter(({ outcome }) => /may (not )?be run now/.test(outcome.message)).length,
        ).toBeGreaterThan(0);
        const [first] = done.files.filter(({ outcome }) => outcome.kind === "written");
        expect(await on.workspace.undo({ path: first?.path ?? "" })).toMatchObject({ success: true });
        expect(treeOf(on)).toEqual(had);
        for (const [at, { bits }] of files.entries())
          expect(statSync(join(on.root, `f${at}`)).mode & 0o777).toBe(bits[0] ? 0o750 : 0o640);
        const kept = await asked(on, diff, "keep");
        expect(kept.message).toMatch(/Left out: the mode 100(755|644) of f\d/);
        for (const [at, { bits, rest }] of files.entries())
          expect(bitOf(on, rest === "name" && kept.success ? `g${at}` : `f${at}`)).toBe(bits[0]);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 15) },
    );
  });

  it("give whoever may read the file the right to run it, and nobody else", async () => {
    const { on, diff } = await committed([{ bits: [false, true], rest: "same" }]);
    expect(await asked(on, diff, "change")).toMatchObject({ success: true });
    expect(statSync(join(on.root, "f0")).mode & 0o777).toBe(0o750);
    expect(await asked(on, diff, "change")).toMatchObject({ success: true, code: "no_change" });
  });
});
