import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeGround } from "../../../../packages/mcp/test/server-process.js";
import recording from "./recorded.json" with { type: "json" };

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly isError: boolean;
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structured?: unknown;
}

const program = fileURLToPath(new URL("../../../../packages/cli/bin/holdfast.js", import.meta.url));

/** The client against `holdfast mcp --compat filesystem`, started by the one line that a person changes. */
async function start(files: Readonly<Record<string, string | Uint8Array>>, flags: readonly string[] = []) {
  const { root, stateDir } = await makeGround();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === "string" ? Buffer.from(content, "latin1") : content);
  }
  const client = new Client({ name: "compat", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  const args = [program, "mcp", "--compat", "filesystem", "--root", root, "--state-dir", stateDir, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  onTestFinished(() => client.close());
  const call = async ({ name, arguments: given }: Call): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: swap(given, "{root}", root) });
    const structured = swap(result.structuredContent, root, "{root}");
    const shown = { isError: result.isError === true, content: swap(result.content, root, "{root}") };
    return structured === undefined ? shown : { ...shown, structured };
  };
  return { root, client, call };
}

function swap<Value>(value: Value, from: string, to: string): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll(from, to));
}

const textOf = ({ content }: Answer) => String(content[0]?.text);

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
    const { client } = await start({});
    const { tools } = await client.listTools();
    const shape = (schema: Readonly<Record<string, unknown>>) => ({
      properties: Object.keys((schema.properties as object | undefined) ?? {}).sort(),
      required: [...((schema.required as string[] | undefined) ?? [])].sort(),
    });
    expect(tools.map(({ name, inputSchema }) => ({ name, ...shape(inputSchema) }))).toEqual(
      recording.tools.map(({ name, inputSchema }) => ({ name, ...shape(inputSchema) })),
    );
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(
      recording.tools.map(({ annotations }) => annotations.readOnlyHint),
    );
  });

  test("gets for its calls what the official server answered, but for blind overwrites", async () => {
    const { call, root } = await start(recording.folder);
    const differing: string[] = [];
    for (const step of recording.steps) {
      // Of the recorded types the compiler sees one union of all shapes.
      const [given, official] = [step.call as Call, step.answer as Answer];
      const ours = await call(given);
      const [one, other] = [essence(given.name, ours), essence(given.name, official)];
      if (JSON.stringify(one) !== JSON.stringify(other))
        differing.push(
          `${given.name} ${JSON.stringify(given.arguments)}\n${JSON.stringify(ours)}\n${JSON.stringify(official)}`,
        );
    }
    expect(differing).toEqual([]);
    expect(readFileSync(join(root, "src/shop.js"), "utf8")).toBe(recording.left);
  });
});

describe("where the official server loses bytes, ours does not", () => {
  const cases = recording.losses.map((loss) => [loss.about, loss] as const);
  test.each(cases)("%s", async (_, loss) => {
    const bytes = (base64: string) => Buffer.from(base64, "base64");
    expect(loss.official.told.every((success) => success)).toBe(true);
    expect(loss.official.bytes).not.toBe(loss.wanted);
    const { root, call } = await start({ "a.txt": bytes(loss.bytes) });
    if (loss.read) await call({ name: "read_text_file", arguments: { path: "{root}/a.txt" } });
    if ("meanwhile" in loss) writeFileSync(join(root, "a.txt"), bytes(loss.meanwhile ?? ""));
    const calls = loss.calls as readonly Call[];
    const answers = "together" in loss ? await Promise.all(calls.map(call)) : [];
    if (!("together" in loss)) for (const one of calls) answers.push(await call(one));
    expect(readFileSync(join(root, "a.txt")).toString("base64")).toBe(loss.wanted);
    const unchanged = loss.wanted === (("meanwhile" in loss ? loss.meanwhile : undefined) ?? loss.bytes);
    for (const answer of answers) expect(answer.isError).toBe(unchanged);
  });
});

