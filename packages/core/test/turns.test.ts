import { type PreviewOutcome, Workspace, type WorkspaceOptions } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { openPorts } from "@holdfast/core/node";
import { runTool } from "@holdfast/core/tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { ground, sha } from "./support.js";
import { turnsDuring } from "./turns.js";

/** Heavy work in one process, and how often others had their turn meanwhile: a count, so that no load breaks it. */
describe("whatever else the process does has its turn while", () => {
  it("a large folder is listed", async () => {
    const names = Array.from({ length: 2_000 }, (_, at) => [`d/file${at}.txt`, ""] as const);
    const { workspace } = await ground(Object.fromEntries(names));
    const { result, turns } = await turnsDuring(() => workspace.list({ path: "d", limit: 10 }));
    expect(isRefusal(result)).toBe(false);
    // Reading the names and looking at each: once for every thousand.
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it("3,000 globs are compiled", async () => {
    const { workspace } = await ground({}, { limits: { searchMs: 60_000 } });
    const exclude = Array.from({ length: 3_000 }, (_, at) => `*${at}x*`);
    const { result, turns } = await turnsDuring(() => workspace.find({ glob: "*", exclude }));
    expect(result).toMatchObject({ kind: "found" });
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it("an ignore file of 15,000 lines is read", async () => {
    const lines = Array.from({ length: 15_000 }, (_, at) => `build_${at}/*.o${at}\n`).join("");
    const { workspace } = await ground({ ".gitignore": lines, "a.txt": "" });
    const { result, turns } = await turnsDuring(() => workspace.list({ path: "." }));
    expect(result).toMatchObject({ kind: "listed" });
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it("15,000 places are edited", async () => {
    const { workspace, text } = await slow("a\n".repeat(15_000));
    const { result, turns } = await turnsDuring(() => workspace.edit(everyPlace(text())));
    expect(result).toMatchObject({ code: "applied" });
    expect(text()).toBe("b\n".repeat(15_000));
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  const large = "some words of a line\n".repeat(80_000);
  /** What is done with one and a half megabytes, and how they look afterwards. */
  const changes: readonly {
    readonly name: string;
    readonly change: (workspace: Workspace) => Promise<{ readonly code?: string }>;
    readonly after: string;
  }[] = [
    {
      name: "appended to",
      change: (workspace) => workspace.append({ path: "f.txt", content: "b\n" }),
      after: `${large}b\n`,
    },
    {
      name: "prepended to",
      change: (workspace) => workspace.prepend({ path: "f.txt", content: "b\n" }),
      after: `b\n${large}`,
    },
    {
      name: "given lines",
      change: (workspace) =>
        workspace.insertLines({ path: "f.txt", afterLine: 1, content: "b", base: sha(large) }),
      after: `some words of a line\nb\n${large.slice(21)}`,
    },
    {
      name: "edited at its end",
      change: (workspace) =>
        workspace.edit({
          path: "f.txt",
          edits: [{ oldString: "line\n\n", newString: "b\n" }],
          base: sha(`${large}\n`),
        }),
      after: `${large.slice(0, -5)}b\n`,
    },
    {
      name: "patched",
      change: (workspace) =>
        workspace.patch({
          path: "f.txt",
          diff: "@@ -1,2 +1,2 @@\n-some words of a line\n+b\n some words of a line\n",
          base: sha(large),
        }),
      after: `b\n${large.slice(21)}`,
    },
    {
      name: "overwritten",
      change: (workspace) => workspace.write({ path: "f.txt", content: "b\n", base: sha(large) }),
      after: "b\n",
    },
  ];

  it.each(changes)("a large file is $name", async ({ name, change, after }) => {
    const before = name === "edited at its end" ? `${large}\n` : large;
    const guards = { wholeReplacement: "hash" } as const;
    const { workspace, text } = await slow(before, {}, {}, { guards });
    const { result, turns } = await turnsDuring(() => change(workspace));
    expect(result).toMatchObject({ code: "applied" });
    expect(text() === after).toBe(true);
    // Between two passes over the file, and while the disk reads and writes it.
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it("a large write is previewed, made and taken back", async () => {
    const { workspace, text } = await slow("small\n", {}, {}, { guards: { wholeReplacement: "hash" } });
    const request = { kind: "write", path: "f.txt", content: large, base: sha("small\n") } as const;
    const shown = await turnsDuring(() => workspace.preview(request));
    expect(shown.result.kind).toBe("preview");
    expect(shown.turns).toBeGreaterThanOrEqual(3);
    expect(await workspace.run(request, { agreed: agreedIn(shown.result) })).toMatchObject({
      code: "applied",
    });
    expect(text() === large).toBe(true);
    const undone = await turnsDuring(() => workspace.undo({ path: "f.txt" }));
    expect(undone.result).toMatchObject({ code: "applied" });
    expect(undone.turns).toBeGreaterThanOrEqual(3);
    expect(text()).toBe("small\n");
  });

  it("two large files are changed together", async () => {
    const paths = ["a", "b"];
    const mega = large.slice(0, 210_000);
    const { workspace } = await slow("", {}, Object.fromEntries(paths.map((path) => [path, mega])));
    const edits = [{ oldString: "some", newString: "more", replaceAll: true }];
    const files = paths.map((path) => ({
      path,
      base: sha(mega),
      content: { kind: "edits", edits } as const,
    }));
    const { result, turns } = await turnsDuring(() => workspace.applyChanges({ changes: files }));
    expect(result).toMatchObject({ kind: "change_set", success: true });
    expect(turns).toBeGreaterThanOrEqual(8);
  });
});

describe("an edit", () => {
  it("that is not over in time is refused by name, and nothing is written", async () => {
    const { workspace, text } = await slow("a\n".repeat(50_000), { editMs: 20 });
    expect(await workspace.edit(everyPlace(text()))).toMatchObject({ kind: "refusal", code: "timeout" });
    expect(text()).toBe("a\n".repeat(50_000));
  });

  it("of more than a million places is refused by name, and nothing is written", async () => {
    const { workspace, text } = await slow("a".repeat(1_000_001));
    const refused = await workspace.edit(everyPlace(text()));
    expect(refused).toMatchObject({ kind: "refusal", code: "too_large" });
    expect(refused.message).toContain("1,000,000");
    expect(text()).toBe("a".repeat(1_000_001));
  });
});

describe("whatever is asked of a large file", () => {
  const large = "some words of a line\n".repeat(100_000);
  const base = sha(large);
  const asked: readonly {
    readonly name: string;
    readonly ask: (workspace: Workspace) => Promise<unknown>;
  }[] = [
    { name: "append", ask: (workspace) => workspace.append({ path: "f.txt", content: "b\n" }) },
    { name: "prepend", ask: (workspace) => workspace.prepend({ path: "f.txt", content: "b\n" }) },
    {
      name: "insert",
      ask: (workspace) => workspace.insertLines({ path: "f.txt", afterLine: 1, content: "b", base }),
    },
    { name: "write", ask: (workspace) => workspace.write({ path: "f.txt", content: "b\n", base }) },
    { name: "patch", ask: (workspace) => workspace.patch({ path: "f.txt", diff: "@@\n-no\n+b\n", base }) },
    {
      name: "preview",
      ask: (workspace) => workspace.preview({ kind: "append", path: "f.txt", content: "b\n" }),
    },
  ];

  it.each(asked)("is refused by name where it is not over in time: $name", async ({ ask }) => {
    const { workspace, text } = await slow(large, { editMs: 3 });
    const refused = await ask(workspace);
    expect(refused).toMatchObject({ kind: "refusal", code: "timeout", state: { content: null } });
    expect(text() === large).toBe(true);
  });

  it("is refused likewise where a write is taken back", async () => {
    const { root, stateDir, text } = await ground({ "f.txt": large });
    const opened = async (editMs: number) => {
      const ports = await openPorts({ roots: [root], stateDir });
      if (isRefusal(ports)) throw new Error(ports.message);
      onTestFinished(() => ports.close());
      let now = 0;
      return new Workspace({ ...ports, clock: { now: () => ++now } }, { limits: { editMs } });
    };
    expect(await (await opened(60_000)).append({ path: "f.txt", content: "b\n" })).toMatchObject({
      code: "applied",
    });
    expect(await (await opened(5)).undo({ path: "f.txt" })).toMatchObject({ code: "timeout" });
    expect(text("f.txt") === `${large}b\n`).toBe(true);
    expect(await (await opened(60_000)).undo({ path: "f.txt" })).toMatchObject({ code: "applied" });
    expect(text("f.txt") === large).toBe(true);
  });

  it("is never refused after the step, however long the rest takes", async () => {
    const { root, stateDir, text } = await ground({ "f.txt": large });
    const ports = await openPorts({ roots: [root], stateDir });
    if (isRefusal(ports)) throw new Error(ports.message);
    onTestFinished(() => ports.close());
    let now = 0;
    const changeSets: typeof ports.changeSets = {
      commit: async (...asked) => {
        now += 1_000_000;
        return ports.changeSets.commit(...asked);
      },
    };
    const workspace = new Workspace({ ...ports, changeSets, clock: { now: () => now } });
    expect(await workspace.append({ path: "f.txt", content: "b\n" })).toMatchObject({
      code: "applied",
      state: { content: `${large}b\n` },
    });
    expect(text("f.txt") === `${large}b\n`).toBe(true);
  });
});

it("a listing that the time cuts says so", async () => {
  const names = Array.from({ length: 100 }, (_, at) => [`file${at}.txt`, ""] as const);
  const { workspace } = await slow("", { searchMs: 20 }, Object.fromEntries(names));
  expect(await workspace.list()).toMatchObject({ kind: "listed", more: true, because: "time" });
  const reply = await runTool("list_files", {}, { workspace });
  expect(reply.text).toContain("The time is up");
  expect(await workspace.list({ limit: 1 })).toMatchObject({ more: true, because: "limit" });
});

it("a section of a document that is too large to be parsed at once is refused by name", async () => {
  const document = `# A\n\nold\n\n${"text\n".repeat(220_000)}`;
  const { workspace, text } = await slow(document);
  const request = { path: "f.txt", sectionHeader: "# A", newContent: "new" };
  expect(await workspace.updateSection(request)).toMatchObject({ kind: "refusal", code: "too_large" });
  expect(text()).toBe(document);
});

function everyPlace(before: string) {
  const edits = [{ oldString: "a", newString: "b", replaceAll: true }];
  return { path: "f.txt", edits, base: sha(before) };
}

/** What a person says yes to. */
function agreedIn(preview: PreviewOutcome) {
  return preview.kind === "preview" ? preview.files.map(({ agreed }) => agreed) : [];
}

/** A workspace for whose clock each look takes a millisecond, however fast the machine is. */
async function slow(
  content: string,
  limits: WorkspaceOptions["limits"] = {},
  files: Readonly<Record<string, string>> = {},
  options: WorkspaceOptions = {},
) {
  const { root, stateDir, text } = await ground({ "f.txt": content, ...files });
  const ports = await openPorts({ roots: [root], stateDir });
  if (isRefusal(ports)) throw new Error(ports.message);
  onTestFinished(() => ports.close());
  let now = 0;
  const workspace = new Workspace(
    { ...ports, clock: { now: () => ++now } },
    { ...options, limits: { editMs: 60_000, ...limits } },
  );
  return { workspace, text: () => text("f.txt") };
}
