import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createConversation, memorySessionStore, openConversation } from "../../src/conversation/index.js";
import { Workspace } from "../../src/files/index.js";
import { currentBase } from "../../src/files/values/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { sha256 } from "../../src/node/disk/reading.js";
import { memoryPorts } from "../memory-disk.js";
import { countedIds, must, steadyClock } from "./support.js";

it("tells writes without a result in the order of the file, where the clock was put back between them", async () => {
  let now = 5_000_000;
  const newId = () => randomUUID().replaceAll("-", "");
  const ports = memoryPorts({ digest: sha256, newId, codec: openCharsets(), clock: { now: () => now } });
  const workspace = new Workspace(ports);
  const store = memorySessionStore();
  const sources = { ids: countedIds(), now: steadyClock() };
  const { manager, close } = must(await createConversation(store, sources));
  const conversation = manager.context.sessionId;
  must(manager.commitStagedItems("go"));
  for (const content of ["first", "second"]) {
    const args = { file_path: "x", content };
    const call = must(manager.addNode({ kind: "tool_call", callId: content, name: "write_file", args }));
    const caller = { conversation, call: call.id };
    const written = await workspace.write({ path: "x", content, base: currentBase }, { caller });
    expect(written.success).toBe(true);
    must(manager.commitStagedItems("never mind"));
    now -= 1_000_000;
  }
  await close();
  const opened = must(await openConversation(store, conversation, "write", { ...sources, files: workspace }));
  expect(opened.files).toMatchObject({ writes: { nodes: { length: 2 } }, apart: [] });
  const { context, manifests } = opened.manager;
  expect(manifests.at(context, context.currentNodeId).get("x")).toBe(sha256(Buffer.from("second")));
});
