import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runCompiled } from "../../src/shell/compiled.js";

let folder: string;
let bundle: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-compiled-"));
  bundle = join(folder, "bundle.cjs");
  vi.stubEnv("HOLDFAST_STATE_DIR", join(folder, "state"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** The answer of a bundle that says this word. */
function run(word: string): unknown {
  if (!existsSync(bundle) || !readFileSync(bundle, "utf8").includes(word))
    writeFileSync(bundle, `exports.word = function () { return ${JSON.stringify(word)}; };`);
  // A cast: the bundle above exports it.
  return (runCompiled(bundle, 10) as { word(): string }).word();
}

/** The only file that is kept, once there is one that `isWanted`. */
async function kept(isWanted: (path: string) => boolean = () => true): Promise<string> {
  const place = join(folder, "state/compiled");
  let found: string | undefined;
  await vi.waitFor(
    () => {
      const names = readdirSync(place);
      expect(names).toHaveLength(1);
      found = join(place, names[0] ?? "");
      expect(isWanted(found)).toBe(true);
    },
    { timeout: 20_000 },
  );
  return found ?? "";
}

const inode = (path: string) => statSync(path).ino;

describe("a bundle that is compiled once", () => {
  it("keeps its compiled code for the owner alone, and uses it again", async () => {
    expect(run("one")).toBe("one");
    const file = await kept();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = inode(file);
    expect(run("one")).toBe("one");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(inode(await kept())).toBe(before);
  });

  it("compiles another bundle of the same length anew", async () => {
    run("one");
    const before = inode(await kept());
    expect(run("two")).toBe("two");
    await kept((path) => inode(path) !== before);
  });

  it.each([
    ["is cut short", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, -1))],
    [
      "has another byte",
      (path: string) => {
        const bytes = readFileSync(path);
        bytes.writeUInt8((bytes.at(-20) ?? 0) ^ 1, bytes.length - 20);
        writeFileSync(path, bytes);
      },
    ],
    ["could be written by others", (path: string) => chmodSync(path, 0o666)],
    ["is empty", (path: string) => writeFileSync(path, "")],
  ])("does not use compiled code that %s, and replaces it", async (_, spoil) => {
    run("one");
    const file = await kept();
    const before = inode(file);
    spoil(file);
    expect(run("one")).toBe("one");
    await kept((path) => inode(path) !== before && (statSync(path).mode & 0o777) === 0o600);
  });

  it("runs where nothing can be kept", () => {
    writeFileSync(join(folder, "state"), "a file in the place of the folder");
    expect(run("one")).toBe("one");
  });
});
