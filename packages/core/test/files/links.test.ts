import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { currentBase, type FileOutcome } from "@holdfast/core/files/values";
import { runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { ground, sha } from "../support.js";

type Ground = Awaited<ReturnType<typeof ground>>;

/** A project with a link to a file, one to a folder, one that leads nowhere and one that leads out. */
async function linked(): Promise<Ground> {
  const on = await ground({ "AGENTS.md": "# A\n", "src/a.ts": "a\n" });
  for (const [name, text] of Object.entries(links)) symlinkSync(text, join(on.root, name));
  return on;
}

const links = { file: "AGENTS.md", folder: "src", dangling: "gone.txt", out: "/etc/hostname", loop: "loop" };

function textOf(on: Ground, name: string): string | undefined {
  const path = join(on.root, name);
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? readlinkSync(path)
    : undefined;
}

function codeOf({ success, code }: Extract<FileOutcome, { success: boolean }>): string {
  return `${success} ${code}`;
}

describe.each(Object.entries(links))("a link (%s -> %s)", (name, text) => {
  it("is deleted itself, and comes back by an undo", async () => {
    const on = await linked();
    const deleted = await on.workspace.delete({ path: name, base: sha(text) });
    expect(codeOf(deleted)).toBe("true applied");
    expect(deleted.message).toContain("link itself was deleted");
    expect(lstatSync(join(on.root, name), { throwIfNoEntry: false })).toBeUndefined();
    expect(on.text("AGENTS.md")).toBe("# A\n");
    expect(on.text("src/a.ts")).toBe("a\n");
    expect(codeOf(await on.workspace.undo({ path: name }))).toBe("true applied");
    expect(textOf(on, name)).toBe(text);
    expect(readdirSync(on.root).sort()).toEqual(["AGENTS.md", ...Object.keys(links), "src"].sort());
  });

  it("is moved itself with its text as it is, and back", async () => {
    const on = await linked();
    const moved = await on.workspace.move({ path: name, to: "deep/er", base: sha(text) });
    expect(codeOf(moved)).toBe("true applied");
    expect(textOf(on, "deep/er")).toBe(text);
    expect(textOf(on, name)).toBeUndefined();
    expect(on.text("AGENTS.md")).toBe("# A\n");
    expect(codeOf(await on.workspace.undo({ path: "deep/er" }))).toBe("true applied");
    expect([textOf(on, name), textOf(on, "deep/er")]).toEqual([text, undefined]);
  });

  it("is no place for a file to be moved to", async () => {
    const on = await linked();
    const moved = await on.workspace.move({ path: "AGENTS.md", to: name, base: sha("# A\n") });
    expect(codeOf(moved)).toBe("false exists");
    expect(textOf(on, name)).toBe(text);
  });

  it("stays where another state is named", async () => {
    const on = await linked();
    expect(codeOf(await on.workspace.delete({ path: name, base: sha("other") }))).toBe("false unknown_base");
    expect(codeOf(await on.workspace.delete({ path: name }))).toBe("false missing_base");
    expect(textOf(on, name)).toBe(text);
  });
});

describe("a link", () => {
  it("may be named by the state of the file that it leads to, and is still what goes", async () => {
    const on = await linked();
    expect(codeOf(await on.workspace.delete({ path: "file", base: sha("# A\n") }))).toBe("true applied");
    expect([textOf(on, "file"), on.text("AGENTS.md")]).toEqual([undefined, "# A\n"]);
  });

  it("goes and comes with the other files of a set, or not at all", async () => {
    const on = await linked();
    const gone = { path: "dangling", base: currentBase, content: { kind: "delete" } } as const;
    const text = { kind: "text", text: "b\n" } as const;
    const torn = await on.workspace.applyChanges({
      changes: [gone, { path: "src/a.ts", base: sha("x"), content: text }],
    });
    expect([torn.success, textOf(on, "dangling")]).toEqual([false, "gone.txt"]);
    const moved = {
      path: "file",
      to: "moved",
      base: currentBase,
      renameTo: "moved",
      content: { kind: "same" },
    };
    const whole = await on.workspace.applyChanges({
      changes: [gone, moved as never, { path: "src/a.ts", base: sha("a\n"), content: text }],
    });
    expect([whole.success, textOf(on, "dangling"), textOf(on, "moved")]).toEqual([
      true,
      undefined,
      "AGENTS.md",
    ]);
    expect(codeOf(await on.workspace.undo({ path: "src/a.ts" }))).toBe("true applied");
    expect([textOf(on, "dangling"), textOf(on, "file"), textOf(on, "moved"), on.text("src/a.ts")]).toEqual([
      "gone.txt",
      "AGENTS.md",
      undefined,
      "a\n",
    ]);
  });

  it("that came in the place of a file is not taken for the file by an undo of its creation", async () => {
    const on = await linked();
    await on.workspace.write({ path: "new.txt", content: "n\n" });
    mkdirSync(join(on.root, "lib"));
    writeFileSync(join(on.root, "lib/kept.txt"), "n\n");
    rmSync(join(on.root, "new.txt"));
    symlinkSync("lib/kept.txt", join(on.root, "new.txt"));
    const undone = await on.workspace.undo({ path: "new.txt" });
    expect(undone.success).toBe(false);
    expect([textOf(on, "new.txt"), on.text("lib/kept.txt")]).toEqual(["lib/kept.txt", "n\n"]);
  });

  it("is written through by everything that changes content", async () => {
    const on = await linked();
    const written = await on.workspace.write({ path: "file", content: "# B\n", base: sha("# A\n") });
    expect(codeOf(written)).toBe("true applied");
    expect([textOf(on, "file"), on.text("AGENTS.md")]).toEqual(["AGENTS.md", "# B\n"]);
  });

  it("is shown with where it leads, by list, read, refusals and questions", async () => {
    const on = await linked();
    const says = async (name: string, args: Record<string, unknown>) =>
      (await runTool(name, args, { workspace: on.workspace })).text;
    expect((await says("list_files", {})).split("\n")).toEqual(
      expect.arrayContaining([
        "file -> AGENTS.md\tlink",
        "folder -> src\tlink",
        "out -> /etc/hostname\tlink",
      ]),
    );
    expect(await says("read_file", { file_path: "file" })).toContain('path="file" -> "AGENTS.md"');
    expect(await says("read_file", { file_path: "folder/a.ts" })).toContain(
      'path="folder/a.ts" -> "src/a.ts"',
    );
    expect(await says("read_file", { file_path: "AGENTS.md" })).not.toContain("->");
    expect(await says("read_file", { file_path: "dangling" })).toContain(
      "dangling is a link to gone.txt, which is not there.",
    );
    const edit = {
      file_path: "file",
      base_content_sha256: sha("x"),
      edits: [{ old_string: "A", new_string: "B" }],
    };
    expect(await says("edit_file", edit)).toContain('path="file" -> "AGENTS.md"');
    const gone = { file_path: "out", base_content_sha256: sha("x") };
    expect(await says("delete_file", gone)).toContain(`path="out" -> "/etc/hostname"`);
    const preview = await on.workspace.preview({
      kind: "write",
      path: "file",
      content: "b",
      base: sha("# A\n"),
    });
    expect(preview).toMatchObject({ files: [{ path: "file", leadsTo: "AGENTS.md" }] });
  });

  it("in the memory's folder is deleted and renamed there, alone and with its folder, and comes back", async () => {
    const on = await linked();
    const names = ["folder/a.ts", "../AGENTS.md", "gone", "/etc/hostname"] as const;
    for (const [at, text] of names.entries()) {
      on.put(`memories/d/${at}.md`, "n\n");
      symlinkSync(text, join(on.root, `memories/d/l${at}`));
    }
    const memory = async (command: string, rest: Record<string, unknown>) =>
      (await runTool("memory", { command, ...rest }, { workspace: on.workspace })).text.split("\n")[0];
    const textsIn = (folder: string) => names.map((_, at) => textOf(on, `memories/${folder}/l${at}`));
    for (const at of names.keys()) {
      const path = `/memories/d/l${at}`;
      expect(await memory("rename", { old_path: path, new_path: "/memories/x" })).toMatch(/^Success/);
      expect([textOf(on, "memories/x"), textsIn("d")[at]]).toEqual([names[at], undefined]);
      expect(await memory("rename", { old_path: "/memories/x", new_path: path })).toMatch(/^Success/);
    }
    expect(await memory("rename", { old_path: "/memories/d", new_path: "/memories/e" })).toMatch(/^Success/);
    expect([textsIn("e"), textsIn("d")]).toEqual([names, names.map(() => undefined)]);
    expect(await memory("delete", { path: "/memories/e/l0" })).toMatch(/^Success/);
    expect(await memory("delete", { path: "/memories/e" })).toMatch(/^Success/);
    expect(readdirSync(join(on.root, "memories"))).toEqual([]);
    expect([on.text("AGENTS.md"), on.text("src/a.ts")]).toEqual(["# A\n", "a\n"]);
    expect(codeOf(await on.workspace.undo({ path: "memories/e/l1" }))).toBe("true applied");
    expect(codeOf(await on.workspace.undo({ path: "memories/e/l0" }))).toBe("true applied");
    expect(textsIn("e")).toEqual(names);
  });
});

it("a file with two names that was written in place is undone in place", async () => {
  const on = await ground({ a: "one\n" }, { guards: { inPlace: "auto" } });
  linkSync(join(on.root, "a"), join(on.root, "b"));
  await on.workspace.append({ path: "a", content: "two\n" });
  expect(on.text("b")).toBe("one\ntwo\n");
  const undone = await on.workspace.undo({ path: "a" });
  expect([codeOf(undone), on.text("a"), on.text("b")]).toEqual(["true applied", "one\n", "one\n"]);
  expect(undone.message).toContain("written in place");
});

describe("by the name of a link", () => {
  const changed = async () => {
    const on = await ground({ x: "one\n" });
    await on.workspace.write({ path: "x", content: "two\n", base: sha("one\n") });
    on.put("lib/x", "lib\n");
    rmSync(join(on.root, "x"));
    symlinkSync("lib/x", join(on.root, "x"));
    return on;
  };
  const writesOf = async (on: Ground, path: string) => {
    const log = await on.workspace.log({ path });
    if (log.kind !== "log") throw new Error(log.message);
    return [
      log.leadsTo,
      ...log.entries.map((entry) => `${entry.isThrough ?? "own"} ${entry.after?.slice(0, 8)}`),
    ];
  };
  const hash = (text: string) => sha(text).slice(0, 8);

  it("its log has the writes of the file in whose place it came, and those through it", async () => {
    const on = await changed();
    expect(await writesOf(on, "x")).toEqual(["lib/x", `own ${hash("two\n")}`]);
    await on.workspace.write({ path: "x", content: "new\n", base: sha("lib\n") });
    expect(await writesOf(on, "x")).toEqual(["lib/x", `true ${hash("new\n")}`, `own ${hash("two\n")}`]);
    expect((await writesOf(on, "lib/x"))[1]).toBe(`own ${hash("new\n")}`);
  });

  it("an undo takes back what was written last, and nothing in the file's place", async () => {
    const on = await changed();
    await on.workspace.write({ path: "x", content: "new\n", base: sha("lib\n") });
    expect(codeOf(await on.workspace.undo({ path: "x" }))).toBe("true applied");
    expect([on.text("lib/x"), textOf(on, "x")]).toEqual(["lib\n", "lib/x"]);
    const refused = await on.workspace.undo({ path: "x" });
    expect([codeOf(refused), refused.message]).toEqual([
      "false state_mismatch",
      expect.stringContaining("link"),
    ]);
  });

  it("a state of the file in its place is restored once the link is gone", async () => {
    const on = await changed();
    const back = { path: "x", sha256: sha("one\n") };
    const refused = await on.workspace.restore(back);
    expect([codeOf(refused), refused.message]).toEqual([
      "false not_a_file",
      expect.stringContaining("link first"),
    ]);
    await on.workspace.delete({ path: "x", base: sha("lib/x") });
    expect(codeOf(await on.workspace.restore(back))).toBe("true applied");
    expect([on.text("x"), on.text("lib/x")]).toEqual(["one\n", "lib\n"]);
  });

  it("a moved link's later writes are undone before the move", async () => {
    const on = await linked();
    await on.workspace.move({ path: "file", to: "moved", base: sha("AGENTS.md") });
    await on.workspace.write({ path: "moved", content: "# B\n", base: sha("# A\n") });
    expect((await writesOf(on, "moved")).slice(0, 2)).toEqual(["AGENTS.md", `true ${hash("# B\n")}`]);
    for (const [text, name] of [
      ["# A\n", "moved"],
      ["# A\n", "file"],
    ] as const) {
      expect(codeOf(await on.workspace.undo({ path: "moved" }))).toBe("true applied");
      expect([on.text("AGENTS.md"), textOf(on, name)]).toEqual([text, "AGENTS.md"]);
    }
  });
});
