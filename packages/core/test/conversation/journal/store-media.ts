import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { readExport } from "../../../src/conversation/import/index.js";
import { exportSession, forkSession } from "../../../src/conversation/index.js";
import type { SessionStore, TimedEvent, TurnPayload } from "../../../src/conversation/values/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { toBase64 } from "../../../src/text/index.js";
import { must } from "../support.js";
import { started } from "./store-events.js";

/** What every store does with images and the like. */
export function describeMedia({
  store,
  reopen,
}: {
  store(): SessionStore;
  reopen(): Promise<SessionStore>;
}): void {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => (at * 7) % 251);
  const data = toBase64(bytes);
  const said = (id: string, parentId: string, payload: TurnPayload): TimedEvent => ({
    ts: 5,
    event: { type: "nodes_added", nodes: [{ id, parentId, timestamp: 5, payload }], head: id },
  });
  const image = { mimeType: "image/png", data };

  it("keeps an image once, by its hash, and reads it when it is asked for", async () => {
    const name = createHash("sha256").update(bytes).digest("hex");
    const events = [
      said("m-1", "s-1", {
        kind: "user_message",
        text: "look",
        media: [image, { mimeType: "a/b", data: "" }],
      }),
      said("m-2", "m-1", { kind: "tool_result", callId: "c", name: "shot", output: "", media: [image] }),
      said("m-3", "m-2", { kind: "model_message", text: "made", media: [image] }),
    ];
    const session = must(await store().create("s-1", [started("s-1")]));
    for (const event of events) session.append(event);
    must(await session.flush());
    await session.close();
    const read = must(await (await reopen()).open("s-1", "read"));
    const stored = { mimeType: "image/png", sha256: name, sizeBytes: bytes.length };
    const media = read.records.flatMap(({ event }) =>
      event.type === "nodes_added"
        ? event.nodes.map(({ payload }) => "media" in payload && payload.media)
        : [],
    );
    expect(media).toEqual([[stored, { mimeType: "a/b", data: "" }], [stored], [stored]]);
    expect(read.records.map(({ v }) => v)).toEqual([1, 2, 2, 2]);
    const found = await read.readBlob(name);
    if (found === undefined || isRefusal(found)) throw new Error("it is there");
    expect(Buffer.from(found).equals(bytes)).toBe(true);
    expect(await read.readBlob("0".repeat(64))).toBeUndefined();
    expect(await read.readBlob("../../etc/passwd")).toBeUndefined();
    await read.close();
    await hasMediaInCopies(store(), data);
  });
}

/** A fork, and an export, need nothing of the session that they were made from. */
async function hasMediaInCopies(store: SessionStore, data: string): Promise<void> {
  must(await forkSession(store, "s-1", { newId: () => "s-2", now: 9 }));
  must(await store.remove("s-1"));
  const exported = must(await exportSession(store, "s-2"));
  expect(exported.problems).toEqual([]);
  const lines = [...exported.lines];
  expect(lines.filter((line) => line.includes(data)).length).toBe(3);
  // Release 0.1 knows no media of the model.
  expect(lines[0]).toContain('"v":2,');
  const imported = readExport(lines.join(""), {});
  if (isRefusal(imported)) throw new Error(imported.message);
  expect(imported.problems).toEqual([]);
}
