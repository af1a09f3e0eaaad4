import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../../../test/until.js";
import { namesIn, sha256 } from "../../../src/node/disk/reading.js";
import { openWorkspace } from "../../../src/node/index.js";
import { heldUp } from "../strikes.js";
import { bytesOf, freshFolder, hasStrace, must, stagesIn, startTraced, textAt } from "../support.js";

let top: string;
let root: string;
let stateDir: string;

beforeEach(() => {
  top = realpathSync(freshFolder());
  root = join(top, "root");
  stateDir = join(top, "state");
  mkdirSync(root, { recursive: true });
});

const path = (name: string) => join(root, name);

/** As editors save: another file takes the name. */
function save(text: string): void {
  writeFileSync(path("theirs"), text);
  renameSync(path("theirs"), path("f"));
}

/** Undoes the creation of `f` while strace does this. @returns what it printed */
async function undo(
  inject: readonly string[],
  act: (child: ChildProcess) => Promise<void> = async () => {},
): Promise<string> {
  const faults = inject.flatMap((each) => ["-e", `inject=${each}`]);
  const options = ["-o", join(top, "trace"), "-e", "trace=rename,unlink,link", ...faults];
  const child = startTraced(options, "undo.mjs", root, stateDir, "f");
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  const closed = once(child, "close");
  await act(child);
  await closed;
  return printed;
}

type Indexes = Readonly<Record<"rename" | "unlink" | "link", number>>;
let known: Indexes | undefined;

/** The how-manyeth calls move the file aside, take it away there, and would link it back. */
async function indexes(): Promise<Indexes> {
  if (known !== undefined) return known;
  const real = { top, root, stateDir };
  top = realpathSync(freshFolder());
  [root, stateDir] = [join(top, "root"), join(top, "state")];
  mkdirSync(root);
  await undo([]);
  const all = readFileSync(join(top, "trace"), "utf8").split("\n");
  ({ top, root, stateDir } = real);
  const at = (call: string) => all.findIndex((line) => line.includes(`${call}(`) && line.includes("-swap"));
  // Each thread counts its own.
  const thread = all[at("rename")]?.split(" ")[0] ?? "";
  const own = (call: string, to: number) =>
    all.slice(0, to).filter((line) => line.startsWith(thread) && line.includes(` ${call}(`)).length;
  known = {
    rename: own("rename", at("rename") + 1),
    unlink: own("unlink", at("unlink") + 1),
    link: own("link", at("rename")) + 1,
  };
  return known;
}

/** The creation is recorded, and the deletion announced. */
function isAboutToGo(): boolean {
  const room = join(stateDir, "intents");
  try {
    return namesIn(room).some((name) => readlinkSync(join(room, name)).includes(`"after":null`));
  } catch {
    // The record of the creation went meanwhile.
    return false;
  }
}

function nothingOfOurs(): void {
  expect(stagesIn(root)).toEqual([]);
  for (const room of ["intents", "locks"]) expect(namesIn(join(stateDir, room))).toEqual([]);
}

describe.skipIf(!hasStrace)("the undo of a creation", () => {
  it("gives a file back that another program saved right before it was taken away", async () => {
    const { rename } = await indexes();
    const printed = await undo([`rename:delay_enter=3000000:when=${rename}`], async (child) => {
      await heldUp(child, isAboutToGo);
      save("theirs");
    });
    expect(JSON.parse(printed)).toMatchObject({ code: "state_mismatch" });
    expect(textAt(path("f"))).toBe("theirs");
    nothingOfOurs();
  });

  it("keeps, and tells of, a save that was moved aside when a later save took its name", async () => {
    const at = await indexes();
    const held = (["rename", "link"] as const).map((call) => `${call}:delay_enter=3000000:when=${at[call]}`);
    const printed = await undo(held, async (child) => {
      await heldUp(child, isAboutToGo);
      save("first");
      await until(() => !existsSync(path("f")));
      save("second");
    });
    const kept = sha256(bytesOf("first"));
    expect(JSON.parse(printed)).toMatchObject({ code: "state_mismatch" });
    expect(printed).toContain(`is kept as state ${kept.slice(0, 12)}`);
    expect(textAt(path("f"))).toBe("second");
    nothingOfOurs();
  });

  it.each([
    ["is over", null],
    ["gives another program's file its name back", "theirs"],
  ])("%s at the next start if it was killed while the file was aside", async (_, theirs) => {
    await undo([`unlink:signal=KILL:when=${(await indexes()).unlink}`]);
    const [name = "", ...more] = stagesIn(root);
    expect([name.length > 0, more]).toEqual([true, []]);
    if (theirs !== null) writeFileSync(path(name), theirs);
    const workspace = must(await openWorkspace({ roots: [root], stateDir }));
    const log = must(await workspace.log({ path: "f" }));
    await workspace.close();
    expect(stagesIn(root)).toEqual([]);
    if (theirs !== null) return expect(textAt(path("f"))).toBe(theirs);
    expect(existsSync(path("f"))).toBe(false);
    expect(log).toMatchObject({ entries: [{ after: null }, {}] });
  });
});
