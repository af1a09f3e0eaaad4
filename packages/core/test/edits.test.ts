import { describe, expect, it } from "vitest";
import type { OpenWorkspaceOptions } from "../src/node/index.js";
import { ground, sha } from "./support.js";

/** Seed 2's rules of `edit_file` and `write_file`, and seed 3's tools and messages, on real files. */
const todo = "TODO\n====\n- [ ] Write a smoke test for /health.\n- [ ] Ship.\n";

async function withFile(content: string | Uint8Array = todo, options: Partial<OpenWorkspaceOptions> = {}) {
  const there = await ground({ "todo.txt": content }, options);
  await there.workspace.read({ path: "todo.txt" });
  return there;
}

describe("edit_file (seed 2)", () => {
  it("applies its edits in sequence, each on the result of the one before; an empty new text deletes", async () => {
    const there = await withFile();
    const reply = await there.call("edit_file", {
      file_path: "todo.txt",
      edits: [
        { old_string: "- [ ] Write a smoke test for /health.\n", new_string: "" },
        { old_string: "TODO\n====", new_string: "TODO\n====\nLast updated: 2026-04-28" },
        { old_string: "Last updated: 2026", new_string: "Updated: 2026" },
      ],
    });
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(reply.message).toBe("Edited todo.txt: 3 edits with 3 replacements.");
    expect(there.text("todo.txt")).toBe("TODO\n====\nUpdated: 2026-04-28\n- [ ] Ship.\n");
    expect(reply.latest_file_state).toMatchObject({ sha256: sha(there.bytes("todo.txt")) });
  });

  it("says what it did in seed 3's words", async () => {
    const there = await withFile("Status: Initializing\n");
    const edits = [{ old_string: "Status: Initializing", new_string: "Status: Phase 2 complete" }];
    const reply = await there.call("edit_file", { file_path: "todo.txt", edits });
    expect(reply.message).toBe("Edited todo.txt: replaced 20 chars with 24 chars.");
  });

  const refused: readonly (readonly [
    name: string,
    edits: readonly object[],
    code: string,
    begins: string,
  ])[] = [
    ["an empty old text", [{ old_string: "", new_string: "x" }], "empty_old_string", "old_string is empty"],
    [
      "equal texts",
      [{ old_string: "TODO", new_string: "TODO" }],
      "equal_strings",
      "old_string and new_string are the same",
    ],
    [
      "a text that is not there",
      [{ old_string: "- [x] Ship.", new_string: "y" }],
      "not_found",
      "old_string not found in todo.txt. Make sure it matches exactly (including whitespace).",
    ],
    [
      "a text that stands twice",
      [{ old_string: "- [ ]", new_string: "- [x]" }],
      "occurrence_mismatch",
      "old_string appears 2 times in todo.txt. Include more surrounding context to make it unique.",
    ],
    [
      "another number than was expected",
      [{ old_string: "- [ ]", new_string: "- [x]", expected_replacements: 3 }],
      "occurrence_mismatch",
      "old_string appears 2 times in todo.txt. 3 were expected.",
    ],
    [
      "replace_all with nothing to replace",
      [{ old_string: "zzz", new_string: "y", replace_all: true }],
      "not_found",
      "old_string not found",
    ],
    [
      "a second edit that does not fit: the first is not made",
      [
        { old_string: "Ship", new_string: "Sail" },
        { old_string: "Ship", new_string: "Sail" },
      ],
      "not_found",
      "old_string not found in todo.txt. Make sure it matches exactly (including whitespace). This was edit 2 of 2",
    ],
    [
      "an omission",
      [{ old_string: "- [ ] Ship.", new_string: "# ... rest unchanged ..." }],
      "placeholder",
      "new_string leaves something out",
    ],
    ["no edits", [], "invalid_arguments", "The argument edits of edit_file must be"],
  ];
  it.each(refused)("refuses %s and leaves the file alone", async (_, edits, code, begins) => {
    const there = await withFile();
    const reply = await there.call("edit_file", { file_path: "todo.txt", edits });
    expect(reply).toMatchObject({ success: false, code });
    expect(reply.message.startsWith(begins), reply.message).toBe(true);
    expect(there.text("todo.txt")).toBe(todo);
  });

  it("replaces all where told so, and takes `$` literally", async () => {
    const there = await withFile();
    const edits = [{ old_string: "- [ ]", new_string: "- [$&]", replace_all: true }];
    expect(await there.call("edit_file", { file_path: "todo.txt", edits })).toMatchObject({
      code: "applied",
    });
    expect(there.text("todo.txt")).toBe(todo.replaceAll("- [ ]", () => "- [$&]"));
  });

  it("refuses what the file's encoding cannot hold", async () => {
    const there = await withFile(Buffer.from("na\xefve caf\xe9 d\xe9j\xe0 vu, \xe0 la carte\n", "latin1"));
    const before = there.bytes("todo.txt");
    const edits = [{ old_string: "vu", new_string: "日本" }];
    const reply = await there.call("edit_file", { file_path: "todo.txt", edits });
    expect(reply).toMatchObject({ success: false, code: "unencodable" });
    expect(there.bytes("todo.txt")).toEqual(before);
  });
});

