import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refreshTrackedFiles } from "../../src/conversation/index.js";
import { ground } from "../support.js";
import { must, newManager, reply, say } from "./support.js";

describe("a tracked file", () => {
  it("is shown when it is new, when it has changed and when it is out of view; nothing else is", async () => {
    const { workspace, put } = await ground({ "a.ts": "one\n" });
    const read = workspace.read.bind(workspace);
    const manager = newManager();
    must(manager.trackFile("a.ts"));
    const request = { manager, read, into: "staging" } as const;

    expect(await refreshTrackedFiles(request)).toMatchObject({ files: [{ path: "a.ts", state: "shown" }] });
    expect(await refreshTrackedFiles(request)).toMatchObject({ files: [] });
    say(manager, "go");
    expect(await refreshTrackedFiles(request)).toMatchObject({ files: [] });

    put("a.ts", "two\n");
    expect(await refreshTrackedFiles({ ...request, into: "branch" })).toMatchObject({
      files: [{ state: "shown" }],
    });
    expect(manager.getCurrentNode().payload).toMatchObject({
      kind: "file_content",
      text: "two\n",
      form: "tracked",
    });

    expect(await refreshTrackedFiles({ ...request, isVisible: () => false })).toMatchObject({
      files: [{ state: "shown" }],
    });
  });

  it("that is gone is told once, and shown again when it is back", async () => {
    const { workspace, root, put } = await ground({ "a.ts": "one\n" });
    const read = workspace.read.bind(workspace);
    const manager = newManager();
    must(manager.trackFile("a.ts"));
    const request = { manager, read, into: "branch" } as const;
    await refreshTrackedFiles(request);
    rmSync(join(root, "a.ts"));
    expect(await refreshTrackedFiles(request)).toMatchObject({ files: [{ state: "gone" }] });
    expect(manager.getCurrentNode().payload).toMatchObject({ kind: "note", audience: "model" });
    expect(await refreshTrackedFiles(request)).toMatchObject({ files: [] });
    put("a.ts", "back\n");
    expect(await refreshTrackedFiles(request)).toMatchObject({ files: [{ state: "shown" }] });
  });

  it("does not come between a call and its result", async () => {
    const { workspace } = await ground({ "a.ts": "one\n" });
    const manager = newManager();
    must(manager.trackFile("a.ts"));
    say(manager, "go");
    reply(manager, "I run it.");
    must(manager.addNode({ kind: "tool_call", callId: "c", name: "run", args: {} }));
    const read = workspace.read.bind(workspace);
    expect(await refreshTrackedFiles({ manager, read, into: "branch" })).toMatchObject({
      code: "open_calls",
    });
  });
});
