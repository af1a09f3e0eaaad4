import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { foreignNames } from "../../../../packages/core/test/tools/door-words.js";
import { refusedFiles, tenLines } from "../../../../packages/core/test/tools/refused-calls.js";
import {
  attach,
  makeGround,
  newClient,
  type ServerOptions,
  serve,
  transportTo,
} from "../../../../packages/mcp/test/support.js";
import { calls, folder, losses } from "../../../../proof/compat/calls.mjs";
import { contract, hold, ours } from "../../../../proof/compat/contract.mjs";
import { createCompatServer } from "../../src/compat/server.js";
import recording from "./recorded.json" with { type: "json" };

/** The tools of the official filesystem server: their answers, their own words, and one budget for every answer. */
type Args = Readonly<Record<string, unknown>>;

interface Answer {
  readonly isError: boolean;
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structured?: unknown;
}

/** As `holdfast mcp --compat filesystem` serves. */
const limits = { fullReadBytes: 10 * 1024 * 1024, searchMs: 120_000 };
const compat: ServerOptions = { createServer: createCompatServer, limits };

/** A client and a server in the filesystem server's place. In calls and answers `{root}` stands for its folder. */
async function start(files: Readonly<Record<string, string | Uint8Array>>, options: ServerOptions = {}) {
  const ground = await makeGround(files);
  const { root } = ground;
  const client = newClient("compat", "2025-11-25");
  await attach(client, await serve(ground, { ...compat, ...options }));
  const call = async (name: string, args: Args): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: swap(args, "{root}", root) });
    const structured = swap(result.structuredContent, root, "{root}");
    const shown = { isError: result.isError === true, content: swap(result.content, root, "{root}") };
    return structured === undefined ? shown : { ...shown, structured };
  };
  const { tools } = await client.listTools();
  return { ...ground, tools, call, text: async (name: string, args: Args) => textOf(await call(name, args)) };
}

function swap<Value>(value: Value, from: string, to: string): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll(from, to));
}

const textOf = ({ content }: Answer) => String(content[0]?.text);

describe("in the place of the filesystem server, holdfast", () => {
  const inProcess = {
    name: "holdfast",
    transport: async ([root = "", ...otherRoots]: readonly string[], stateDir: string) =>
      transportTo(await serve({ root, stateDir }, { ...compat, otherRoots })),
  };
  // `npm run proof -- compat` holds the program to all of it, and the official server as well.
  test.each(contract.filter(({ ofProgram }) => ofProgram !== true))("$name", (promised) =>
    hold(inProcess, promised),
  );
  test.each(contract.filter(({ name }) => name.includes("is not there, and warns")))(
    "as a program: $name",
    (promised) => hold(ours, promised),
  );
});

test("a client of the stateless revision is asked for its roots again by a call outside of them alone", async () => {
  const { root } = await makeGround({ "one/a.txt": "in one\n", "two/a.txt": "in two\n" });
  const client = newClient("compat", "2026-07-28", { capabilities: { roots: {} } });
  const asked: string[] = [];
  let at = "one";
  client.setRequestHandler("roots/list", () => {
    asked.push(at);
    return { roots: [{ uri: pathToFileURL(join(root, at)).href }] };
  });
  await attach(
    client,
    await serve({ root, stateDir: `${root}.state` }, { ...compat, byClient: true, rootsHoldMs: 0 }),
  );
  const read = async (name: string) => {
    const path = join(root, name, "a.txt");
    const { content } = await client.callTool({ name: "read_text_file", arguments: { path } });
    return JSON.stringify(content);
  };
  for (let times = 0; times < 2; times++) expect(await read("one")).toContain("in one");
  at = "two";
  for (let times = 0; times < 2; times++) expect(await read("two")).toContain("in two");
  expect(asked).toEqual(["one", "two"]);
});

/** What of an answer must be the same: all of it, but for times, and of a diff the lines that change. */
function essence(name: string, answer: Answer): unknown {
  if (answer.isError) return "an error";
  switch (name) {
    case "get_file_info":
      return textOf(answer).replace(/(created|modified|accessed): \w{3} \w{3} .*/g, "$1: a time");
    case "edit_file":
      return textOf(answer)
        .split("\n")
        .filter((line) => /^(`{3,}diff|`{3,}$|[-+])/.test(line));
    case "read_multiple_files":
      return textOf(answer).replace(/Error - .*/g, "Error");
    default:
      return [answer.content, answer.structured];
  }
}

