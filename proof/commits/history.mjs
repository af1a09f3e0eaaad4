import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** @typedef {import("../fidelity/files.mjs").Random} Random */

/** What a repository mostly holds; each commit makes one to four changes of these kinds. */
export const repositories = {
  text: { ending: "\n", mark: "", names: ["a.txt", "src/b.ts", "docs/c.md"] },
  crlf: { ending: "\r\n", mark: "", names: ["a.txt", "src/b.cs", "c.h"] },
  marks: { ending: "\n", mark: "\ufeff", names: ["a.txt", "src/b.properties", "c.resx"] },
  "marks, CRLF": { ending: "\r\n", mark: "\ufeff", names: ["a.csproj", "src/b.cs", "c.sln"] },
  scripts: { ending: "\n", mark: "", names: ["bin/run", "install.sh", "src/x.py"] },
  bytes: { ending: "\n", mark: "\0", names: ["a.bin", "src/b.png", "c.dat"] },
  names: { ending: "\n", mark: "", names: ["two words.txt", "Übung/ß.md", 'say "x" b/c.ts'] },
};

/** What makes a diff of git another form: each of it is to come to the same tree. @param {Random} random */
export function formOf(random) {
  const forms = [
    ["--no-prefix"],
    ["--src-prefix=old/", "--dst-prefix=new/"],
    ["--full-index"],
    ["--patience"],
    ["--histogram"],
    ["-M"],
    ["-M", "-C"],
    ["--no-renames"],
    [`-U${random.below(11)}`],
    ["-W"],
    ["-p", "--stat"],
  ];
  const some = forms.filter(() => random.chance(4)).flat();
  const mail = random.chance(4) ? ["format-patch", "--stdout", "--always"] : ["diff", "-M"];
  const signed = mail.length === 2 ? [] : [random.oneOf(["--no-signature", "--signature=two\nlines"]) ?? ""];
  return [...mail, ...signed, "--binary", ...some];
}

/** @param {string} root @param {readonly string[]} args */
export function git(root, ...args) {
  const config = ["user.name=a", "user.email=a@b", "core.autocrlf=false", "core.fileMode=true"];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const run = spawnSync("git", [...config.flatMap((one) => ["-c", one]), ...args], { cwd: root, env });
  if (run.status !== 0) throw new Error(`git ${args.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

/**
 * Makes a repository with so many commits behind its first one.
 *
 * @param {string} root @param {(typeof repositories)["text"]} kind @param {number} commits @param {Random} random
 */
export function makeHistory(root, { ending, mark, names }, commits, random) {
  git(root, "init", "-q", "-b", "main");
  let made = 0;
  const path = (/** @type {string} */ name) => join(root, name);
  const lines = (/** @type {number} */ count) =>
    Array.from({ length: count }, () => (random.chance(9) ? "" : `line ${random.below(1_000)} of ${made++}`));
  const change = (/** @type {string} */ name, /** @type {(text: string) => string} */ make) =>
    writeFileSync(path(name), make(readFileSync(path(name), "utf8")));
  const create = () => {
    const name = path(random.oneOf(names).replace(/(?=\.|$)/, `${made++}`));
    const end = random.chance(5) ? "" : ending;
    const body = random.chance(8) ? "" : lines(1 + random.below(30)).join(ending) + end;
    mkdirSync(dirname(name), { recursive: true });
    writeFileSync(name, random.chance(3) ? body : mark + body, { mode: random.chance(3) ? 0o755 : 0o644 });
  };
  /** @typedef {Readonly<Record<string, (name: string) => void>>} Kinds @type {Kinds} */
  const usual = {
    create,
    edit: (name) =>
      change(name, (text) => {
        const all = text.split(ending);
        all.splice(
          random.below(2) * random.below(all.length),
          random.below(3),
          ...lines(1 + random.below(3)),
        );
        return all.join(ending);
      }),
    delete: (name) => rmSync(path(name)),
    rename: (name) => renameSync(path(name), path(join(dirname(name), `moved${made++}`))),
    mark: (name) => change(name, (text) => (text.startsWith("\ufeff") ? text.slice(1) : `\ufeff${text}`)),
    "line 1": (name) =>
      change(name, (text) => text.replace(/^\ufeff?.*/, random.chance(2) ? "x" : "\ufeffy")),
    "last line": (name) => change(name, (text) => text.replace(/(\r?\n)?$/, random.chance(2) ? "" : ending)),
  };
  /** @type {Kinds} */
  const special = {
    mode: (name) => chmodSync(path(name), statSync(path(name)).mode ^ 0o111),
    link: () => symlinkSync("kept.txt", path(`link${made++}`)),
    "file to link": (name) => rmSync(path(name)) ?? symlinkSync("kept.txt", path(name)),
    submodule: () => {
      mkdirSync(path(`sub${++made}`));
      git(root, "update-index", "--add", "--cacheinfo", `160000,${"12".repeat(20)},sub${made}`);
    },
  };
  writeFileSync(path("kept.txt"), "kept\n");
  for (let at = 0; at < 6; at++) create();
  for (let at = 0; at <= commits; at++) {
    for (let left = at === 0 ? 0 : 1 + random.below(4); left > 0; left--) {
      const kinds = left === 1 && random.chance(5) ? special : usual;
      const tracked = git(root, "ls-files", "-z").toString().split("\0").slice(0, -1);
      // Links that lead to a file are among them.
      const isFile = (/** @type {string} */ name) =>
        statSync(path(name), { throwIfNoEntry: false })?.isFile();
      const name = random.oneOf(tracked.filter((one) => one !== "kept.txt" && isFile(one)));
      kinds[name === undefined ? "create" : random.oneOf(Object.keys(kinds))]?.(name);
    }
    git(root, "add", "-A");
    git(root, "commit", "-q", "--allow-empty", "-m", `${at}`);
  }
}
