import { execSync } from "node:child_process";
import { join } from "node:path";
import { runClaude } from "./claude-code.mjs";
import { toolResults } from "./scripted-claude.mjs";

/**
 * Work of Claude Code's own tools behind the guard as `holdfast setup claude` sets it: only what a stranger changed is refused.
 *
 * @typedef {{ readonly call: string, readonly args: Readonly<Record<string, unknown>> } | { readonly text: string }} Part
 * @typedef {{ readonly parts: readonly Part[], readonly others?: string, readonly refused?: boolean }} Step
 *   `others`: what somebody else's shell does before; `refused`: the change has to be made again
 */

const calls = Array.from({ length: 24 }, (_, at) => `call(${at + 1}, timeoutMs);\n`).join("");
const cells = ["c1", "c2"].map((id) => ({
  ...{ cell_type: "code", id, metadata: {}, execution_count: null, outputs: [] },
  source: [`print("${id}")`],
}));
const files = {
  "README.md": "# Demo\n\nA demo project.\n\n## Usage\n\nRun it.\n",
  "src/net.ts": `const retryLimit = 3;\nconst timeoutMs = 2000;\n${calls}`,
  "src/old.ts": "export const legacy = true;\n",
  "docs/notes.md": "# Notes\n\nThe limit is three.\n",
  "docs/seen.md": "# Seen\n\nOne.\n",
  "crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "ü dir/ä b.txt": "eins\nzwei\n",
  "real.md": "# R\n\nLinked.\n",
  "n.ipynb": `${JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 })}\n`,
};

/** @param {string} path @param {string} old_string @param {string} new_string @returns {Part} */
const edit = (path, old_string, new_string) => ({
  call: "Edit",
  args: { file_path: path, old_string, new_string },
});
/** @param {string} path @returns {Part} */
const read = (path) => ({ call: "Read", args: { file_path: path } });
/** @param {string} path @param {string} content @returns {Part} */
const write = (path, content) => ({ call: "Write", args: { file_path: path, content } });
/** @param {string} command @returns {Part} */
const shell = (command) => ({ call: "Bash", args: { command, description: "Does it" } });
/** @param {string} cell_id @param {string} new_source @returns {Part} */
const cell = (cell_id, new_source) => ({
  call: "NotebookEdit",
  args: { notebook_path: "n.ipynb", new_source, cell_id, edit_mode: "replace" },
});

/** @param {string} prompt @returns {Part} */
const agent = (prompt) => ({
  call: "Agent",
  args: { description: "Changes it", prompt, subagent_type: "general-purpose", run_in_background: false },
});

/** A formatter runs behind each edit. @type {readonly Step[]} */
export const formatted = [
  { parts: [read("src/net.ts")] },
  ...[5, 10, 15, 20, 24].map((at) => ({
    parts: [edit("src/net.ts", `call(${at}, timeoutMs)`, `call(${at}, 2 * timeoutMs)`)],
    others: `echo "// formatted ${at}" >> src/net.ts`,
  })),
];

/** @type {readonly Step[]} */
export const mixed = [
  { parts: ["README.md", "src/net.ts", "n.ipynb", "crlf.txt", "ü dir/ä b.txt", "real.md"].map(read) },
  { parts: [edit("README.md", "Run it.", "Run it now.")] },
  { parts: [shell("sed -i 's/retryLimit = 3/retryLimit = 4/' src/net.ts")] },
  { parts: [edit("src/net.ts", "timeoutMs = 2000", "timeoutMs = 2500")] },
  { parts: [cell("c1", "print(2)")] },
  { parts: [cell("c1", "print(3)")] },
  { parts: [cell("c2", "x = 9")] },
  { parts: [edit("crlf.txt", "two", "TWO")] },
  { parts: [edit("crlf.txt", "three", "THREE")] },
  { parts: [edit("ü dir/ä b.txt", "eins", "EINS")] },
  { parts: [edit("real.md", "Linked.", "Linked now.")] },
  { parts: [read("link.md")] },
  { parts: [shell("git stash -q; git checkout -q -b other; git stash pop -q; true")] },
  { parts: [edit("README.md", "A demo", "One demo")] },
  {
    parts: [edit("README.md", "One demo", "Two demos")],
    others: "sed -i 's/demo project/demo project of theirs/' README.md",
    refused: true,
  },
  { parts: [edit("README.md", "One demo", "Two demos")] },
  { parts: [shell("cat src/old.ts")] },
  { parts: [edit("src/old.ts", "legacy", "legacy2")] },
  { parts: [edit("src/old.ts", "legacy2", "legacy3")] },
  { parts: [shell("printf '\\n// formatted\\n' >> src/net.ts")] },
  {
    parts: [
      edit("src/net.ts", "timeoutMs = 2500", "timeoutMs = 2600"),
      edit("src/net.ts", "call(7,", "call(77,"),
    ],
  },
  { parts: [agent("Make it Two in docs/seen.md")] },
  { parts: [read("docs/seen.md")] },
  { parts: [edit("docs/seen.md", "One.", "Two.")] },
  { parts: [{ text: "It says Two." }] },
  { parts: [read("docs/seen.md")] },
  { parts: [write("docs/seen.md", "# Seen\n\nThree.\n")] },
  { parts: [shell("grep -n limit docs/notes.md")] },
  { parts: [edit("docs/notes.md", "The limit is three", "The limit is 3")] },
  { parts: [read("docs/notes.md")] },
  { parts: [write("docs/notes.md", "# Notes\n\nnew\n")] },
  { parts: [write("brand/new.txt", "n\n")] },
  { parts: [edit("brand/new.txt", "n", "m")] },
];

const begun =
  "git init -q . && ln -s real.md link.md && git add -A && git -c user.email=a@example.com -c user.name=a commit -qm All";

/** @param {string} program @param {readonly Step[]} steps */
export function workInClaude(program, steps) {
  /** @param {string} project */
  const turns = (project) => {
    execSync(begun, { cwd: project });
    return steps.map(({ parts, others }) => () => {
      if (others !== undefined) execSync(others, { cwd: project });
      return parts.map((part) => ("text" in part ? part : { ...part, args: placed(part.args, project) }));
    });
  };
  return runClaude({ program, files, guard: [], turns }, (told) => {
    const answers = told.requests.slice(1).map((request) => toolResults(request).join("\n"));
    const refused = steps.map((_, at) => /hook error/.test(answers[at] ?? ""));
    const failed = steps.filter(
      (step, at) => step.refused !== true && /tool_use_error|Refusing/.test(answers[at] ?? ""),
    );
    return {
      requests: told.requests.length,
      said: answers.map((answer, at) => `${at}: ${answer.slice(0, 300)}`).join("\n"),
      complaint: `${told.complaint}\n${told.faults.join("\n")}`,
      breaches: {
        "refused without a stranger's change": refused.filter((is, at) => is && steps[at]?.refused !== true)
          .length,
        "a stranger's change written over": refused.filter((is, at) => !is && steps[at]?.refused === true)
          .length,
        "broken run":
          (told.exit === 0 ? 0 : 1) +
          told.faults.length +
          failed.length +
          Math.abs(told.requests.length - steps.length - 1),
      },
    };
  });
}

/** @param {Readonly<Record<string, unknown>>} args @param {string} project */
function placed(args, project) {
  const at = (/** @type {string} */ name) =>
    typeof args[name] === "string" ? { [name]: join(project, args[name]) } : {};
  return { ...args, ...at("file_path"), ...at("notebook_path") };
}
