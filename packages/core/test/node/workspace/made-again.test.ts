import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRoot } from "../../../../../test/tools.js";
import { nativeExtension } from "../../../src/node/disk/attributes.js";
import { sha256 } from "../../../src/node/disk/digest.js";
import { type Ground, ground, sha } from "../../support.js";
import { hasStrace, runTraced } from "../support.js";

const modeOf = (on: Ground, path: string) => (statSync(join(on.root, path)).mode & 0o7777).toString(8);
const delete_ = (on: Ground, ...paths: readonly string[]) =>
  on.workspace.applyChanges({
    changes: paths.map((path) => ({ path, base: sha(on.text(path)), content: { kind: "delete" } })),
  });

/** A history as 0.1 left it: no entry says who could use a deleted file. */
function forgetAccess(on: Ground): void {
  const folder = join(on.stateDir, "history");
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const lines = readFileSync(path, "utf8").split("\n");
    const old = lines.map((line) => {
      const [, text] = /^\["[0-9a-f]{16}",(.*)\]$/.exec(line) ?? [];
      if (text === undefined) return line;
      const { removed: _, ...entry }: Record<string, unknown> = JSON.parse(text);
      const without = JSON.stringify(entry);
      return `["${sha256(Buffer.from(without)).slice(0, 16)}",${without}]`;
    });
    writeFileSync(path, old.join("\n"));
  }
}

const open = { allowProtected: [".env"] };
const asBefore = "the file is as it was before the";

describe.skipIf(process.platform === "win32")("a deleted file that is made again", () => {
  it.each([
    { path: ".env", mode: 0o600 },
    { path: "run.sh", mode: 0o755 },
    { path: "tool", mode: 0o2750 },
  ])("gets its mode back: $path", async ({ path, mode }) => {
    const on = await ground({ [path]: "one\n" }, open);
    chmodSync(join(on.root, path), mode);
    expect((await delete_(on, path)).code).toBe("applied");
    const later = await on.again();
    const undone = await later.undo({ path });
    expect(undone).toMatchObject({ code: "applied", message: expect.stringContaining(asBefore) });
    expect([on.text(path), modeOf(on, path)]).toEqual(["one\n", mode.toString(8)]);
  });

  it("gets it back by an undo of a set, and by a restore", async () => {
    const on = await ground({ ".env": "one\n", "run.sh": "two\n" }, open);
    const restrict = () => {
      chmodSync(join(on.root, ".env"), 0o600);
      chmodSync(join(on.root, "run.sh"), 0o700);
    };
    restrict();
    await delete_(on, ".env", "run.sh");
    expect((await on.workspace.undo({ path: "run.sh" })).code).toBe("applied");
    expect([modeOf(on, ".env"), modeOf(on, "run.sh")]).toEqual(["600", "700"]);
    await delete_(on, ".env", "run.sh");
    for (const [path, text] of [
      [".env", "one\n"],
      ["run.sh", "two\n"],
    ] as const)
      expect((await on.workspace.restore({ path, sha256: sha(text) })).code).toBe("applied");
    expect([modeOf(on, ".env"), modeOf(on, "run.sh")]).toEqual(["600", "700"]);
  });

  it("gets it back when a created file was deleted by an undo, and when a state is put back", async () => {
    const on = await ground();
    await on.workspace.write({ path: "new", content: "one\n" });
    chmodSync(join(on.root, "new"), 0o600);
    await on.workspace.undo({ path: "new" });
    const state = { kind: "state", from: null, sha256: sha("one\n") } as const;
    const put = await on.workspace.applyChanges({ changes: [{ path: "new", content: state }] });
    expect([put.code, modeOf(on, "new")]).toEqual(["applied", "600"]);
  });

  it("is its owner's alone where nothing is recorded and it may hold secrets", async () => {
    const on = await ground({ ".env": "one\n", "a.txt": "two\n" }, open);
    await delete_(on, ".env");
    await delete_(on, "a.txt");
    forgetAccess(on);
    const later = await on.again();
    for (const path of [".env", "a.txt"]) {
      const { message } = await later.undo({ path });
      expect(message).toContain("Its mode was not recorded then.");
    }
    expect(modeOf(on, ".env")).toBe("600");
    expect(modeOf(on, "a.txt")).toBe((0o666 & ~process.umask()).toString(8));
  });

  it.runIf(isRoot)("gets its owner back where that can be given", async () => {
    const on = await ground({ "a.txt": "one\n" });
    chownSync(join(on.root, "a.txt"), 4_321, 4_322);
    chmodSync(join(on.root, "a.txt"), 0o640);
    await delete_(on, "a.txt");
    await on.workspace.undo({ path: "a.txt" });
    const { uid, gid } = statSync(join(on.root, "a.txt"));
    expect([uid, gid, modeOf(on, "a.txt")]).toEqual([4_321, 4_322, "640"]);
  });

  it.skipIf(process.platform !== "linux")(
    "says that an extended attribute and an access list are gone, and opens it to no group",
    async () => {
      const on = await ground({ "a.txt": "one\n" });
      if (!hasAccessList(join(on.root, "a.txt"))) return;
      await delete_(on, "a.txt");
      const { message } = await on.workspace.undo({ path: "a.txt" });
      expect(message).not.toContain(asBefore);
      expect(message).toContain("access list and extended attributes are not all brought back");
      expect(modeOf(on, "a.txt")).toBe("600");
    },
  );
});

