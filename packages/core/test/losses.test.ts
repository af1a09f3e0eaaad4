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

interface Blind {
  readonly name: string;
  readonly before: string;
  /** What a person makes of the file after it was read. */
  readonly meanwhile?: string;
  readonly call: readonly ["safe_patch", diff: string] | readonly ["write_file", content: string];
  readonly isBased?: false;
  readonly code: string;
}

const blind: readonly Blind[] = [
  {
    name: "a patch on a line that a person changed meanwhile does not revert it",
    before: "const wait = 2000;\n",
    meanwhile: "const wait = 3000;\n",
    call: ["safe_patch", replaceLine("const wait = 2000;", "const wait = 2500;")],
    code: "state_mismatch",
  },
  {
    name: "a removed line that is only similar to the file's is not taken for it",
    before: "const retries = 3;\n",
    call: ["safe_patch", replaceLine("const retries = 5;", "const retries = 7;")],
    code: "invalid_diff",
  },
  {
    name: "a stale whole-file write does not drop the line that a person appended",
    before: "- one\n",
    meanwhile: "- one\n- by hand\n",
    call: ["write_file", "- one\n- two\n"],
    code: "state_mismatch",
  },
  {
    name: "a write over a file that was never read is refused",
    before: "precious\n",
    call: ["write_file", "new\n"],
    isBased: false,
    code: "missing_base",
  },
  {
    name: "a creation diff on a file that exists does not put its text in front",
    before: "old\n",
    call: ["safe_patch", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n"],
    code: "exists",
  },
];

describe("stale and blind writes", () => {
  it.each(blind)("$name", async ({ before, meanwhile, call: [tool, text], isBased = true, code }) => {
    const on = await ground({ f: before });
    if (meanwhile !== undefined) {
      await on.call("read_file", { file_path: "f" });
      on.put("f", meanwhile);
    }
    const reply = await on.call(tool, {
      file_path: "f",
      ...(tool === "safe_patch" ? { unified_diff: text } : { content: text }),
      ...(isBased ? { base_content_sha256: sha(before) } : {}),
    });
    const stands = meanwhile ?? before;
    expect(reply).toMatchObject({ success: false, code, latest_file_state: { content: stands } });
    expect(on.text("f")).toBe(stands);
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
