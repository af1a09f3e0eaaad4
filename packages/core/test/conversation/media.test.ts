import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderContext, resolveMedia } from "../../src/context/index.js";
import {
  createConversation,
  memorySessionStore,
  openConversation,
  readSessionFile,
  type SessionMemory,
  verifySession,
} from "../../src/conversation/index.js";
import { isRefusal } from "../../src/files/index.js";
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

describe("an imported session", () => {
  it("keeps the images of results, so that the model sees them", () => {
    const at = (uuid: string, parentUuid: string | null) => ({
      uuid,
      parentUuid,
      timestamp: "2026-01-01T00:00:00.000Z",
      sessionId: "x",
    });
    const use = { type: "tool_use", id: "t1", name: "shot", input: {} };
    const source = { type: "base64", media_type: "image/png", data };
    const content = [
      { type: "text", text: "done" },
      { type: "image", source },
    ];
    const lines = [
      { type: "user", ...at("a", null), message: { role: "user", content: "look" } },
      { type: "assistant", ...at("b", "a"), message: { role: "assistant", content: [use] } },
      {
        type: "user",
        ...at("c", "b"),
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content }] },
      },
    ];
    const read = readSessionFile(lines.map((line) => JSON.stringify(line)).join("\n"), {
      from: "x",
      newId: countedIds(),
      now: 1,
    });
    if (isRefusal(read)) throw new Error(read.message);
    const payloads = read.events.flatMap(({ event }) =>
      event.type === "nodes_added" ? event.nodes.map(({ payload }) => payload) : [],
    );
    expect(payloads.at(-1)).toMatchObject({ kind: "tool_result", output: "done", media: [image] });
    expect(payloads.some(({ kind }) => kind === "unknown")).toBe(false);
  });
});
