import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isRefusal } from "../../../src/files/index.js";
import { sha256 } from "../../../src/node/disk/digest.js";
import { collectGarbage } from "../../../src/node/index.js";
import { openPorts } from "../../../src/node/workspace/open.js";
import { ground } from "../../support.js";

it("a garbage collection ends where it is asked to, and goes on the next time", async () => {
  const { root, stateDir } = await ground({});
  const ports = await openPorts({ roots: [root], stateDir });
  if (isRefusal(ports)) throw new Error(ports.message);
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
  const first = await openPorts({ roots: [root], stateDir });
  if (isRefusal(first)) throw new Error(first.message);
  const seen = new TextEncoder().encode("seen");
  const again = new TextEncoder().encode("seen again");
  for (const bytes of [seen, again]) await first.blobs.put(sha256(bytes), bytes);
  await first.close();
  const fileOf = (bytes: Uint8Array) => join(stateDir, "blobs", sha256(bytes).slice(0, 2), sha256(bytes));
  const old = Date.now() / 1_000 - 40 * 24 * 60 * 60;
  for (const bytes of [seen, again]) utimesSync(fileOf(bytes), old, old);
  let later: typeof first | undefined;
  const pace = async () => {
    if (later !== undefined) return true;
    later = await openPorts({ roots: [root], stateDir });
    if (isRefusal(later)) throw new Error(later.message);
    await later.blobs.put(sha256(again), again);
    return true;
  };
  const report = await collectGarbage({ stateDir, maxAgeMs: 0, maxBytes: 0, pace });
  expect(report).toMatchObject({ removedBlobs: 1, keptBlobs: 1 });
  if (later === undefined || isRefusal(later)) throw new Error("no session began");
  expect(await later.blobs.get(sha256(again))).toEqual(Buffer.from(again));
  await later.close();
});
