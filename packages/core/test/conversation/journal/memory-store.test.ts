import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type MemoryStoreOptions,
  memorySessionStore,
  type SessionMemory,
} from "../../../src/conversation/index.js";
import { isRefusal, refuse } from "../../../src/files/values/index.js";
import { describeStore } from "./store-conformance.js";
import { message, started } from "./store-events.js";

describeStore("a memory store", async () => {
  let broken = false;
  const memory: SessionMemory = new Map();
  const refusal = () => (broken ? refuse("disk_full", "The disk is full; make room.") : undefined);
  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const options: MemoryStoreOptions = { memory, refusal, digest };
  return {
    store: memorySessionStore(options),
    reopen: async () => memorySessionStore(options),
    breakGround: () => {
      broken = true;
    },
    mendGround: () => {
      broken = false;
    },
    dispose: () => memory.clear(),
  };
});

describe("a memory store", () => {
  it("keeps what was written, not what its writer changes afterwards", async () => {
    const store = memorySessionStore();
    const session = await store.create("s-1", [started("s-1")]);
    if (isRefusal(session)) throw new Error(session.message);
    const event = message("m-1", "s-1", "as it was");
    session.append(event);
    await session.flush();
    Object.assign(event.event, { head: "elsewhere" });
    const read = await store.open("s-1", "read");
    if (isRefusal(read)) throw new Error(read.message);
    expect(read.records[1]?.event).toMatchObject({ head: "m-1" });
  });
});
