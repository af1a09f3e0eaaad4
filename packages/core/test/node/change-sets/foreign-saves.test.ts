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
import type { FileChange } from "../../../src/files/index.js";
import { sha256 } from "../../../src/node/disk/digest.js";
import { namesIn } from "../../../src/node/disk/entries.js";
import { bytesOf, freshFolder, hasStrace, stagesIn, startTraced, textAt } from "../support.js";

/** A project of its own for each set: they are held up at the same time. */
interface Scene {
  readonly root: string;
  readonly stateDir: string;
  readonly request: string;
  path(name: string): string;
  put(...names: readonly string[]): void;
  /** The texts of these files; null where there is none. */
  texts(...names: readonly string[]): readonly (string | null)[];
  /** As editors save: another file takes the name. */
  save(name: string, text: string): void;
  /** Stages and second names are made; no step is taken. */
  isStaged(): boolean;
  /** No stage, no second name, no record, no lock. */
  nothingOfOurs(): void;
}

function newScene(): Scene {
  const top = realpathSync(freshFolder());
  const root = join(top, "root");
  const stateDir = join(top, "state");
  mkdirSync(root);
  const path = (name: string) => join(root, name);
  return {
    root,
    stateDir,
    request: join(top, "request.json"),
    path,
    put: (...names) => {
      for (const name of names) writeFileSync(path(name), `old ${name}`);
    },
    texts: (...names) => names.map((name) => (existsSync(path(name)) ? textAt(path(name)) : null)),
    save: (name, text) => {
      writeFileSync(path(`${name}.theirs`), text);
      renameSync(path(`${name}.theirs`), path(name));
    },
    isStaged: () => stagesIn(root).length === 6,
    nothingOfOurs: () => {
      expect(stagesIn(root)).toEqual([]);
      for (const room of ["changes", "intents", "locks"]) expect(namesIn(join(stateDir, room))).toEqual([]);
    },
  };
}

const hunkless = (name: string, text: string): FileChange => ({
  path: name,
  base: sha256(bytesOf(`old ${name}`)),
  content: { kind: "text", text },
});

type Act = () => void | Promise<void>;

/** Holds a set up right before its so-manyeth step, lets another program act, and waits for the end. */
async function actBeforeStep(scene: Scene, count: number, isReached: () => boolean, act: Act) {
  scene.put("a", "b", "c");
  writeFileSync(scene.request, JSON.stringify(["a", "b", "c"].map((name) => hunkless(name, `new ${name}`))));
  return actBeforeCall(scene, "renameat2", count, isReached, act);
}

/** The same before its so-manyeth call of this name. */
async function actBeforeCall(scene: Scene, call: string, count: number, isReached: () => boolean, act: Act) {
  const inject = `inject=${call}:delay_enter=3000000:when=${count}`;
  return actDuring(scene, ["-o", "/dev/null", "-e", `trace=${call}`, "-e", inject], isReached, act);
}

