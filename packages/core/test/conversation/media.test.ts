import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderContext, resolveMedia } from "../../src/context/index.js";
import {
  createConversation,
  memorySessionStore,
  openConversation,
  type SessionMemory,
  verifySession,
} from "../../src/conversation/index.js";
import { call, countedIds, must, steadyClock } from "./support.js";

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const data = Buffer.from("an image").toString("base64");
const image = { mimeType: "image/png", data };

/** A stored conversation with one image in a message and in a result. */
async function pictured() {
  const memory: SessionMemory = new Map();
  const store = memorySessionStore({ memory, digest });
  const sources = { ids: countedIds("s"), now: steadyClock() };
  const made = must(await createConversation(store, sources));
  must(made.manager.addToStagingArea({ kind: "user_message", text: "look", media: [image] }));
  must(made.manager.commitStagedItems("and answer"));
  call(made.manager, "c1");
  must(
    made.manager.addNode({
      kind: "tool_result",
      callId: "c1",
      name: "read_file",
      output: "",
      media: [image],
    }),
  );
  must(await made.manager.flush());
  return { memory, store, sources, made, id: made.session.id };
}

describe("media of a stored conversation", () => {
  it("make the same prompt whether the session was opened again or not", async () => {
    const { store, sources, made, id } = await pictured();
    const live = must(
      await resolveMedia(renderContext(made.manager.context).contents, made.session.readBlob),
    );
    await made.close();
    const again = must(await openConversation(store, id, "read", sources));
    const { contents } = renderContext(again.manager.context);
    expect(JSON.stringify(contents)).not.toContain(data);
    const later = must(await resolveMedia(contents, again.session.readBlob));
    expect(later.contents).toEqual(live.contents);
    expect(JSON.stringify(later.contents).split(data).length - 1).toBe(2);
  });

  it("are kept once, and a lost one is told by who looks, not by the opening", async () => {
    const { memory, store, sources, made, id } = await pictured();
    await made.close();
    const blobs = memory.get(id)?.blobs;
    expect(blobs?.size).toBe(1);
    blobs?.clear();
    const again = must(await openConversation(store, id, "read", sources));
    expect(again.problems).toEqual([]);
    await again.close();
    const { problems } = must(await verifySession(store, id, () => []));
    expect(new Set(problems.map(({ what }) => what))).toEqual(new Set(["missing_blob"]));
  });
});