describe("the compatible tools", () => {
  const write = (content: string) => ({ name: "write_file", arguments: { path: "{root}/a.txt", content } });
  const read = (more: object = {}) => ({
    name: "read_text_file",
    arguments: { path: "{root}/a.txt", ...more },
  });

  test("a blind overwrite is refused with the file, and passes once that was shown", async () => {
    const { call } = await start({ "a.txt": "one\n" });
    const refused = await call(write("two\n"));
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/^FAILED \(not_read\): [\s\S]*The file now holds:\none\n$/);
    expect((await call(write("two\n"))).isError).toBe(false);
  });

  test("a part of a file is no licence to overwrite all of it", async () => {
    for (const part of [{ head: 1 }, { tail: 2 }]) {
      const { call } = await start({ "a.txt": "one\ntwo\n" });
      await call(read(part));
      const refused = textOf(await call(write("one\n")));
      expect(refused).toMatch(/^FAILED \(unseen_lines\): [\s\S]*The file now holds:\none\ntwo\n$/);
      expect((await call(write("one\n"))).isError).toBe(false);
    }
  });

  test("two parts that are all of a file are; so is a diff that shows it, or a move of it", async () => {
    const { call, root } = await start({ "a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n" });
    await call(read({ head: 1 }));
    await call(read({ tail: 2 }));
    expect((await call(write("one\n"))).isError).toBe(false);
    const edits = [{ oldText: "one", newText: "uno" }];
    await call({ name: "edit_file", arguments: { path: "{root}/b.txt", edits } });
    await call({ name: "move_file", arguments: { source: "{root}/b.txt", destination: "{root}/c.txt" } });
    const over = { name: "write_file", arguments: { path: "{root}/c.txt", content: "new\n" } };
    expect((await call(over)).isError).toBe(false);
    expect(readFileSync(join(root, "c.txt"), "utf8")).toBe("new\n");
  });

  test("a read that was sent together with an overwrite does not license it", async () => {
    // The client writes twice: on a busy machine the read may be answered before the other is sent, and counts then.
    for (let left = 10; ; left--) {
      const { call, root } = await start({ "a.txt": "one\n" });
      const [, written] = await Promise.all([call(read()), call(write("blind\n"))]);
      if (written?.isError === false && left > 0) continue;
      expect(textOf(written)).toContain("FAILED (not_read)");
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
      return;
    }
  });

  test("an edit is held against the state that was shown last; a dry run, too", async () => {
    const { call, root } = await start({ "a.txt": "one\n" });
    const edit = (more: object) => ({
      name: "edit_file",
      arguments: { path: "{root}/a.txt", edits: [{ oldText: "one", newText: "two" }], ...more },
    });
    await call(read());
    writeFileSync(join(root, "a.txt"), "one\nmore\n");
    expect(textOf(await call(edit({ dryRun: true })))).toContain("FAILED (state_mismatch)");
    expect(textOf(await call(edit({})))).toContain("FAILED (state_mismatch)");
    expect((await call(edit({}))).isError).toBe(false);
  });

  test("a stale overwrite and a stale edit are refused with the fresh state", async () => {
    const { call, root } = await start({ "a.txt": "one\n" });
    for (const stale of [
      write("two\n"),
      { name: "edit_file", arguments: { path: "{root}/a.txt", edits: [{ oldText: "one", newText: "two" }] } },
    ]) {
      await call(read());
      writeFileSync(join(root, "a.txt"), `one\n${stale.name}\n`);
      const refused = await call(stale);
      expect(textOf(refused)).toMatch(/^FAILED \(state_mismatch\): State Mismatch: /);
      expect(textOf(refused)).toContain(`The file now holds:\none\n${stale.name}\n`);
    }
  });

  test("what was deleted outside may be written anew; why a move was refused is said", async () => {
    const { call, root } = await start({ "a.txt": "one\n" });
    await call(read());
    rmSync(join(root, "a.txt"));
    const edits = [{ oldText: "one", newText: "two" }];
    const edit = { name: "edit_file", arguments: { path: "{root}/a.txt", edits } };
    expect(textOf(await call(edit))).toContain("FAILED (file_missing)");
    expect((await call(write("two\n"))).isError).toBe(false);
    const move = { source: "{root}/a.txt", destination: "{root}/.git/hooks/pre-commit" };
    expect(textOf(await call({ name: "move_file", arguments: move }))).toContain("FAILED (protected_path)");
  });

  test("a dry run shows the diff that the edit then makes, and writes nothing", async () => {
    const { call, root } = await start({ "a.txt": "one\n```\n" });
    const edits = [{ oldText: "one", newText: "two" }];
    const shown = await call({ name: "edit_file", arguments: { path: "{root}/a.txt", edits, dryRun: true } });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n```\n");
    expect(textOf(shown)).toMatch(/^````diff\n[\s\S]*\n-one\n\+two\n[\s\S]*\n````\n\n$/);
    expect(await call({ name: "edit_file", arguments: { path: "{root}/a.txt", edits } })).toEqual(shown);
  });

  test("no edit, dry or not, shows lines of a secret to who has not read it", async () => {
    const { call, root } = await start({ ".env": "A=hunter1\nB=hunter2\n" });
    const edit = (more: object) => ({
      name: "edit_file",
      arguments: { path: "{root}/.env", edits: [{ oldText: "A=", newText: "AA=" }], ...more },
    });
    for (const made of [await call(edit({ dryRun: true })), await call(edit({}))]) {
      expect(made.isError).toBe(false);
      expect(textOf(made)).toContain("What changed is not shown");
      expect(textOf(made)).not.toContain("hunter");
    }
    expect(readFileSync(join(root, ".env"), "utf8")).toBe("AA=hunter1\nB=hunter2\n");
    await call({ name: "read_text_file", arguments: { path: "{root}/.env" } });
    const back = { edits: [{ oldText: "AA=", newText: "A=" }] };
    for (const dryRun of [true, false])
      expect(textOf(await call(edit({ ...back, dryRun })))).toContain("-AA=hunter1\n+A=hunter1\n");
  });

  test("folders are made where they may be, and protected paths are left alone", async () => {
    const { call, root } = await start({ "a.txt": "" });
    const make = (path: string) => call({ name: "create_directory", arguments: { path } });
    expect((await make("{root}/x/y")).isError).toBe(false);
    expect(existsSync(join(root, "x/y"))).toBe(true);
    expect(textOf(await make("{root}/a.txt"))).toContain("FAILED (exists)");
    expect(textOf(await make("{root}/.git/hooks"))).toContain("FAILED (protected_path)");
    expect(textOf(await make("/etc/holdfast"))).toContain("FAILED (outside_workspace)");
  });

  test("a folder is not moved, and that is said", async () => {
    const { call } = await start({ "src/a.txt": "" });
    const moved = await call({
      name: "move_file",
      arguments: { source: "{root}/src", destination: "{root}/lib" },
    });
    expect(textOf(moved)).toContain("FAILED (is_directory)");
  });

  test("--read-only offers the reading tools only", async () => {
    const { client } = await start({}, ["--read-only"]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("write_file");
    expect(tools).toHaveLength(10);
  });
});

test("what no eye sees in a name is shown escaped", async () => {
  const name = "a\u{e0041}b\u3164.txt";
  const { root, call } = await start({});
  writeFileSync(join(root, name), "x\n");
  const calls: readonly Call[] = [
    { name: "list_directory", arguments: { path: "{root}" } },
    { name: "list_directory_with_sizes", arguments: { path: "{root}" } },
    { name: "directory_tree", arguments: { path: "{root}" } },
    { name: "search_files", arguments: { path: "{root}", pattern: "*.txt" } },
    { name: "read_multiple_files", arguments: { paths: [name, "none\u2800"] } },
    { name: "read_text_file", arguments: { path: "none\u2800" } },
    { name: "get_file_info", arguments: { path: name } },
    { name: "write_file", arguments: { path: "new\u2800", content: "x" } },
    { name: "edit_file", arguments: { path: name, edits: [{ oldText: "x", newText: "y" }] } },
    { name: "move_file", arguments: { source: name, destination: "c\u2800" } },
    { name: "create_directory", arguments: { path: "d\u2800" } },
  ];
  for (const one of calls) {
    const text = textOf(await call(one));
    expect([one.name, text.length > 0, /[\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)]).toEqual([
      ...[one.name, true, false],
    ]);
  }
});

// A name that is no UTF-8 closes a folder as a missing permission does; other systems give no such name.
test.skipIf(process.platform !== "linux")(
  "a folder that cannot be entered is not said to be empty",
  async () => {
    const { root, call } = await start({ "a.txt": "one\n" });
    mkdirSync(Buffer.concat([Buffer.from(join(root, "closed")), Buffer.of(0xff)]));
    const search = (pattern: string, excludePatterns: readonly string[] = []) =>
      call({ name: "search_files", arguments: { path: "{root}", pattern, excludePatterns } });
    const note = "… not looked in: 1 folder that cannot be entered";
    expect(textOf(await search("**/*.md"))).toBe(`No matches found\n${note}`);
    expect(textOf(await search("**/*.txt"))).toBe(`{root}/a.txt\n${note}`);
    expect(textOf(await search("**/*.md", ["closed*"]))).toBe("No matches found");
    const tree = (excludePatterns: readonly string[]) =>
      call({ name: "directory_tree", arguments: { path: "{root}", excludePatterns } });
    expect(await tree([])).toMatchObject({ isError: true });
    expect(JSON.parse(textOf(await tree(["closed*"])))).toEqual([{ name: "a.txt", type: "file" }]);
  },
);

test("folders too deep to be listed are not said to be empty", async () => {
  const { call } = await start({ [`${"d/".repeat(66)}a.txt`]: "one\n" });
  for (const name of ["search_files", "directory_tree"])
    expect(await call({ name, arguments: { path: "{root}", pattern: "**/*.txt" } })).toMatchObject({
      isError: true,
    });
});
