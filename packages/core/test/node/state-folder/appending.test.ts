import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/node/disk/digest.js";
import { openBlobs } from "../../../src/node/state-folder/blobs.js";
import { openPresence } from "../../../src/node/state-folder/sessions.js";
import { collectGarbage } from "../../../src/node/workspace/gc.js";
import { openWorkspace } from "../../../src/node/workspace/open-workspace.js";
import { builtRoom, bytesOf, fixture, freshFolder, must, runFixture, stateAt, textAt } from "../support.js";

/** 100 appends for each of ten processes; HOLDFAST_APPENDS=1000 for the long run. */
const appends = Math.max(100, Number(process.env.HOLDFAST_APPENDS ?? 0));
const processes = 10;

/** What lies below a folder: bytes on the disk, and entries. */
function weigh(folder: string): { readonly bytes: number; readonly entries: number } {
  let [bytes, entries] = [0, 0];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    bytes += lstatSync(join(folder, name)).blocks * 512;
    entries += 1;
  }
  return { bytes, entries };
}

describe("appends of several processes", () => {
  it(`${processes} × ${appends}: no line is lost or torn, and the states cost little`, {
    timeout: 3_600_000,
  }, async () => {
    const folder = freshFolder();
    const [root, state] = [join(folder, "root"), join(folder, "state")];
    mkdirSync(root);
    const began = performance.now();
    const children = Array.from({ length: processes }, (_, at) => {
      const args = [fixture("append.mjs"), builtRoom(), root, state, `p${at}`, String(appends)];
      return spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    });
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual(children.map(() => 0));
    const text = textAt(join(root, "log.txt"));
    const lines = text.split("\n").slice(0, -1);
    expect(lines).toHaveLength(processes * appends);
    for (let at = 0; at < processes; at++) {
      const own = lines.filter((line) => line.startsWith(`p${at} `));
      expect(own).toEqual(Array.from({ length: appends }, (_, number) => `p${at} ${number}`));
    }
    const blobs = weigh(join(state, "blobs"));
    if (appends > 100)
      console.log({ seconds: (performance.now() - began) / 1_000, file: text.length, ...blobs });
    // One state in full, two where the last appender had no time to fold; in full each they would cost
    // half the file's size times their number.
    expect(blobs.bytes).toBeLessThan(4 * text.length + 2 * 1024 * 1024);
    const workspace = must(await openWorkspace({ roots: [root], stateDir: state }));
    for (let back = 1; back <= 5; back++) {
      expect(await workspace.undo({ path: "log.txt" })).toMatchObject({ code: "applied" });
      expect(textAt(join(root, "log.txt"))).toBe(
        lines
          .slice(0, -back)
          .map((line) => `${line}\n`)
          .join(""),
      );
    }
    await workspace.close();
  });
});

