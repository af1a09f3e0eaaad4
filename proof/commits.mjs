import { spawnSync } from "node:child_process";
import { git, makeHistory, repositories } from "./commits/history.mjs";
import { randomFrom } from "./fidelity/files.mjs";
import { built } from "./machine.mjs";
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
          const [fate, said] = applyCommit(base, root, `main~${at}`, `main~${at - 1}`);
          fates[fate] += 1;
          if (fate !== "same" && fate !== "refused")
            print(`${name}, commit ${commits - at + 1}: ${fate}: ${said}`);
        }
      });
      const { same, refused, ...bad } = fates;
      const seen = `${same} the same tree, modes included; ${refused} refused: a mode, a link or a submodule`;
      rows.push({ figure: "B5", what: name, tried: commits, bad, seen });
    }
    return rows;
  },
};

/** @param {string} base @param {string} root @param {string} before @param {string} after @returns {[Fate, string]} */
function applyCommit(base, root, before, after) {
  git(root, "checkout", "-q", "-f", "--detach", before);
  git(root, "clean", "-fdq");
  const diff = git(root, "diff", "-M", before, after);
  const env = { ...process.env, HOME: base, XDG_STATE_HOME: `${base}/state` };
  const run = spawnSync(process.execPath, [built.cli, "apply", "--atomic", "-"], {
    cwd: root,
    env,
    input: diff,
  });
  git(root, "add", "-A");
  const tree = git(root, "write-tree").toString();
  const treeOf = (/** @type {string} */ commit) => git(root, "rev-parse", `${commit}^{tree}`).toString();
  const said = `${run.stdout}${run.stderr}`.slice(0, 600);
  if (run.status === 0) return [tree === treeOf(after) ? "same" : "another tree", said];
  if (tree !== treeOf(before)) return ["half", said];
  if (diff.length === 0) return ["refused", said];
  return [
    isBeyondFiles(git(root, "diff", "-M", "--raw", before, after).toString()) ? "refused" : "refused wrongly",
    said,
  ];
}

/** Whether it gives a file that exists another mode or type, makes or changes a link, or is about a submodule. @param {string} raw */
function isBeyondFiles(raw) {
  return [...raw.matchAll(/^:(\d{6}) (\d{6}) \S+ \S+ (\w+)/gm)].some(([, old, fresh, status]) => {
    const isLink = fresh === "120000" && status !== "R100";
    const isOther = old !== fresh && old !== "000000" && fresh !== "000000";
    return isLink || isOther || [old, fresh].includes("160000");
  });
}
