import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, Script } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRoot } from "../../../../test/tools.js";
import { hangMs } from "../../../../test/until.js";
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

const bundleOf = (word: string) => `exports.word = function () { return ${JSON.stringify(word)}; };`;

/** The answer of a bundle that says this word. */
function run(word: string): unknown {
  if (!existsSync(bundle) || !readFileSync(bundle, "utf8").includes(word))
    writeFileSync(bundle, bundleOf(word));
  // A cast: the bundle above exports it.
  return (runCompiled(bundle, undefined, [10]) as { word(): string }).word();
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
    { timeout: hangMs },
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

  /** Keeps compiled code of another text, which passes for the bundle's. V8 has not compiled the bundle before. */
  function forge(): string {
    writeFileSync(bundle, bundleOf("one"));
    const file = join(folder, "state/compiled", `bundle.cjs-${process.version}-${process.arch}`);
    mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
    const wrap = (text: string) => `(function(exports,require,module,__filename){${text}\n})`;
    // No function of its own: V8 would compile that of the real text.
    const evil = 'exports.word = "".valueOf.bind("forged");';
    const source = wrap(evil.padEnd(readFileSync(bundle, "latin1").length));
    const options = { filename: bundle, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
    const script = new Script(source, options);
    script.runInThisContext()({}, undefined, {}, bundle);
    const data = script.createCachedData();
    const { size, ctimeMs } = statSync(bundle);
    const digest = createHash("sha256").update(`${size} ${ctimeMs} ${bundle}`).update(data).digest("hex");
    writeFileSync(file, Buffer.concat([Buffer.from(digest, "latin1"), data]), { mode: 0o600 });
    return file;
  }

  /** What is done to the folder `compiled` and the forged file in it; whether compiled code is kept there again. */
  type Foreign = readonly [string, (place: string, file: string) => void, boolean];
  const asRoot: readonly Foreign[] = [
    ["a file of another user", (_, file) => chownSync(file, 65534, 65534), true],
    ["a folder of another user", (place) => chownSync(place, 65534, 65534), false],
    ["a state folder of another user", (place) => chownSync(join(place, ".."), 65534, 65534), false],
  ];
  const foreign: readonly Foreign[] = [
    ["a file that others can write", (_, file) => chmodSync(file, 0o620), true],
    [
      "a link to a file of a repository",
      (_, file) => {
        renameSync(file, join(folder, "logo.png"));
        symlinkSync(join(folder, "logo.png"), file);
      },
      true,
    ],
    ["a folder that others can write", (place) => chmodSync(place, 0o777), false],
    ["a state folder that others can write", (place) => chmodSync(join(place, ".."), 0o777), false],
    [
      "a folder that is a link",
      (place) => {
        renameSync(place, join(folder, "elsewhere"));
        symlinkSync(join(folder, "elsewhere"), place);
      },
      false,
    ],
    ["a folder below a repository", () => mkdirSync(join(folder, ".git")), false],
    ...(isRoot ? asRoot : []),
  ];

  it("takes forged code that its owner wrote: the control of the next test", () => {
    forge();
    expect(run("one")).toBe("forged");
  });

  it.each(foreign)("does not use forged code in %s", async (_, make, isReplaced) => {
    const file = forge();
    make(join(file, ".."), file);
    const before = lstatSync(file).ino;
    expect(run("one")).toBe("one");
    if (isReplaced) await kept((path) => lstatSync(path).ino !== before && !lstatSync(path).isSymbolicLink());
    else expect(lstatSync(file).ino).toBe(before);
  });

  it("runs where nothing can be kept", () => {
    writeFileSync(join(folder, "state"), "a file in the place of the folder");
    expect(run("one")).toBe("one");
  });
});
