import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BlobStore } from "../../../src/files/index.js";
import { sha256 } from "../../../src/node/disk/reading.js";
import { openBlobs } from "../../../src/node/state-folder/blobs.js";
import { openPresence } from "../../../src/node/state-folder/sessions.js";
import type { StateFolder } from "../../../src/node/state-folder/state-folder.js";
import { collectGarbage } from "../../../src/node/workspace/gc.js";
import { openWorkspace } from "../../../src/node/workspace/open.js";
import { builtRoom, fixture, freshFolder, must, stateAt, textAt } from "../support.js";

/** HOLDFAST_APPENDS=1000 for the long run, of ten processes. */
const appends = Number(process.env.HOLDFAST_APPENDS ?? 25);
const processes = appends > 25 ? 10 : 3;

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
    // One state in full, two where the last appender had no time to fold; in full each they would cost
    // half the file's size times their number.
    expect(blobs.bytes).toBeLessThan(4 * text.length + 2 * 1024 * 1024);
    const workspace = must(await openWorkspace({ roots: [root], stateDir: state }));
    for (let back = 1; back <= 2; back++) {
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

/** A log of `lines` lines after a first one of 20 KB, and every state of it on the way. */
function statesOf(lines: number): readonly Buffer[] {
  const text = Array.from({ length: lines }, (_, at) => `line ${at}\n`);
  return text.map((_, at) => Buffer.from(`${"x".repeat(20_000)}\n${text.slice(0, at + 1).join("")}`));
}

describe("states of a file that only grows", () => {
  const setUp = () => {
    const state = stateAt(join(freshFolder(), "state"));
    return { state, blobs: openBlobs(state, openPresence(state)) };
  };
  const put = async (blobs: BlobStore, states: readonly Buffer[]) => {
    for (const [at, bytes] of states.entries()) {
      const before = states[at - 1];
      if (before === undefined) await blobs.put(sha256(bytes), bytes, "sure");
      else await blobs.putLonger(sha256(bytes), bytes, { sha256: sha256(before), length: before.length });
    }
  };
  const expectAll = async (blobs: BlobStore, states: readonly Buffer[]) => {
    for (const bytes of states) {
      expect(await blobs.has(sha256(bytes))).toBe(true);
      expect(Buffer.from((await blobs.get(sha256(bytes))) ?? []).equals(bytes)).toBe(true);
    }
  };
  const namesOf = (state: StateFolder) =>
    readdirSync(state.at("blobs"), { recursive: true, encoding: "utf8" }).filter((name) => name.length > 60);
  const pathOf = (state: StateFolder, bytes: Uint8Array) =>
    state.at("blobs", sha256(bytes).slice(0, 2), sha256(bytes));

  it("come back byte for byte, from tails and from longer states, in this process and in another", async () => {
    const { state, blobs } = setUp();
    const states = statesOf(100);
    await put(blobs, states);
    await expectAll(blobs, states);
    await expectAll(openBlobs(state, openPresence(state)), states);
    const names = namesOf(state);
    expect(names.filter((name) => name.endsWith(".tail")).length).toBeLessThan(33);
    expect(names.filter((name) => name.endsWith(".begins")).length).toBeGreaterThan(60);
    expect(names.filter((name) => !name.includes("."))).toHaveLength(1);
    expect(names).toHaveLength(100);
  });

  it("go on where another process stopped", async () => {
    const { state } = setUp();
    const states = statesOf(40);
    // A process for each state: none remembers what it did not write.
    for (const at of states.keys())
      await put(openBlobs(state, openPresence(state)), states.slice(Math.max(0, at - 1), at + 1));
    await expectAll(openBlobs(state, openPresence(state)), states);
    expect(weigh(state.at("blobs")).bytes).toBeLessThan(400_000);
  });

  it("are written as what they add", async () => {
    const { state, blobs } = setUp();
    const states = statesOf(10);
    await put(blobs, states);
    for (const bytes of states.slice(1))
      expect(lstatSync(`${pathOf(state, bytes)}.tail`).size).toBeLessThan(1_500);
  });

  it("are kept in full where much is added at once", async () => {
    const { state, blobs } = setUp();
    const [short, long] = [Buffer.from("a\n"), Buffer.from(`a\n${"b".repeat(5_000)}\n`)];
    await put(blobs, [short, long]);
    expect(
      namesOf(state)
        .map((name) => name.slice(67))
        .sort(),
    ).toEqual(["", ".begins"]);
    await expectAll(blobs, [short, long]);
  });

  it("are proved before one of them is replaced, and kept in full where they are not whole", async () => {
    const { state, blobs } = setUp();
    const states = statesOf(3);
    await put(blobs, states);
    const last = states[2]!;
    for (const [path, damage] of [
      [`${pathOf(state, last)}.tail`, "rubbish"],
      [`${pathOf(state, last)}.tail`, `["${"0".repeat(64)}",3]\nx`],
      [pathOf(state, states[0]!), "x"],
    ] as const) {
      writeFileSync(path, damage);
      expect(await blobs.put(sha256(last), last, "sure")).toBe(true);
      expect(Buffer.from((await blobs.get(sha256(last)))!).equals(last)).toBe(true);
      rmSync(pathOf(state, last));
      await put(blobs, states);
    }
  });

  it("are gone, never wrong, where what they begin with is gone, or tails and links lead in a circle", async () => {
    const { state, blobs } = setUp();
    const states = statesOf(3);
    const [first, second, third] = states as [Buffer, Buffer, Buffer];
    await put(blobs, states);
    rmSync(pathOf(state, first));
    expect(await blobs.has(sha256(third))).toBe(false);
    expect(await blobs.get(sha256(third))).toBeUndefined();
    const tail = (of: Uint8Array) => `["${sha256(of)}",${of.length}]\nmore\n`;
    writeFileSync(`${pathOf(state, third)}.tail`, tail(second));
    writeFileSync(`${pathOf(state, second)}.tail`, tail(third));
    expect(await blobs.get(sha256(third))).toBeUndefined();
    for (const [one, other] of [
      [second, third],
      [third, second],
    ] as const)
      symlinkSync(
        `${one.length}-${Buffer.from(sha256(other), "hex").toString("base64url")}`,
        `${pathOf(state, one)}.begins`,
      );
    expect(await blobs.get(sha256(second))).toBeUndefined();
  });

  it("of a folder of release 0.1, where each was folded at once, are read and go on", async () => {
    const { state, blobs } = setUp();
    const states = statesOf(3);
    const [first, second, third] = states as [Buffer, Buffer, Buffer];
    await blobs.put(sha256(second), second);
    mkdirSync(dirname(pathOf(state, first)), { recursive: true });
    const link = `${first.length}-${Buffer.from(sha256(second), "hex").toString("base64url")}`;
    symlinkSync(link, `${pathOf(state, first)}.begins`);
    await blobs.putLonger(sha256(third), third, { sha256: sha256(second), length: second.length });
    await expectAll(blobs, states);
  });

  it("are marked as used with what they begin with, so that the garbage collection leaves both", async () => {
    const { state, blobs } = setUp();
    const states = statesOf(3);
    await put(blobs, states);
    const old = Date.now() / 1_000 - 40 * 24 * 60 * 60;
    for (const name of namesOf(state)) utimesSync(state.at("blobs", name), old, old);
    const fourth = statesOf(4)[3]!;
    const third = states[2]!;
    const later = openBlobs(state, openPresence(state));
    expect(await later.put(sha256(third), third, "sure")).toBe(true);
    await later.putLonger(sha256(fourth), fourth, { sha256: sha256(third), length: third.length });
    must(await collectGarbage({ stateDir: state.path }));
    await expectAll(blobs, [states[0]!, third, fourth]);
    expect(await blobs.has(sha256(states[1]!))).toBe(false);
  });
});