const oneEdit = [{ oldString: "Ship", newString: "Sail" }];

describe("read before edit (seed 2)", () => {
  it("refuses an edit of a file that was never read, and names the tools that need no read", async () => {
    const there = await ground({ "todo.txt": todo });
    const outcome = await there.workspace.edit({ path: "todo.txt", edits: oneEdit });
    expect(outcome).toMatchObject({ success: false, code: "not_read" });
    // The library is a door, too: it names its own methods.
    for (const method of ["read", "append", "prepend", "updateSection"])
      expect(outcome.message).toContain(method);
    expect(there.text("todo.txt")).toBe(todo);
    // The refusal is no read.
    expect(await there.workspace.edit({ path: "todo.txt", edits: oneEdit })).toMatchObject({
      code: "not_read",
    });
  });

  it("takes the hash of the state in place of a read", async () => {
    const there = await ground({ "todo.txt": todo });
    const request = { path: "todo.txt", edits: oneEdit, base: sha(todo) };
    expect(await there.workspace.edit(request)).toMatchObject({ code: "applied" });
  });

  it("notices what another program wrote since the read, by content and not by time", async () => {
    const there = await withFile();
    there.put("todo.txt", todo);
    expect(await there.workspace.edit({ path: "todo.txt", edits: oneEdit })).toMatchObject({
      code: "applied",
    });
    there.put("todo.txt", `${todo}- [ ] Ship again.\n`);
    const outcome = await there.workspace.edit({
      path: "todo.txt",
      edits: [{ oldString: "TODO", newString: "DONE" }],
    });
    expect(outcome).toMatchObject({ success: false, code: "state_mismatch" });
    expect(outcome.message).toMatch(/^State Mismatch: File has changed on disk since it was last read\./);
    expect(outcome.state?.content).toContain("Ship again");
  });

  it("knows its own writes: an edit after an edit needs no new read, also after a partial one", async () => {
    const there = await ground({ "todo.txt": todo });
    await there.workspace.read({ path: "todo.txt", offset: 4, limit: 1 });
    expect(await there.workspace.edit({ path: "todo.txt", edits: oneEdit })).toMatchObject({
      code: "applied",
    });
    const next = [{ oldString: "Sail", newString: "Row" }];
    expect(await there.workspace.edit({ path: "todo.txt", edits: next })).toMatchObject({ code: "applied" });
  });

  it("answers a repeated call, whose answer was lost, with already_applied", async () => {
    const there = await withFile();
    await there.workspace.edit({ path: "todo.txt", edits: oneEdit });
    const again = await there.workspace.edit({ path: "todo.txt", edits: oneEdit });
    expect(again).toMatchObject({ success: true, code: "already_applied" });
    expect(there.text("todo.txt")).toBe(todo.replace("Ship", "Sail"));
  });

  it("is not satisfied by an append to a file that nobody read", async () => {
    const there = await ground({ "todo.txt": todo });
    await there.workspace.append({ path: "todo.txt", content: "- more\n" });
    expect(await there.workspace.edit({ path: "todo.txt", edits: oneEdit })).toMatchObject({
      code: "not_read",
    });
  });

  it("needs no read under the atomic guard, nor in memory paths", async () => {
    const free = await ground({ "todo.txt": todo }, { guards: { editGuard: "atomic" } });
    expect(await free.workspace.edit({ path: "todo.txt", edits: oneEdit })).toMatchObject({
      code: "applied",
    });
    const memory = await ground({ "todo.txt": todo, "notes/a.md": todo }, { memoryPaths: ["notes/**"] });
    expect(await memory.workspace.edit({ path: "notes/a.md", edits: oneEdit })).toMatchObject({
      code: "applied",
    });
    expect(await memory.workspace.edit({ path: "todo.txt", edits: oneEdit })).toMatchObject({
      code: "not_read",
    });
  });

  it("forgets the oldest files where the session is bounded: they count as never read", async () => {
    const there = await ground({ a: "Ship\n", b: "Ship\n", c: "Ship\n" }, { remembered: 2 });
    for (const path of ["a", "b", "c"]) await there.workspace.read({ path });
    expect(await there.workspace.edit({ path: "a", edits: oneEdit })).toMatchObject({ code: "not_read" });
    expect(await there.workspace.edit({ path: "c", edits: oneEdit })).toMatchObject({ code: "applied" });
  });
});

