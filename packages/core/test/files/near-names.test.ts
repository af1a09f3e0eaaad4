import { expect, test } from "vitest";
import { must } from "../node/support.js";
import { ground } from "../support.js";

const files = {
  ".gitignore": "ignored.txt\n",
  "ignored.txt": "i\n",
  "crlf.txt": "c\n",
  "sub/\u00e9t\u00e9.md": "e\n",
  "sub/notes.md": "n\n",
  "sub/deep/Notes.md": "d\n",
  "kept/away.txt": "a\n",
  ".holdfastignore": "away.txt\n",
};

const cases: readonly (readonly [string, string])[] = [
  ["CRLF.TXT", "Did you mean crlf.txt (at character 1 the call has U+0043"],
  ["sub/e\u0301te\u0301.md", "Did you mean sub/\u00e9t\u00e9.md (at character 5 the call has U+0065 U+0301"],
  ["sub/note.md", "Did you mean sub/notes.md?"],
  ["sub/noets.md", "Did you mean sub/notes.md?"],
  ["./sub//nctes.md", "Did you mean sub/notes.md?"],
  ["ignored.tx", "There is no file ignored.tx. write creates it."],
  ["kept/awey.txt", "There is no file kept/awey.txt. write creates it."],
  ["other.txt", "There is no file other.txt. write creates it."],
  ["notes.md", "Did you mean sub/notes.md or sub/deep/Notes.md"],
  ["gone/deep/Notes.md", "Did you mean sub/deep/Notes.md or sub/notes.md"],
];

test.each(cases)("a read of %j names what is near and shown, and nothing else", async (path, said) => {
  const { workspace } = await ground(files);
  for (const window of [{}, { offset: 1 }]) {
    const read = await workspace.read({ path, ...window });
    expect(read).toMatchObject({ kind: "refusal", code: "file_missing" });
    if (read.kind === "refusal") expect(read.message).toContain(said);
  }
});

test("every other call on a missing file or folder names them, too", async () => {
  const { workspace } = await ground(files);
  const edit = { kind: "edits", edits: [{ oldString: "n", newString: "m" }] } as const;
  const near = "Did you mean sub/deep/Notes.md";
  for (const outcome of [
    await workspace.edit({ path: "deep/Notes.md", edits: edit.edits }),
    await workspace.preview({ kind: "edit", path: "deep/Notes.md", edits: edit.edits }),
    await workspace.move({ path: "deep/Notes.md", to: "x.md", base: "a".repeat(64) }),
    await workspace.applyChanges({
      changes: [{ path: "deep/Notes.md", base: "a".repeat(64), content: edit }],
    }),
    await workspace.search({ path: "deep/Notes.md", pattern: "d" }),
  ])
    expect("message" in outcome && outcome.message).toContain(near);
  expect(await workspace.list({ path: "deep" })).toMatchObject({
    message: "There is no folder deep. Did you mean sub/deep?",
  });
});

const dressed: readonly (readonly [written: string, plain: string])[] = [
  ["sub/notes.md:12", "sub/notes.md"],
  ["sub/notes.md:1:5", "sub/notes.md"],
  ["sub/notes.md#L3-L9", "sub/notes.md"],
  ["sub/notes.md#usage", "sub/notes.md"],
  ["sub/notes.md (lines 3-9)", "sub/notes.md"],
  ["sub/notes.md(3,9)", "sub/notes.md"],
  ["sub/test.py::test_one[2]", "sub/test.py"],
  ["Makefile:7", "Makefile"],
  ["@sub/new.md", "sub/new.md"],
  ["@/sub/new.md", "sub/new.md"],
  ["`sub/new.md`", "sub/new.md"],
  ["\u201csub/new.md\u201d", "sub/new.md"],
  ["**sub/new.md**,", "sub/new.md"],
  ["[new](sub/new.md)", "sub/new.md"],
  ["'@sub/notes.md:12'", "sub/notes.md"],
  [" sub/new.md\n", "sub/new.md"],
  ["sub/new.md\u00a0", "sub/new.md"],
  ["sub/n\u200bew.md", "sub/new.md"],
  ["file:///ROOT/sub/a%20b.md", "/ROOT/sub/a b.md"],
  ["file://sub/new.md", "sub/new.md"],
  ["~/new.md", "new.md"],
  ["~/LAST/sub/new.md", "sub/new.md"],
  ["$HOME/new.md", "new.md"],
  ["$PWD/sub/new.md", "sub/new.md"],
  ["sub\\new.md", "sub/new.md"],
];

test.each(dressed)("%j, as it stands in prose, is refused with the plain form", async (written, plain) => {
  const { workspace, root } = await ground(files);
  const here = (text: string) => text.replace("/ROOT", root).replace("LAST", root.split("/").at(-1) ?? "");
  const path = here(written);
  const text = { kind: "text", text: "x" } as const;
  const outcomes = [
    await workspace.read({ path }),
    await workspace.write({ path, content: "x" }),
    await workspace.append({ path, content: "x" }),
    await workspace.move({ path: "sub/notes.md", to: path, base: "a".repeat(64) }),
    await workspace.applyChanges({ changes: [{ path, content: text }] }),
    await workspace.list({ path }),
    await workspace.makeFolder({ path }),
  ];
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ kind: "refusal", code: "invalid_arguments" });
    expect("message" in outcome && outcome.message).toContain(`Did you mean ${here(plain)}?`);
  }
  const { entries } = must(await workspace.list({ depth: 9 }));
  expect(entries.map((entry) => entry.path)).toEqual(
    must(await (await ground(files)).workspace.list({ depth: 9 })).entries.map((entry) => entry.path),
  );
});

test("a name that is there, that ./ says is meant, or that is just unusual is taken as it stands", async () => {
  const { workspace } = await ground({ "@lib/a.ts": "a\n", "odd.ts:3": "o\n" });
  for (const path of [
    "@lib/new.ts",
    "odd.ts:3",
    "./@types/x.d.ts",
    "./~/x",
    "[id]/page.tsx",
    "$lib/x.ts",
    "~$doc.docx",
    "photo (1).jpg",
    "2026-01-01T12:30",
    "outline 5",
    "\u{1f469}\u200d\u{1f4bb}.md",
    "it's",
  ])
    expect(await workspace.append({ path, content: "x\n" })).toMatchObject({ code: "applied" });
});

test("of a diff the names of git are a file's own, others are a model's", async () => {
  const { workspace } = await ground({});
  const lines = "--- /dev/null\n+++ b/@new/x.ts\n@@ -0,0 +1 @@\n+x\n";
  expect(await workspace.applyChanges({ diff: lines })).toMatchObject({ code: "invalid_arguments" });
  const byGit = `diff --git a/@new/x.ts b/@new/x.ts\nnew file mode 100644\n${lines}`;
  expect(await workspace.applyChanges({ diff: byGit })).toMatchObject({ code: "applied" });
});