describe(`a client of ${recording.server} ${recording.version}`, () => {
  test("finds the tools that it knows, with the arguments that it knows", async () => {
    const { tools } = await start({});
    const shapes = tools.map(({ name, inputSchema, annotations }) => ({
      name,
      properties: Object.keys(inputSchema.properties ?? {}).sort(),
      required: [...(inputSchema.required ?? [])].sort(),
      readOnly: annotations?.readOnlyHint,
    }));
    expect(shapes).toEqual(recording.tools);
  });

  test("gets for its calls what the official server answered, but for blind overwrites", async () => {
    // A string of the recording stands for bytes.
    const bytes = Object.entries(folder).map(([name, text]) => [name, Buffer.from(text, "latin1")]);
    const { call, get } = await start(Object.fromEntries(bytes));
    const differing: unknown[] = [];
    expect(recording.answers).toHaveLength(calls.length);
    for (const [at, { name, arguments: args }] of calls.entries()) {
      // Of the recorded types the compiler sees one union of all shapes.
      const [answer, official] = [await call(name, args), recording.answers[at] as Answer];
      const [one, other] = [essence(name, answer), essence(name, official)];
      if (JSON.stringify(one) !== JSON.stringify(other)) differing.push([name, args, answer, official]);
    }
    expect(differing).toEqual([]);
    expect(await get("src/shop.js")).toBe(recording.left);
  });
});

describe("where the official server loses bytes, ours does not", () => {
  test.each(losses.map((loss, at) => [loss.about, loss, recording.losses[at]] as const))(
    "%s",
    async (_, loss, official) => {
      const bytes = (base64: string) => Buffer.from(base64, "base64");
      expect(official?.told.every((success) => success)).toBe(true);
      expect(official?.bytes).not.toBe(loss.wanted);
      const { call, put, root } = await start({ "a.txt": bytes(loss.bytes) });
      if (loss.read) await call("read_text_file", { path: "{root}/a.txt" });
      if (loss.meanwhile !== undefined) await put("a.txt", bytes(loss.meanwhile));
      const answers: Answer[] = [];
      const make = async (one: (typeof loss.calls)[number]) =>
        void answers.push(await call(one.name, one.arguments));
      if (loss.together === true) await Promise.all(loss.calls.map(make));
      else for (const one of loss.calls) await make(one);
      expect(readFileSync(join(root, "a.txt")).toString("base64")).toBe(loss.wanted);
      const unchanged = loss.wanted === (loss.meanwhile ?? loss.bytes);
      for (const answer of answers) expect(answer.isError).toBe(unchanged);
    },
  );
});

