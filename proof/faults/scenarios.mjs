import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openWorkspace } from "@holdfast/core/node";
import { freshFolder } from "../rooms.mjs";

/**
 * One call of a tool, what the folder is like before it, and what it is to be like after it.
 *
 * @typedef {Readonly<Record<string, string>>} Tree
 * @typedef {{ readonly name: string, readonly tool: string, readonly args: unknown, readonly before: Tree,
 *   readonly after: Tree, readonly earlier?: Tree }} Scenario
 *   `earlier`: the tree before a write of ours that made `before`.
 * @typedef {{ readonly top: string, readonly root: string, readonly stateDir: string,
 *   readonly request: string, readonly warm: string, readonly recorded: number }} Trial
 */

const lines = Array.from({ length: 200 }, (_, at) => `line ${at + 1}: some text that was here before\n`);
const old = lines.join("");
const next = lines
  .with(99, "line 100: changed, and longer than it was before the change was made\n")
  .join("");
const diff = [
  "@@ -97,7 +97,7 @@",
  ...lines.slice(96, 99).map((line) => ` ${line.trimEnd()}`),
  `-${lines[99]?.trimEnd()}`,
  `+${next.split("\n")[99]}`,
  ...lines.slice(100, 103).map((line) => ` ${line.trimEnd()}`),
  "",
].join("\n");
const base = createHash("sha256").update(old).digest("hex");

/** @type {readonly Scenario[]} */
export const scenarios = [
  {
    name: "read_file",
    tool: "read_file",
    args: { file_path: "file" },
    before: { file: old },
    after: { file: old },
  },
  {
    name: "write_file, new",
    tool: "write_file",
    args: { file_path: "sub/file", content: next },
    before: {},
    after: { "sub/file": next },
  },
  {
    name: "write_file, replace",
    tool: "write_file",
    args: { file_path: "file", content: next, base_content_sha256: base },
    before: { file: old },
    after: { file: next },
  },
  {
    name: "safe_patch",
    tool: "safe_patch",
    args: { file_path: "file", unified_diff: diff, base_content_sha256: base },
    before: { file: old },
    after: { file: next },
  },
  {
    name: "apply_changes",
    tool: "apply_changes",
    args: {
      changes: [
        { file_path: "one", unified_diff: diff, base_content_sha256: base },
        { file_path: "sub/two", content: next },
        { file_path: "three", delete: true, base_content_sha256: base },
        { file_path: "four", rename_to: "five", unified_diff: diff, base_content_sha256: base },
      ],
    },
    before: { one: old, three: old, four: old },
    after: { one: next, "sub/two": next, five: next },
  },
  {
    name: "undo_edit",
    tool: "undo_edit",
    args: { file_path: "file" },
    earlier: { file: old },
    before: { file: next },
    after: { file: old },
  },
];

/** Lays the ground for one call. @param {Scenario} scenario @returns {Promise<Trial>} */
export async function newTrial(scenario) {
  const top = realpathSync(freshFolder());
  const trial = {
    top,
    root: join(top, "root"),
    stateDir: join(top, "state"),
    request: join(top, "request.json"),
    warm: join(top, "warm"),
    recorded: scenario.earlier === undefined ? 0 : 1,
  };
  mkdirSync(trial.root);
  for (const [path, text] of Object.entries(scenario.earlier ?? scenario.before)) {
    mkdirSync(dirname(join(trial.root, path)), { recursive: true });
    writeFileSync(join(trial.root, path), text);
  }
  writeFileSync(trial.request, JSON.stringify({ tool: scenario.tool, args: scenario.args }));
  if (scenario.earlier !== undefined) await writeWithUs(trial, scenario.before);
  return trial;
}

/** @param {Trial} trial @param {Tree} tree */
async function writeWithUs({ root, stateDir }, tree) {
  const workspace = await openWorkspace({ guards: { wholeReplacement: "hash" }, roots: [root], stateDir });
  if (workspace.kind === "refusal") throw new Error(workspace.message);
  for (const [path, content] of Object.entries(tree)) {
    const done = await workspace.write({ path, content, base });
    if (!done.success) throw new Error(done.message);
  }
  await workspace.close();
}

/** How many writes the call records where it is carried out. @param {Scenario} scenario */
export function writesOf({ before, after }) {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).length;
}
