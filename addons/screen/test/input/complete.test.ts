import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { openWorkspace } from "@holdfast/core/node";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  begunMention,
  expandInput,
  type Mention,
  mentionLike,
  parseMentions,
  writtenMention,
} from "../../../../packages/agent/src/input/expand-input.js";
import { completeCommand, completeLine, completeMention, dayWords } from "../../src/input/complete.js";

const names = [
  "README.md",
  "src/index.ts",
  "src/inner/deep.ts",
  "src/my file.ts",
  "app/[id].tsx",
  "it's.txt",
  "dot.",
  "f:20",
  ".env.example",
  ".gitignore",
  "out/made.txt",
];
let workspace: Workspace;
let close: () => Promise<void>;

beforeAll(async () => {
  const place = mkdtempSync(join(tmpdir(), "holdfast-complete-"));
  for (const name of names) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), name === ".gitignore" ? "out/\n" : `${name}\n`);
  }
  const opened = await openWorkspace({ roots: [place], stateDir: `${place}-state` });
  if (isRefusal(opened)) throw new Error(opened.message);
  workspace = opened;
  close = async () => {
    await opened.close();
    for (const folder of [place, `${place}-state`]) rmSync(folder, { recursive: true });
  };
});
afterAll(() => close());

const completed = (text: string) => completeMention(text, { workspace, servers: ["docs"] });

describe("what a mention may become", () => {
  it.each<readonly [string, readonly string[]]>([
    ["no mention", []],
    ["me@READ", []],
    ["\\@READ", []],
    ["@README.md and", []],
    ["look at @READ", ["@README.md"]],
    ["(@READ", ["@README.md"]],
    ["@sr", ["@src/"]],
    ["@src/", ["@src/index.ts", "@src/inner/", "@src/my\\ file.ts"]],
    ["@src/in", ["@src/index.ts", "@src/inner/"]],
    ["@src/my\\ f", ["@src/my\\ file.ts"]],
    ['@"src/my f', ['@"src/my file.ts"']],
    ['@"sr', ['@"src/']],
    ["@'src/my f", ["@'src/my file.ts'"]],
    ["@'it", ["@it\\'s.txt"]],
    ["@app/", ["@app/\\[id\\].tsx"]],
    ["@dot", ["@dot\\."]],
    ["@f", ['@"f:20"']],
    ["@.e", ["@.env.example"]],
    ["@deep", ["@src/inner/deep.ts"]],
    ["@doc", ["@docs:"]],
    // Ignored, and nowhere.
    ["@ou", []],
    ["@made", []],
    ["@src/nothing", []],
    ["@nowhere/", []],
    ["@../", []],
    ["@README.md @src/ind", ["@src/index.ts"]],
  ])("at the end of %j is %j", async (text, candidates) => {
    const { from, candidates: found } = await completed(text);
    expect(found).toEqual(candidates);
    if (found.length > 0) expect(text[from]).toBe("@");
  });

  it("offers at a lone @ what lies in the root, without hidden and ignored names", async () => {
    const { candidates } = await completed("see @");
    expect(new Set(candidates)).toEqual(
      new Set(["@README.md", "@src/", "@app/", "@it\\'s.txt", "@dot\\.", '@"f:20"', "@docs:"]),
    );
  });

  it("offers no more than it may, and says that there are more", async () => {
    expect(await completeMention("@", { workspace, most: 2 })).toMatchObject({ more: true });
  });

  it("offers nothing when the time is over", async () => {
    const { candidates } = await completeMention("@", { workspace, signal: AbortSignal.abort() });
    expect(candidates).toEqual([]);
  });

  it("is a file for whoever sends it", async () => {
    for (const typed of ["@src/", '@"src/', "@app/", "@dot", "@f", "@'it"]) {
      const { candidates } = await completed(typed);
      for (const candidate of candidates.filter((one) => !one.endsWith("/"))) {
        const input = await expandInput(`see ${candidate}`, { workspace });
        expect([candidate, input.kind === "expanded" && input.staged.length]).toEqual([candidate, 1]);
      }
    }
  });

  it("is read as the name that it was made of, however it was begun", () => {
    const anyName = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((name) => !/[\n\0]/.test(name));
    fc.assert(
      fc.property(anyName, fc.constantFrom(undefined, '"' as const, "'" as const), (name, quote) => {
        const begun = quote === undefined ? {} : { quote };
        const [mention] = parseMentions(mentionLike(name, begun, false)).filter(
          (part): part is Mention => part.kind === "mention",
        );
        expect(mention?.path).toBe(name);
        expect(mention?.range).toBeUndefined();
        expect(begunMention(mentionLike(name, begun, true))?.path).toBe(name);
      }),
      { numRuns: 300 },
    );
  });
});

it.each([
  [0, "today 12:00"],
  [13 * 3_600_000, "yesterday 23:00"],
  [36 * 3_600_000, "yesterday 00:00"],
  [3 * 86_400_000, "3 days ago"],
  [30 * 86_400_000, "2026-10-31"],
])("says when it was, %i ms ago", (ms, words) => {
  const now = new Date(2026, 10, 30, 12).getTime();
  expect(dayWords(now - ms, now)).toBe(words);
});