describe("the compatible tools", () => {
  const edits = [{ oldText: "one", newText: "two" }];
  const to = (content: string, path = "a.txt") => ({ path, content });
  const a = { path: "a.txt" };

  test("refuse a blind overwrite with the file, and let it pass once that was shown", async () => {
    const { call, text } = await start({ "a.txt": "one\n" });
    const refused = await call("write_file", to("two\n"));
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/^FAILED \(not_read\): [\s\S]*The file now holds:\none\n$/);
    expect(await text("write_file", to("two\n"))).toContain("Successfully wrote");
  });

  test.each([{ head: 1 }, { tail: 2 }])("take a read of %j for no licence to overwrite all", async (part) => {
    const { text } = await start({ "a.txt": "one\ntwo\n" });
    await text("read_text_file", { ...a, ...part });
    const refused = await text("write_file", to("one\n"));
    expect(refused).toMatch(/^FAILED \(unseen_lines\): [\s\S]*The file now holds:\none\ntwo\n$/);
    expect(await text("write_file", to("one\n"))).toContain("Successfully wrote");
  });

  test("take for a licence two parts that are all of a file, a diff that shows it, and a move of it", async () => {
    const { call, get } = await start({ "a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n" });
    for (const part of [{ head: 1 }, { tail: 2 }]) await call("read_text_file", { ...a, ...part });
    expect((await call("write_file", to("one\n"))).isError).toBe(false);
    await call("edit_file", { path: "b.txt", edits });
    await call("move_file", { source: "b.txt", destination: "c.txt" });
    expect((await call("write_file", to("new\n", "c.txt"))).isError).toBe(false);
    expect(await get("c.txt")).toBe("new\n");
  });

  test("let a read license no overwrite that was sent together with it", async () => {
    const { text, get } = await start({ "a.txt": "one\n" });
    const answers = [text("read_text_file", a), text("write_file", to("blind\n"))];
    expect((await Promise.all(answers))[1]).toContain("FAILED (not_read)");
    expect(await get("a.txt")).toBe("one\n");
  });

  test("hold an overwrite, an edit and a dry run against the state that was shown last", async () => {
    const { text, put } = await start({ "a.txt": "one\n" });
    const stale = [
      ["write_file", to("two\n")],
      ["edit_file", { ...a, edits, dryRun: true }],
      ["edit_file", { ...a, edits }],
    ] as const;
    for (const [at, [name, args]] of stale.entries()) {
      await text("read_text_file", a);
      await put("a.txt", `one\n${at}\n`);
      const refused = await text(name, args);
      expect(refused).toMatch(/^FAILED \(state_mismatch\): State Mismatch: /);
      // The file as it is, or what changed in the lines that were shown.
      expect(refused).toMatch(new RegExp(`The file now holds:\none\n${at}\n$|\n-${at - 1}\n\\+${at}$`));
    }
    expect(await text("edit_file", { ...a, edits })).toContain("+two");
  });

  test("write anew what was deleted outside; the reason for a refused move is reported", async () => {
    const { text, root } = await start({ "a.txt": "one\n", "src/a.txt": "" });
    await text("read_text_file", a);
    rmSync(join(root, "a.txt"));
    expect(await text("edit_file", { ...a, edits })).toContain("FAILED (file_missing)");
    expect(await text("write_file", to("two\n"))).toContain("Successfully wrote");
    const move = (source: string, destination: string) => text("move_file", { source, destination });
    expect(await move("a.txt", ".git/hooks/pre-commit")).toContain("FAILED (protected_path)");
    expect(await move("src", "lib")).toContain("FAILED (is_directory)");
  });

  test("show in a dry run the diff that the edit then makes, and write nothing", async () => {
    const { call, get } = await start({ "a.txt": "one\n```\n" });
    const shown = await call("edit_file", { ...a, edits, dryRun: true });
    expect(await get("a.txt")).toBe("one\n```\n");
    expect(textOf(shown)).toMatch(/^````diff\n[\s\S]*\n-one\n\+two\n[\s\S]*\n````\n\n$/);
    expect(await call("edit_file", { ...a, edits })).toEqual(shown);
  });

  test("show no lines of a secret in an edit, dry or not, to a client that has not read it", async () => {
    const { text, get } = await start({ ".env": "A=hunter1\nB=hunter2\n" });
    const edit = (oldText: string, newText: string, dryRun: boolean) =>
      text("edit_file", { path: ".env", edits: [{ oldText, newText }], dryRun });
    for (const dryRun of [true, false]) {
      const shown = await edit("A=", "AA=", dryRun);
      expect(shown).toContain("What changed is not shown");
      expect(shown).not.toContain("hunter");
    }
    expect(await get(".env")).toBe("AA=hunter1\nB=hunter2\n");
    await text("read_text_file", { path: ".env" });
    for (const dryRun of [true, false])
      expect(await edit("AA=", "A=", dryRun)).toContain("-AA=hunter1\n+A=hunter1\n");
  });

  test("make folders where they may be, and leave protected paths alone", async () => {
    const { text, root } = await start({ "a.txt": "" });
    const make = (path: string) => text("create_directory", { path });
    await make("x/y");
    expect(existsSync(join(root, "x/y"))).toBe(true);
    expect(await make("a.txt")).toContain("FAILED (exists)");
    expect(await make(".git/hooks")).toContain("FAILED (protected_path)");
    expect(await make("/etc/holdfast")).toContain("FAILED (outside_workspace)");
  });

  test("are the reading tools only where nothing may be written, and name no other", async () => {
    const { tools, text } = await start({}, { readOnly: true });
    expect(tools.map(({ name }) => name)).not.toContain("write_file");
    expect(tools).toHaveLength(10);
    const refused = await text("read_text_file", { path: "none" });
    expect(refused).toContain("file_missing");
    expect(refused).not.toContain("write_file");
  });

  test("understand the arguments of other tools, too", async () => {
    const { text } = await start({ "f.md": "one\ntwo\n" });
    expect(await text("read_text_file", { file_path: "f.md", head: "1" })).toContain("one");
    await text("read_text_file", { filePath: "f.md" });
    const flat = { file_path: "f.md", old_string: "two", new_string: "2" };
    expect(await text("edit_file", flat)).toContain("+2");
    expect(await text("read_text_file", { path: "f.md", file_path: "g.md" })).toContain(
      'path ("f.md") and file_path ("g.md") mean the same argument and differ',
    );
    expect(await text("search_files", { path: ".", patern: "*" })).toContain(
      "search_files has no argument patern; did you mean pattern? It takes path, pattern, excludePatterns.",
    );
    const appended = { path: "f.md", content: "three\n", mode: "append" };
    expect(await text("write_file", appended)).toContain("write_file has no argument mode.");
    expect(await text("read_text_file", { path: "f.md", lines: 1 })).toMatch(
      /^one\n2\n\n\nIgnored: read_text_file has no argument lines\./,
    );
  });

  test("show escaped what no eye sees in a name", async () => {
    const name = "a\u{e0041}b\u3164.txt";
    const { text } = await start({ [name]: "x\n" });
    for (const [tool, args] of [
      ["list_directory", { path: "." }],
      ["list_directory_with_sizes", { path: "." }],
      ["directory_tree", { path: "." }],
      ["search_files", { path: ".", pattern: "*.txt" }],
      ["read_multiple_files", { paths: [name, "none\u2800"] }],
      ["read_text_file", { path: "none\u2800" }],
      ["get_file_info", { path: name }],
      ["write_file", { path: "new\u2800", content: "x" }],
      ["edit_file", { path: name, edits: [{ oldText: "x", newText: "y" }] }],
      ["move_file", { source: name, destination: "c\u2800" }],
      ["create_directory", { path: "d\u2800" }],
    ] as const) {
      const shown = await text(tool, args);
      expect([tool, shown.length > 0, /[\p{Default_Ignorable_Code_Point}\u2800]/u.test(shown)]).toEqual([
        ...[tool, true, false],
      ]);
    }
  });

  // A name that is no UTF-8 closes a folder as a missing permission does; other systems give no such name.
  test.skipIf(process.platform !== "linux")(
    "do not report a folder that cannot be entered as empty",
    async () => {
      const { root, call, text } = await start({ "a.txt": "one\n" });
      mkdirSync(Buffer.concat([Buffer.from(join(root, "closed")), Buffer.of(0xff)]));
      const search = (pattern: string, excludePatterns: readonly string[] = []) =>
        text("search_files", { path: "{root}", pattern, excludePatterns });
      const note = "… not looked in: 1 folder that cannot be entered";
      expect(await search("**/*.md")).toBe(`No matches found\n${note}`);
      expect(await search("**/*.txt")).toBe(`{root}/a.txt\n${note}`);
      expect(await search("**/*.md", ["closed*"])).toBe("No matches found");
      const tree = (excludePatterns: readonly string[]) =>
        call("directory_tree", { path: "{root}", excludePatterns });
      expect(await tree([])).toMatchObject({ isError: true });
      expect(JSON.parse(textOf(await tree(["closed*"])))).toEqual([{ name: "a.txt", type: "file" }]);
    },
  );

  test("do not report folders too deep to be listed as empty", async () => {
    const { call } = await start({ [`${"d/".repeat(66)}a.txt`]: "one\n" });
    for (const name of ["search_files", "directory_tree"])
      expect((await call(name, { path: "{root}", pattern: "**/*.txt" })).isError).toBe(true);
  });
});

