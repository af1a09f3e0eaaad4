import { chmodSync, linkSync, lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { currentBase, type FileState } from "@holdfast/core/files";
import { describe, expect, it } from "vitest";
import { type Ground, ground, sha } from "./support.js";

/**
 * What peers report as success while somebody's bytes are lost (gemini-cli 0.61.0 and the official
 * filesystem MCP server 2026.8.31 on the same probes), each as a test that here nothing is lost.
 */

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
const latin1 = (text: string) => Buffer.from(text, "latin1");
const replaceLine = (from: string, to: string) => `@@ @@\n-${from}\n+${to}\n`;

async function patch(on: Ground, path: string, diff: string, base: string) {
  return on.call("safe_patch", { file_path: path, unified_diff: diff, base_content_sha256: base });
}

describe("stale and blind writes", () => {
  it("a patch on a line that a person changed meanwhile does not revert it", async () => {
    const on = await ground({ "f.ts": "const wait = 2000;\n" });
    await on.call("read_file", { file_path: "f.ts" });
    const base = sha("const wait = 2000;\n");
    on.put("f.ts", "const wait = 3000;\n");
    const reply = await patch(on, "f.ts", replaceLine("const wait = 2000;", "const wait = 2500;"), base);
    expect(reply).toMatchObject({ success: false, code: "state_mismatch" });
    expect(reply.message).toContain("3000");
    expect(on.text("f.ts")).toBe("const wait = 3000;\n");
  });

  it("a removed line that is only similar to the file's is not taken for it", async () => {
    const on = await ground({ "f.ts": "const retries = 3;\n" });
    const reply = await patch(
      on,
      "f.ts",
      replaceLine("const retries = 5;", "const retries = 7;"),
      sha("const retries = 3;\n"),
    );
    expect(reply).toMatchObject({ success: false, code: "invalid_diff" });
    expect(on.text("f.ts")).toBe("const retries = 3;\n");
  });

  it("a stale whole-file write does not drop the line that a person appended", async () => {
    const on = await ground({ "notes.md": "- one\n" });
    await on.call("read_file", { file_path: "notes.md" });
    on.put("notes.md", "- one\n- by hand\n");
    const reply = await on.call("write_file", {
      file_path: "notes.md",
      content: "- one\n- two\n",
      base_content_sha256: sha("- one\n"),
    });
    expect(reply).toMatchObject({
      success: false,
      code: "state_mismatch",
      latest_file_state: { content: "- one\n- by hand\n" },
    });
    expect(on.text("notes.md")).toBe("- one\n- by hand\n");
  });

  it("a write over a file that was never read is refused", async () => {
    const on = await ground({ "f.txt": "precious\n" });
    expect(await on.call("write_file", { file_path: "f.txt", content: "new\n" })).toMatchObject({
      code: "missing_base",
    });
    expect(on.text("f.txt")).toBe("precious\n");
  });

  it("a creation diff on a file that exists does not put its text in front", async () => {
    const on = await ground({ "f.txt": "old\n" });
    const creation = "--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1 @@\n+new\n";
    const reply = await patch(on, "f.txt", creation, sha("old\n"));
    expect(reply).toMatchObject({ success: false, code: "exists" });
    expect(on.text("f.txt")).toBe("old\n");
  });
});

describe("edits at the same time", () => {
  it("of two on one base the second is told of the first", async () => {
    const on = await ground({ "f.txt": "alpha\nbeta\n" });
    const base = sha("alpha\nbeta\n");
    const replies = await Promise.all([
      patch(on, "f.txt", replaceLine("alpha", "ALPHA"), base),
      patch(on, "f.txt", replaceLine("beta", "BETA"), base),
    ]);
    expect(replies.map(({ code }) => code).sort()).toEqual(["applied", "state_mismatch"]);
    expect(["ALPHA\nbeta\n", "alpha\nBETA\n"]).toContain(on.text("f.txt"));
  });

  it("of 200 parallel callers who change a line each none loses a line", async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
    const on = await ground({ "f.txt": `${lines.join("\n")}\n` });
    const change = (line: string) =>
      on.workspace.patch({ path: "f.txt", diff: replaceLine(line, `${line} changed`), base: currentBase });
    const outcomes = await Promise.all(lines.map(change));
    expect(outcomes.filter(({ code }) => code !== "applied")).toEqual([]);
    expect(on.text("f.txt")).toBe(lines.map((line) => `${line} changed\n`).join(""));
  });

  it("of 30 parallel callers who append to the state they saw and try again none loses a line", async () => {
    const on = await ground({ "f.txt": "" });
    const append = async (line: string, seen: FileState): Promise<void> => {
      const content = `${seen.content}${line}\n`;
      const outcome = await on.workspace.write({ path: "f.txt", content, base: seen.sha256 ?? "" });
      if (outcome.success) return;
      expect(outcome.code).toBe("state_mismatch");
      if (outcome.state !== null) await append(line, outcome.state);
    };
    const read = await on.workspace.read({ path: "f.txt" });
    if (read.kind === "refusal") throw new Error(read.message);
    await Promise.all(Array.from({ length: 30 }, (_, at) => append(`line ${at}`, read.state)));
    expect(new Set(on.text("f.txt").trimEnd().split("\n")).size).toBe(30);
  });

  it("the same call again after a lost answer changes nothing and says so", async () => {
    const on = await ground({ "f.txt": "alpha\n" });
    const base = sha("alpha\n");
    expect(await patch(on, "f.txt", replaceLine("alpha", "beta"), base)).toMatchObject({ code: "applied" });
    expect(await patch(on, "f.txt", replaceLine("alpha", "beta"), base)).toMatchObject({
      success: true,
      code: "already_applied",
    });
    expect(on.text("f.txt")).toBe("beta\n");
  });
});

