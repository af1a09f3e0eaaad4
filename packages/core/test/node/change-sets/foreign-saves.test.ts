import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../../../test/until.js";
import { namesIn, sha256 } from "../../../src/node/disk/reading.js";
import { heldUp } from "../strikes.js";
import { bytesOf, freshFolder, hasStrace, stagesIn, startTraced, textAt } from "../support.js";

/** Each kind once; `npm run proof -- races` has other programs save at random moments of thousands of sets. */

/** A project of its own for each set, with old files of these names: they are held up at the same time. */
function newScene(...names: readonly string[]) {
  const top = realpathSync(freshFolder());
  const [root, stateDir] = [join(top, "root"), join(top, "state")];
  mkdirSync(root);
  const path = (name: string) => join(root, name);
  for (const name of names) writeFileSync(path(name), `old ${name}`);
  const text = (name: string) => (existsSync(path(name)) ? textAt(path(name)) : null);
  /** As editors save: another file takes the name. */
  const save = (name: string, content: string) => {
    writeFileSync(path(`${name}.theirs`), content);
    renameSync(path(`${name}.theirs`), path(name));
  };
  /** Holds the set up right before the so-manyeth of these calls, lets another program act, and waits for the end. */
  const actBefore = async (
    changes: readonly object[],
    held: readonly (readonly [call: string, count: number])[],
    isReached: () => boolean,
    act: () => void | Promise<void>,
  ) => {
    const request = join(top, "request.json");
    writeFileSync(request, JSON.stringify(changes));
    const inject = held.flatMap(([call, count]) => [
      "-e",
      `inject=${call}:delay_enter=3000000:when=${count}`,
    ]);
    const options = ["-o", "/dev/null", "-e", `trace=${held.map(([call]) => call)}`, ...inject];
    const child = startTraced(options, "change-set.mjs", root, stateDir, request);
    let printed = "";
    child.stdout?.on("data", (chunk) => {
      printed += chunk;
    });
    const closed = once(child, "close");
    await heldUp(child, isReached);
    await act();
    await closed;
    expect(stagesIn(root)).toEqual([]);
    for (const room of ["changes", "intents", "locks"]) expect(namesIn(join(stateDir, room))).toEqual([]);
    return JSON.parse(printed);
  };
  const isKept = () => namesIn(join(stateDir, "changes")).length === 1;
  const isStaged = () => stagesIn(root).length === 6;
  return {
    root,
    stateDir,
    path,
    text,
    texts: (...all: string[]) => all.map(text),
    save,
    actBefore,
    isKept,
    isStaged,
  };
}

const base = (name: string) => sha256(bytesOf(`old ${name}`));
const replaceAll = ["a", "b", "c"].map((path) => ({
  path,
  base: base(path),
  content: { kind: "text", text: `new ${path}` },
}));
const deletion = { path: "a", base: base("a"), content: { kind: "delete" } };
const move = { path: "a", base: base("a"), content: { kind: "same" }, renameTo: "moved" };
/** Beside it, so that two files are changed: one alone needs no set. */
const other = { path: "b", base: base("b"), content: { kind: "delete" } };
/** The two blobs are renamed into their places before. */
const beforeMove = [["rename", 3]] as const;

// A set is held up for three seconds a step, and costs little besides: they are held up at once.
describe
  .skipIf(!hasStrace)
  .concurrent("a change set that another program gets in the way of between two steps", () => {
    it("is taken back, and says who was the reason", async () => {
      const on = newScene("a", "b", "c");
      const act = () => writeFileSync(on.path("b"), "theirs");
      const end = await on.actBefore(replaceAll, [["renameat2", 1]], on.isStaged, act);
      expect(end.code).toBe("state_mismatch");
      expect(end.message).toContain("1 of 3 files is a reason to refuse the whole set. b (state_mismatch)");
      expect(on.texts("a", "b", "c")).toEqual(["old a", "theirs", "old c"]);
    });

    it("leaves alone what was written after its own step, and says so", async () => {
      const on = newScene("a", "b", "c");
      const end = await on.actBefore(
        replaceAll,
        [["renameat2", 2]],
        () => on.text("a") === "new a",
        () => {
          writeFileSync(on.path("a"), "theirs");
          writeFileSync(on.path("c"), "theirs, too");
        },
      );
      expect(end.code).toBe("state_mismatch");
      expect(end.message).toContain(
        "a (state_mismatch): State Mismatch: Somebody else wrote this file while",
      );
      expect(end.message).toContain("c (state_mismatch)");
      expect(on.texts("a", "b", "c")).toEqual(["theirs", "old b", "theirs, too"]);
    });

    it("gives a file back that another program saved by renaming right before a step", async () => {
      const on = newScene("a", "b", "c");
      const isAtStep = () => on.text("a") === "new a";
      const end = await on.actBefore(replaceAll, [["renameat2", 2]], isAtStep, () => on.save("b", "theirs"));
      expect(end).toMatchObject({
        code: "state_mismatch",
        message: expect.stringContaining("b (state_mismatch)"),
      });
      expect(on.texts("a", "b", "c")).toEqual(["old a", "theirs", "old c"]);
    });

    it.each([
      ["deleted", deletion],
      ["moved", move],
    ])("gives a file back that another program saved right before it was %s", async (_, change) => {
      const on = newScene("a", "b");
      const end = await on.actBefore([change, other], beforeMove, on.isKept, () => on.save("a", "theirs"));
      expect(end.code).toBe("state_mismatch");
      expect(on.texts("a", "b", "moved")).toEqual(["theirs", "old b", null]);
    });

    it.each([
      ["folder", "moved", move],
      ["link", "deleted", deletion],
    ])("gives the name back to a %s that took it right before the file was %s", async (kind, _, change) => {
      const on = newScene("a", "b");
      const end = await on.actBefore([change, other], beforeMove, on.isKept, () => {
        rmSync(on.path("a"));
        if (kind === "link") return symlinkSync("elsewhere", on.path("a"));
        mkdirSync(on.path("a"));
        writeFileSync(join(on.path("a"), "within"), "theirs");
      });
      expect(end.code).toBe(kind === "link" ? "state_mismatch" : "is_directory");
      if (kind === "link") expect(readlinkSync(on.path("a"))).toBe("elsewhere");
      else expect(textAt(join(on.path("a"), "within"))).toBe("theirs");
    });

    it("keeps, and tells of, a save that was moved aside when a later save took its name", async () => {
      const on = newScene("a", "b");
      const end = await on.actBefore([deletion, other], [...beforeMove, ["link", 1]], on.isKept, async () => {
        on.save("a", "first");
        await until(() => !existsSync(on.path("a")));
        on.save("a", "second");
      });
      const kept = sha256(bytesOf("first"));
      expect([end.code, on.text("a")]).toEqual(["state_mismatch", "second"]);
      expect(end.message).toContain(`is kept as state ${kept.slice(0, 12)}`);
      expect(textAt(join(on.stateDir, "blobs", kept.slice(0, 2), kept))).toBe("first");
    });
  });
