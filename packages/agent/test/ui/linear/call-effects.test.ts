import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Case, casesOf, otherNames, put } from "../../../../core/test/tools/argument-law.js";
import { lawTools, servedNames } from "../../../../core/test/tools/law-calls.js";
import { callLines } from "../../../src/ui/linear/call-lines.js";
import { openCalled } from "../../loop/called.js";

/** What the lines of a call say is what happened to the files, whatever the call asked for. */
const cases = casesOf({ tools: lawTools(servedNames), open: () => Promise.reject(new Error("never")) });

const step = fc.record({
  one: fc.constantFrom(...cases),
  isFresh: fc.boolean(),
  renamed: fc.option(fc.nat(), { nil: undefined }),
  stray: fc.option(fc.constant("../elsewhere"), { nil: undefined, freq: 4 }),
  isTwice: fc.boolean(),
});

const runs = Number(process.env.HOLDFAST_RUNS ?? 12);

test("a call's lines say what was done, and nothing else", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
      const stage = await openCalled();
      for (const { one, isFresh, renamed, stray, isTwice } of steps) {
        for (const first of one.call.first ?? []) await stage.call(...first);
        for (let time = 0; time < (isTwice ? 2 : 1); time += 1) {
          const before = treeOf(stage.files());
          const args = argsOf(one, isFresh ? before : undefined, renamed, stray);
          const call = await stage.call(one.tool.name, args);
          const rows = callLines(call).map((line) => line.map(({ text }) => text).join(""));
          const after = treeOf(stage.files());
          check({ tool: one.tool.name, args, rows, code: call.code }, before, after);
          seen.add(call.code);
        }
      }
      await stage.close();
    }),
    { numRuns: runs, endOnFailure: true },
  );
  for (const code of ["ok", "applied", "invalid_arguments", "file_missing"]) expect(seen).toContain(code);
});

type Tree = ReadonlyMap<string, string>;

function treeOf(files: string): Tree {
  const [, all]: [number, [string, string][]] = JSON.parse(files);
  return new Map(all.map(([path, text]) => [path.slice(1), text]));
}

/** The call with the hashes of the states that are there, an argument by another name, and one that no tool has. */
function argsOf({ call, sites }: Case, tree: Tree | undefined, renamed?: number, stray?: string): object {
  const site = sites[0];
  const names = site === undefined ? [] : Object.keys(site.value);
  const own = names[(renamed ?? 0) % Math.max(1, names.length)];
  const others =
    site === undefined || own === undefined || renamed === undefined ? [] : otherNames(site, own);
  const other = others[(renamed ?? 0) % Math.max(1, others.length)];
  const entries = Object.entries(site?.value ?? {}).map(([key, value]) => [
    key === own ? (other ?? key) : key,
    value,
  ]);
  const args = site === undefined ? call.args : put(call.args, site, Object.fromEntries(entries));
  const text = JSON.stringify(stray === undefined ? args : { ...args, stray });
  return JSON.parse(tree === undefined ? text : fresh(text, tree));
}

/** The first hash of a call is of the file that it names. */
function fresh(text: string, tree: Tree): string {
  const path =
    /"(?:file_?path|path|source|from|file|filename|absolute_?path)":"([^"]+)"/i.exec(text)?.[1] ?? "";
  const now = tree.get(path);
  const hash = createHash("sha256")
    .update(Buffer.from(now ?? "", "latin1"))
    .digest("hex");
  return now === undefined ? text : text.replace(/[0-9a-f]{64}/, hash);
}

interface Said {
  readonly tool: string;
  readonly args: object;
  readonly rows: readonly string[];
  readonly code: string;
}

function check(said: Said, before: Tree, after: Tree): void {
  const told: string[] = [];
  for (const row of said.rows) {
    // What a call gave and its tool did not take was not done; of one that was refused it is what was asked.
    if (!row.includes("✗")) expect([said, row]).not.toEqual([said, expect.stringContaining("../elsewhere")]);
    const done =
      /^ *(create|edit|delete|move) (?:(\S+) → )?(\S+)((?: \+\d+)?(?: -\d+)?)(?: v\d+)?(?: [0-9a-f]{7})? ✓$/.exec(
        row,
      );
    if (done === null) {
      expect([said, row]).not.toEqual([said, expect.stringMatching(/^(?!read_file ).*✓/)]);
      continue;
    }
    const [, verb = "", from, name = "", counts = ""] = done;
    told.push(name, ...(from === undefined ? [] : [from]));
    const source = from ?? name;
    expect([said, verb]).toEqual([said, verbOf({ from, name }, before, after)]);
    const [old, now] = [before.get(source) ?? "", after.get(name) ?? ""];
    // Of a copy no lines are told: none were written.
    const isCopy = said.tool === "copy_file" && verb === "create";
    expect([said, row, counts]).toEqual([said, row, countsOf(isCopy ? now : old, now)]);
  }
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  expect([said, told.toSorted()]).toEqual([said, changed.toSorted()]);
}

function verbOf(
  { from, name }: { readonly from: string | undefined; readonly name: string },
  before: Tree,
  after: Tree,
) {
  if (from !== undefined) return after.has(from) ? "nothing" : "move";
  if (!after.has(name)) return "delete";
  return before.has(name) ? "edit" : "create";
}

/** Lines that came and went, as few as can be. */
function countsOf(old: string, now: string): string {
  const [from, to] = [linesOf(old), linesOf(now)];
  let row: readonly number[] = to.map(() => 0);
  for (const line of from) {
    const next: number[] = [];
    for (const [at, other] of to.entries())
      next.push(line === other ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0));
    row = next;
  }
  const same = row.at(-1) ?? 0;
  const [added, removed] = [to.length - same, from.length - same];
  return `${added === 0 ? "" : ` +${added}`}${removed === 0 ? "" : ` -${removed}`}`;
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
