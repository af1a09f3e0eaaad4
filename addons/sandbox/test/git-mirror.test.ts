import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../packages/agent/test/host/ground.js";
import { afterThisTest } from "../../../test/cleanups.js";
import { GitMirror } from "../src/git-mirror.js";

/** A repository with one commit, and a mirror of its folder. */
function repository() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-mirror-")));
  afterThisTest(() => rmSync(top, { recursive: true, force: true }));
  const real = join(top, "project/.git");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: join(top, "project"),
      stdio: "pipe",
    });
  mkdirSync(join(top, "project"));
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "First");
  const open = () => {
    const place = join(top, "place");
    mkdirSync(place, { recursive: true });
    return new GitMirror({ path: real, within: join(top, "project") }, place, join(top, "kept"));
  };
  const mirror = open();
  mirror.sync();
  const own = (name: string) => join(mirror.top, name);
  const theirs = (name: string) => join(real, name);
  return { top, real, git, open, mirror, own, theirs, text: (path: string) => readFileSync(path, "utf8") };
}

describe.runIf(process.platform === "linux")("the private top level of a folder of git", () => {
  it("has what the folder has, but for what is found through it", () => {
    const { mirror, real, theirs } = repository();
    const inner = mirror.inner();
    expect(inner.filter(({ isWritten }) => isWritten).map(({ path }) => path)).toEqual(
      ["logs", "objects", "refs"].map(theirs),
    );
    // A folder in which nothing is says nothing.
    const names = readdirSync(real)
      .toSorted()
      .filter((name) => name !== "branches");
    expect(readdirSync(mirror.top).toSorted()).toEqual(names);
  });

  it.each([
    "index",
    "HEAD",
    "ORIG_HEAD",
    "CHERRY_PICK_HEAD",
    "MERGE_MSG",
    "MERGE_RR",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "BISECT_LOG",
    "COMMIT_EDITMSG",
    "packed-refs",
    "shallow",
    "sharedindex.0123abcd",
  ])("carries %s over: made, changed, taken away", async (name) => {
    const { mirror, own, theirs, text } = repository();
    for (const content of ["one\n", "two, longer\n"]) {
      writeFileSync(own(name), content);
      expect(await mirror.settle(true)).toEqual({ refused: [], kept: [] });
      expect(text(theirs(name))).toBe(content);
    }
    rmSync(own(name));
    await mirror.settle(true);
    expect(existsSync(theirs(name))).toBe(false);
  });

  it.each([
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "hooks",
    "info",
    "description",
    "anything",
    "worktrees",
    "modules",
    "indexes",
    "HEAD2",
  ])("never carries %s over, and names it: made, changed, taken away, in a folder", async (name) => {
    const { mirror, own, theirs } = repository();
    const isFolder = ["hooks", "info", "worktrees", "modules"].includes(name);
    const path = isFolder ? join(name, "x") : name;
    const was = existsSync(theirs(path)) ? readFileSync(theirs(path)) : undefined;
    mkdirSync(join(own(path), ".."), { recursive: true });
    writeFileSync(own(path), "evil\n");
    expect(await mirror.settle(true)).toEqual({ refused: [theirs(name)], kept: [] });
    const is = existsSync(theirs(path)) ? readFileSync(theirs(path)) : undefined;
    expect(is).toEqual(was);
    expect(existsSync(own(path)) ? readFileSync(own(path)) : undefined).toEqual(was);
    expect(await mirror.settle(true)).toEqual({ refused: [], kept: [] });
  });

  it("carries nothing over but files and folders of files", async () => {
    const { mirror, own, theirs, top } = repository();
    symlinkSync(top, own("MERGE_MSG"));
    execFileSync("mkfifo", [own("MERGE_MODE")]);
    mkdirSync(own("sequencer"));
    symlinkSync("/etc/passwd", own("sequencer/todo"));
    const { refused } = await mirror.settle(true);
    expect(refused).toEqual([theirs("MERGE_MSG"), theirs("sequencer")]);
    for (const name of ["MERGE_MSG", "MERGE_MODE", "sequencer"]) expect(existsSync(theirs(name))).toBe(false);
  });

  it("takes the commands out of the steps of a rebase, and names them", async () => {
    const { mirror, own, theirs, text } = repository();
    mkdirSync(own("rebase-merge"));
    const steps = "pick 1 a\nexec touch x\n  x touch y\nexecute\n# exec\nx\ttouch z\npick 2 x y\n";
    writeFileSync(own("rebase-merge/git-rebase-todo"), steps);
    writeFileSync(own("rebase-merge/message"), "exec this\n");
    const { refused } = await mirror.settle(true);
    expect(refused).toEqual([theirs("rebase-merge/git-rebase-todo")]);
    expect(text(theirs("rebase-merge/git-rebase-todo"))).toBe(
      "pick 1 a\n# exec touch x\n# x touch y\nexecute\n# exec\n# x\ttouch z\npick 2 x y\n",
    );
    expect(text(theirs("rebase-merge/message"))).toBe("exec this\n");
    expect(text(own("rebase-merge/git-rebase-todo"))).toBe(steps);
    expect(await mirror.settle(true)).toEqual({ refused: [], kept: [] });
    rmSync(own("rebase-merge"), { recursive: true });
    await mirror.settle(true);
    expect(existsSync(theirs("rebase-merge"))).toBe(false);
  });

  it("takes over what others change meanwhile, settings too", () => {
    const { mirror, own, git, text } = repository();
    git("config", "user.name", "other");
    git("checkout", "-q", "-b", "other");
    mirror.sync();
    expect(text(own("config"))).toContain("name = other");
    expect(text(own("HEAD"))).toBe("ref: refs/heads/other\n");
  });

  it("follows both sides while a command runs", async () => {
    const { mirror, own, theirs, git, text } = repository();
    const end = mirror.follow();
    afterThisTest(end);
    writeFileSync(own("ORIG_HEAD"), "here\n");
    await until(() => existsSync(theirs("ORIG_HEAD")));
    git("checkout", "-q", "-b", "other");
    await until(() => text(own("HEAD")) === "ref: refs/heads/other\n");
  });

  it("keeps what both changed at the same time, and lets theirs count", async () => {
    const { mirror, own, theirs, top, text } = repository();
    writeFileSync(own("HEAD"), "ref: refs/heads/mine\n");
    writeFileSync(theirs("HEAD"), "ref: refs/heads/theirs\n");
    const { refused, kept } = await mirror.settle(true);
    expect([refused, kept]).toEqual([
      [],
      [{ path: theirs("HEAD"), at: expect.stringContaining(join(top, "kept/HEAD-")) }],
    ]);
    expect(text(kept[0]?.at ?? "")).toBe("ref: refs/heads/mine\n");
    expect([own("HEAD"), theirs("HEAD")].map(text)).toEqual([
      "ref: refs/heads/theirs\n",
      "ref: refs/heads/theirs\n",
    ]);
  });

  it("is no conflict where both made the same of it", async () => {
    const { mirror, own, theirs } = repository();
    for (const path of [own("MERGE_MSG"), theirs("MERGE_MSG")]) writeFileSync(path, "same\n");
    expect(await mirror.settle(true)).toEqual({ refused: [], kept: [] });
  });

  it("waits for a lock of somebody outside, and keeps the command's state where it stays", async () => {
    const { mirror, own, theirs, text } = repository();
    writeFileSync(theirs("HEAD.lock"), "");
    writeFileSync(own("HEAD"), "ref: refs/heads/mine\n");
    const settled = mirror.settle(true);
    await until(() => existsSync(own("HEAD")));
    rmSync(theirs("HEAD.lock"));
    expect(await settled).toEqual({ refused: [], kept: [] });
    expect(text(theirs("HEAD"))).toBe("ref: refs/heads/mine\n");
    writeFileSync(theirs("index.lock"), "");
    writeFileSync(own("index"), "mine\n");
    const { kept } = await mirror.settle(true);
    expect(kept.map(({ at }) => text(at))).toEqual(["mine\n"]);
    expect(existsSync(theirs("index.lock"))).toBe(true);
  });

  it("leaves no lock behind of a git that was killed, unless another command may hold it", async () => {
    const { mirror, own, theirs } = repository();
    writeFileSync(own("index.lock"), "");
    await mirror.settle(false);
    expect(existsSync(own("index.lock"))).toBe(true);
    await mirror.settle(true);
    expect([own("index.lock"), theirs("index.lock")].map((path) => existsSync(path))).toEqual([false, false]);
  });

  it("is gone on with where its program was killed: nothing is lost, and nothing else taken", () => {
    const { mirror, open, own, theirs, text, top } = repository();
    writeFileSync(own("HEAD"), "ref: refs/heads/mine\n");
    writeFileSync(own("config"), "[core]\n\tfsmonitor = evil\n");
    expect(GitMirror.folderIn(join(top, "place"))).toMatchObject({ path: mirror.folder.path });
    expect(open().close()).toEqual({ refused: [theirs("config")], kept: [] });
    expect(text(theirs("HEAD"))).toBe("ref: refs/heads/mine\n");
    expect(text(theirs("config"))).not.toContain("evil");
  });

  it("writes into the folder that it was opened on, wherever its path leads by now", async () => {
    const { mirror, own, top, real } = repository();
    renameSync(join(top, "project"), join(top, "moved"));
    mkdirSync(join(top, "outside/.git"), { recursive: true });
    symlinkSync(join(top, "outside"), join(top, "project"));
    expect([mirror.isThere, existsSync(real)]).toEqual([false, true]);
    writeFileSync(own("HEAD"), "ref: refs/heads/mine\n");
    await mirror.settle(true);
    expect(readdirSync(join(top, "outside/.git"))).toEqual([]);
    expect(readFileSync(join(top, "moved/.git/HEAD"), "utf8")).toBe("ref: refs/heads/mine\n");
  });
});
