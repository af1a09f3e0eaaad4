import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** @typedef {import("../fidelity/files.mjs").Random} Random @typedef {Readonly<Record<string, string>>} Files */
/** @typedef {(name: string, ...args: readonly string[]) => Buffer} Run */
/** What a tool needs to print the change from one state of a folder to the next. @typedef {{ run: Run, folder: string, before: Files, after: Files, gone: readonly string[], fresh: readonly string[], put: (files: Files) => void }} Bench */

const steps = (
  /** @type {Bench} */ { before, after, put, gone, folder },
  /** @type {() => void} */ commit,
) => {
  put(before);
  commit();
  put(after);
  for (const name of gone) rmSync(join(folder, name));
};

/**
 * Tools beside git that print diffs: the forms of each, and how it comes to one.
 *
 * @type {Readonly<Record<string, { forms: readonly string[], print: (bench: Bench, form: readonly string[]) => Buffer }>>}
 */
export const tools = {
  diff: {
    forms: ["-ruN", "-rNU0", "-rNU5", "-rupN", "-ruN --label=a/f --label=b/f", "-ruN --strip-trailing-cr"],
    print({ run, before, after, put, folder }, form) {
      for (const [side, files] of Object.entries({ a: before, b: after })) {
        mkdirSync(join(folder, side));
        put(Object.fromEntries(Object.entries(files).map(([name, text]) => [join(side, name), text])));
      }
      return run("diff", ...form, "a", "b");
    },
  },
  svn: {
    forms: ["diff", "diff --git", "diff -x -p", "diff -x -U5", "diff --show-copies-as-adds"],
    print(bench, form) {
      const { run, gone, fresh, folder } = bench;
      run("svnadmin", "create", `${folder}.repo`);
      run("svn", "checkout", "-q", `file://${folder}.repo`, ".");
      steps(bench, () => {
        run("svn", "add", "-q", "--force", ".");
        run("svn", "commit", "-q", "-m", "a");
      });
      for (const name of gone) run("svn", "rm", "-q", "--force", name);
      for (const name of fresh) run("svn", "add", "-q", "--parents", name);
      return run("svn", ...form);
    },
  },
  hg: {
    forms: [
      "diff",
      "diff --git",
      "diff --nodates",
      "diff -U 5",
      "diff -p",
      "diff --git --noprefix",
      "export --git .",
    ],
    print(bench, form) {
      const { run } = bench;
      run("hg", "init");
      steps(bench, () => run("hg", "commit", "-q", "-A", "-m", "a", "-u", "a"));
      run("hg", "addremove", "-q", "-s", "0");
      if (form[0] === "export") run("hg", "commit", "-q", "-m", "b", "-u", "a");
      return run("hg", ...form);
    },
  },
  brz: {
    forms: ["diff", "diff -p1", "diff --prefix=old/:new/", "diff --context=5"],
    print(bench, form) {
      const { run } = bench;
      run("brz", "init", "-q");
      run("brz", "whoami", "--branch", "a <a@b>");
      steps(bench, () => {
        run("brz", "add", "-q");
        run("brz", "commit", "-q", "-m", "a");
      });
      run("brz", "add", "-q");
      return run("brz", ...form);
    },
  },
  quilt: {
    forms: ["-p1", "-pab", "-p1 --no-timestamps --no-index", "-p1 -U 0", "-p1 --diffstat"],
    print(bench, form) {
      const { run, before, after } = bench;
      steps(bench, () => {
        run("quilt", "new", "one.patch");
        run("quilt", "add", ...new Set([...Object.keys(before), ...Object.keys(after)]));
      });
      run("quilt", "refresh", ...form);
      return run("cat", "patches/one.patch");
    },
  },
};

/** A change of some files, each of which stays, changes, goes or comes. @param {Random} random */
function makeChange(random) {
  let made = 0;
  const line = () => (random.chance(9) ? "" : `line ${random.below(1_000)} of ${made++}`);
  const lines = () =>
    Array.from({ length: 1 + random.below(40) }, line).join("\n") + (random.chance(6) ? "" : "\n");
  /** @type {Record<string, string>} */
  const before = {};
  /** @type {Record<string, string>} */
  const after = {};
  for (const name of ["a.txt", "src/b.c", "two words.txt", "src/deep/c.h", "d"]) {
    const fate = random.below(5);
    const text = `head\n${lines()}`;
    if (fate !== 0) before[name] = text;
    if (fate === 0 || fate > 1)
      after[name] = fate === 2 ? text : text.replace(/^.*$/m, "new head").concat("more\n");
  }
  return { before, after };
}

/**
 * What a tool prints of a change, and the two states.
 *
 * @param {string} base @param {string} name of the tool @param {string} form @param {Random} random
 */
export function printed(base, name, form, random) {
  const tool = tools[name];
  const change = makeChange(random);
  // Two labels are for the two states of one file.
  const isOne = form.includes("--label");
  const { before, after } = isOne
    ? { before: { f: "one\n" }, after: { f: change.after.d ?? "two\n" } }
    : change;
  const folder = join(base, `${name}-${random.below(1_000_000)}`);
  mkdirSync(folder);
  const env = {
    ...process.env,
    HOME: base,
    HGRCPATH: "",
    BRZ_HOME: base,
    LC_ALL: "C.UTF-8",
    QUILT_PATCHES: "patches",
  };
  /** @type {Run} */
  const run = (command, ...args) => {
    const { stdout, stderr, status } = spawnSync(command, args, { cwd: folder, env });
    // A difference is 1 to those who only print it.
    if (status !== 0 && !(status === 1 && ["diff", "brz"].includes(command)))
      throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const put = (/** @type {Files} */ files) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
  };
  const gone = Object.keys(before).filter((file) => !(file in after));
  const fresh = Object.keys(after).filter((file) => !(file in before));
  const diff = tool?.print({ run, folder, before, after, gone, fresh, put }, form.split(" "));
  return { diff: diff ?? Buffer.alloc(0), before, after };
}