describe("an ambiguous edit", () => {
  it("is refused with the lines at which it fits", async () => {
    const text = "def a():\n    return 1\n\ndef b():\n    return 1\n";
    const on = await ground({ "f.py": text });
    const reply = await patch(on, "f.py", replaceLine("    return 1", "    return 2"), sha(text));
    expect(reply).toMatchObject({ success: false, code: "ambiguous" });
    expect(reply.message).toMatch(/\b2\b[\s\S]*\b5\b/);
    expect(on.text("f.py")).toBe(text);
  });
});

interface Fidelity {
  readonly name: string;
  readonly before: Buffer;
  readonly diff: string;
  readonly after: Buffer;
}

const fidelity: readonly Fidelity[] = [
  {
    name: "Latin-1 bytes far from the edit stay",
    before: latin1("caf\u00e9 ol\u00e9 \u00fcber\ntitle = old\nna\u00efve r\u00e9sum\u00e9\n"),
    diff: replaceLine("title = old", "title = new"),
    after: latin1("caf\u00e9 ol\u00e9 \u00fcber\ntitle = new\nna\u00efve r\u00e9sum\u00e9\n"),
  },
  {
    name: "a UTF-8 byte order mark stays, and the first line can be changed",
    before: Buffer.from("\ufeffalpha\nbeta\n"),
    diff: replaceLine("alpha", "ALPHA"),
    after: Buffer.from("\ufeffALPHA\nbeta\n"),
  },
  {
    name: "UTF-16 stays UTF-16",
    before: utf16("alpha\r\nb\u00eata\r\n"),
    diff: replaceLine("alpha", "\u00e4lpha"),
    after: utf16("\u00e4lpha\r\nb\u00eata\r\n"),
  },
  {
    name: "CRLF stays CRLF, in the new lines, too",
    before: Buffer.from("a\r\nb\r\nc\r\n"),
    diff: "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n",
    after: Buffer.from("a\r\nB\r\nB2\r\nc\r\n"),
  },
  {
    name: "of mixed endings each line keeps its own",
    before: Buffer.from("a\r\nb\nc\r\nd\n"),
    diff: "@@ -2,2 +2,2 @@\n b\n-c\n+C\n d\n",
    after: Buffer.from("a\r\nb\nC\r\nd\n"),
  },
  {
    name: "a missing final newline stays missing",
    before: Buffer.from("a\nb"),
    diff: "@@ -1,2 +1,2 @@\n-a\n+A\n b\n",
    after: Buffer.from("A\nb"),
  },
  {
    name: "a final newline is added where the diff says so",
    before: Buffer.from("a\nb"),
    diff: "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
    after: Buffer.from("a\nb\n"),
  },
  {
    name: "a final newline is removed where the diff says so",
    before: Buffer.from("a\nb\n"),
    diff: "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
    after: Buffer.from("a\nb"),
  },
  {
    name: "dollar signs and backslashes in new text are literal",
    before: Buffer.from("x\n"),
    diff: replaceLine("x", "$& $1 $` \\n"),
    after: Buffer.from("$& $1 $` \\n\n"),
  },
];