type Call = readonly [tool: string, args: Args];

const edit = (oldText: string, newText: string, path = "f.md"): Call => [
  "edit_file",
  { path, edits: [{ oldText, newText }] },
];
const read: Call = ["read_text_file", { path: "f.md" }];
const refused: readonly (readonly [code: string, before: readonly Call[], call: Call])[] = [
  ["file_missing", [], ["read_text_file", { path: "none" }]],
  ["file_missing", [], ["read_multiple_files", { paths: ["none", "f.md"] }]],
  ["binary", [], ["read_text_file", { path: "bytes.bin" }]],
  ["is_directory", [], ["read_text_file", { path: "memories" }]],
  ["invalid_arguments", [], ["read_text_file", { path: "f.md", head: 1, tail: 1 }]],
  ["invalid_arguments", [], ["read_text_file", {}]],
  ["outside_workspace", [], ["read_text_file", { path: "../out" }]],
  ["out_of_range", [], ["read_text_file", { path: "none", tail: 2 }]],
  ["not_read", [], ["write_file", { path: "twice.md", content: "x" }]],
  [
    "unseen_lines",
    [["read_text_file", { path: "f.md", head: 1 }]],
    ["write_file", { path: "f.md", content: "x" }],
  ],
  ["protected_path", [], ["write_file", { path: ".git/hooks/x", content: "x" }]],
  ["ignored_path", [], ["write_file", { path: "hidden.txt", content: "x" }]],
  ["not_a_file", [], ["write_file", { path: "f.md/below", content: "x" }]],
  ["not_found", [read], edit("nowhere", "x")],
  ["not_found", [], edit("nowhere", "x")],
  ["occurrence_mismatch", [read], edit("line", "x")],
  ["empty_old_string", [read], edit("", "x")],
  ["equal_strings", [read], edit("line 2", "line 2")],
  ["placeholder", [read], edit("line 2", "// ... existing code ...")],
  ["file_missing", [], edit("a", "b", "none")],
  ["unencodable", [], edit("gr", "ö", "latin.txt")],
  ["exists", [], ["move_file", { source: "f.md", destination: "twice.md" }]],
  ["file_missing", [], ["move_file", { source: "none", destination: "new" }]],
  ["not_a_file", [], ["list_directory", { path: "f.md" }]],
  ["file_missing", [], ["directory_tree", { path: "none" }]],
  ["invalid_arguments", [], ["search_files", { path: ".", pattern: "{".repeat(2_000) }]],
  ["not_a_file", [], ["create_directory", { path: "f.md" }]],
  ["file_missing", [], ["get_file_info", { path: "none" }]],
];

