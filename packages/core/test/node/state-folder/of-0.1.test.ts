import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { renderContext } from "../../../src/context/index.js";
import { lastVersion, Manifests, openConversation } from "../../../src/conversation/index.js";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { keptBytes } from "../../../src/node/state-folder/blobs.js";
import { openStateFolder } from "../../../src/node/state-folder/state-folder.js";
import { inspectState } from "../../../src/node/workspace/inspect.js";
import { type OpenedWorkspace, openWorkspace } from "../../../src/node/workspace/open.js";
import { countedIds, steadyClock } from "../../conversation/support.js";
import { must } from "../../reproductions/scene.js";
import { sha } from "../../support.js";
import { freshFolder, stagesIn } from "../support.js";
import { unpackOld } from "./of-0.1.js";

/** A state folder that release 0.1 has filled is gone on with: undo, recovery, states and sessions. */
let root: string;
let stateDir: string;
let session: string;

beforeEach(() => {
  const base = realpathSync(freshFolder());
  root = join(base, "project");
  stateDir = join(base, "state");
  session = unpackOld(root, stateDir);
});

const open = async () => must(await openWorkspace({ roots: [root], stateDir }));
const text = (path: string) => readFileSync(join(root, path), "utf8");

async function undone(workspace: OpenedWorkspace, path: string): Promise<string | undefined> {
  const outcome = await workspace.undo({ path });
  expect([path, outcome.code]).toEqual([path, "applied"]);
  return existsSync(join(root, path)) ? text(path) : undefined;
}

describe("a state folder of release 0.1", () => {
  it("opens, and what killed writes had left is made good", async () => {
    expect([text("before.txt"), text("after.txt")]).toEqual(["old\n", "written\n"]);
    expect(stagesIn(root).length).toBeGreaterThan(0);
    const left = inspectState(stateDir, [root]).state;
    expect(left).toMatchObject({ kind: "state", leftIntents: 3 });
    const workspace = await open();
    expect(stagesIn(root)).toEqual([]);
    expect([text("before.txt"), text("after.txt")]).toEqual(["old\n", "written\n"]);
    // A set of which not all was done is taken back.
    expect([text("three.txt"), text("four.txt")]).toEqual(["3\n", "4\n"]);
    expect(inspectState(stateDir, [root]).state).toMatchObject({ leftIntents: 0 });
    // The write that was made is in the history now.
    expect(await undone(workspace, "after.txt")).toBe("old\n");
    expect(await undone(workspace, "before.txt")).toBeUndefined();
    await workspace.close();
  });

  it("has a history in which undos go back step by step", async () => {
    const workspace = await open();
    expect(text("src/app.ts")).toBe("const a = 1;\nconst b = 3;\n");
    expect(await undone(workspace, "src/app.ts")).toBe("const a = 1;\nconst b = 2;\n");
    expect(await undone(workspace, "src/app.ts")).toBeUndefined();
    expect(await undone(workspace, "docs/guide.md")).toBe("# Guide\n\nRead me.\n");
    const lines = [await undone(workspace, "log.txt"), await undone(workspace, "log.txt")];
    expect(lines).toEqual(["first\nsecond\n", "first\n"]);
    await workspace.close();
  });

  it("takes a change set back as a whole", async () => {
    const workspace = await open();
    expect(await undone(workspace, "one.txt")).toBe("1\n");
    expect(text("two.txt")).toBe("2\n");
    await workspace.close();
  });

  it("tells who wrote, and lets a new write follow", async () => {
    const workspace = await open();
    const log = must(await workspace.log({ path: "docs/guide.md" }));
    const tools = log.kind === "log" ? log.entries.map(({ tool }) => tool) : [];
    expect(tools.slice(-3)).toEqual(["update_section", "edit_file", "write_file"]);
    const appended = await workspace.append({ path: "docs/guide.md", content: "more\n" });
    expect(appended.code).toBe("applied");
    expect(await undone(workspace, "docs/guide.md")).toBe("# Guide\n\nRead all of it.\n");
    await workspace.close();
  });

  it("keeps states, every one of which can be read", () => {
    const state = must(openStateFolder(stateDir));
    const names = readdirSync(join(stateDir, "blobs"), { recursive: true, encoding: "utf8" });
    const hashes = names.map((name) => /([0-9a-f]{64})(?:\.begins)?$/.exec(name)?.[1]);
    const kept = hashes.filter((hash) => hash !== undefined);
    expect(kept.length).toBeGreaterThan(15);
    expect(names.filter((name) => name.endsWith(".begins")).length).toBeGreaterThan(0);
    expect(kept.map((hash) => sha(keptBytes(state, hash) ?? ""))).toEqual(kept);
  });

  it("keeps a session that opens, renders and is gone on with", async () => {
    const sources = { ids: countedIds(), now: steadyClock(Date.UTC(2026, 5, 1)) };
    const store = must(openJournalStore({ stateDir }));
    expect(must(await store.list()).map(({ id }) => id)).toEqual([session]);
    const old = must(await openConversation(store, session, "write", sources));
    expect(old.problems).toEqual([]);
    const { context } = old.manager;
    const { contents, report } = renderContext(context);
    expect(contents.length).toBeGreaterThan(3);
    expect(report.broken).toEqual([]);
    // The states of its files are kept, so that a rewind can bring them back.
    const manifest = new Manifests().at(context, context.currentNodeId);
    const states = [...manifest.keys()]
      .map((path) => manifest.get(path))
      .filter((hash) => typeof hash === "string");
    const workspace = must(
      await openWorkspace({ roots: [root], stateDir, resumedVersion: lastVersion(context) }),
    );
    expect(states.length).toBeGreaterThan(1);
    expect([...(await workspace.keptStates(states))].sort()).toEqual([...states].sort());
    await workspace.close();
    must(old.manager.commitStagedItems("Go on."));
    must(await old.close());
    const again = must(await openConversation(store, session, "read", sources));
    expect(again.problems).toEqual([]);
    expect(again.manager.context.nodes.size).toBe(context.nodes.size + 1);
    await again.close();
  });
});
