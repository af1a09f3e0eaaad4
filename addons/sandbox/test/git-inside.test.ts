import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxGround } from "./ground.js";

const { at, session, starts } = sandboxGround();
const isThere = await starts();
const person: readonly string[] = [
  "-c",
  "user.name=a",
  "-c",
  "user.email=a@b",
  "-c",
  "protocol.file.allow=always",
];
const gitIn = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", [...person, ...args], {
    cwd: folder,
    stdio: "pipe",
    env: { ...process.env, GIT_AUTHOR_DATE: fixed, GIT_COMMITTER_DATE: fixed },
  }).toString();
const fixed = "2026-01-01T00:00:00Z";
const env = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_AUTHOR_DATE=${fixed} GIT_COMMITTER_DATE=${fixed}; `;

let count = 0;
/** A copy of the one that is made first. */
function repository(): string {
  const folder = at(`repository-${++count}`);
  cpSync(first, folder, { recursive: true });
  return folder;
}

/** A repository of three commits on two branches. */
function makeFirst(): string {
  const folder = at("first");
  mkdirSync(folder);
  gitIn(folder, "init", "-q", "-b", "main");
  for (const name of ["a", "b"]) {
    writeFileSync(join(folder, name), "1\n");
    gitIn(folder, "add", ".");
    gitIn(folder, "commit", "-q", "-m", name);
  }
  gitIn(folder, "checkout", "-q", "-b", "side", "HEAD~1");
  writeFileSync(join(folder, "c"), "1\n");
  gitIn(folder, "add", ".");
  gitIn(folder, "commit", "-q", "-m", "c");
  gitIn(folder, "checkout", "-q", "main");
  gitIn(folder, "config", "branch.main.description", "mine");
  return folder;
}

const first = makeFirst();

/** What the person's git says of it. */
const seen = (folder: string) =>
  [
    ["log", "--all", "--topo-order", "--format=%s %d"],
    ["status", "--porcelain", "--branch"],
    ["tag"],
    ["stash", "list"],
  ].map((args) => gitIn(folder, ...args));

const work: readonly (readonly [name: string, command: string])[] = [
  ["commit", "echo 2 > a; git add a && git commit -qm two && git commit -q --amend -m three"],
  ["add, reset", "echo 2 > n; git add n; echo 3 > a; git add a; git reset -q a"],
  ["stash", "echo 2 > a; git stash -q; echo 3 > b; git stash -q; git stash pop -q"],
  ["rebase", "git rebase -q main side && git checkout -q main"],
  [
    "a rebase that stops",
    "echo 2 > c; git add c; git commit -qm mine; git rebase -q side; git status | head -3",
  ],
  [
    "a rebase that goes on",
    "echo 2 > c; git add c; git commit -qm mine; git rebase -q side; git checkout -q --theirs c; git add c; git rebase --continue",
  ],
  ["merge", "git merge -q --no-ff -m merged side"],
  [
    "a merge that stops",
    "echo 2 > c; git add c; git commit -qm mine; git merge -q side; test -e .git/MERGE_HEAD",
  ],
  ["cherry-pick", "git cherry-pick side"],
  [
    "several picks that stop",
    "echo 2 > c; git add c; git commit -qm mine; git cherry-pick side~1 side; test -e .git/CHERRY_PICK_HEAD",
  ],
  ["revert", "git revert --no-edit HEAD"],
  ["bisect", "git bisect start -q; git bisect bad -q; git bisect good HEAD~1; test -e .git/BISECT_LOG"],
  ["tag, branch", "git tag -a v1 -m one; git branch new; git branch -d new; git switch -q -c other"],
  ["pack", "git gc -q; git pack-refs --all"],
  ["am", "git format-patch -q -1 side; git am -q 0001*; rm 0001*"],
  [
    "reset, clean, rm, mv",
    "git mv a d; git rm -q b; git commit -qm moved; git reset -q --hard HEAD~1; touch x; git clean -qf",
  ],
  ["fetch of a folder", "git fetch -q . side:fetched; git tag fetched FETCH_HEAD"],
];

const refused: readonly (readonly [command: string, name: string])[] = [
  ["git config core.pager evil", "config"],
  ["git config core.pager evil >/dev/null 2>&1 || true", "config"],
  ["git branch -m main other", "config"],
  ["git remote add origin ../x", "config"],
  ["git branch --set-upstream-to=side main 2>/dev/null", "config"],
  ["git push -q -u . main:pushed 2>/dev/null", "config"],
  ["echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", "hooks"],
  ["rm -r .git/hooks", "hooks"],
  ["mv .git/config .git/c; cp .git/c .git/config; echo '[alias] x = !x' >> .git/config; rm .git/c", "config"],
  ["echo ../x > .git/commondir", "commondir"],
  ["echo x > .git/config.worktree", "config.worktree"],
  ["echo '* filter=x' > .git/info/attributes", "info"],
  ["mkdir -p .git/worktrees/x; echo x > .git/worktrees/x/commondir", "worktrees"],
  ["mkdir -p .git/modules/x; echo x > .git/modules/x/config", "modules"],
  ["ln -s ../../evil .git/MERGE_MSG", "MERGE_MSG"],
];

const inside = () => {
  test.each(work)("works: %s, as it does outside", async (_, command) => {
    const [one, other] = [repository(), repository()];
    const done = await session({}, one).run(env + command);
    const outside = ((): number => {
      try {
        execFileSync("bash", ["-c", env + command], {
          cwd: other,
          stdio: "pipe",
          env: { ...process.env, GIT_EDITOR: "true" },
        });
        return 0;
      } catch (error) {
        // A cast: it is what execFileSync throws.
        return (error as { readonly status: number }).status;
      }
    })();
    expect([done.exitCode, done.writes, done.notes]).toEqual([outside, [], []]);
    expect(seen(one)).toEqual(seen(other));
    expect(gitIn(one, "fsck", "--no-dangling")).toBe("");
  });

  test.each(refused)("is refused what it writes, which is named: %s", async (command, name) => {
    const folder = repository();
    const path = join(folder, ".git", name);
    const was = gitIn(folder, "config", "--list", "--local");
    const done = await session({}, folder).run(command);
    expect(done).toMatchObject({ exitCode: 0, writes: [`.git/${name}`] });
    expect(gitIn(folder, "config", "--list", "--local")).toBe(was);
    expect(existsSync(path)).toBe(["config", "hooks", "info"].includes(name));
    for (const evil of ["hooks/pre-commit", "info/attributes"])
      expect(existsSync(join(folder, ".git", evil))).toBe(false);
  });

  test("changes as little in the folders of a worktree, a submodule and a repository inside", async () => {
    const [folder, part] = [repository(), repository()];
    gitIn(folder, "submodule", "--quiet", "add", part, "part");
    gitIn(folder, "commit", "-q", "-m", "part");
    mkdirSync(join(folder, "deep"));
    gitIn(folder, "clone", "-q", part, "deep/clone");
    const git = session({}, folder);
    const commits = ["part", "deep/clone"]
      .map((at) => `git -C ${at} commit -q --allow-empty -m in-${count}`)
      .join(" && ");
    expect(await git.run(env + commits)).toMatchObject({ exitCode: 0, writes: [] });
    for (const at of ["part", "deep/clone"])
      expect(gitIn(join(folder, at), "log", "--oneline")).toContain(`in-${count}`);
    const evil =
      "for at in . part deep/clone; do git -C $at config core.fsmonitor x; done; echo x > .git/modules/part/hooks/post-checkout";
    expect((await git.run(evil)).writes).toEqual([
      ".git/config",
      ".git/modules/part/config",
      ".git/modules/part/hooks",
      "deep/clone/.git/config",
    ]);
    expect(await git.run("mv deep other; echo x > other/clone/.git/commondir")).toMatchObject({
      writes: ["deep/clone/.git/commondir"],
    });
    expect(existsSync(join(folder, "other/clone/.git/commondir"))).toBe(false);
    const tree = at(`tree-${count}`);
    gitIn(folder, "worktree", "add", "-q", tree);
    const there = session({}, tree);
    expect(
      await there.run(`${env}git commit -q --allow-empty -m tree && git stash list && git rebase -q main`),
    ).toMatchObject({ exitCode: 0, writes: [] });
    const own = join(folder, ".git/worktrees", `tree-${count}`);
    expect(
      (await there.run("git config a.b c; echo x > $(git rev-parse --git-dir)/commondir")).writes,
    ).toEqual([join(folder, ".git/config"), join(own, "commondir")]);
    expect(readFileSync(join(own, "commondir"), "utf8")).toBe("../..\n");
    expect(gitIn(tree, "log", "-1", "--format=%s")).toBe("tree\n");
  });

  test("is seen by the person while a command still runs, and sees what the person does", async () => {
    const folder = repository();
    const { commands, run } = session({}, folder);
    const command = `${env}git commit -q --allow-empty -m inside; touch done; until [ -e go ] && git status --branch | grep -q person; do sleep 0.1; done; git log -1 --format=%s; git status --porcelain --branch`;
    const going = run(command);
    while (!existsSync(join(folder, "done"))) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(gitIn(folder, "status", "--porcelain", "--branch")).toBe("## main\n?? done\n");
    gitIn(folder, "checkout", "-q", "-b", "person");
    gitIn(folder, "commit", "-q", "--allow-empty", "-m", "outside");
    writeFileSync(join(folder, "go"), "");
    expect(await going).toMatchObject({
      exitCode: 0,
      writes: [],
      notes: [],
      printed: "outside\n## person\n?? done\n?? go\n",
    });
    await commands.close();
  });
};

if (isThere) describe("git in the sandbox", inside);
else test.skip("git in the sandbox: none starts here", () => {});
