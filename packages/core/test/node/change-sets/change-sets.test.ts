import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { hangMs } from "../../../../../test/until.js";
import { type SetStep, Workspace } from "../../../src/files/index.js";
import { type FileChange, isRefusal } from "../../../src/files/values/index.js";
import { namesIn, newId, sha256 } from "../../../src/node/disk/reading.js";
import { type OpenedPorts, openPorts, type RecoveredSets } from "../../../src/node/index.js";
import { turnsDuring } from "../../turns.js";
import {
  bytesOf,
  freshFolder,
  hasStrace,
  mountTmpfs,
  must,
  openDescriptors,
  runTraced,
  stagesIn,
  textAt,
} from "../support.js";

let root: string;
let stateDir: string;
let told: RecoveredSets[];

beforeEach(() => {
  const top = realpathSync(freshFolder());
  root = join(top, "root");
  stateDir = join(top, "state");
  told = [];
  mkdirSync(root);
});

const path = (name: string) => join(root, name);

async function open(): Promise<OpenedPorts> {
  return must(await openPorts({ roots: [root], stateDir, onRecovered: (sets) => void told.push(sets) }));
}

function put(...names: readonly string[]): void {
  for (const name of names) writeFileSync(path(name), `old ${name}`);
}

/** The texts of these files; null where there is none. */
function texts(...names: readonly string[]): readonly (string | null)[] {
  return names.map((name) => (existsSync(path(name)) ? textAt(path(name)) : null));
}

/** No stage, no second name, no record. */
function nothingLeft(): void {
  expect(stagesIn(root)).toEqual([]);
  for (const room of ["changes", "intents"]) expect(namesIn(join(stateDir, room))).toEqual([]);
}

/** Nor a lock; those of a killed process stay until somebody wants them, or the garbage collection comes. */
function nothingOfOurs(): void {
  nothingLeft();
  expect(namesIn(join(stateDir, "locks"))).toEqual([]);
}

/** One step as a workspace plans it. */
async function step(ports: OpenedPorts, name: string, text: string | null): Promise<SetStep> {
  const place = must(await ports.disk.enter(name, "allow"));
  const entry = await place.look();
  const file = entry.kind === "missing" ? undefined : must(await place.read(100_000_000));
  await place.close();
  const before = file === undefined ? null : sha256(file.bytes);
  const bytes = text === null ? null : bytesOf(text);
  return {
    entry: {
      id: newId(),
      realPath: place.realPath,
      time: 1,
      session: "s",
      tool: "test",
      before,
      after: bytes === null ? null : sha256(bytes),
      changeSet: "set",
    },
    enter: () => ports.disk.enter(name, "create"),
    expected:
      file === undefined
        ? { kind: "absent" }
        : { kind: "file", sha256: before ?? "", identity: file.identity },
    bytes,
  };
}

/** Another program at work after everything was staged, right before the first step. */
async function commitAgainst(foreign: () => void) {
  const ports = await open();
  put("a", "b", "gone");
  const steps = [
    await step(ports, "a", "new a"),
    await step(ports, "new", "new"),
    await step(ports, "b", "new b"),
    await step(ports, "gone", null),
  ];
  const before = openDescriptors();
  const done = await ports.changeSets.commit("set", steps, async () => {
    foreign();
    return true;
  });
  expect(openDescriptors()).toBe(before);
  await ports.close();
  return done;
}

interface Foreign {
  readonly name: string;
  readonly act: () => void;
  readonly at: number;
  readonly reason: string;
  /** a, new, b, gone afterwards. */
  readonly left: readonly (string | null)[];
}

