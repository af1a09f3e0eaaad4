import { once } from "node:events";
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { FileChange } from "../../../src/files/index.js";
import { sha256 } from "../../../src/node/disk/digest.js";
import { namesIn } from "../../../src/node/disk/entries.js";
import { bytesOf, freshFolder, hasStrace, stagesIn, startTraced, textAt } from "../support.js";

let root: string;
let stateDir: string;

beforeEach(() => {
  const top = realpathSync(freshFolder());
  root = join(top, "root");
  stateDir = join(top, "state");
  mkdirSync(root);
});

const path = (name: string) => join(root, name);

function put(...names: readonly string[]): void {
  for (const name of names) writeFileSync(path(name), `old ${name}`);
}

/** The texts of these files; null where there is none. */
function texts(...names: readonly string[]): readonly (string | null)[] {
  return names.map((name) => (existsSync(path(name)) ? textAt(path(name)) : null));
}

/** No stage, no second name, no record, no lock. */
function nothingOfOurs(): void {
  expect(stagesIn(root)).toEqual([]);
  for (const room of ["changes", "intents", "locks"]) expect(namesIn(join(stateDir, room))).toEqual([]);
}

const hunkless = (name: string, text: string): FileChange => ({
  path: name,
  base: sha256(bytesOf(`old ${name}`)),
  content: { kind: "text", text },
});

/** Holds a set up right before its so-manyeth step, lets another program act, and waits for the end. */
async function actBeforeStep(count: number, isReached: () => boolean, act: () => void) {
  put("a", "b", "c");
  const request = join(root, "..", "request.json");
  writeFileSync(request, JSON.stringify(["a", "b", "c"].map((name) => hunkless(name, `new ${name}`))));
  return actBeforeCall("renameat2", count, request, isReached, act);
}

/** The same before its so-manyeth call of this name. */
async function actBeforeCall(
  call: string,
  count: number,
  request: string,
  isReached: () => boolean,
  act: () => void,
) {
  const inject = `inject=${call}:delay_enter=3000000:when=${count}`;
  return actDuring(["-o", "/dev/null", "-e", `trace=${call}`, "-e", inject], request, isReached, act);
}

async function actDuring(
  options: readonly string[],
  request: string,
  isReached: () => boolean,
  act: () => void,
) {
  const child = startTraced(options, "change-set.mjs", root, stateDir, request);
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  while (!isReached() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 300));
  act();
  await once(child, "close");
  return JSON.parse(printed);
}

describe.skipIf(!hasStrace)("a change set that another program gets in the way of between two steps", () => {
  it("is taken back, and says who was the reason", async () => {
    const end = await actBeforeStep(1, isStaged, () => writeFileSync(path("b"), "theirs"));
    expect(end.code).toBe("state_mismatch");
    expect(end.message).toContain("1 of 3 files is a reason to refuse the whole set. b (state_mismatch)");
    expect(texts("a", "b", "c")).toEqual(["old a", "theirs", "old c"]);
    nothingOfOurs();
  });

  it("leaves alone what was written after its own step, and says so", async () => {
    const end = await actBeforeStep(
      2,
      () => texts("a")[0] === "new a",
      () => {
        writeFileSync(path("a"), "theirs");
        writeFileSync(path("c"), "theirs, too");
      },
    );
    expect(end.code).toBe("state_mismatch");
    expect(end.message).toContain("a (state_mismatch): State Mismatch: Somebody else wrote this file while");
    expect(end.message).toContain("c (state_mismatch)");
    expect(texts("a", "b", "c")).toEqual(["theirs", "old b", "theirs, too"]);
    nothingOfOurs();
  });

  it("gives a file back that another program saved by renaming right before the step", async () => {
    for (const count of [1, 2, 3]) {
      const name = ["a", "b", "c"][count - 1] ?? "";
      const isAtStep =
        count === 1 ? isStaged : () => texts(["a", "b"][count - 2] ?? "")[0]?.startsWith("new") === true;
      const end = await actBeforeStep(count, isAtStep, () => save(name, "theirs"));
      expect(end.code).toBe("state_mismatch");
      expect(end.message).toContain(`${name} (state_mismatch)`);
      expect(texts("a", "b", "c")).toEqual(
        ["a", "b", "c"].map((one) => (one === name ? "theirs" : `old ${one}`)),
      );
      nothingOfOurs();
    }
  });

  it("gives back what another program wrote into a file right before the step", async () => {
    const end = await actBeforeStep(1, isStaged, () => writeFileSync(path("a"), "theirs"));
    expect(end.code).toBe("state_mismatch");
    expect(texts("a", "b", "c")).toEqual(["theirs", "old b", "old c"]);
    nothingOfOurs();
  });

  it("gives a file back that another program saved right before it was deleted or moved", async () => {
    for (const change of [
      { content: { kind: "delete" } },
      { content: { kind: "same" }, renameTo: "moved" },
    ]) {
      put("a");
      const request = join(root, "..", "request.json");
      writeFileSync(request, JSON.stringify([{ path: "a", base: sha256(bytesOf("old a")), ...change }]));
      // The blob is renamed into its place before.
      const isKept = () => namesIn(join(stateDir, "changes")).length === 1;
      rmSync(stateDir, { recursive: true, force: true });
      const end = await actBeforeCall("rename", 2, request, isKept, () => save("a", "theirs"));
      expect(end.code).toBe("state_mismatch");
      expect(texts("a", "moved")).toEqual(["theirs", null]);
      nothingOfOurs();
    }
  });

  it("keeps, and tells of, a save that was moved aside when a later save took its name", async () => {
    put("a");
    const request = join(root, "..", "request.json");
    writeFileSync(
      request,
      JSON.stringify([{ path: "a", base: sha256(bytesOf("old a")), content: { kind: "delete" } }]),
    );
    const saveTwice = () => {
      save("a", "first");
      const until = Date.now() + 20_000;
      while (existsSync(path("a")) && Date.now() < until);
      save("a", "second");
    };
    const inject = ["rename", "link"].map(
      (call) => `inject=${call}:delay_enter=3000000:when=${call === "rename" ? 2 : 1}`,
    );
    const options = ["-o", "/dev/null", "-e", "trace=rename,link", ...inject.flatMap((each) => ["-e", each])];
    const end = await actDuring(
      options,
      request,
      () => namesIn(join(stateDir, "changes")).length === 1,
      saveTwice,
    );
    expect(end.code).toBe("state_mismatch");
    expect(texts("a")).toEqual(["second"]);
    const kept = sha256(bytesOf("first"));
    expect(end.message).toContain(`is kept as state ${kept.slice(0, 12)}`);
    expect(textAt(join(stateDir, "blobs", kept.slice(0, 2), kept))).toBe("first");
    nothingOfOurs();
  });
});

/** As editors save: another file takes the name. */
function save(name: string, text: string): void {
  writeFileSync(path(`${name}.theirs`), text);
  renameSync(path(`${name}.theirs`), path(name));
}

/** Stages and second names are made; no step is taken. */
function isStaged(): boolean {
  return stagesIn(root).length === 6;
}
