import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editText } from "../../src/host/editor.js";
import { folder } from "./ground.js";

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

  test("is closed when it is cancelled", async () => {
    const cancelling = new AbortController();
    const editing = edit("exec sleep 60", cancelling.signal);
    setTimeout(() => cancelling.abort(), 100);
    expect((await editing).result).toMatchObject({ kind: "refusal", code: "cancelled" });
  });
});