const foreigners: readonly Foreign[] = [
  {
    name: "writes a file that was to be replaced",
    act: () => writeFileSync(path("b"), "theirs"),
    at: 2,
    reason: "changed",
    left: ["old a", null, "theirs", "old gone"],
  },
  {
    name: "creates a file that was to be created",
    act: () => writeFileSync(path("new"), "theirs"),
    at: 1,
    reason: "changed",
    left: ["old a", "theirs", "old b", "old gone"],
  },
  {
    name: "deletes a file that was to be replaced",
    act: () => unlinkSync(path("a")),
    at: 0,
    reason: "changed",
    left: [null, null, "old b", "old gone"],
  },
  {
    name: "deletes a file that was to be deleted",
    act: () => unlinkSync(path("gone")),
    at: 3,
    reason: "changed",
    left: ["old a", null, "old b", null],
  },
  {
    name: "gives a file a second name",
    act: () => {
      writeFileSync(path("b"), "old b");
      linkSync(path("b"), path("second"));
    },
    at: 2,
    reason: "cannot_preserve",
    left: ["old a", null, "old b", "old gone"],
  },
  {
    name: "writes the very bytes that were to be written",
    act: () => writeFileSync(path("a"), "new a"),
    at: 0,
    reason: "changed",
    left: ["new a", null, "old b", "old gone"],
  },
];

describe("a change set that another program gets in the way of", () => {
  it.each(foreigners)("which $name is stopped; theirs stands", async ({ act, at, reason, left }) => {
    const done = await commitAgainst(act);
    if (done.kind !== "set_stopped") throw new Error(`not stopped: ${done.kind}`);
    const why = isRefusal(done.reason) ? done.reason.code : done.reason.kind;
    expect([done.at, why, done.leftAlone]).toEqual([at, reason, []]);
    expect(texts("a", "new", "b", "gone")).toEqual(left);
    nothingOfOurs();
  });

  it("which only touches a file is not noticed, and its mode is kept", async () => {
    const done = await commitAgainst(() => chmodSync(path("a"), 0o600));
    expect(done.kind).toBe("set_committed");
    expect(texts("a", "new", "b", "gone")).toEqual(["new a", "new", "new b", null]);
    expect(statSync(path("a")).mode & 0o777).toBe(0o600);
    nothingOfOurs();
  });

  it("is stopped by a lost lock before the first step", async () => {
    put("a");
    const ports = await open();
    const steps = [await step(ports, "a", "new"), await step(ports, "deep/er/b", "new")];
    const done = await ports.changeSets.commit("set", steps, async () => false);
    expect(done).toMatchObject({ kind: "set_stopped", reason: { code: "busy" } });
    expect(texts("a")).toEqual(["old a"]);
    expect(existsSync(path("deep"))).toBe(false);
    await ports.close();
    nothingOfOurs();
  });
});

const hunkless = (name: string, text: string): FileChange => ({
  path: name,
  base: sha256(bytesOf(`old ${name}`)),
  content: { kind: "text", text },
});

/** Runs a set that is killed as it enters its so-manyeth step. */
function killAtStep(count: number): void {
  const request = join(root, "..", "request.json");
  writeFileSync(
    request,
    JSON.stringify([hunkless("a", "new a"), hunkless("b", "new b"), hunkless("c", "new c")]),
  );
  const log = join(root, "..", "trace");
  const args = ["change-set.mjs", root, stateDir, request] as const;
  const inject = `inject=renameat2:signal=KILL:when=${count}`;
  runTraced(["-o", log, "-e", "trace=renameat2", "-e", inject], ...args);
}

