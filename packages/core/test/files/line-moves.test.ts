import { chmodSync, existsSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseEnvelope, runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { type Ground, ground, sha } from "../support.js";

type Files = Readonly<Record<string, string | Uint8Array>>;

const seven = "1\n2\n3\n4\n5\n6\n7\n";

/** Files whose lines were shown. */
async function shown(files: Files): Promise<Ground> {
  const on = await ground(files);
  for (const path of Object.keys(files)) await on.workspace.read({ path });
  return on;
}

function call(on: Ground, name: string, args: object) {
  return runTool(name, args, { workspace: on.workspace });
}

function textsOf(on: Ground): Record<string, string> {
  const names = readdirSync(on.root).filter((name) => statSync(join(on.root, name)).isFile());
  return Object.fromEntries(names.map((name) => [name, on.text(name)]));
}

/** Moves lines of `a`, by the hashes of the files as they are. */
function move(on: Ground, lines: string, args: { readonly after: string; readonly to?: string }, more = {}) {
  const { to } = args;
  const target = to !== undefined && existsSync(join(on.root, to)) ? sha(on.bytes(to)) : undefined;
  const hashes = { base_content_sha256: sha(on.bytes("a")), to_base_content_sha256: target };
  return call(on, "move_lines", { file_path: "a", lines, ...args, ...hashes, ...more });
}

describe("move_lines", () => {
  it.each<
    readonly [name: string, files: Files, lines: string, place: Parameters<typeof move>[2], after: Files]
  >([
    [
      "behind a line of another file",
      { a: seven, b: "x\ny\n" },
      "2-3",
      { to: "b", after: "1" },
      { a: "1\n4\n5\n6\n7\n", b: "x\n2\n3\ny\n" },
    ],
    [
      "to the start",
      { a: seven, b: "x\n" },
      "7",
      { to: "b", after: "start" },
      { a: "1\n2\n3\n4\n5\n6\n", b: "7\nx\n" },
    ],
    [
      "to the end of a file without a final newline",
      { a: seven, b: "x" },
      "1-2",
      { to: "b", after: "end" },
      { a: "3\n4\n5\n6\n7\n", b: "x\n1\n2" },
    ],
    [
      "with the line endings of the target",
      { a: seven, b: "x\r\ny\r\n" },
      "2-3",
      { to: "b", after: "1" },
      { a: "1\n4\n5\n6\n7\n", b: "x\r\n2\r\n3\r\ny\r\n" },
    ],
    [
      "with the last one, which nothing ends",
      { a: "1\n2", b: "x\ny\n" },
      "2",
      { to: "b", after: "1" },
      { a: "1\n", b: "x\n2\ny\n" },
    ],
    [
      "all of them, into an empty file",
      { a: "1\n2\n", b: "" },
      "1-2",
      { to: "b", after: "end" },
      { a: "", b: "1\n2\n" },
    ],
    [
      "into a file that is made of them",
      { a: seven },
      "2-3",
      { to: "new", after: "end" },
      { a: "1\n4\n5\n6\n7\n", new: "2\n3\n" },
    ],
    ["down in the same file", { a: seven }, "2-3", { to: "./a", after: "5" }, { a: "1\n4\n5\n2\n3\n6\n7\n" }],
    ["up in the same file", { a: seven }, "5-6", { after: "after 1" }, { a: "1\n5\n6\n2\n3\n4\n7\n" }],
    [
      "to the end of the same file, of repeated lines",
      { a: "a\nb\na\nc\n" },
      "1-2",
      { after: "end" },
      { a: "a\nc\na\nb\n" },
    ],
  ])("moves them %s", async (_, files, lines, place, after) => {
    const on = await shown(files);
    const { code } = await move(on, lines, place);
    expect([code, textsOf(on)]).toEqual(["applied", after]);
    expect((await call(on, "undo_edit", { file_path: "a" })).code).toBe("applied");
    expect(textsOf(on)).toEqual(files);
  });

  it("answers with both states and the ends of a long stretch, and only these lines are known there", async () => {
    const long = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`).join("");
    const on = await shown({ a: long, b: "x\ny\n" });
    const { text } = await move(on, "11-50", { to: "b", after: "1" });
    const files = parseEnvelope(text)?.files ?? [];
    expect(files.map(({ path, sha256 }) => [path, sha256])).toEqual([
      ["a", sha(on.text("a"))],
      ["b", sha(on.text("b"))],
    ]);
    expect(files[1]?.windows.map(({ from, to }) => [from, to])).toEqual([
      [1, 5],
      [38, 42],
    ]);
    expect(text).not.toContain("line 30\n");
    const edit = (lines: string) =>
      call(on, "edit_file", {
        file_path: "b",
        base_content_sha256: sha(on.text("b")),
        edits: [{ lines, new_string: "z" }],
      });
    expect((await edit("20")).code).toBe("unseen_lines");
    expect((await edit("41")).code).toBe("applied");
  });

  it.each<
    readonly [
      name: string,
      files: Files,
      args: Record<"lines" | "after", string> & Readonly<Record<string, string>>,
      code: string,
    ]
  >([
    ["a place among the lines", { a: seven }, { lines: "2-5", after: "3" }, "invalid_arguments"],
    [
      "lines that are not there",
      { a: seven, b: "x\n" },
      { lines: "7-8", to: "b", after: "1" },
      "out_of_range",
    ],
    [
      "a place that is not there",
      { a: seven, b: "x\n" },
      { lines: "1", to: "b", after: "2" },
      "out_of_range",
    ],
    ["no lines", { a: seven, b: "x\n" }, { lines: "after 3", to: "b", after: "1" }, "invalid_arguments"],
    ["no place", { a: seven, b: "x\n" }, { lines: "1", to: "b", after: "below" }, "invalid_arguments"],
    [
      "a place in a file that is not there",
      { a: seven },
      { lines: "1", to: "b", after: "1" },
      "file_missing",
    ],
    [
      "a target without its hash",
      { a: seven, b: "x\n" },
      { lines: "1", to: "b", after: "1", to_base_content_sha256: "" },
      "missing_base",
    ],
    [
      "another state of the target",
      { a: seven, b: "x\n" },
      { lines: "1", to: "b", after: "1", to_base_content_sha256: sha("y\n") },
      "unknown_base",
    ],
    [
      "another state of the source",
      { a: seven, b: "x\n" },
      { lines: "1", to: "b", after: "1", base_content_sha256: sha("y\n") },
      "unknown_base",
    ],
    ["a protected target", { a: seven }, { lines: "1", to: ".git/hooks/x", after: "end" }, "protected_path"],
    [
      "characters that the target cannot hold",
      { a: "\u4e2d\n", b: Uint8Array.of(0x67, 0x72, 0xfc, 0xdf, 10) },
      { lines: "1", to: "b", after: "1" },
      "unencodable",
    ],
  ])("is refused for %s, and writes nothing", async (_, files, { lines, after, to, ...more }, code) => {
    const on = await shown(files);
    const before = Object.keys(files).map((path) => on.bytes(path));
    expect((await move(on, lines, { after, ...(to === undefined ? {} : { to }) }, more)).code).toBe(code);
    expect(Object.keys(files).map((path) => on.bytes(path))).toEqual(before);
  });

  it("needs lines that were shown, in both files", async () => {
    const on = await ground({ a: seven, b: seven });
    await on.workspace.read({ path: "a", offset: 1, limit: 3 });
    await on.workspace.read({ path: "b", offset: 1, limit: 3 });
    expect((await move(on, "3-4", { to: "b", after: "1" })).code).toBe("unseen_lines");
    expect((await move(on, "2-3", { to: "b", after: "6" })).code).toBe("unseen_lines");
    expect([on.text("a"), on.text("b")]).toEqual([seven, seven]);
    expect((await move(on, "2-3", { to: "b", after: "end" })).code).toBe("applied");
  });

  it("goes by what own calls changed since; the same call again is made once", async () => {
    const on = await shown({ a: seven, b: "x\ny\n" });
    const args = {
      file_path: "a",
      to: "b",
      base_content_sha256: sha(seven),
      to_base_content_sha256: sha("x\ny\n"),
    };
    const first = { ...args, lines: "2-3", after: "1" };
    expect((await call(on, "move_lines", first)).code).toBe("applied");
    expect((await call(on, "move_lines", { ...args, lines: "6", after: "end" })).code).toBe("applied");
    const both = { a: "1\n4\n5\n7\n", b: "x\n2\n3\ny\n6\n" };
    expect(textsOf(on)).toEqual(both);
    expect((await call(on, "move_lines", first)).code).toBe("already_applied");
    expect(textsOf(on)).toEqual(both);
  });

  it("is refused where it stands in one of the two files alone", async () => {
    const on = await shown({ a: seven, b: "x\ny\n" });
    const args = { to: "b", base_content_sha256: sha(seven), to_base_content_sha256: sha("x\ny\n") };
    const again = () => call(on, "move_lines", { file_path: "a", lines: "2-3", after: "1", ...args });
    await again();
    const moved = textsOf(on);
    for (const [path, text] of [
      ["a", seven],
      ["b", "x\ny\n"],
    ] as const) {
      on.put(path, text);
      const half = textsOf(on);
      expect([(await again()).code, textsOf(on)]).toEqual(["state_mismatch", half]);
      on.put(path, moved[path] ?? "");
    }
  });
});

describe("copy_file", () => {
  const copy = (on: Ground, file_path: string, to: string, base = sha(on.bytes(file_path))) =>
    call(on, "copy_file", { file_path, to, base_content_sha256: base });

  it("copies bytes and mode, makes folders, and is undone", async () => {
    const bytes = Uint8Array.of(0, 1, 2, 255);
    const on = await ground({ "a.bin": bytes });
    chmodSync(join(on.root, "a.bin"), 0o750);
    const { code, text } = await copy(on, "a.bin", "n/b.bin");
    expect([code, text]).toEqual(["applied", expect.stringContaining("Copied from a.bin.")]);
    expect([on.bytes("a.bin"), on.bytes("n/b.bin")]).toEqual([Buffer.from(bytes), Buffer.from(bytes)]);
    expect(statSync(join(on.root, "n/b.bin")).mode & 0o777).toBe(0o750);
    expect((await copy(on, "a.bin", "n/b.bin")).code).toBe("already_applied");
    expect((await call(on, "undo_edit", { file_path: "n/b.bin" })).code).toBe("applied");
    expect([existsSync(join(on.root, "n")), existsSync(join(on.root, "a.bin"))]).toEqual([false, true]);
  });

  it("copies what a link leads to, and what is protected, which it only reads", async () => {
    const on = await ground({ "a.txt": "a\n", ".npmrc": "b\n" });
    symlinkSync("a.txt", join(on.root, "link"));
    expect((await copy(on, "link", "b.txt")).code).toBe("applied");
    expect((await copy(on, ".npmrc", "c.txt")).code).toBe("applied");
    expect([on.text("b.txt"), on.text("c.txt")]).toEqual(["a\n", "b\n"]);
    expect((await copy(on, "a.txt", ".npmrc2/../.git/config")).code).toBe("protected_path");
  });

  it.each<readonly [name: string, from: string, to: string, code: string]>([
    ["onto a file", "a.txt", "b.txt", "exists"],
    ["onto a link that leads nowhere", "a.txt", "dangling", "exists"],
    ["onto itself", "a.txt", "./a.txt", "invalid_arguments"],
    ["of a file that is not there", "none.txt", "c.txt", "file_missing"],
    ["of a folder", "d", "c.txt", "is_directory"],
    ["of another state", "b.txt", "c.txt", "unknown_base"],
  ])("%s is refused", async (_, from, to, code) => {
    const on = await ground({ "a.txt": "a\n", "b.txt": "b\n", "d/x": "x\n" });
    symlinkSync("nowhere", join(on.root, "dangling"));
    expect((await copy(on, from, to, sha("a\n"))).code).toBe(code);
    expect([on.text("b.txt"), existsSync(join(on.root, "c.txt"))]).toEqual(["b\n", false]);
  });

  it("of a secret keeps its bytes apart under the new name, too", async () => {
    const secret = "KEY=abcdef\n";
    const on = await ground({ ".env": secret });
    const { text } = await copy(on, ".env", "plain.txt");
    expect(text).not.toContain("abcdef");
    on.put("other.txt", "other\n");
    const restored = await on.workspace.restore({ path: "other.txt", sha256: sha(secret) });
    expect(restored.code).toBe("bytes_gone");
    expect(await on.workspace.mayHoldSecrets("plain.txt", sha(secret))).toBe(true);
  });
});
