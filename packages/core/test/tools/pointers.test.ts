import { runTool } from "@holdfast/core/tools";
import fc from "fast-check";
import { expect, it } from "vitest";
import { makeGround, openMemory, sha256 } from "./ground.js";

const runs = { numRuns: Number(process.env.HOLDFAST_RUNS ?? 40), seed: 45, endOnFailure: true };

/** Names that sort otherwise as text than as bytes, that look like a place in a file, that have to be quoted. */
const fileName = fc.constantFrom(
  "a",
  "b.ts",
  "b.ts:2",
  "B",
  "é",
  "\u{1f600}",
  "\uff5e",
  'q"q',
  "-x",
  "a:1:2",
  "z z",
);
const folderName = fc.constantFrom("d", "d:1", "d.d", "D é", "\u{1f4c1}");
const path = fc
  .tuple(fc.array(folderName, { maxLength: 3 }), fileName)
  .map(([folders, name]) => [...folders, name].join("/"));
const line = fc
  .tuple(
    fc.constantFrom("x", "needle", "日needle", "need"),
    fc.oneof({ weight: 9, arbitrary: fc.nat(9) }, fc.integer({ min: 300, max: 9_000 })),
  )
  .map(([word, times]) => word.repeat(times));
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join("\n") + (isEnded ? "\n" : ""));
const tree = fc.dictionary(path, text, { maxKeys: 14 });
/** Sometimes a budget that cuts by itself, never one that holds nothing. */
const cuts = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(200)),
  budgetChars: fc.constantFrom(6_000, 9_000, 262_144),
  context: fc.nat(2),
});

type Files = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;
interface Ground {
  call(tool: string, args: object, budgetChars?: number): Promise<unknown>;
}

function inMemory(files: Files, limits: object = {}): Ground {
  const { workspace } = openMemory(files, { limits });
  return {
    call: async (tool, args, budgetChars = 262_144) =>
      (await runTool(tool, args, { workspace, wire: "json", budgetChars })).json,
  };
}

/** All answers to a call and to those that its answers name: its own, with one more argument. */
async function follow(on: Ground, tool: string, args: object, budgetChars: number): Promise<readonly Json[]> {
  const answers: Json[] = [];
  for (let next = args; answers.length < 2_000; ) {
    const answer = Object(await on.call(tool, next, budgetChars));
    expect(answer).not.toHaveProperty("success", false);
    answers.push(answer);
    if (answer.more === undefined || answer.more === false) return answers;
    expect(answer.after).toEqual(expect.any(String));
    next = { ...args, after: answer.after };
  }
  throw new Error("The pointers lead round in a circle.");
}

const all = (answers: readonly Json[], name: string) => answers.flatMap((one) => Object(one[name] ?? []));
const pathsOf = (list: readonly Json[]) => list.map((one) => one.path ?? one.file_path);
const foldersOf = (files: Files) => {
  const above = (one: string) =>
    one.split("/").flatMap((_, at, parts) => (at === 0 ? [] : [parts.slice(0, at).join("/")]));
  return [...new Set(Object.keys(files).flatMap(above))];
};
const isClash = (files: Files) => foldersOf(files).some((folder) => folder in files);
const linesOf = (content: string) => content.replace(/\n$/, "").split("\n");

async function holdNames(
  on: Ground,
  files: Files,
  { limit, budgetChars }: { limit: number; budgetChars: number },
) {
  const entries = all(await follow(on, "list_files", { depth: 9, limit }, budgetChars), "entries");
  expect(pathsOf(entries).toSorted()).toEqual([...Object.keys(files), ...foldersOf(files)].toSorted());
  const found = all(await follow(on, "find_files", { glob: "*", limit }, budgetChars), "files");
  expect(pathsOf(found).toSorted()).toEqual(Object.keys(files).toSorted());
}

async function holdMatches(
  on: Ground,
  files: Files,
  { limit, budgetChars, context }: { limit: number; budgetChars: number; context: number },
) {
  const asked = { pattern: "needle", context };
  const matches = all(await follow(on, "search_files", { ...asked, limit }, budgetChars), "matches");
  const places = Object.entries(files).flatMap(([name, content]) =>
    linesOf(content).flatMap((one, at) => (one.includes("needle") ? [`${name}:${at + 1}`] : [])),
  );
  expect(matches.map(({ file_path, line }) => `${file_path}:${line}`).toSorted()).toEqual(places.toSorted());
  // To the letter what one answer would have said.
  const whole = Object(await on.call("search_files", { ...asked, limit: 1_000 }));
  if (whole.more === undefined) expect(matches).toEqual(whole.matches);
  for (const output of ["files", "counts"]) {
    const counted = all(await follow(on, "search_files", { ...asked, output, limit }, budgetChars), "files");
    expect(counted).toEqual(Object(await on.call("search_files", { ...asked, output, limit: 1_000 })).files);
  }
  for (const name of Object.keys(files).slice(0, 2)) {
    const inOne = all(
      await follow(on, "search_files", { ...asked, path: name, limit }, budgetChars),
      "matches",
    );
    expect(inOne).toEqual(matches.filter(({ file_path }) => file_path === name));
  }
}

it("brings every name and every match by the calls that the answers name, each once", async () => {
  await fc.assert(
    fc.asyncProperty(tree, cuts, async (files, cut) => {
      fc.pre(!isClash(files));
      const on = inMemory(files);
      await holdNames(on, files, cut);
      await holdMatches(on, files, cut);
    }),
    runs,
  );
});

