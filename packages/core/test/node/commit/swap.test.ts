import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endProcess } from "../../../../../test/end-process.js";
import { openDisk } from "../../../src/node/commit/open-disk.js";
import {
  at,
  bytesOf,
  diskAt,
  fixture,
  freshFolder,
  limit,
  must,
  openDescriptors,
  plain,
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

/** What most tools do: resolve, compare, then use the path. */
function naiveRead(): string | undefined {
  try {
    const real = realpathSync(join(root, "sub/file"));
    return real.startsWith(`${root}/`) ? readFileSync(real, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

it("an attacker who swaps a folder for a link reads nothing and writes nothing outside", async () => {
  const disk = diskAt(root);
  const before = openDescriptors();
  let inside = 0;
  let refused = 0;
  for (let round = 0; round < 8_000; round++) {
    const answer = await at(disk, "sub/file", (place) => place.read(limit));
    if (answer.kind !== "bytes") refused += 1;
    else {
      inside += 1;
      expect(Buffer.from(answer.bytes).toString()).not.toContain("SECRET");
    }
  }
  for (let round = 0; round < 1_000; round++) {
    await at(disk, `sub/new${round}`, (place) => place.commit(bytesOf("x"), { kind: "absent" }, plain));
    await at(disk, `sub/made${round}/file`, async () => ({ kind: "done" }), "create");
  }
  // Both fates were met, so the swapper was at work.
  expect(Math.min(inside, refused)).toBeGreaterThan(100);
  expect(readdirSync(outside)).toEqual(["file"]);
  expect(textAt(join(outside, "file"))).toBe("SECRET");
  expect(openDescriptors()).toBe(before);
  disk.close();
}, 60_000);

it("the same attacker does get through the usual check, so the attack is a real one", () => {
  let escapes = 0;
  for (let round = 0; round < 20_000; round++) if (naiveRead() === "SECRET") escapes += 1;
  expect(escapes).toBeGreaterThan(0);
}, 60_000);

it("a folder that is swapped after the walk is still the one that was walked to", async () => {
  const disk = must(openDisk([root]));
  for (let round = 0; round < 300; round++) {
    const place = await disk.enter("sub/file", "refuse");
    if (place.kind === "refusal") continue;
    await new Promise((resolve) => setImmediate(resolve));
    const answer = await place.read(limit);
    if (answer.kind === "bytes") expect(Buffer.from(answer.bytes).toString()).toBe("inside");
    await place.close();
  }
  disk.close();
});
