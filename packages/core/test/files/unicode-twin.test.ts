import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorkspace } from "../../src/node/index.js";
import { freshFolder, must } from "../node/support.js";

const composed = "caf\u00e9.txt";
const decomposed = "cafe\u0301.txt";
const folder = { composed: "d\u00e9p\u00f4t", decomposed: "de\u0301po\u0302t" };

async function ground(...names: readonly string[]) {
  const top = realpathSync(freshFolder());
  const root = join(top, "root");
  mkdirSync(root);
  for (const name of names) writeFileSync(join(root, name), "x\n");
  const workspace = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
  return { root, workspace, names: () => readdirSync(root).sort() };
}

it("a new name that only differs in its Unicode form from one that is there is refused, with that one", async () => {
  const { workspace, names } = await ground(decomposed);
  for (const outcome of [
    await workspace.write({ path: composed, content: "y" }),
    await workspace.append({ path: composed, content: "y" }),
    await workspace.replace({ path: composed, oldString: "", newString: "y" }),
    await workspace.preview({ kind: "write", path: composed, content: "y" }),
  ]) {
    expect(outcome).toMatchObject({ kind: "refusal", code: "exists" });
    expect("message" in outcome && outcome.message).toContain("the file has U+0065 U+0301");
  }
  const changes = [{ path: composed, content: { kind: "text", text: "y" } }] as const;
  expect(await workspace.applyChanges({ changes })).toMatchObject({ code: "exists" });
  expect(names()).toEqual([decomposed]);
});

it("so is a new folder of such a name", async () => {
  const { root, workspace, names } = await ground();
  mkdirSync(join(root, folder.decomposed));
  expect(await workspace.write({ path: `${folder.composed}/a`, content: "y" })).toMatchObject({
    code: "exists",
  });
  expect(await workspace.write({ path: `${join(root, folder.composed)}/a`, content: "y" })).toMatchObject({
    code: "exists",
  });
  expect(await workspace.makeFolder({ path: `${folder.composed}/b` })).toMatchObject({ code: "exists" });
  expect(names()).toEqual([folder.decomposed]);
  expect(await workspace.write({ path: `${folder.decomposed}/a`, content: "y" })).toMatchObject({
    code: "applied",
  });
});

it("a file may be given the other form of its own name, and a name that it had is no new one", async () => {
  const { workspace, names } = await ground(decomposed);
  const { state } = await workspace.read({ path: decomposed }).then((read) => {
    if (read.kind !== "read") throw new Error("not read");
    return read;
  });
  expect(await workspace.move({ path: decomposed, to: composed, base: state.sha256 })).toMatchObject({
    code: "applied",
  });
  expect(names()).toEqual([composed]);
  expect(await workspace.undo({ path: composed })).toMatchObject({ code: "applied" });
  expect(names()).toEqual([decomposed]);
});

it("names that are there in both forms are read and changed each for itself", async () => {
  const { workspace } = await ground(decomposed, composed);
  for (const path of [decomposed, composed]) {
    await workspace.read({ path });
    expect(await workspace.edit({ path, edits: [{ oldString: "x", newString: "y" }] })).toMatchObject({
      code: "applied",
    });
  }
});

const alike = [
  ["Shot 1\u202fPM.txt", "Shot 1 PM.txt"],
  ["it\u2019s.txt", "it's.txt"],
  ["\uff21.txt", "A.txt"],
  ["\ufb01le.txt", "file.txt"],
  ["a\u2013b.txt", "a-b.txt"],
  ["Makefile", "makefile"],
] as const;

it.each(alike)(
  "a new name beside %j that looks like it, %j, is made with a word about it",
  async (there, name) => {
    for (const [beside, fresh] of [
      [there, name],
      [name, there],
    ] as const) {
      const { workspace, names } = await ground(beside);
      const made = await workspace.write({ path: fresh, content: "y" });
      expect(made).toMatchObject({ code: "applied" });
      expect(made.message).toContain("whose name looks like it (");
      expect(names()).toEqual([beside, fresh].sort());
      const others = [
        await workspace.write({ path: "plain.txt", content: "y" }),
        await workspace.append({ path: fresh, content: "z" }),
      ];
      for (const other of others) expect(other.message).not.toContain("Note:");
    }
  },
);

it("so is one beside a name that no call may give, with a character that nobody sees", async () => {
  const { workspace } = await ground("x\u200b.txt");
  const made = await workspace.write({ path: "x.txt", content: "y" });
  expect(made.message).toContain("whose name looks like it (");
});

it.each(["src/**/new.ts", "*.ts", "lib/{a,b}.ts"])(
  "a pattern is no name for a new file: %s",
  async (path) => {
    const { root, workspace, names } = await ground();
    expect(await workspace.write({ path, content: "y" })).toMatchObject({ code: "invalid_arguments" });
    expect(names()).toEqual([]);
    // What is there is edited as any other file.
    writeFileSync(join(root, "a*.ts"), "x");
    const there = await workspace.read({ path: "a*.ts" });
    expect(there).toMatchObject({ kind: "read" });
    expect(await workspace.append({ path: "a*.ts", content: "y" })).toMatchObject({ code: "applied" });
  },
);
