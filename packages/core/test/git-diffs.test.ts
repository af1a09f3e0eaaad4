import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { currentBase } from "@holdfast/core/files/values";
import { applyDiff, splitByFile } from "@holdfast/core/patch";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ground, ground } from "./support.js";

/** A real folder that is a repository of git. */
interface Repository extends Ground {
  git(args: string, input?: string): string;
  commit(): void;
}

async function repository(files: Readonly<Record<string, string>>, link?: string): Promise<Repository> {
  const on = await ground(files);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (args: string, input = "") =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args.split(" ")], {
      cwd: on.root,
      encoding: "utf8",
      env,
      input,
      stdio: "pipe",
    });
  const commit = () => {
    git("add -A");
    git("commit -q -F -", "a commit\n\n- with a list\n");
  };
  if (link !== undefined) symlinkSync(link, join(on.root, "f"));
  git("init -q");
  commit();
  return { ...on, git, commit };
}

/** What the folder holds: the texts of files, and those of links behind an arrow. */
function treeOf({ root, text }: Ground): Readonly<Record<string, string>> {
  const names = readdirSync(root).filter((name) => name !== ".git");
  const isLink = (name: string) => lstatSync(join(root, name)).isSymbolicLink();
  const show = (name: string) => (isLink(name) ? `-> ${readlinkSync(join(root, name))}` : text(name));
  return Object.fromEntries(names.sort().map((name) => [name, show(name)]));
}

/** Carries a diff out on the files as they are now. @returns `done`, or what is said. */
async function apply({ workspace }: Ground, diff: string): Promise<string> {
  const split = splitByFile(diff);
  const changed = split.kind === "files" ? split.files.filter(({ action }) => action !== "create") : [];
  const bases: Record<string, typeof currentBase> = {};
  for (const { path } of changed) bases[path] = currentBase;
  const outcome = await workspace.applyChanges({ diff, bases });
  const said = outcome.files.map((file) => ("message" in file.outcome ? file.outcome.message : ""));
  return outcome.success ? "done" : [outcome.message, ...said].join("\n");
}

describe("the kind of an entry that a diff of git names", () => {
  const to = (text: string) => (on: Repository) => on.put("f", text);
  const goes = ({ root }: Repository) => rmSync(join(root, "f"));
  const moves = (on: Repository) => [on.put("g", `${on.text("f")}more\n`), goes(on)];
  const link = ({ root }: Repository) => {
    rmSync(join(root, "f"), { force: true });
    symlinkSync("t", join(root, "f"));
  };
  const file = (on: Repository) => [goes(on), on.put("f", "t")];
  const isLink = "It is about a regular file, and f is a symbolic link";
  const isFile = "It is about a symbolic link (mode 120000), and f is a regular file";
  it.each([
    { what: "a link is deleted", link: "t", files: {}, change: goes, found: file, says: isFile },
    { what: "a file is deleted", files: { f: "t" }, change: goes, found: link, says: isLink },
    { what: "a file is changed", files: { f: "t" }, change: to("u"), found: link, says: isLink },
    { what: "a file is renamed", files: { f: "1\n2\n3\n4\n" }, change: moves, found: link, says: isLink },
    { what: "a file is created", files: {}, change: to("u"), found: link, says: isLink },
  ])("is held against what is there: $what", async ({ files, link, change, found, says }) => {
    const on = await repository({ t: "t", ...files }, link);
    change(on);
    on.git("add -A");
    const diff = on.git("diff --cached -M");
    on.git("reset -q --hard");
    found(on);
    const before = treeOf(on);
    expect(() => on.git("apply --check", diff)).toThrow();
    expect(await apply(on, diff)).toContain(says);
    expect(treeOf(on)).toEqual(before);
  });
});

describe("a diff of git", () => {
  const line = fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("\n", "\n", "\r\n", "\r"));
  const text = fc
    .tuple(fc.array(line, { maxLength: 5 }), fc.constantFrom("", "a", "b\r", "\r", "\r\n"))
    .map(([lines, end]) => lines.flat().join("") + end);
  it("comes to the same bytes as with git, whatever ends the lines and the file", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 40, maxLength: 40 }), async (pairs) => {
        const files = pairs.map(([before, after], at) => [`f${at}`, before, after] as const);
        const on = await repository(Object.fromEntries(files.map(([name, before]) => [name, before])));
        for (const [name, , after] of files) on.put(name, after);
        const split = splitByFile(on.git("diff"));
        if (split.kind === "refusal") throw new Error(split.message);
        for (const { path, diff } of split.files) {
          const [, base = "", after] = files.find(([name]) => name === path) ?? [];
          expect({ base, outcome: applyDiff({ base, diff }) }).toMatchObject({ outcome: { text: after } });
        }
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 5) },
    );
  });

  const files = { a: "1\n2\n3\n", b: "1\n2\n3\n", c: "1\n" };
  /** Two commits, the second of which changes the file of this name and renames `c`. */
  async function twoCommits(second: string): Promise<Repository> {
    const on = await repository(files);
    on.put("a", "1\n2\nthree\n");
    on.commit();
    on.put(second, "1\n2\n3\n");
    if (second === "b") on.put("b", "one\n2\n3\n");
    on.git("mv c d");
    on.commit();
    return on;
  }

  it.each(["log -p -2", "format-patch --stdout HEAD~2", "show HEAD~1 HEAD"])(
    "of several commits is carried out where none is about a file of another: git %s",
    async (command) => {
      const on = await twoCommits("b");
      const [diff, after] = [on.git(command), treeOf(on)];
      on.git("reset -q --hard HEAD~2");
      expect(await apply(on, diff)).toBe("done");
      expect(treeOf(on)).toEqual(after);
    },
  );

  // The second one takes the first one back, so that each looks as if it were made already.
  it.each([
    ["log -p -2", /in several commits \([0-9a-f]{12}, [0-9a-f]{12}\)/],
    ["log --oneline -p -2", /in several commits \(index \w+\.\.\w+, index \w+\.\.\w+\)/],
    ["format-patch --stdout HEAD~2", /in several commits \([0-9a-f]{12}, [0-9a-f]{12}\)/],
  ])("of several commits that change one file is refused: git %s", async (command, says) => {
    const on = await twoCommits("a");
    const diff = on.git(`${command} -- a`);
    on.git("reset -q --hard HEAD~2");
    expect(await apply(on, diff)).toMatch(says);
    expect(applyDiff({ base: files.a, diff })).toMatchObject({ message: expect.stringMatching(says) });
    expect(treeOf(on)).toEqual(files);
  });
});