describe.skipIf(!hasStrace)("a change set that was killed half way", () => {
  /** Six blobs are renamed into their places before; the steps exchange two names each. */
  async function half(): Promise<void> {
    rmSync(stateDir, { recursive: true, force: true });
    put("a", "b", "c");
    killAtStep(2);
    expect(texts("a", "b", "c")).toEqual(["new a", "old b", "old c"]);
  }

  it("is taken back at the next start", async () => {
    await half();
    const ports = await open();
    expect(texts("a", "b", "c")).toEqual(["old a", "old b", "old c"]);
    expect(told).toEqual([{ kind: "recovered_sets", finished: 0, takenBack: 1, leftAlone: [] }]);
    await ports.close();
    nothingLeft();
  });

  it("is taken back by a process that is running already, before it gets the lock of any of its files", async () => {
    const ports = await open();
    await half();
    const lock = must(await ports.locks.acquire(path("c"), hangMs));
    expect(texts("a", "b", "c")).toEqual(["old a", "old b", "old c"]);
    await lock.release();
    await ports.close();
    nothingLeft();
    expect(told.map(({ takenBack }) => takenBack)).toEqual([1]);
  });

  it("is taken back once by many who come at the same time", async () => {
    await half();
    const all = await Promise.all(Array.from({ length: 6 }, open));
    const locks = await Promise.all(
      all.map((ports, at) =>
        ports.locks.acquire(path(["a", "b", "c"][at % 3] ?? ""), hangMs).then(async (lock) => {
          const seen = texts("a", "b", "c");
          await must(lock).release();
          return seen;
        }),
      ),
    );
    for (const seen of locks) expect(seen).toEqual(["old a", "old b", "old c"]);
    expect(told.length).toBe(1);
    for (const ports of all) await ports.close();
    nothingLeft();
  });

  it("leaves alone, and names, a file that somebody else wrote since", async () => {
    await half();
    writeFileSync(path("a"), "theirs");
    writeFileSync(path("c"), "theirs, too");
    const ports = await open();
    expect(texts("a", "b", "c")).toEqual(["theirs", "old b", "theirs, too"]);
    expect(told).toEqual([
      { kind: "recovered_sets", finished: 0, takenBack: 1, leftAlone: [path("a"), path("c")] },
    ]);
    await ports.close();
    nothingLeft();
  });

  it("does not take the same bytes from another hand for its own step", async () => {
    await half();
    writeFileSync(path("theirs"), "new c");
    renameSync(path("theirs"), path("c"));
    const ports = await open();
    expect(texts("a", "b", "c")).toEqual(["old a", "old b", "new c"]);
    expect(told[0]?.leftAlone).toEqual([path("c")]);
    await ports.close();
    nothingLeft();
  });

  it("does not bring back a file that somebody deleted since, nor mind a folder that is gone", async () => {
    await half();
    unlinkSync(path("a"));
    const first = await open();
    expect(texts("a", "b", "c")).toEqual([null, "old b", "old c"]);
    expect(told[0]?.leftAlone).toEqual([path("a")]);
    await first.close();
    nothingLeft();
    await half();
    renameSync(root, `${root}-away`);
    mkdirSync(root);
    const second = await open();
    expect(told[1]?.leftAlone).toEqual([path("a"), path("b"), path("c")]);
    await second.close();
    expect(readdirSync(join(stateDir, "changes"))).toEqual([]);
  });

  it("keeps its files from being written while it cannot be taken back", async ({ skip }) => {
    const small = mountTmpfs(1024);
    if (small === undefined) return skip("needs root and mount");
    const remount = (how: string) => execFileSync("mount", ["-o", `remount,${how}`, small.path]);
    try {
      root = small.path;
      await half();
      remount("ro");
      const ports = await open();
      const refused = await ports.locks.acquire(path("b"), 100);
      expect(isRefusal(refused) ? [refused.code, refused.message] : []).toEqual([
        "busy",
        expect.stringContaining("EROFS"),
      ]);
      expect(texts("a", "b", "c")).toEqual(["new a", "old b", "old c"]);
      remount("rw");
      const lock = must(await ports.locks.acquire(path("b"), 100));
      expect(texts("a", "b", "c")).toEqual(["old a", "old b", "old c"]);
      await lock.release();
      await ports.close();
      expect(told.map(({ takenBack }) => takenBack)).toEqual([1]);
      nothingLeft();
    } finally {
      small.unmount();
    }
  });

  it("is not mistaken by a record that was cut off, damaged or is none", async () => {
    put("a");
    const folder = join(stateDir, "changes");
    mkdirSync(folder, { recursive: true });
    chmodSync(stateDir, 0o700);
    const dead = "999999999,1,x,y";
    writeFileSync(join(folder, `cut.${dead}`), '["0123');
    writeFileSync(
      join(folder, `damaged.${dead}`),
      '["0123456789abcdef",{"id":"x","steps":[],"folders":[]}]\n',
    );
    writeFileSync(join(folder, `none.${dead}`), "null\n");
    const ports = await open();
    const lock = must(await ports.locks.acquire(path("a"), 0));
    await lock.release();
    await ports.close();
    expect(texts("a")).toEqual(["old a"]);
    expect(told).toEqual([]);
  });
});