/** Gives the file a list by which one other user may write; false where that cannot be done here. */
function hasAccessList(path: string): boolean {
  const native = nativeExtension();
  if (process.platform !== "linux" || native.kind === "missing") return false;
  const entries = [
    [1, 6, nobody],
    [2, 6, 4_321],
    [4, 0, nobody],
    [16, 6, nobody],
    [32, 0, nobody],
  ] as const;
  const list = Buffer.alloc(4 + 8 * entries.length);
  list.writeUInt32LE(2, 0);
  for (const [at, [tag, rights, id]] of entries.entries()) {
    list.writeUInt16LE(tag, 4 + 8 * at);
    list.writeUInt16LE(rights, 6 + 8 * at);
    list.writeUInt32LE(id, 8 + 8 * at);
  }
  const fd = openSync(path, "r+");
  try {
    native.functions.setAttrSync(fd, "system.posix_acl_access", list);
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
  return (statSync(path).mode & 0o777) === 0o660;
}

const nobody = 0xffffffff;

describe.skipIf(!hasStrace)("a set that makes deleted files again and is killed", () => {
  it.each([
    { at: "between its two steps", inject: "link,linkat:signal=KILL:when=2", ends: [] },
    { at: "after its steps", inject: "unlink,unlinkat:signal=KILL:when=2", ends: ["600", "755"] },
  ])("$at opens no file to others, nor does the recovery", async ({ inject, ends }) => {
    const on = await ground({ a: "one\n", b: "two\n" });
    chmodSync(join(on.root, "a"), 0o600);
    chmodSync(join(on.root, "b"), 0o755);
    await delete_(on, "a", "b");
    const state = (path: string, text: string) => ({
      path,
      content: { kind: "state", from: null, sha256: sha(text) },
    });
    const request = join(on.stateDir, "..", "request.json");
    writeFileSync(request, JSON.stringify([state("a", "one\n"), state("b", "two\n")]));
    const [traced] = inject.split(":");
    const options = ["-o", "/dev/null", "-e", `trace=${traced}`, "-e", `inject=${inject}`];
    runTraced(options, "change-set.mjs", on.root, on.stateDir, request);
    const modes = () =>
      readdirSync(on.root)
        .sort()
        .map((name) => modeOf(on, name));
    expect(modes()).toContain("600");
    expect(modes().filter((mode) => mode !== "755")).toEqual(modes().filter((mode) => mode === "600"));
    await on.again();
    expect(modes()).toEqual(ends);
  });
});
