import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editText } from "../../src/host/editor.js";
import { OutputLog } from "../../src/host/output-log.js";
import { safeOutput } from "../../src/host/safe-output.js";
import { folder } from "./ground.js";

const bounds = { shownBytes: 20, fileBytes: 60 };
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (part: Uint8Array) => new TextDecoder().decode(part);

describe("an output", () => {
  test("that is short is shown whole and makes no file", async () => {
    const log = new OutputLog(join(await folder(), "out"), bounds);
    log.add(bytes("0123456789"));
    log.add(bytes("abcdefghij"));
    const { head, left, tail } = log.shown();
    expect([text(head), left, text(tail)]).toEqual(["0123456789abcdefghij", 0, ""]);
    expect(log.kept).toBeUndefined();
  });

  test("is a text for a person, with how much is left out", async () => {
    const log = new OutputLog(join(await folder(), "out"), bounds);
    expect([log.lines, log.text()]).toEqual([0, ""]);
    log.add(bytes("one\n\u001b[1mtwo"));
    expect([log.lines, log.text()]).toEqual([2, "one\ntwo"]);
    log.add(bytes("\nthree\nfour\n"));
    expect([log.lines, log.text()]).toEqual([4, "one\ntw\n[… 3 bytes left out …]\nhree\nfour\n"]);
  });

  test("whatever comes in whatever pieces: beginning, end, and the file are its bytes", async () => {
    const dir = await folder();
    let count = 0;
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 8 }),
        fc.boolean(),
        (chunks, early) => {
          const path = join(dir, `out-${count++}`);
          const log = new OutputLog(path, bounds, early);
          for (const chunk of chunks) log.add(chunk);
          const all = Buffer.concat(chunks);
          const { head, left, tail } = log.shown();
          expect(log.sizeBytes).toBe(all.length);
          const lines = all.toString("latin1").split("\n");
          expect(log.lines).toBe(lines.length - (lines.at(-1) === "" ? 1 : 0));
          expect(head.length + left + tail.length).toBe(all.length);
          expect(all.subarray(0, head.length).equals(head)).toBe(true);
          expect(all.subarray(all.length - tail.length).equals(tail)).toBe(true);
          expect(left === 0 || left <= all.length - bounds.shownBytes + 6).toBe(true);
          log.close();
          const isKept = all.length > bounds.shownBytes || (early && all.length > 0);
          expect(existsSync(path)).toBe(isKept);
          if (isKept) expect(readFileSync(path).equals(all.subarray(0, bounds.fileBytes))).toBe(true);
          log.remove();
          expect(existsSync(path)).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("that is read part by part comes out whole, in whole characters", async () => {
    const log = new OutputLog(join(await folder(), "out"), { shownBytes: 8, fileBytes: 1_000 }, true);
    const all = "aé€😀".repeat(10);
    log.add(bytes(all));
    const parts: string[] = [];
    for (let from = 0; from < log.sizeBytes; ) {
      const part = log.read(from, 7);
      parts.push(text(part.bytes));
      expect(part.next).toBeGreaterThan(from);
      from = part.next;
    }
    expect(parts.join("")).toBe(all);
    log.remove();
  });

  test("of which the file holds the beginning alone says where the rest begins", async () => {
    const log = new OutputLog(join(await folder(), "out"), bounds, true);
    log.add(bytes("x".repeat(100)));
    expect(log.read(0, 1_000)).toMatchObject({ from: 0, next: 60 });
    expect(log.read(60, 1_000)).toMatchObject({ from: 90, next: 100 });
    log.remove();
  });
});

describe("what a program printed", () => {
  test.each([
    ["a colour", "\u001b[31mred\u001b[0m\n", "red\n"],
    ["a title", "\u001b]0;evil\u0007text", "text"],
    ["a progress line", "10%\r50%\r100%\ndone", "100%\ndone"],
    ["line ends of Windows", "a\r\nb\r\n", "a\nb\n"],
    ["a bell and a backspace", "a\u0007b\u0008", "a\\u0007b\\u0008"],
    ["a lone escape", "\u001b", "\\u001b"],
    ["a direction override", "\u202etxt", "\\u202etxt"],
  ])("%s is made safe", (_, printed, shown) => {
    expect(safeOutput(bytes(printed))).toBe(shown);
  });

  test("bytes that are no UTF-8 are marked", () => {
    expect(safeOutput(Uint8Array.of(0x61, 0xff, 0xfe, 0x62))).toBe("a\ufffd\ufffdb");
  });
});

/** Edits with a script as the editor; `$1` is the file. */
async function edit(script: string | undefined, signal?: AbortSignal) {
  const tempDir = await folder();
  const editor = join(tempDir, "my editor.sh");
  writeFileSync(editor, `#!/bin/sh\n${script ?? ""}\n`);
  chmodSync(editor, 0o755);
  const named = script === undefined ? {} : { EDITOR: `'${editor}' --flag` };
  const environment = { PATH: process.env.PATH, ...named };
  const request = { text: "héllo\n", name: "../a b.ts", environment, tempDir };
  const result = await editText({ ...request, ...(signal === undefined ? {} : { signal }) });
  return { result, left: readdirSync(tempDir) };
}

describe("the editor", () => {
  test("gives the text as it was left, byte for byte, and removes the file", async () => {
    const { result, left } = await edit('test "$1" = --flag && printf "\\357\\273\\277new\\r\\n" > "$2"');
    expect(result).toEqual({ kind: "edited", text: "\ufeffnew\r\n", isChanged: true });
    expect(left).toEqual(["my editor.sh"]);
  });

  test("is given the text under a plain name", async () => {
    const { result } = await edit('cp "$2" "$2.seen"; basename "$2" >> "$2"');
    expect(result).toMatchObject({ text: "héllo\n_a_b.ts\n" });
  });

  test("that changes nothing says so", async () => {
    expect((await edit("true")).result).toMatchObject({ kind: "edited", isChanged: false });
  });

  test.each([
    ["no editor", undefined, "not_found"],
    ["an editor that fails", "exit 1", "not_applied"],
    ["an editor that is not there", 'exec "$2.none"', "not_found"],
    ["an editor that removes the file", 'rm "$2"', "not_applied"],
    ["an editor that leaves no UTF-8", 'printf "\\377" > "$2"', "undecodable"],
  ])("%s is a refusal", async (_, script, code) => {
    const { result, left } = await edit(script);
    expect(result).toMatchObject({ kind: "refusal", code });
    expect(left).toEqual(["my editor.sh"]);
  });

  test("that gets no file is a refusal, too", async () => {
    const request = { text: "a\n", environment: { EDITOR: "true" }, tempDir: join(await folder(), "none") };
    expect(await editText(request)).toMatchObject({ kind: "refusal", code: "not_applied" });
  });

  test("is closed when it is cancelled", async () => {
    const cancelling = new AbortController();
    const editing = edit("exec sleep 60", cancelling.signal);
    setTimeout(() => cancelling.abort(), 100);
    expect((await editing).result).toMatchObject({ kind: "refusal", code: "cancelled" });
  });
});
