import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { formOf, git, makeHistory, repositories } from "./commits/history.mjs";
import { printed, tools } from "./commits/tools.mjs";
import { randomFrom } from "./fidelity/files.mjs";
import { built, hasProgram } from "./machine.mjs";
import { onGround } from "./races/ground.mjs";

/** @typedef {"same" | "refused" | "refused wrongly" | "another tree" | "half"} Fate */

/** B5: the diff of a commit through `holdfast apply` comes to the tree of the commit, or is refused. @type {import("./contract.mjs").Part} */
export const part = {
  name: "commits",
  title: "Commits of git",
  async run({ quick, print }) {
    const random = randomFrom(20_261_127);
    const commits = quick ? 8 : 50;
    const rows = [];
    for (const [name, kind] of Object.entries(repositories)) {
      /** @type {Record<Fate, number>} */
      const fates = { same: 0, refused: 0, "refused wrongly": 0, "another tree": 0, half: 0 };
      await onGround(async (base, root) => {
        makeHistory(root, kind, commits, random);
        for (let at = commits; at > 0; at--) {
          const [fate, said] = applyCommit(base, root, `main~${at}`, `main~${at - 1}`, formOf(random));
          fates[fate] += 1;
          if (fate !== "same" && fate !== "refused")
            print(`${name}, commit ${commits - at + 1}: ${fate}: ${said}`);
        }
      });
      const { same, refused, ...bad } = fates;
      const seen = `${same} the same tree, modes included; ${refused} refused: a copy, a link or a submodule`;
      rows.push({ figure: "B5", what: name, tried: commits, bad, seen });
    }
    for (const name of Object.keys(tools)) rows.push(await ofTool(name, quick ? 1 : 4, random, print));
    return rows;
  },
};

/**
 * The diffs of another tool, in each of its forms so many times. A text and its absence is all that they tell.
 *
 * @param {string} name @param {number} rounds @param {import("./commits/history.mjs").Random} random
 * @param {(line: string) => void} print @returns {Promise<import("./contract.mjs").Row>}
 */
async function ofTool(name, rounds, random, print) {
  const row = { figure: "B5", what: `diffs of ${name}, in each of its forms`, tried: 0 };
  /** @type {Record<"refused" | "another tree" | "half", number>} */
  const bad = { refused: 0, "another tree": 0, half: 0 };
  if (!hasProgram(name)) return { ...row, bad, notHad: `no ${name} here` };
  for (const form of (tools[name]?.forms ?? []).flatMap((one) => Array(rounds).fill(one))) {
    await onGround(async (base, root) => {
      const { diff, before, after } = printed(base, name, form, random);
      if (diff.length === 0) return;
      row.tried += 1;
      put(root, before);
      // Its two folders have names of their own, so it says itself how much is to be taken off.
      const strip = form.startsWith("-p1") ? ["-p", "1"] : [];
      const run = apply(base, root, diff, strip);
      const found = filesIn(root);
      if (run.status === 0 && isDeepStrictEqual(found, after)) return;
      const isKept = isDeepStrictEqual(found, before);
      bad[run.status === 0 ? "another tree" : isKept ? "refused" : "half"] += 1;
      print(`${name} ${form}: ${run.stdout}${run.stderr}`.slice(0, 600));
    });
  }
  return { ...row, bad };
}

/** @param {string} root @param {Readonly<Record<string, string>>} files */
function put(root, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** @param {string} root @returns {Readonly<Record<string, string>>} */
function filesIn(root) {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

/** @param {string} base @param {string} root @param {Buffer} input @param {readonly string[]} strip */
function apply(base, root, input, strip = []) {
  const env = { ...process.env, HOME: base, XDG_STATE_HOME: `${base}/state` };
  const args = [built.cli, "apply", "--atomic", "--modes", ...strip, "-"];
  return spawnSync(process.execPath, args, { cwd: root, env, input });
}

/**
 * @param {string} base @param {string} root @param {string} before @param {string} after
 * @param {readonly string[]} form of git, with what changes the form of its diff @returns {[Fate, string]}
 */
function applyCommit(base, root, before, after, form) {
  git(root, "checkout", "-q", "-f", "--detach", before);
  git(root, "clean", "-fdq");
  const range = form[0] === "format-patch" ? [`${before}..${after}`] : [before, after];
  const diff = git(root, ...form, ...range);
  const run = apply(base, root, diff);
  git(root, "add", "-A");
  const tree = git(root, "write-tree").toString();
  const treeOf = (/** @type {string} */ commit) => git(root, "rev-parse", `${commit}^{tree}`).toString();
  const said = `git ${form.join(" ")}: ${run.stdout}${run.stderr}`.slice(0, 600);
  if (run.status === 0) return [tree === treeOf(after) ? "same" : "another tree", said];
  if (tree !== treeOf(before)) return ["half", said];
  // A commit of nothing: as a mail it has words, and no diff.
  if (treeOf(before) === treeOf(after)) return ["refused", said];
  const found = form.includes("--no-renames") ? ["--no-renames"] : ["-M", "-C"];
  const raw = git(root, "diff", ...found, "--raw", before, after).toString();
  return [isBeyondFiles(raw) ? "refused" : "refused wrongly", said];
}

/** Whether it copies, gives what exists another type, makes or changes a link, or is about a submodule. @param {string} raw */
function isBeyondFiles(raw) {
  return [...raw.matchAll(/^:(\d{6}) (\d{6}) \S+ \S+ (\w+)/gm)].some(([, old, fresh, status]) => {
    const isLink = fresh === "120000" && status !== "R100";
    const isOther = old !== "000000" && fresh !== "000000" && old?.slice(0, 3) !== fresh?.slice(0, 3);
    return isLink || isOther || status?.startsWith("C") || [old, fresh].includes("160000");
  });
}