describe("overwriting (seeds 1, 2, 3)", () => {
  const overwrite = { path: "todo.txt", content: "new\n" };
  it("needs the hash by default, read or not", async () => {
    const there = await withFile();
    expect(await there.workspace.write(overwrite)).toMatchObject({ code: "missing_base" });
  });

  it("needs a read of the present state under `read`", async () => {
    const guards = { overwriteGuard: "read" } as const;
    const unread = await ground({ "todo.txt": todo }, { guards });
    expect(await unread.workspace.write(overwrite)).toMatchObject({ code: "not_read" });
    const read = await withFile(todo, { guards });
    read.put("todo.txt", `${todo}x`);
    expect(await read.workspace.write(overwrite)).toMatchObject({ code: "state_mismatch" });
    await read.workspace.read({ path: "todo.txt" });
    expect(await read.workspace.write(overwrite)).toMatchObject({ code: "applied" });
  });

  it("only warns under `warn`, and can be taken back", async () => {
    const there = await ground({ "todo.txt": todo }, { guards: { overwriteGuard: "warn" } });
    const outcome = await there.workspace.write(overwrite);
    expect(outcome).toMatchObject({ success: true, code: "applied" });
    expect(outcome.message).toMatch(/Warning: .*not read in this session.*safer/);
    await there.workspace.undo({ path: "todo.txt" });
    expect(there.text("todo.txt")).toBe(todo);
    const known = await withFile(todo, { guards: { overwriteGuard: "warn" } });
    expect((await known.workspace.write(overwrite)).message).not.toContain("Warning");
  });
});