it.each([
  ["replaced", "new"],
  ["deleted", null],
] as const)("a large file that is %s is hashed while others have their turns", async (_, text) => {
  const ports = await open();
  writeFileSync(path("a"), "x".repeat(4 * 1024 * 1024));
  const steps = [await step(ports, "a", text)];
  // Its change time moves, so that only the hash tells that it is the same.
  chmodSync(path("a"), 0o600);
  const { result, turns } = await turnsDuring(() => ports.changeSets.commit("set", steps, async () => true));
  expect(result.kind).toBe("set_committed");
  expect(texts("a")).toEqual([text]);
  // A turn for each 256 KiB.
  expect(turns).toBeGreaterThanOrEqual(16);
  await ports.close();
});

describe("change sets at the same time", () => {
  it("over the same files in opposite order never wait for each other", async () => {
    const names = Array.from({ length: 8 }, (_, at) => `f${at}`);
    for (const name of names) writeFileSync(path(name), "0");
    const all = await Promise.all([open(), open(), open()]);
    const workspaces = all.map((ports) => new Workspace(ports, { guards: { wholeReplacement: "hash" } }));
    const rounds = 3;
    const run = async (workspace: Workspace, order: readonly string[]) => {
      let landed = 0;
      while (landed < rounds) {
        const base = sha256(bytesOf(textAt(path("f0"))));
        const text = String(Number(textAt(path("f0"))) + 1);
        const changes = order.map(
          (name): FileChange => ({ path: name, base, content: { kind: "text", text } }),
        );
        const { code } = await workspace.applyChanges({ changes });
        if (code === "applied") landed += 1;
        else expect(["state_mismatch", "unknown_base", "already_applied", "no_change"]).toContain(code);
      }
    };
    await Promise.all(
      workspaces.map((workspace, at) => run(workspace, at % 2 === 0 ? names : names.toReversed())),
    );
    expect(new Set(texts(...names))).toEqual(new Set([String(rounds * workspaces.length)]));
    for (const ports of all) await ports.close();
    nothingOfOurs();
  });
});

it("a full disk is told, nothing is written, and nothing is left", async ({ skip }) => {
  const small = mountTmpfs(96);
  if (small === undefined) return skip("needs root and mount");
  try {
    for (const name of ["a", "b"]) writeFileSync(join(small.path, name), `old ${name}`.repeat(1_000));
    const ports = must(await openPorts({ roots: [small.path], stateDir }));
    const workspace = new Workspace(ports, { guards: { wholeReplacement: "hash" } });
    const changes = ["a", "b", "c"].map(
      (name): FileChange => ({
        path: name,
        content: { kind: "text", text: `new ${name}`.repeat(10_000) },
        ...(name === "c" ? {} : { base: sha256(bytesOf(`old ${name}`.repeat(1_000))) }),
      }),
    );
    const outcome = await workspace.applyChanges({ changes });
    expect(outcome).toMatchObject({ success: false, code: "disk_full" });
    expect(textAt(join(small.path, "a"))).toBe("old a".repeat(1_000));
    expect(readdirSync(small.path).sort()).toEqual(["a", "b"]);
    await ports.close();
    nothingOfOurs();
  } finally {
    small.unmount();
  }
});
