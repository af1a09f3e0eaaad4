import { mkdirSync, readdirSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { isRefusal, type Refusal } from "../../../src/files/values/index.js";
import { sha256 } from "../../../src/node/disk/reading.js";
import { collectGarbage } from "../../../src/node/index.js";
import { keyOf } from "../../../src/node/state-folder/locks.js";
import { withCheck } from "../../../src/node/state-folder/operation-segment.js";
import { type OpenedPorts, openPorts } from "../../../src/node/workspace/open.js";
import { ground } from "../../support.js";

function must<Answer extends object>(answer: Answer | Refusal): Answer {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

it("a garbage collection ends where it is asked to, and goes on the next time", async () => {
  const { root, stateDir } = await ground({});
  const ports = must(await openPorts({ roots: [root], stateDir }));
  onTestFinished(() => ports.close());
  const old = Date.now() / 1_000 - 40 * 24 * 60 * 60;
  for (let at = 0; at < 100; at++) {
    const bytes = new TextEncoder().encode(`state ${at}`);
    const hash = sha256(bytes);
    await ports.blobs.put(hash, bytes);
    utimesSync(join(stateDir, "blobs", hash.slice(0, 2), hash), old, old);
  }
  await ports.close();
  // The folders are counted first, then the states, sixty-four at a time.
  const folders = readdirSync(join(stateDir, "blobs")).length;
  let asked = 0;
  const pace = async () => ++asked <= folders;
  const ended = await collectGarbage({ stateDir, pace });
  expect(ended).toMatchObject({ interrupted: true, removedBlobs: 63, keptBlobs: 37 });
  expect(await collectGarbage({ stateDir })).toMatchObject({ removedBlobs: 37, keptBlobs: 0 });
});

it("a session that begins during a garbage collection loses nothing that it keeps", async () => {
  const { root, stateDir } = await ground({});
  const first = must(await openPorts({ roots: [root], stateDir }));
  const seen = new TextEncoder().encode("seen");
  const again = new TextEncoder().encode("seen again");
  for (const bytes of [seen, again]) await first.blobs.put(sha256(bytes), bytes);
  await first.close();
  const fileOf = (bytes: Uint8Array) => join(stateDir, "blobs", sha256(bytes).slice(0, 2), sha256(bytes));
  const old = Date.now() / 1_000 - 40 * 24 * 60 * 60;
  for (const bytes of [seen, again]) utimesSync(fileOf(bytes), old, old);
  const later: OpenedPorts[] = [];
  const pace = async () => {
    if (later.length > 0) return true;
    const ports = must(await openPorts({ roots: [root], stateDir }));
    later.push(ports);
    return await ports.blobs.put(sha256(again), again);
  };
  const report = await collectGarbage({ stateDir, maxAgeMs: 0, maxBytes: 0, pace });
  expect(report).toMatchObject({ removedBlobs: 1, keptBlobs: 1 });
  expect(await later[0]?.blobs.get(sha256(again))).toEqual(Buffer.from(again));
  await later[0]?.close();
});

it("a history of an earlier release goes when nobody has the lock of its path", async () => {
  const { root, stateDir } = await ground({});
  const ports = must(await openPorts({ roots: [root], stateDir }));
  onTestFinished(() => ports.close());
  const change = { realPath: "/p", time: 1, session: "s", tool: "t", before: null, after: null, id: "i" };
  const path = join(stateDir, "history", `${keyOf("/p")}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${withCheck(JSON.stringify(change))}\n`);
  expect(await ports.history.entries("/p")).toEqual([change]);
  utimesSync(path, 1, 1);
  const lock = must(await ports.locks.acquire("/p", 0));
  expect(await collectGarbage({ stateDir })).toMatchObject({ removedHistories: 0 });
  await lock.release();
  expect(await collectGarbage({ stateDir })).toMatchObject({ removedHistories: 1 });
  expect(readdirSync(join(stateDir, "history"))).toEqual([]);
});

it("what is left of a conversation goes when nobody has its lease", async () => {
  const { root, stateDir } = await ground({});
  const ports = must(await openPorts({ roots: [root], stateDir }));
  onTestFinished(() => ports.close());
  const room = join(stateDir, "conversations");
  mkdirSync(join(room, "s.blobs"), { recursive: true });
  writeFileSync(join(room, "s.torn-1"), "left");
  for (const name of readdirSync(room)) utimesSync(join(room, name), 1, 1);
  const lease = must(await ports.locks.acquire(join(room, "s.jsonl"), 0));
  await collectGarbage({ stateDir });
  expect(readdirSync(room).sort()).toEqual(["s.blobs", "s.torn-1"]);
  await lease.release();
  await collectGarbage({ stateDir });
  expect(readdirSync(room)).toEqual([]);
});

it("a session whose sign of life was removed and made again keeps what it saw before", async () => {
  const { root, stateDir } = await ground({});
  const ports = must(await openPorts({ roots: [root], stateDir }));
  onTestFinished(() => ports.close());
  const seen = new TextEncoder().encode("seen");
  const later = new TextEncoder().encode("seen later");
  await ports.blobs.put(sha256(seen), seen);
  const signs = () => readdirSync(join(stateDir, "sessions"));
  for (const sign of signs()) unlinkSync(join(stateDir, "sessions", sign));
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 3_600_000);
  await ports.blobs.put(sha256(later), later);
  expect(signs()).toHaveLength(1);
  await collectGarbage({ stateDir, maxAgeMs: 0, maxBytes: 0 });
  expect(await ports.blobs.get(sha256(seen))).toEqual(Buffer.from(seen));
});
