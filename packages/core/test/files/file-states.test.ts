import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { FileChange } from "@holdfast/core/files/values";
import { describe, expect, it } from "vitest";
import { emptySha, ground, sha } from "../support.js";

describe("the states of files, by their hashes alone", () => {
  it("come in the order of the paths, each with its real name and what bars it", async () => {
    const on = await ground(
      { "a.txt": "a\n", ".env": "KEY=1", ".git/config": "x", big: "12345678901", bin: "\u0000" },
      { limits: { changeBytes: 10 } },
    );
    mkdirSync(join(on.root, "folder"));
    symlinkSync("a.txt", join(on.root, "link"));
    const paths = [
      "./a.txt",
      "link",
      "none",
      "deep/none",
      ".env",
      ".git/config",
      "big",
      "bin",
      "folder",
      "a.txt/below",
      "../out",
      "",
    ];
    const standings = await on.workspace.fileStates(paths);
    expect(standings.map(({ path }) => path)).toEqual(paths);
    expect(standings.map(({ sha256, barred }) => [sha256?.slice(0, 6) ?? sha256, barred?.code])).toEqual([
      [sha("a\n").slice(0, 6), undefined],
      [sha("a\n").slice(0, 6), undefined],
      [null, undefined],
      [null, undefined],
      [sha("KEY=1").slice(0, 6), undefined],
      [sha("x").slice(0, 6), "protected_path"],
      [undefined, "too_large"],
      [sha("\u0000").slice(0, 6), undefined],
      [undefined, "is_directory"],
      [undefined, "not_a_file"],
      [undefined, "outside_workspace"],
      [undefined, "invalid_arguments"],
    ]);
    expect(standings[1]?.realPath).toBe(standings[0]?.realPath);
    expect(await on.workspace.recoveredStates(["link", "none"])).toEqual(
      await on.workspace.fileStates(["link", "none"]),
    );
  });

  it("are barred altogether where nothing is written", async () => {
    const on = await ground({ a: "a" }, { readOnly: true });
    expect(await on.workspace.fileStates(["a"])).toMatchObject([
      { sha256: sha("a"), barred: { code: "read_only" } },
    ]);
  });

  it("are barred for secrets where none of their states are kept", async () => {
    const on = await ground({ ".env": "KEY=1", a: "a" }, { keepSecrets: "none" });
    const [secret, plain] = await on.workspace.fileStates([".env", "a"]);
    expect(secret).toMatchObject({ barred: { code: "bytes_gone" } });
    expect(plain).not.toHaveProperty("barred");
  });

  it("say whether the bytes of a wanted state are kept, also of secrets", async () => {
    const on = await ground({ ".env": "KEY=1", a: "a" });
    await on.workspace.read({ path: ".env" });
    await on.workspace.read({ path: "a" });
    const wanted = async (...hashes: (string | null)[]) =>
      (await on.workspace.fileStates([".env", "a"], hashes)).map(({ wantedKept }) => wantedKept);
    expect(await wanted(sha("KEY=1"), sha("a"))).toEqual([true, true]);
    expect(await wanted(sha("a"), sha("KEY=1"))).toEqual([false, false]);
    expect(await wanted(emptySha, null)).toEqual([true, undefined]);
  });

  it("tell whose bytes are kept; those of no content always are", async () => {
    const on = await ground({ a: "a" });
    await on.workspace.read({ path: "a" });
    const kept = await on.workspace.keptStates([sha("a"), sha("never"), emptySha]);
    expect([...kept]).toEqual([sha("a"), emptySha]);
  });
});

describe("an earlier state in a change set", () => {
  const before = { edited: "one\n", gone: "kept\n", made: "new\n", empty: "" };

  async function changed() {
    const on = await ground(before);
    for (const path of Object.keys(before)) await on.workspace.read({ path });
    const written = await on.workspace.write({ path: "edited", content: "two\n", base: sha("one\n") });
    expect(written).toMatchObject({ replaced: sha("one\n") });
    const made = await on.workspace.write({ path: "fresh", content: "x" });
    expect(made).toMatchObject({ replaced: null });
    await on.workspace.applyChanges({
      changes: ["gone", "empty"].map(
        (path): FileChange => ({ path, base: sha(on.text(path)), content: { kind: "delete" } }),
      ),
    });
    return on;
  }

  const edited: FileChange = {
    path: "edited",
    content: { kind: "state", from: sha("two\n"), sha256: sha("one\n") },
  };
  const gone: FileChange = { path: "gone", content: { kind: "state", from: null, sha256: sha("kept\n") } };
  const back: readonly FileChange[] = [
    edited,
    gone,
    { path: "empty", content: { kind: "state", from: null, sha256: emptySha } },
    { path: "fresh", content: { kind: "state", from: sha("x"), sha256: null } },
  ];

  it("comes back byte for byte, and can be undone as a whole", async () => {
    const on = await changed();
    const outcome = await on.workspace.applyChanges({ changes: back });
    expect(outcome).toMatchObject({ success: true, code: "applied" });
    expect([on.text("edited"), on.text("gone"), on.text("empty")]).toEqual(["one\n", "kept\n", ""]);
    expect(() => on.text("fresh")).toThrow();
    expect(await on.workspace.undo({ path: "edited" })).toMatchObject({ success: true });
    expect([on.text("edited"), on.text("fresh")]).toEqual(["two\n", "x"]);
    expect(() => on.text("gone")).toThrow();
  });

  const refused: readonly (readonly [string, Readonly<Record<string, string>>, FileChange, string])[] = [
    ["another state stands there", { edited: "theirs\n" }, edited, "state_mismatch"],
    ["an empty file stands where there was none", { gone: "" }, gone, "state_mismatch"],
    [
      "the bytes are not kept",
      {},
      { path: "edited", content: { kind: "state", from: sha("two\n"), sha256: sha("never") } },
      "bytes_gone",
    ],
    [
      "it is to be renamed, too",
      {},
      { path: "edited", renameTo: "x", content: { kind: "state", from: null, sha256: null } },
      "invalid_arguments",
    ],
  ];
  for (const [name, meanwhile, change, code] of refused) {
    it(`is refused with all the others where ${name}`, async () => {
      const on = await changed();
      for (const [path, text] of Object.entries(meanwhile)) on.put(path, text);
      const rest = back.filter(({ path }) => path !== change.path);
      const outcome = await on.workspace.applyChanges({ changes: [change, ...rest] });
      expect(outcome).toMatchObject({ success: false, code });
      expect(on.text("fresh")).toBe("x");
    });
  }

  it("is nothing to do where it stands already", async () => {
    const on = await changed();
    on.put("edited", "one\n");
    const outcome = await on.workspace.applyChanges({ changes: back.slice(0, 1) });
    expect(outcome).toMatchObject({ success: true, code: "no_change" });
  });
});