test("a refusal is in the words of the official server's tools", async () => {
  const { tools, text, put } = await start(refusedFiles);
  const own = tools.map(({ name, inputSchema }) => `${name} ${JSON.stringify(inputSchema)}`);
  const reached = new Set<string>();
  for (const [code, before, [name, args]] of refused) {
    await put("f.md", `${tenLines}${code}\n`);
    for (const [earlier, given] of before) await text(earlier, given);
    const said = await text(name, args);
    expect([name, args, ...foreignNames(said, own)]).toEqual([name, args]);
    for (const [, found = ""] of said.matchAll(/FAILED \(([a-z_]+)\)/g)) reached.add(found);
  }
  // Of several files one that is missing does not fail the others; a tail of nothing is nothing.
  const all = new Set(refused.map(([code]) => code));
  expect([...all].filter((code) => !reached.has(code) && code !== "out_of_range")).toEqual([]);
});

test("an answer keeps the budget whatever is there, and is cut visibly", async () => {
  /** Of a client that is not in the table of hosts. */
  const budget = 36_000;
  const long = "a".repeat(600_000);
  const many = Array.from({ length: 600 }, (_, at) => [`many/${"n".repeat(90)}${at}`, ""] as const);
  const lines = `${'"\\'.repeat(20)}\n`.repeat(1_500);
  const { call, put } = await start({ long, "lines.txt": lines, ...Object.fromEntries(many) });
  const within = async ([name, args]: Call, visibly: RegExp) => {
    const answer = await call(name, args);
    expect([name, textOf(answer).slice(0, 400), visibly.test(textOf(answer))]).toEqual([
      ...[name, textOf(answer).slice(0, 400), true],
    ]);
    expect(textOf(answer).length).toBeLessThanOrEqual(budget);
    expect(JSON.stringify(answer.structured ?? {}).length).toBeLessThanOrEqual(budget);
  };
  const calls: readonly (readonly [Call, RegExp])[] = [
    [["read_text_file", { path: "long" }], /more characters/],
    [["read_text_file", { path: "long", head: 1 }], /more characters|too_large/],
    [["read_text_file", { path: "long", tail: 1 }], /more characters|too_large/],
    [["read_text_file", { path: "lines.txt" }], /Shown are lines 1-\d+ of 1500/],
    [["read_multiple_files", { paths: ["lines.txt", "long", "lines.txt"] }], /Left out|more characters/],
    [["read_media_file", { path: "long" }], /too_large/],
    [["write_file", { path: "long", content: "x" }], /not_read|unseen_lines/],
    [edit("a".repeat(9), "b", "long"), /occurrence_mismatch/],
    [edit("nowhere", "b", "long"), /not_found/],
    [["list_directory", { path: "many" }], /… [\d,]+ more: name a deeper folder/],
    [["list_directory_with_sizes", { path: "many" }], /more: name a deeper folder[\s\S]*Combined size/],
    [["directory_tree", { path: "many" }], /too_large/],
    [["search_files", { path: ".", pattern: "**/n*" }], /more: name a deeper folder/],
    [["write_file", { path: "own", content: long }], /Successfully wrote/],
  ];
  for (const [one, visibly] of calls) await within(one, visibly);
  await put("own", "b".repeat(600_000));
  await within(["write_file", { path: "own", content: "x" }], /state_mismatch/);
});

const _manyLines = Array.from({ length: 150_000 }, (_, at) => `line ${at} of the file\n`).join("");
