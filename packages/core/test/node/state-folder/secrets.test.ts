import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hangMs } from "../../../../../test/until.js";
import type { FileChange } from "../../../src/files/values/index.js";
import { keepDisplacedBytes } from "../../../src/node/change-sets/recovery.js";
import { sha256 } from "../../../src/node/disk/reading.js";
import { collectGarbage, openPorts } from "../../../src/node/index.js";
import { strikesAll } from "../strikes.js";
import { bytesOf, freshFolder, hasStrace, must, runTraced, stagesIn, stateAt, textAt } from "../support.js";

const word = "hunter";

/** Every file below a folder, by its path from there, with its content. */
function filesIn(folder: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length + 1), readFileSync(path, "latin1")] as const);
}

/** The rooms of the state folder in which the word stands. */
function roomsWithWord(stateDir: string): readonly string[] {
  const found = filesIn(stateDir).filter(([, text]) => text.includes(word));
  return [...new Set(found.map(([path]) => path.split("/")[0] ?? ""))];
}

function newPlace(files: Readonly<Record<string, string>>) {
  const top = realpathSync(freshFolder("holdfast-secrets-"));
  const [root, stateDir] = [join(top, "root"), join(top, "state")];
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return { top, root, stateDir };
}

describe("the store of secrets", () => {
  it("gives out no damaged bytes, and takes a damaged state for not kept", async () => {
    const { root, stateDir } = newPlace({});
    const { secrets } = must(await openPorts({ roots: [root], stateDir }));
    const [bytes, realPath] = [bytesOf("a"), join(root, ".env")];
    const state = { sha256: sha256(bytes), bytes, days: 7 };
    expect(await secrets.put(realPath, state)).toBe(true);
    const [folder = ""] = readdirSync(join(stateDir, "secrets"));
    const path = join(stateDir, "secrets", folder, `${state.sha256}-7`);
    writeFileSync(path, "b");
    expect(await secrets.get(realPath, state.sha256)).toBeUndefined();
    expect(await secrets.put(realPath, state)).toBe(true);
    expect(await secrets.get(realPath, state.sha256)).toEqual(Buffer.from(bytes));
  });

  it("has the days of whoever kept a state last, and each state once", async () => {
    const { root, stateDir } = newPlace({});
    const { secrets } = must(await openPorts({ roots: [root], stateDir }));
    const [bytes, realPath] = [bytesOf("a"), join(root, ".env")];
    for (const days of [7, 30, 1]) await secrets.put(realPath, { sha256: sha256(bytes), bytes, days });
    const [folder = ""] = readdirSync(join(stateDir, "secrets"));
    expect(readdirSync(join(stateDir, "secrets", folder))).toEqual([`${sha256(bytes)}-1`]);
  });

  it("is private in a state folder that others may look into", async () => {
    const { root, stateDir } = newPlace({});
    mkdirSync(stateDir, { mode: 0o755 });
    chmodSync(stateDir, 0o755);
    const { secrets } = must(await openPorts({ roots: [root], stateDir }));
    const bytes = bytesOf("a");
    await secrets.put(join(root, ".env"), { sha256: sha256(bytes), bytes, days: 7 });
    expect((statSync(join(stateDir, "secrets")).mode & 0o777).toString(8)).toBe("700");
  });

  it("tells by a value that it cannot keep a state", async () => {
    const { root, stateDir } = newPlace({});
    mkdirSync(stateDir);
    writeFileSync(join(stateDir, "secrets"), "in the way");
    const { secrets } = must(await openPorts({ roots: [root], stateDir }));
    const bytes = bytesOf("a");
    expect(await secrets.put(join(root, ".env"), { sha256: sha256(bytes), bytes, days: 7 })).toBe(false);
    expect(await secrets.has(join(root, ".env"), sha256(bytes))).toBe(false);
  });

  it("is cleared of what a kill left unfinished, an hour later", async () => {
    const { stateDir } = newPlace({});
    const folder = join(stateDir, "secrets", "0".repeat(40));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "tmp-left"), word);
    const now = Date.now();
    await collectGarbage({ stateDir, clock: { now: () => now } });
    expect(readdirSync(folder)).toEqual(["tmp-left"]);
    await collectGarbage({ stateDir, clock: { now: () => now + 3_600_001 } });
    expect(readdirSync(join(stateDir, "secrets"))).toEqual([]);
  });
});

