import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../../../src/node/index.js";
import { keyOf } from "../../../src/node/state-folder/locks.js";
import { freshFolder } from "../support.js";

/** A line whose check is right and whose text was never JSON; the fuzzer came to it. */
function provedLine(text: string): string {
  const check = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `["${check}",${text}]\n`;
}

describe("a record in the state folder that proves itself and was not written by us", () => {
  const rooms: readonly (readonly [string, (root: string) => string])[] = [
    ["of a history", (root) => join("history", `${keyOf(join(root, "a.txt"))}.jsonl`)],
    ["of a change set", () => join("changes", "set-1")],
  ];
  it.each(rooms)("%s is left out, and files are written as ever", async (_, nameOf) => {
    const [root, stateDir] = [freshFolder(), freshFolder()];
    writeFileSync(join(root, "a.txt"), "one\n");
    const path = join(stateDir, nameOf(root));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, provedLine('{"id":"x",,'));
    const workspace = await openWorkspace({ roots: [root], stateDir });
    if (workspace.kind === "refusal") throw new Error(workspace.message);
    const read = await workspace.read({ path: "a.txt" });
    if (read.kind !== "read") throw new Error(read.message);
    const logged = await workspace.log({ path: "a.txt" });
    const written = await workspace.write({ path: "a.txt", content: "two\n", base: read.state.sha256 });
    await workspace.close();
    expect([logged.kind, written.code]).toEqual(["log", "applied"]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n");
  });

  it("an entry of a history whose hash is none is left out, and an undo says that there is nothing to undo", async () => {
    const [root, stateDir] = [freshFolder(), freshFolder()];
    const file = join(root, "a.txt");
    writeFileSync(file, "one\n");
    const path = join(stateDir, "history", `${keyOf(file)}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    const after = createHash("sha256").update("one\n").digest("hex");
    const entry = { id: "x", realPath: file, time: 1, session: "s", tool: "write", before: "set-1", after };
    writeFileSync(path, provedLine(JSON.stringify(entry)));
    const workspace = await openWorkspace({ roots: [root], stateDir });
    if (workspace.kind === "refusal") throw new Error(workspace.message);
    const undone = await workspace.undo({ path: "a.txt" });
    await workspace.close();
    expect(undone.code).toBe("nothing_to_undo");
    expect(readFileSync(file, "utf8")).toBe("one\n");
  });
});
