import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  dueLine,
  filesDue,
  planRestore,
  type RestoreDirection,
  type Restored,
  type RestorePlan,
  type RestoreTerms,
  restoreFiles,
} from "../../../src/conversation/index.js";
import { codeOf, must } from "../../conversation/support.js";
import { look, newPlace, type Opened, open, treeOf, write } from "./restore-ground.js";

const opened: Opened[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Five files, one for each case, and two that are of no concern. */
const files = {
  same: "one\n",
  restore: "one\n",
  conflict: "one\n",
  "sub/deleted": "one\n",
  seen: "one\n",
  else: "one\n",
};

async function started(): Promise<Opened & { readonly start: string }> {
  const place = await open(newPlace(files));
  opened.push(place);
  const start = headOf(place);
  for (const path of ["same", "restore", "conflict"]) await write(place, path, "two\n");
  await write(place, "created", "two\n");
  await write(place, "sub/deleted", null);
  await look(place, "seen");
  return { ...place, start };
}

function headOf({ conversation: { manager } }: Opened): string {
  return manager.context.currentNodeId;
}

/** What somebody does in a shell, behind everybody's back. */
function shell({ root }: Opened, command: string): void {
  execFileSync("sh", ["-c", command], { cwd: root });
}

async function planned(
  { conversation: { manager }, workspace }: Opened,
  way: RestoreDirection,
): Promise<RestorePlan> {
  return must(await planRestore(manager.context, way, workspace, manager.manifests));
}

function carried(on: Opened, plan: RestorePlan, terms: Partial<RestoreTerms> = {}) {
  const { conversation, workspace } = on;
  return restoreFiles(conversation.manager, workspace, plan, { restoreId: `after-${headOf(on)}`, ...terms });
}

async function undone(on: Opened, restored: Restored): Promise<Restored> {
  return must(await carried(on, await planned(on, { fromId: headOf(on), undoes: restored.node.id })));
}

function kinds(plan: RestorePlan): Record<string, string> {
  return Object.fromEntries(
    plan.files.map((file) => [file.path, file.kind === "conflict" ? file.why : file.kind]),
  );
}

describe("a restore on the real disk, with a shell at work beside it", () => {
  it("has a case for each file, and each comes out as it says", async () => {
    const on = await started();
    shell(on, "echo one > same; echo theirs > conflict; echo theirs >> seen; echo theirs >> else");
    await look(on, "seen");
    const tip = headOf(on);
    const before = treeOf(on.root);
    const plan = await planned(on, { fromId: tip, toId: on.start });
    expect(kinds(plan)).toEqual({
      same: "same",
      restore: "restore",
      conflict: "changed",
      created: "created",
      "sub/deleted": "deleted",
      seen: "not_ours",
    });
    expect(codeOf(await carried(on, plan))).toBe("files_in_conflict");
    expect([treeOf(on.root), headOf(on)]).toEqual([before, tip]);
    const restored = must(await carried(on, plan, { consent: ["conflict"], conflicts: "leave" }));
    expect(treeOf(on.root)).toEqual({ ...files, seen: "one\ntheirs\n", else: "one\ntheirs\n" });
    expect(restored.node.parentId).toBe(on.start);
    await undone(on, restored);
    expect(treeOf(on.root)).toEqual(before);
  });

  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
  const withLines = (changed: Readonly<Record<number, string>>, end = "\n") =>
    lines.map((line, at) => changed[at + 1] ?? line).join(end) + end;
  /** The file as this conversation left it, and as others have changed that since. */
  const merges: readonly (readonly [string, string, string, string, string, string])[] = [
    [
      "lines",
      "\n",
      withLines({}),
      withLines({ 3: "ours" }),
      withLines({ 3: "ours", 25: "theirs" }),
      withLines({ 25: "theirs" }),
    ],
    [
      "lines with carriage returns",
      "\r\n",
      withLines({}, "\r\n"),
      withLines({ 3: "ours" }, "\r\n"),
      withLines({ 3: "ours", 1: "theirs\r\nand more" }, "\r\n"),
      withLines({ 1: "theirs\r\nand more" }, "\r\n"),
    ],
  ];
  it.each(merges)(
    "takes back its own lines where others changed %s elsewhere",
    async (_, __, before, ours, theirs, merged) => {
      const on = await open(newPlace({ f: before }));
      opened.push(on);
      const start = headOf(on);
      await write(on, "f", ours);
      writeFileSync(join(on.root, "f"), theirs);
      const plan = await planned(on, { fromId: headOf(on), toId: start });
      expect(kinds(plan)).toEqual({ f: "merged" });
      expect(filesDue(plan).map(dueLine)).toEqual([
        "f: the lines of this conversation are put back; other lines stay as somebody else changed them.",
      ]);
      const restored = must(await carried(on, plan));
      expect(treeOf(on.root)).toEqual({ f: merged });
      await undone(on, restored);
      expect(treeOf(on.root)).toEqual({ f: theirs });
    },
  );

  it.each([
    ["the same line", withLines({ 3: "ours" }), withLines({ 3: "theirs" })],
    [
      "lines added at that point",
      withLines({ 3: "ours\nours too" }),
      withLines({ 3: "ours\ntheirs\nours too" }),
    ],
    ["bytes that are no text", withLines({ 3: "ours" }), `${withLines({ 3: "ours" })}\u0000`],
  ])("is in conflict over %s", async (_, ours, theirs) => {
    const on = await open(newPlace({ f: withLines({}) }));
    opened.push(on);
    const start = headOf(on);
    await write(on, "f", ours);
    writeFileSync(join(on.root, "f"), theirs);
    const plan = await planned(on, { fromId: headOf(on), toId: start });
    expect(kinds(plan)).toEqual({ f: "changed" });
    expect(codeOf(await carried(on, plan))).toBe("files_in_conflict");
    expect(treeOf(on.root)).toEqual({ f: theirs });
  });

  const meanwhile: readonly (readonly [string, string])[] = [
    ["adds to a file that is to be restored", "echo theirs >> restore"],
    ["adds to a file that is to be deleted", "echo theirs >> created"],
    ["makes the file that is to be made", "mkdir -p sub; echo theirs > sub/deleted"],
    ["makes it empty", "mkdir -p sub; : > sub/deleted"],
    ["deletes a file that is to be restored", "rm restore"],
    ["puts a folder in the place of a file", "rm restore; mkdir restore"],
    ["puts a file in the place of a folder", "rm -r sub; echo theirs > sub"],
    ["adds to a file whose overwriting was consented to", "echo more >> conflict"],
  ];
  for (const [name, command] of meanwhile) {
    it(`moves nothing at all where the shell ${name} between plan and commit`, async () => {
      const on = await started();
      shell(on, "echo theirs >> conflict");
      const tip = headOf(on);
      const plan = await planned(on, { fromId: tip, toId: on.start });
      shell(on, command);
      const before = treeOf(on.root);
      expect(codeOf(await carried(on, plan, { consent: ["conflict"] }))).toBe("files_refused");
      expect([treeOf(on.root), headOf(on)]).toEqual([before, tip]);
      expect(on.conversation.manager.context.pendingRestore).toBeUndefined();
      // The next plan sees what is there; what still can move, moves.
      const again = await planned(on, { fromId: tip, toId: on.start });
      expect(codeOf(await carried(on, again, { conflicts: "leave" }))).toBe("done");
    });
  }

  it("brings back what the shell has deleted with its folder, where that is consented to", async () => {
    const on = await started();
    shell(on, "rm -r sub; rm restore");
    const plan = await planned(on, { fromId: headOf(on), toId: on.start });
    expect(kinds(plan)).toMatchObject({ restore: "changed", "sub/deleted": "deleted" });
    must(await carried(on, plan, { consent: ["restore"] }));
    expect(treeOf(on.root)).toEqual(files);
  });

  it("brings binary files and mixed line endings back byte for byte, and keeps modes", async () => {
    const before = { "bin.dat": "\u0000\u0001\r\n\n\u00ff", "run.sh": "#!/bin/sh\r\n\n" };
    const on = await open(newPlace(before));
    opened.push(on);
    shell(on, "chmod 751 run.sh");
    const start = headOf(on);
    await write(on, "bin.dat", null);
    await write(on, "run.sh", "text");
    const restored = must(await carried(on, await planned(on, { fromId: headOf(on), toId: start })));
    expect(treeOf(on.root)).toEqual(before);
    expect(statSync(join(on.root, "run.sh")).mode & 0o777).toBe(0o751);
    await undone(on, restored);
    expect(treeOf(on.root)).toEqual({ "run.sh": "text" });
  });

  it("is one file by whatever name it was called, a link included", async () => {
    const on = await open(newPlace({ real: "one\n" }));
    opened.push(on);
    shell(on, "ln -s real link");
    const start = headOf(on);
    await write(on, "real", "two\n");
    await write(on, "link", "three\n");
    const plan = await planned(on, { fromId: headOf(on), toId: start });
    expect(kinds(plan)).toEqual({ real: "two_names", link: "two_names" });
    expect(codeOf(await carried(on, plan, { conflicts: "leave" }))).toBe("done");
    expect(treeOf(on.root)).toMatchObject({ real: "three\n" });
  });

  it("finds states that are not kept any more, and leaves those files", async () => {
    const on = await started();
    rmSync(join(on.stateDir, "blobs"), { recursive: true });
    mkdirSync(join(on.stateDir, "blobs"));
    const plan = await planned(on, { fromId: headOf(on), toId: on.start });
    expect(kinds(plan)).toMatchObject({
      restore: "bytes_gone",
      "sub/deleted": "bytes_gone",
      created: "created",
    });
    must(await carried(on, plan, { conflicts: "leave" }));
    expect(treeOf(on.root)).toMatchObject({ restore: "two\n", conflict: "two\n" });
    expect(treeOf(on.root).created).toBeUndefined();
  });
});