const strikes: readonly (readonly [string, number])[] = strikesAll
  ? [
      ...Array.from({ length: 12 }, (_, at) => ["pwrite64", at + 1] as const),
      ...Array.from({ length: 10 }, (_, at) => ["rename", at + 1] as const),
      ...Array.from({ length: 6 }, (_, at) => ["renameat2", at + 1] as const),
      ...Array.from({ length: 16 }, (_, at) => ["unlink", at + 1] as const),
      ...Array.from({ length: 8 }, (_, at) => ["fsync", at + 1] as const),
    ]
  : [
      ["pwrite64", 6],
      ["rename", 4],
      ["renameat2", 1],
      ["unlink", 3],
    ];

describe.skipIf(!hasStrace)("a kill in the middle of changes to secrets", () => {
  const one = `TOKEN=${word}1\n`;
  const changes: readonly FileChange[] = [
    { path: ".env", base: sha256(bytesOf(one)), content: { kind: "text", text: `TOKEN=${word}2\n` } },
    { path: "plain", base: sha256(bytesOf(one)), content: { kind: "same" }, renameTo: "k.pem" },
    { path: "id_rsa", base: sha256(bytesOf(one)), content: { kind: "delete" } },
  ];

  it("leaves nothing of them outside of their folder, before and after recovery", async () => {
    let killed = 0;
    for (const [call, when] of strikes) {
      const place = newPlace({ ".env": one, plain: one, id_rsa: one });
      const request = join(place.top, "request.json");
      writeFileSync(request, JSON.stringify(changes));
      const options = ["-o", "/dev/null", "-e", `trace=${call}`];
      const inject = ["-e", `inject=${call}:signal=KILL:when=${when}`];
      const run = runTraced([...options, ...inject], "change-set.mjs", place.root, place.stateDir, request);
      if (run.stdout === "") killed += 1;
      const rooms = () => roomsWithWord(place.stateDir).filter((room) => room !== "secrets");
      expect({ call, when, rooms: rooms() }).toEqual({ call, when, rooms: [] });
      const ports = must(await openPorts({ roots: [place.root], stateDir: place.stateDir }));
      for (const name of [".env", "plain", "k.pem", "id_rsa"])
        await must(await ports.locks.acquire(join(place.root, name), hangMs)).release();
      await ports.close();
      expect({ call, when, rooms: rooms(), stages: stagesIn(place.root) }).toEqual({
        ...{ call, when },
        rooms: [],
        stages: [],
      });
      const stands = readdirSync(place.root).filter((name) => textAt(join(place.root, name)) === one);
      expect([["k.pem"], [".env", "id_rsa", "plain"]]).toContainEqual(stands.sort());
    }
    expect(killed).toBeGreaterThan(strikesAll ? 20 : 2);
  });

  it("keeps apart what it finds displaced, under the name of the swap", async () => {
    const { root, stateDir } = newPlace({ ".env": "old" });
    const inject = ["-e", "inject=renameat2:signal=KILL:when=1"];
    const options = ["-o", "/dev/null", "-e", "trace=renameat2", ...inject];
    expect(runTraced(options, "write.mjs", root, stateDir, ".env", "new").stdout).toBe("");
    const [left = ""] = stagesIn(root);
    expect(left).toMatch(/-swap$/);
    writeFileSync(join(root, left), word);
    writeFileSync(join(root, ".env"), "later");
    const ports = must(await openPorts({ roots: [root], stateDir }));
    await must(await ports.locks.acquire(join(root, ".env"), 0)).release();
    expect(stagesIn(root)).toEqual([]);
    expect(roomsWithWord(stateDir)).toEqual(["secrets"]);
    const hash = sha256(bytesOf(word));
    expect(await ports.history.entries(join(root, ".env"))).toMatchObject([{ after: hash, displaced: true }]);
    expect(await ports.secrets.get(join(root, ".env"), hash)).toEqual(Buffer.from(word));
    await ports.close();
  });
});

it("recovery copies nothing of a secret whose writer keeps none: it stays where it is", () => {
  const { root, stateDir } = newPlace({});
  const state = stateAt(stateDir);
  const [bytes, realPath] = [bytesOf(word), join(root, ".env")];
  const change = { id: "i", realPath, time: 1, session: "s", tool: "t", before: null, after: null };
  mkdirSync(stateDir);
  expect(() => keepDisplacedBytes(state, { ...change, keepSecrets: "none" }, bytes, "x")).toThrow(
    "left where it is",
  );
  expect(roomsWithWord(stateDir)).toEqual([]);
  keepDisplacedBytes(state, change, bytes, "x");
  expect(roomsWithWord(stateDir)).toEqual(["secrets"]);
});