describe("a state kept as the beginning of a longer one", () => {
  const setUp = () => {
    const state = stateAt(join(freshFolder(), "state"));
    return { state, blobs: openBlobs(state, openPresence(state)) };
  };
  const [short, middle, long] = ["a\n", "a\nb\n", "a\nb\nc\n"].map(bytesOf) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];

  it("comes back byte for byte, through any number of links", async () => {
    const { blobs } = setUp();
    for (const bytes of [short, middle, long]) await blobs.put(sha256(bytes), bytes);
    await blobs.keepAsBeginning(sha256(short), short.length, sha256(middle));
    await blobs.keepAsBeginning(sha256(middle), middle.length, sha256(long));
    expect(await blobs.has(sha256(short))).toBe(true);
    for (const bytes of [short, middle, long])
      expect(Buffer.from((await blobs.get(sha256(bytes)))!)).toEqual(Buffer.from(bytes));
  });

  it("stays in full where the longer one is not kept, or is no longer", async () => {
    const { blobs, state } = setUp();
    await blobs.put(sha256(middle), middle);
    await blobs.keepAsBeginning(sha256(middle), middle.length, sha256(long));
    await blobs.put(sha256(short), short);
    await blobs.keepAsBeginning(sha256(middle), middle.length, sha256(short));
    const names = readdirSync(state.at("blobs"), { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".begins"))).toEqual([]);
    expect(await blobs.get(sha256(middle))).toBeDefined();
  });

  it("stays in full where the longer one is damaged, whatever its size says", async () => {
    const { blobs, state } = setUp();
    for (const bytes of [short, long]) await blobs.put(sha256(bytes), bytes);
    writeFileSync(state.at("blobs", sha256(long).slice(0, 2), sha256(long)), "x\ny\nz\n");
    await blobs.keepAsBeginning(sha256(short), short.length, sha256(long));
    expect(await blobs.get(sha256(short))).toEqual(Buffer.from(short));
  });

  it("is kept in full again when it is met again, and may then be folded again", async () => {
    const { blobs } = setUp();
    for (const bytes of [short, long]) await blobs.put(sha256(bytes), bytes);
    for (let round = 0; round < 2; round++) {
      await blobs.keepAsBeginning(sha256(short), short.length, sha256(long));
      expect(await blobs.get(sha256(short))).toBeDefined();
      await blobs.put(sha256(short), short, "sure");
    }
    expect(await blobs.get(sha256(short))).toBeDefined();
  });

  it("is gone, never wrong, where the longer one is gone or damaged, or links lead in a circle", async () => {
    const { blobs, state } = setUp();
    for (const bytes of [short, long]) await blobs.put(sha256(bytes), bytes);
    await blobs.keepAsBeginning(sha256(short), short.length, sha256(long));
    const path = state.at("blobs", sha256(long).slice(0, 2), sha256(long));
    writeFileSync(path, "x\ny\nz\n");
    expect(await blobs.get(sha256(short))).toBeUndefined();
    expect(await blobs.has(sha256(short))).toBe(false);
    const { symlinkSync, unlinkSync } = await import("node:fs");
    for (const [hash, of] of [
      [sha256(short), sha256(middle)],
      [sha256(middle), sha256(short)],
    ] as const) {
      const link = `${state.at("blobs", hash.slice(0, 2), hash)}.begins`;
      if (hash === sha256(short)) unlinkSync(link);
      else mkdirSync(state.at("blobs", hash.slice(0, 2)), { recursive: true });
      symlinkSync(`2-${Buffer.from(of, "hex").toString("base64url")}`, link);
    }
    expect(await blobs.get(sha256(short))).toBeUndefined();
  });

  it("takes no room, so that the garbage collection leaves it while there is too much, and drops it with age", async () => {
    const { blobs, state } = setUp();
    const big = Buffer.alloc(100_000, "x");
    await blobs.put(sha256(short), short);
    await blobs.put(sha256(Buffer.concat([short, big])), Buffer.concat([short, big]));
    await blobs.keepAsBeginning(sha256(short), short.length, sha256(Buffer.concat([short, big])));
    const report = must(await collectGarbage({ stateDir: state.path, dryRun: true }));
    expect(report).toMatchObject({ keptBlobs: 2, keptBytes: 100_002 });
  });
});

describe("a window of a file of 1 GB", () => {
  it("is read in bounded memory", { timeout: 120_000 }, () => {
    const root = freshFolder();
    const path = join(root, "big.log");
    writeFileSync(join(root, "small.txt"), "a\nb\n");
    writeFileSync(path, "first\n");
    // A hole: no byte of it takes room on the disk.
    truncateSync(path, 1024 * 1024 * 1024);
    const fd = openSync(path, "r+");
    for (let at = 1; at < 1024; at++) writeSync(fd, "\n", at * 1024 * 1024);
    writeSync(fd, "\nnearly the last\nthe last\n", 1024 * 1024 * 1024);
    closeSync(fd);
    const run = runFixture("window.mjs", root, join(root, "state"), "big.log", "1026");
    const told = JSON.parse(run.stdout) as {
      content: string;
      lines: object;
      total: number;
      grownBytes: number;
    };
    expect(told).toMatchObject({
      content: "nearly the last\nthe last\n",
      lines: { from: 1026, to: 1027 },
      total: 1027,
    });
    expect(told.grownBytes).toBeLessThan(64 * 1024 * 1024);
  });
});