async function actDuring(scene: Scene, options: readonly string[], isReached: () => boolean, act: Act) {
  const child = startTraced(options, "change-set.mjs", scene.root, scene.stateDir, scene.request);
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  const closed = once(child, "close");
  while (!isReached() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await act();
  await closed;
  return JSON.parse(printed);
}

// A set is held up for three seconds a step, and costs little besides: they are held up at once.
describe
  .skipIf(!hasStrace)
  .concurrent("a change set that another program gets in the way of between two steps", () => {
    it("is taken back, and says who was the reason", async () => {
      const scene = newScene();
      const end = await actBeforeStep(scene, 1, scene.isStaged, () =>
        writeFileSync(scene.path("b"), "theirs"),
      );
      expect(end.code).toBe("state_mismatch");
      expect(end.message).toContain("1 of 3 files is a reason to refuse the whole set. b (state_mismatch)");
      expect(scene.texts("a", "b", "c")).toEqual(["old a", "theirs", "old c"]);
      scene.nothingOfOurs();
    });

    it("leaves alone what was written after its own step, and says so", async () => {
      const scene = newScene();
      const isAfterFirst = () => scene.texts("a")[0] === "new a";
      const end = await actBeforeStep(scene, 2, isAfterFirst, () => {
        writeFileSync(scene.path("a"), "theirs");
        writeFileSync(scene.path("c"), "theirs, too");
      });
      expect(end.code).toBe("state_mismatch");
      expect(end.message).toContain(
        "a (state_mismatch): State Mismatch: Somebody else wrote this file while",
      );
      expect(end.message).toContain("c (state_mismatch)");
      expect(scene.texts("a", "b", "c")).toEqual(["theirs", "old b", "theirs, too"]);
      scene.nothingOfOurs();
    });

    it.each([1, 2, 3])(
      "gives a file back that another program saved by renaming right before step %i",
      async (count) => {
        const scene = newScene();
        const name = ["a", "b", "c"][count - 1] ?? "";
        const isAtStep =
          count === 1
            ? scene.isStaged
            : () => scene.texts(["a", "b"][count - 2] ?? "")[0]?.startsWith("new") === true;
        const end = await actBeforeStep(scene, count, isAtStep, () => scene.save(name, "theirs"));
        expect(end.code).toBe("state_mismatch");
        expect(end.message).toContain(`${name} (state_mismatch)`);
        expect(scene.texts("a", "b", "c")).toEqual(
          ["a", "b", "c"].map((one) => (one === name ? "theirs" : `old ${one}`)),
        );
        scene.nothingOfOurs();
      },
    );

    it("gives back what another program wrote into a file right before the step", async () => {
      const scene = newScene();
      const end = await actBeforeStep(scene, 1, scene.isStaged, () =>
        writeFileSync(scene.path("a"), "theirs"),
      );
      expect(end.code).toBe("state_mismatch");
      expect(scene.texts("a", "b", "c")).toEqual(["theirs", "old b", "old c"]);
      scene.nothingOfOurs();
    });

    it.each([
      { what: "deleted", change: { content: { kind: "delete" } } },
      { what: "moved", change: { content: { kind: "same" }, renameTo: "moved" } },
    ])("gives a file back that another program saved right before it was $what", async ({ change }) => {
      const scene = newScene();
      scene.put("a");
      writeFileSync(
        scene.request,
        JSON.stringify([{ path: "a", base: sha256(bytesOf("old a")), ...change }]),
      );
      // The blob is renamed into its place before.
      const isKept = () => namesIn(join(scene.stateDir, "changes")).length === 1;
      const end = await actBeforeCall(scene, "rename", 2, isKept, () => scene.save("a", "theirs"));
      expect(end.code).toBe("state_mismatch");
      expect(scene.texts("a", "moved")).toEqual(["theirs", null]);
      scene.nothingOfOurs();
    });

    it.each(
      [
        { what: "deleted", change: { content: { kind: "delete" } } },
        { what: "moved", change: { content: { kind: "same" }, renameTo: "moved" } },
      ].flatMap((each) => [
        { ...each, other: "folder" },
        { ...each, other: "link" },
      ]),
    )(
      "gives the name back to a $other that took it right before the file was $what",
      async ({ change, other }) => {
        const scene = newScene();
        scene.put("a");
        writeFileSync(
          scene.request,
          JSON.stringify([{ path: "a", base: sha256(bytesOf("old a")), ...change }]),
        );
        const isKept = () => namesIn(join(scene.stateDir, "changes")).length === 1;
        const end = await actBeforeCall(scene, "rename", 2, isKept, () => {
          rmSync(scene.path("a"));
          if (other === "link") return symlinkSync("elsewhere", scene.path("a"));
          mkdirSync(scene.path("a"));
          writeFileSync(join(scene.path("a"), "within"), "theirs");
        });
        expect(end.code).toBe(other === "link" ? "not_a_file" : "is_directory");
        if (other === "link") expect(readlinkSync(scene.path("a"))).toBe("elsewhere");
        else expect(textAt(join(scene.path("a"), "within"))).toBe("theirs");
        scene.nothingOfOurs();
      },
    );

    it("keeps, and tells of, a save that was moved aside when a later save took its name", async () => {
      const scene = newScene();
      scene.put("a");
      const change = { path: "a", base: sha256(bytesOf("old a")), content: { kind: "delete" } };
      writeFileSync(scene.request, JSON.stringify([change]));
      const saveTwice = async () => {
        scene.save("a", "first");
        const until = Date.now() + 20_000;
        while (existsSync(scene.path("a")) && Date.now() < until)
          await new Promise((resolve) => setTimeout(resolve, 5));
        scene.save("a", "second");
      };
      const inject = ["rename", "link"].map(
        (call) => `inject=${call}:delay_enter=3000000:when=${call === "rename" ? 2 : 1}`,
      );
      const options = [
        "-o",
        "/dev/null",
        "-e",
        "trace=rename,link",
        ...inject.flatMap((each) => ["-e", each]),
      ];
      const isKept = () => namesIn(join(scene.stateDir, "changes")).length === 1;
      const end = await actDuring(scene, options, isKept, saveTwice);
      expect(end.code).toBe("state_mismatch");
      expect(scene.texts("a")).toEqual(["second"]);
      const kept = sha256(bytesOf("first"));
      expect(end.message).toContain(`is kept as state ${kept.slice(0, 12)}`);
      expect(textAt(join(scene.stateDir, "blobs", kept.slice(0, 2), kept))).toBe("first");
      scene.nothingOfOurs();
    });
  });
