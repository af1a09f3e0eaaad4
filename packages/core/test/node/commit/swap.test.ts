import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endProcess } from "../../../../../test/end-process.js";
import { openDisk } from "../../../src/node/commit/disk-target.js";
import {
  at,
  bytesOf,
  commitAt,
  diskAt,
  fixture,
  freshFolder,
  limit,
  must,
  openDescriptors,
  textAt,
} from "../support.js";

const base = realpathSync(freshFolder());
const root = join(base, "root");
const outside = join(base, "outside");
let swapper: ReturnType<typeof spawn>;

beforeAll(async () => {
  for (const folder of [join(root, "sub"), outside]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "file"), folder === outside ? "SECRET" : "inside");
  }
  symlinkSync(outside, join(root, "link"));
  swapper = spawn(process.execPath, [fixture("swap.mjs"), "-", join(root, "sub"), join(root, "link")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(swapper.stdout!, "data");
});
afterAll(() => endProcess(swapper));

/** `npm run proof -- races` does it 120,000 times, beside the usual check, which the attacker gets through. */
it("an attacker who swaps a folder for a link reads nothing and writes nothing outside", async () => {
  const disk = diskAt(root);
  const before = openDescriptors();
  let inside = 0;
  let refused = 0;
  for (let round = 0; round < 1_500; round++) {
    const answer = await at(disk, "sub/file", (place) => place.read(limit));
    if (answer.kind !== "bytes") refused += 1;
    else {
      inside += 1;
      expect(Buffer.from(answer.bytes).toString()).not.toContain("SECRET");
    }
  }
  for (let round = 0; round < 150; round++) {
    await at(disk, `sub/new${round}`, (place) => commitAt(place, bytesOf("x"), { kind: "absent" }));
    await at(disk, `sub/made${round}/file`, async () => ({ kind: "done" }), "create");
  }
  // Both fates were met, so the swapper was at work.
  expect(Math.min(inside, refused)).toBeGreaterThan(10);
  expect(readdirSync(outside)).toEqual(["file"]);
  expect(textAt(join(outside, "file"))).toBe("SECRET");
  expect(openDescriptors()).toBe(before);
  disk.close();
});

it("a folder that is swapped after the walk is still the one that was walked to", async () => {
  const disk = must(openDisk([root]));
  for (let round = 0; round < 100; round++) {
    const place = await disk.enter("sub/file", "refuse");
    if (place.kind === "refusal") continue;
    await new Promise((resolve) => setImmediate(resolve));
    const answer = await place.read(limit);
    if (answer.kind === "bytes") expect(Buffer.from(answer.bytes).toString()).toBe("inside");
    await place.close();
  }
  disk.close();
});