describe("what a command may become", () => {
  it.each([
    ["/ta", 1, ["task"]],
    ["/task re", 6, ["resume", "restart"]],
    ["/task pop --f", 10, ["--files"]],
    ["/task pop --files k", 18, ["keep"]],
    ["/mode p", 6, ["plan"]],
    ["/file track sr", 12, ["src/a.ts", '"src/b c.ts"']],
    ["/file track src/a.ts ", 21, []],
    ["/memory o", 8, ["on", "off"]],
    ["/undo ", 6, ["--preview", "--consent"]],
    ["/cost ", 6, []],
    ["hello /ta", 9, []],
    ["/nothing x", 9, []],
  ])("%s", (line, from, candidates) => {
    const path = () => ["src/a.ts", "src/b c.ts"];
    expect(completeCommand(line, { path })).toEqual({ from, candidates });
  });

  it.each([
    ["/odel", ["model"]],
    ["/consent", ["mode"]],
    ["/task summ", ["start", "complete"]],
    ["/clip", ["copy"]],
  ])("%s, by what it has in it or is said of it", (line, candidates) => {
    expect(completeCommand(line).candidates).toEqual(expect.arrayContaining(candidates));
  });

  it("with a sentence beside each", async () => {
    const { candidates, says } = await completeLine("/", undefined);
    for (const name of candidates)
      expect([name, says?.get(name)]).toEqual([name, expect.stringMatching(/\S/u)]);
    expect(says?.get("task")).toBe("start, complete, cancel, pop, resume, restart, list");
    expect(says?.get("tour")).toMatch(/only Holdfast/u);
    const { says: second } = await completeLine("/task ", undefined);
    expect(second?.get("list")).toMatch(/^Lists the tasks/u);
  });

  it("a prompt that was written down", () => {
    const named = {
      command: (begun: string) => ["db:seed", "plain"].filter((name) => name.startsWith(begun)),
    };
    expect(completeCommand("/db", named)).toEqual({ from: 1, candidates: ["db:seed"] });
    expect(completeCommand("/help pl", named)).toEqual({ from: 6, candidates: ["plain"] });
    // One whose sentence alone has it is no second choice.
    expect(completeCommand("/his", { command: () => ["this"] }).candidates).toEqual(["history"]);
  });
});

const mentionsIn = (text: string) =>
  parseMentions(text).filter((part): part is Mention => part.kind === "mention");
const pathsIn = (text: string) =>
  mentionsIn(text).map(({ path, range }) =>
    range === undefined ? path : `${path} ${range.from}-${range.to}`,
  );

describe("what @ names", () => {
  it.each<readonly [string, readonly string[]]>([
    ["no mention at all", []],
    ["a lone @ sign, and @", []],
    ["@a.ts", ["a.ts"]],
    ["look at @src/a.ts please", ["src/a.ts"]],
    ["@a.ts @b.ts,@c.ts", ["a.ts", "b.ts,@c.ts"]],
    ["(@a.ts)", ["a.ts"]],
    ["see @a.ts.", ["a.ts"]],
    ["see @a.ts, and", ["a.ts"]],
    ["is it @a.ts?", ["a.ts"]],
    ["it is @a.ts!", ["a.ts"]],
    ["@a.ts: the first", ["a.ts"]],
    ["@a.ts; and", ["a.ts"]],
    ["[@a.ts]", ["a.ts"]],
    ["{@a.ts}", ["a.ts"]],
    ["`@a.ts`", ["a.ts"]],
    ["'@a.ts'", ["a.ts"]],
    ["@a.ts...", ["a.ts"]],
    ["@.env.example", [".env.example"]],
    ["@../x/./y", ["../x/./y"]],
    ["@/abs/path", ["/abs/path"]],
    ["@src/", ["src/"]],
    ["@src/**/*.ts", ["src/**/*.ts"]],
    ["@my\\ file.txt here", ["my file.txt"]],
    ['@"my file.txt" here', ["my file.txt"]],
    ["@'my file.txt', and", ["my file.txt"]],
    ["@file\u202fname.txt", ["file"]],
    ["@f.ts:20-50", ["f.ts 20-50"]],
    ["@f.ts:20", ["f.ts 20-20"]],
    ["@f.ts:20-50, then", ["f.ts 20-50"]],
    ['@"a b.ts":3-4', ["a b.ts 3-4"]],
    ["@f.ts:0", ["f.ts:0"]],
    ["@f.ts:9-3", ["f.ts 9-9"]],
    ["mail me@example.com", []],
    ["\\@a.ts", []],
    ['@"', []],
    ['@""', []],
    ["@@a.ts", ["@a.ts"]],
    ["@@ -1,3 +1,4 @@ function f() {", []],
    ["@@@ -1 -1 +1 @@@", []],
    ["line\n@a.ts\nline", ["a.ts"]],
  ])("in %j is %j", (text, paths) => {
    expect(pathsIn(text)).toEqual(paths);
  });

  it("leaves all words as they were written, and \\@ as the sign itself", () => {
    const text = "a @b.ts c \\@d e";
    const parts = parseMentions(text);
    expect(parts.map((part) => (part.kind === "words" ? part.text : part.written)).join("")).toBe(
      "a @b.ts c @d e",
    );
  });

  it("is the name that was written, for every name that can be", () => {
    const names = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((name) => !/[\n\0]/.test(name));
    fc.assert(
      fc.property(names, (name) => {
        const written = writtenMention(name);
        const [mention] = mentionsIn(`see ${written} now`);
        expect(mention?.path).toBe(name);
        expect(mention?.range).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
