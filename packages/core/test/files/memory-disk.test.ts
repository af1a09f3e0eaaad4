import { describe, expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { ground, memoryWith, sha } from "../support.js";

/** One story, told to the disk in memory and to the real one: a workspace cannot tell them apart. */
async function story(
  workspace: Workspace,
  poke: (path: string, text: string) => void,
): Promise<readonly unknown[]> {
  const facts: unknown[] = [];
  const note = (outcome: { readonly kind: string }) =>
    facts.push({ ...outcome, state: undefined, change: undefined, ...disksOwnWords(outcome) });
  note(await workspace.read({ path: "sub/f.txt" }));
  note(await workspace.write({ path: "sub/f.txt", content: "one\ntwo\n" }));
  note(await workspace.write({ path: "sub/f.txt", content: "blind\n" }));
  note(await workspace.patch({ path: "sub/f.txt", diff: "@@ @@\n-one\n+ONE\n", base: sha("one\ntwo\n") }));
  poke("sub/f.txt", "ONE\ntwo\nthree\n");
  note(await workspace.patch({ path: "sub/f.txt", diff: "@@ @@\n-two\n+TWO\n", base: sha("ONE\ntwo\n") }));
  note(await workspace.undo({ path: "sub/f.txt" }));
  note(await workspace.restore({ path: "sub/f.txt", sha256: sha("one\ntwo\n") }));
  note(await workspace.undo({ path: "sub/f.txt" }));
  note(await workspace.read({ path: "sub" }));
  note(await workspace.read({ path: "sub/f.txt/x" }));
  note(await workspace.list({ depth: 2 }));
  note(await workspace.read({ path: "sub/f.txt", offset: 2, limit: 1 }));
  note(await workspace.read({ path: "sub/f.txt", offset: 9 }));
  return facts;
}

/** A disk words its own refusals; what the workspace says is the same on both. */
function disksOwnWords(outcome: { readonly kind: string }): { readonly message?: undefined } {
  return outcome.kind === "refusal" ? { message: undefined } : {};
}

describe("the disk in memory", () => {
  it("answers a whole story as the real disk does", async () => {
    const ports = memoryWith();
    const memory = await story(new Workspace(ports, { session: "s" }), (path, text) =>
      ports.disk.poke(path, Buffer.from(text)),
    );
    const on = await ground({}, { session: "s" });
    const real = await story(on.workspace, on.put);
    expect(memory).toEqual(real);
  });
});
