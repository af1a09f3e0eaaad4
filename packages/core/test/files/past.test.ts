import { expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { ground, memoryWith, sha } from "../support.js";

/** A workspace that counts how often the past of a file, which grows with every write, is read. */
function counting() {
  const ports = memoryWith();
  let reads = 0;
  const history = {
    ...ports.history,
    entries: (realPath: string) => {
      reads += 1;
      return ports.history.entries(realPath);
    },
  };
  return { workspace: new Workspace({ ...ports, history }), reads: () => reads };
}

it("a write or patch on the state that is there does not read the file's past", async () => {
  const { workspace, reads } = counting();
  await workspace.write({ path: "f", content: "one\n" });
  await workspace.write({ path: "f", content: "two\n", base: sha("one\n") });
  const patched = await workspace.patch({ path: "f", diff: "@@\n-two\n+three\n", base: sha("two\n") });
  expect(patched.code).toBe("applied");
  expect(reads()).toBe(0);
});

it("a base that is not there is looked for in the past, as an undo is", async () => {
  const { workspace, reads } = counting();
  await workspace.write({ path: "f", content: "one\n" });
  await workspace.write({ path: "f", content: "two\n", base: sha("one\n") });
  const stale = await workspace.write({ path: "f", content: "three\n", base: sha("one\n") });
  // What was written, and what was read.
  expect([stale.code, reads()]).toEqual(["state_mismatch", 2]);
  expect((await workspace.undo({ path: "f" })).code).toBe("applied");
});

const large = "a line, é and 😀\n".repeat(60_000);

it.each([
  ["text", large],
  ["text behind a mark", `\ufeff${large}`],
  ["text without a newline at its end", `${large}and a half`],
  ["text of a guessed charset", Buffer.from("caf\xe9\n".repeat(250_000), "latin1")],
  ["plain text of one line", "ab".repeat(600_000)],
])("an undo of a large file brings back every byte of %s", async (_, before) => {
  const base = sha(before);
  const changes = [
    (workspace: Workspace) => workspace.append({ path: "f", content: "x\n" }),
    (workspace: Workspace) => workspace.prepend({ path: "f", content: "x\n" }),
  ];
  for (const change of changes) {
    const { workspace } = counting();
    await workspace.write({ path: "f", content: Buffer.from(before) });
    const changed = await change(workspace);
    expect(changed.code).toBe("applied");
    const undone = await workspace.undo({ path: "f" });
    expect([undone.code, undone.state?.sha256]).toEqual(["applied", base]);
    const bytes = await workspace.readBytes({ path: "f" });
    expect(bytes.kind === "refusal" ? bytes : sha(bytes.bytes)).toBe(base);
  }
});

it("what a process read whole can be brought back, be it no text or shown by a mismatch alone", async () => {
  const { workspace, put, text } = await ground({ binary: "\0one", shown: "one\n" });
  expect(await workspace.read({ path: "binary" })).toMatchObject({ code: "binary" });
  await workspace.write({ path: "shown", content: "two\n", base: sha("one\n") });
  put("shown", "theirs\n");
  const stale = await workspace.write({ path: "shown", content: "three\n", base: sha("two\n") });
  expect(stale).toMatchObject({ code: "state_mismatch" });
  for (const [path, before] of [
    ["binary", "\0one"],
    ["shown", "theirs\n"],
  ] as const) {
    put(path, "lost\n");
    expect(await workspace.restore({ path, sha256: sha(before) })).toMatchObject({ code: "applied" });
    expect(text(path)).toBe(before);
  }
});