describe("bytes", () => {
  it.each(fidelity)("$name", async ({ before, diff, after }) => {
    const on = await ground({ f: before });
    const reply = await patch(on, "f", diff, sha(before));
    expect(reply).toMatchObject({
      success: true,
      code: "applied",
      latest_file_state: { sha256: sha(after) },
    });
    expect(on.bytes("f").equals(after)).toBe(true);
  });

  it("that are no text are never rewritten by a text tool", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]);
    const on = await ground({ "i.png": bytes });
    expect(await patch(on, "i.png", replaceLine("a", "b"), sha(bytes))).toMatchObject({ code: "binary" });
    expect(
      await on.call("write_file", { file_path: "i.png", content: "x", base_content_sha256: sha(bytes) }),
    ).toMatchObject({
      code: "binary",
    });
    expect(on.bytes("i.png").equals(bytes)).toBe(true);
  });

  it("in a guessed charset take only ASCII until the encoding is named", async () => {
    const before = latin1("caf\u00e9 cr\u00e8me br\u00fbl\u00e9e\nline\n");
    const on = await ground({ f: before });
    const diff = replaceLine("line", "l\u00efne");
    expect(await patch(on, "f", diff, sha(before))).toMatchObject({ code: "unencodable" });
    expect(on.bytes("f").equals(before)).toBe(true);
    const named = {
      file_path: "f",
      unified_diff: diff,
      base_content_sha256: sha(before),
      encoding: "iso-8859-1",
    };
    expect(await on.call("safe_patch", named)).toMatchObject({ code: "applied" });
    expect(on.bytes("f").equals(latin1("caf\u00e9 cr\u00e8me br\u00fbl\u00e9e\nl\u00efne\n"))).toBe(true);
  });

  it("that the file's encoding cannot hold are refused", async () => {
    const before = latin1("caf\u00e9\nline\n");
    const on = await ground({ f: before });
    const args = {
      file_path: "f",
      unified_diff: replaceLine("line", "\u4e16"),
      base_content_sha256: sha(before),
      encoding: "latin1",
    };
    expect(await on.call("safe_patch", args)).toMatchObject({ code: "unencodable" });
    expect(on.bytes("f").equals(before)).toBe(true);
  });

  it("of a CRLF file written whole with plain newlines keep CRLF", async () => {
    const on = await ground({ f: "a\r\nb\r\n" });
    await on.call("write_file", {
      file_path: "f",
      content: "a\nb\nc\n",
      base_content_sha256: sha("a\r\nb\r\n"),
    });
    expect(on.text("f")).toBe("a\r\nb\r\nc\r\n");
  });
});

describe("the file behind the name", () => {
  it("keeps its mode", async () => {
    const on = await ground({ "run.sh": "#!/bin/sh\necho old\n" });
    chmodSync(join(on.root, "run.sh"), 0o755);
    await patch(on, "run.sh", replaceLine("echo old", "echo new"), sha("#!/bin/sh\necho old\n"));
    expect(statSync(join(on.root, "run.sh")).mode & 0o7777).toBe(0o755);
    expect(on.text("run.sh")).toContain("echo new");
  });

  it("is written through a link inside the workspace, and the link stays a link", async () => {
    const on = await ground({ "real.txt": "old\n" });
    symlinkSync("real.txt", join(on.root, "link.txt"));
    expect(await patch(on, "link.txt", replaceLine("old", "new"), sha("old\n"))).toMatchObject({
      code: "applied",
    });
    expect(lstatSync(join(on.root, "link.txt")).isSymbolicLink()).toBe(true);
    expect(on.text("real.txt")).toBe("new\n");
  });

  it("with a second hard link is refused, and written in place only on demand", async () => {
    const on = await ground({ "one.txt": "old\n" });
    linkSync(join(on.root, "one.txt"), join(on.root, "two.txt"));
    expect(await patch(on, "one.txt", replaceLine("old", "new"), sha("old\n"))).toMatchObject({
      code: "cannot_preserve",
    });
    expect(on.text("two.txt")).toBe("old\n");
    const insisted = await on.workspace.patch({
      path: "one.txt",
      diff: replaceLine("old", "new"),
      base: sha("old\n"),
      inPlace: true,
    });
    expect(insisted).toMatchObject({ code: "applied" });
    expect(readFileSync(join(on.root, "two.txt"), "utf8")).toBe("new\n");
    expect(statSync(join(on.root, "two.txt")).ino).toBe(statSync(join(on.root, "one.txt")).ino);
  });
});