describe("strict view", () => {
  const long = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`).join("");
  const guards = { strictView: true };
  const change = (line: number) => [{ oldString: `line ${line}\n`, newString: `LINE ${line}\n` }];

  it("lets an edit touch only lines that were shown of that state, and shows the others", async () => {
    const there = await ground({ f: long }, { guards });
    await there.workspace.read({ path: "f", offset: 10, limit: 5 });
    expect(await there.workspace.edit({ path: "f", edits: change(12) })).toMatchObject({ code: "applied" });
    const unseen = await there.workspace.edit({ path: "f", edits: change(40) });
    expect(unseen).toMatchObject({ success: false, code: "unseen_lines" });
    expect(unseen.message).toContain("lines 40-40:\nline 40\n");
    expect(there.text("f")).toContain("line 40\n");
    // Now they were shown; what was shown before moved with the text.
    expect(await there.workspace.edit({ path: "f", edits: change(40) })).toMatchObject({ code: "applied" });
    expect(await there.workspace.edit({ path: "f", edits: change(13) })).toMatchObject({ code: "applied" });
  });

  it("holds for patches and inserted lines, with or without the hash", async () => {
    const there = await ground({ f: long }, { guards });
    await there.workspace.read({ path: "f", offset: 1, limit: 5 });
    const diff = "@@ -29,3 +29,3 @@\n line 29\n-line 30\n+LINE 30\n line 31\n";
    expect(await there.workspace.patch({ path: "f", diff, base: sha(long) })).toMatchObject({
      code: "unseen_lines",
    });
    const insert = { path: "f", afterLine: 50, content: "x\n", base: sha(long) };
    expect(await there.workspace.insertLines(insert)).toMatchObject({ code: "unseen_lines" });
    expect(await there.workspace.insertLines({ ...insert, afterLine: 3 })).toMatchObject({ code: "applied" });
  });

  it("leaves alone what needs no read, and whole reads", async () => {
    const there = await ground({ f: long }, { guards });
    expect(await there.workspace.append({ path: "f", content: "x\n" })).toMatchObject({ code: "applied" });
    await there.workspace.read({ path: "f" });
    expect(await there.workspace.edit({ path: "f", edits: change(44) })).toMatchObject({ code: "applied" });
  });
});

describe("on_mismatch: rebase", () => {
  const code = Array.from({ length: 40 }, (_, at) => `const value${at} = ${at};\n`).join("");
  const formatted = code.replace("const value2 = 2;", "const value2  =  2;");
  const diff =
    "@@ -20,3 +20,3 @@\n const value19 = 19;\n-const value20 = 20;\n+const value20 = 0;\n const value21 = 21;\n";

  it("makes a change on the present state where it is unique in both, and says so", async () => {
    const there = await withFile(code, { guards: { onMismatch: "rebase" } });
    there.put("todo.txt", formatted);
    const patched = await there.workspace.patch({ path: "todo.txt", diff, base: sha(code) });
    expect(patched).toMatchObject({ success: true, code: "applied" });
    expect(patched.message).toMatch(/^Patch applied successfully\..*Rebased: /);
    // What others changed stands beside the changed lines, in the numbers of the new state.
    const lines = there.text("todo.txt").split("\n");
    const told =
      "change" in patched ? [patched.change?.ranges ?? [], patched.change?.others ?? []].flat() : [];
    const shown = told.flatMap(({ from, to }) => lines.slice(from - 1, to));
    const others = formatted.split("\n").filter((line) => line !== "" && !code.split("\n").includes(line));
    expect(others.length).toBeGreaterThan(0);
    for (const line of ["const value20 = 0;", ...others]) expect(shown).toContain(line);
    expect(there.text("todo.txt")).toBe(formatted.replace("value20 = 20", "value20 = 0"));
    const edits = [{ oldString: "value30 = 30", newString: "value30 = 0" }];
    const edited = await there.workspace.edit({ path: "todo.txt", edits, base: sha(code) });
    expect(edited.message).toMatch(/^Edited todo\.txt.*Rebased: /);
  });

  it("refuses where a place is not unique in one of them, or changed", async () => {
    const there = await withFile(code, { guards: { onMismatch: "rebase" } });
    there.put("todo.txt", `${formatted}const value19 = 19;\nconst value20 = 20;\nconst value21 = 21;\n`);
    const patch = { path: "todo.txt", diff, base: sha(code) };
    expect(await there.workspace.patch(patch)).toMatchObject({ code: "state_mismatch" });
    there.put("todo.txt", code.replace("value20 = 20", "value20 = 99"));
    expect(await there.workspace.patch(patch)).toMatchObject({ code: "state_mismatch" });
    const edits = [{ oldString: "value20 = 20", newString: "value20 = 0" }];
    const edit = { path: "todo.txt", edits, base: sha(code) };
    expect(await there.workspace.edit(edit)).toMatchObject({ code: "state_mismatch" });
    const write = { path: "todo.txt", content: "x", base: sha(code) };
    expect(await there.workspace.write(write)).toMatchObject({ code: "state_mismatch" });
  });

  it("is off by default", async () => {
    const there = await withFile(code);
    there.put("todo.txt", formatted);
    const patch = { path: "todo.txt", diff, base: sha(code) };
    expect(await there.workspace.patch(patch)).toMatchObject({ code: "state_mismatch" });
  });
});

describe("append_to_file and prepend_to_file (seed 3)", () => {
  const cases: readonly (readonly [
    name: string,
    before: string | null,
    content: string,
    after: string,
    says: RegExp,
  ])[] = [
    ["adds exactly the content", "a\n", "b\n", "a\nb\n", /^Appended 2 chars to f\.$/],
    ["makes a missing file", null, "b\n", "b\n", /^Appended 2 chars to f\. The file did not exist/],
    [
      "continues a last line without newline, and says so",
      "a",
      "b\n",
      "ab\n",
      /^Appended 2 chars to f\. The last line had no newline/,
    ],
    [
      "says nothing where the content begins a line itself",
      "a",
      "\nb\n",
      "a\nb\n",
      /^Appended 3 chars to f\.$/,
    ],
    ["takes the file's line ending", "a\r\n", "b\nc\n", "a\r\nb\r\nc\r\n", /^Appended 4 chars/],
    ["counts characters, not units", "", "𝒳é\n", "𝒳é\n", /^Appended 3 chars/],
    ["keeps the byte order mark", "\ufeffa\n", "b\n", "\ufeffa\nb\n", /^Appended/],
  ];
  it.each(cases)("%s", async (_, before, content, after, says) => {
    const there = await ground(before === null ? {} : { f: before });
    const outcome = await there.workspace.append({ path: "f", content });
    expect(outcome).toMatchObject({ success: true, code: "applied" });
    expect(outcome.message).toMatch(says);
    expect(there.text("f")).toBe(after);
  });

  it("prepends after the byte order mark, in the file's line ending", async () => {
    const there = await ground({ f: "\ufeffa\r\n" });
    const outcome = await there.workspace.prepend({ path: "f", content: "b\n" });
    expect(outcome.message).toBe("Prepended 2 chars to f.");
    expect(there.text("f")).toBe("\ufeffb\r\na\r\n");
  });

  it("never sends the file back, whatever the host's choice of content", async () => {
    const there = await ground({ f: "secret line\n" });
    const reply = await there.call("append_to_file", { file_path: "f", content: "x\n" });
    expect(JSON.stringify(reply)).not.toContain("secret line");
    expect(reply.latest_file_state.sha256).toBe(sha("secret line\nx\n"));
  });

  it("undo walks back over appends, of which only the last state is kept in full", async () => {
    const there = await ground({ f: "0\n" });
    for (let at = 1; at <= 20; at++) await there.workspace.append({ path: "f", content: `${at}\n` });
    for (let at = 20; at >= 1; at--) {
      expect(await there.workspace.undo({ path: "f" })).toMatchObject({ code: "applied" });
      expect(there.text("f")).toBe(Array.from({ length: at }, (_, line) => `${line}\n`).join(""));
    }
  });

  it("with a base, a state that changed is refused", async () => {
    const there = await withFile();
    there.put("todo.txt", "other\n");
    const outcome = await there.workspace.append({ path: "todo.txt", content: "x", base: sha(todo) });
    expect(outcome).toMatchObject({ code: "state_mismatch" });
  });

  it("adds to text in the file's encoding, or refuses what it cannot hold", async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\n", "utf16le")]);
    const there = await ground({ f: utf16 });
    await there.workspace.append({ path: "f", content: "日本\n" });
    expect(there.bytes("f")).toEqual(Buffer.concat([utf16, Buffer.from("日本\n", "utf16le")]));
    const latin = await ground({ f: Buffer.from("caf\xe9\n", "latin1") });
    const outcome = await latin.workspace.append({ path: "f", content: "日本\n" });
    expect(outcome).toMatchObject({ code: "unencodable" });
  });
});

describe("insert_lines", () => {
  const cases: readonly (readonly [
    name: string,
    before: string,
    line: number,
    content: string,
    after: string,
  ])[] = [
    ["at the top", "a\nb\n", 0, "x\n", "x\na\nb\n"],
    ["between lines, a missing newline added", "a\nb\n", 1, "x", "a\nx\nb\n"],
    ["at the end", "a\nb\n", 2, "x", "a\nb\nx\n"],
    ["at an end without newline, which stays so", "a\nb", 2, "x\n", "a\nb\nx"],
    ["with the ending of the line before", "a\r\nb\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\n"],
    ["in an empty file", "", 0, "x", "x\n"],
    ["an empty line", "a\n", 1, "\n", "a\n\n"],
  ];
  it.each(cases)("inserts %s", async (_, before, afterLine, content, after) => {
    const there = await ground({ f: before });
    const outcome = await there.workspace.insertLines({ path: "f", afterLine, content, base: sha(before) });
    expect(outcome).toMatchObject({ code: "applied" });
    expect(there.text("f")).toBe(after);
  });

  it("refuses a line past the end, a missing hash and a state that changed", async () => {
    const there = await withFile("a\nb\n");
    const request = { path: "todo.txt", afterLine: 3, content: "x" };
    const past = await there.workspace.insertLines({ ...request, base: sha("a\nb\n") });
    expect(past).toMatchObject({ code: "out_of_range" });
    expect(past.message).toContain("0 to 2 are possible");
    expect(await there.workspace.insertLines({ ...request, afterLine: 1 })).toMatchObject({
      code: "missing_base",
    });
    there.put("todo.txt", "c\na\nb\n");
    const stale = await there.workspace.insertLines({ ...request, base: sha("a\nb\n") });
    expect(stale).toMatchObject({ code: "state_mismatch" });
    expect(there.text("todo.txt")).toBe("c\na\nb\n");
  });
});

describe("re-reads (seed 2)", () => {
  const stub =
    "File unchanged since last read. The content from the earlier read_file result in this conversation is still current — refer to that instead of re-reading.";
  const read = async (
    options: Partial<OpenWorkspaceOptions>,
    act: (there: Awaited<ReturnType<typeof ground>>) => Promise<unknown>,
  ) => {
    const there = await ground({ f: "a\nb\nc\n" }, options);
    await act(there);
    return there.call("read_file", { file_path: "f" }) as Promise<{ content?: string; message?: string }>;
  };
  const readWhole = (there: Awaited<ReturnType<typeof ground>>) => there.workspace.read({ path: "f" });

  it("sends the text again where nobody says that it is still visible", async () => {
    expect((await read({}, readWhole)).content).toBe("a\nb\nc\n");
  });

  it("answers with the stub where it is switched on, and the state is the last one", async () => {
    const again = await read({ rereadStub: true }, readWhole);
    expect(again.message).toBe(stub);
    expect(again).not.toHaveProperty("content");
  });

  const sentAgain: readonly (readonly [
    string,
    (there: Awaited<ReturnType<typeof ground>>) => Promise<unknown>,
  ])[] = [
    ["nothing was read before", async () => {}],
    ["only a part was read", (there) => there.workspace.read({ path: "f", offset: 1, limit: 2 })],
    [
      "the file changed",
      async (there) => {
        await readWhole(there);
        there.put("f", "other\n");
      },
    ],
    [
      "it changed and changed back",
      async (there) => {
        await readWhole(there);
        await there.workspace.append({ path: "f", content: "x" });
        await there.workspace.undo({ path: "f" });
        await there.workspace.append({ path: "f", content: "y" });
      },
    ],
    [
      "the caller wrote it and never read it",
      async (there) => {
        await there.workspace.write({ path: "f", content: "mine\n", base: sha("a\nb\nc\n") });
      },
    ],
  ];
  it.each(sentAgain)("not where %s", async (_, act) => {
    expect((await read({ rereadStub: true }, act)).content).toEqual(expect.any(String));
  });
});