it("does so on a real disk, with its order of names and its threads", async () => {
  await fc.assert(
    fc.asyncProperty(tree, cuts, async (files, cut) => {
      fc.pre(!isClash(files));
      const { workspace } = await makeGround(files);
      const call = async (tool: string, args: object, budgetChars = 262_144) =>
        (await runTool(tool, args, { workspace, wire: "json", budgetChars })).json;
      await holdNames({ call }, files, cut);
      await holdMatches({ call }, files, cut);
    }),
    { ...runs, numRuns: Math.ceil(runs.numRuns / 4) },
  );
});

it("goes on behind a name that is gone meanwhile, with every name that is left, in memory and on a disk", async () => {
  const names = fc.uniqueArray(
    fc.oneof(fileName, fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 })),
    {
      minLength: 2,
      maxLength: 9,
    },
  );
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 4 }), async (drawn, limit) => {
      const plain = drawn.filter(
        (name) => /^[^/\\\0.~\n\r\p{C}\s]/u.test(name) && !/[/\\\0\p{C}]/u.test(name),
      );
      const files = Object.fromEntries(plain.map((name) => [name, "x\n"]));
      const onDisk = await makeGround(files);
      const grounds = [openMemory(files), onDisk];
      for (const { workspace } of grounds) {
        const call = async (tool: string, args: object) =>
          Object((await runTool(tool, args, { workspace, wire: "json", budgetChars: 262_144 })).json);
        const first = await call("find_files", { glob: "*", limit });
        if (first.after === undefined) continue;
        const listed = pathsOf(first.files);
        const gone = await call("delete_file", {
          file_path: listed.at(-1),
          base_content_sha256: sha256("x\n"),
        });
        expect(gone).toMatchObject({ success: true });
        const rest = await follow({ call }, "find_files", { glob: "*", limit, after: first.after }, 262_144);
        expect([...listed, ...pathsOf(all(rest, "files"))].toSorted()).toEqual(plain.toSorted());
      }
    }),
    runs,
  );
});

/** A file by what the answers to its reads say; a part of a line comes without its terminator. */
async function readOn(on: Ground, name: string, answer: Json, budgetChars: number): Promise<string> {
  let content = "";
  let one = answer;
  for (let reads = 0; reads < 2_000; reads++) {
    const { from = 1, to = 0, total = 0 } = Object(one.lines);
    const { to: char = 0, of = 0 } = Object(one.chars);
    content += String(one.content ?? "");
    const isWhole = one.lines === undefined && one.content !== undefined;
    if (isWhole || (one.content !== undefined && char >= of && to >= total)) return content;
    const next = char < of ? { offset: from, char_offset: char } : { offset: to + 1 };
    one = Object(await on.call("read_file", { file_path: name, ...next }, budgetChars));
    expect(one).not.toHaveProperty("success", false);
  }
  throw new Error("The pointers lead round in a circle.");
}

it("brings every line of many files, also of those that are cut or left out", async () => {
  const small = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.constantFrom("1\n", "22"), {
    maxKeys: 260,
    size: "max",
  });
  const cases = fc.tuple(fc.oneof(tree, small), fc.constantFrom(5, 700, 20_000), cuts);
  await fc.assert(
    fc.asyncProperty(cases, async ([files, manyReadBytes, { budgetChars }]) => {
      fc.pre(!isClash(files) && Object.keys(files).length > 0);
      const on = inMemory(files, { manyReadBytes });
      const read = new Map<string, string>();
      const names = Object.keys(files);
      for (let after: unknown, calls = 0; calls < 200; calls++) {
        const asked = { paths: names.slice(0, 3), globs: ["**"], ...(after === undefined ? {} : { after }) };
        const answers = Object(await on.call("read_many_files", asked, 4 * budgetChars));
        after = undefined;
        for (const answer of answers) {
          const name = String(answer.file_path);
          if (answer.after !== undefined) after = answer.after;
          else if (answer.code === undefined) {
            expect(read.has(name)).toBe(false);
            read.set(name, await readOn(on, name, answer, budgetChars));
          }
        }
        if (after === undefined) break;
      }
      const bare = (content: string) => content.replaceAll("\n", "");
      expect(Object.fromEntries([...read].map(([name, content]) => [name, bare(content)]))).toEqual(
        Object.fromEntries(Object.entries(files).map(([name, content]) => [name, bare(content)])),
      );
    }),
    runs,
  );
});

it("names the tool that shows the rest, where a refusal lists some places of many", async () => {
  const count = fc.integer({ min: 2, max: 160 });
  await fc.assert(
    fc.asyncProperty(count, fc.constantFrom("text", "headings"), async (times, what) => {
      const content = Array.from({ length: times }, (_, at) => `# needle\n${at}\n`).join("");
      const { workspace } = openMemory({ "a.md": content });
      const context = { workspace, wire: "text" } as const;
      await runTool("read_file", { file_path: "a.md", limit: 1 }, context);
      const { text: said = "" } =
        what === "text"
          ? await runTool("edit_file", { file_path: "a.md", old_string: "needle", new_string: "n" }, context)
          : await runTool(
              "update_section",
              { file_path: "a.md", section_header: "# none", new_content: "n" },
              context,
            );
      const isCut = /(?:and|…) \d+ more\b/.test(said);
      if (times > 100) expect(isCut).toBe(true);
      expect(/read_file shows (?:the others|them)\./.test(said)).toBe(isCut);
    }),
    {
      ...runs,
      examples: [
        [160, "text"],
        [160, "headings"],
      ],
    },
  );
});
