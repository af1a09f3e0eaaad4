import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./engine.mjs";
import { inputs } from "./inputs.mjs";
import { formatMs, median, tableOf } from "./table.mjs";

/**
 * Whole processes, from spawn to exit: ours reads a question and writes the answer as JSON lines, the others
 * change a file.
 * @param {{ short: boolean }} options
 */
export async function measureProcesses({ short }) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const rows = [];
    for (const name of short ? names.slice(0, 3) : names) {
      const input = inputs.find((candidate) => candidate.name === name);
      if (input === undefined) throw new Error(`no input named ${name}`);
      rows.push([name, ...(await measureAll(folder, input.make()))]);
    }
    return [
      "## Speed: the whole process\n",
      "From spawn to exit, the median of five. `holdfast patch --jsonl` reads text and diff as JSON and answers with the new text; GNU patch and git change a file; jsdiff is a Node process that does the same with the library.\n",
      tableOf(["input", "holdfast patch --jsonl", "node with jsdiff", "GNU patch", "git apply"], rows),
    ].join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} folder @param {import("./inputs.mjs").Input} input */
async function measureAll(folder, { base, diff }) {
  const question = `${JSON.stringify({ id: 1, base, diff })}\n`;
  writeFileSync(join(folder, "base"), base);
  const fresh = () => copyFileSync(join(folder, "base"), join(folder, "file"));
  const library = ["--input-type=module", "-e", jsdiffProgram];
  const cells = [
    await repeat(() => run(process.execPath, [bundle, "patch", "--jsonl"], question, folder)),
    await repeat(() => run(process.execPath, library, question, folder)),
  ];
  for (const [program, args] of /** @type {const} */ ([
    ["patch", ["--batch", "--forward", "--silent", "--reject-file=-", "--no-backup-if-mismatch", "file"]],
    ["git", ["apply", "--whitespace=nowarn", "-"]],
  ])) {
    if (spawnSync(program, ["--version"]).status !== 0) cells.push("–");
    else cells.push(await repeat(() => run(program, args, diff, folder), fresh));
  }
  return cells;
}

/** @param {() => Promise<{ ms: number, ok: boolean }>} once */
async function repeat(once, prepare = () => {}) {
  const times = [];
  let ok = true;
  for (let n = 0; n < 5; n++) {
    prepare();
    const done = await once();
    ok &&= done.ok;
    times.push(done.ms);
    if (done.ms > 5_000) break;
  }
  return `${formatMs(median(times))}${ok ? "" : " (refused)"}`;
}

/** @param {string} program @param {readonly string[]} args @param {string} input @param {string} cwd @returns {Promise<{ ms: number, ok: boolean }>} */
function run(program, args, input, cwd) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const env = {
      ...process.env,
      GIT_CEILING_DIRECTORIES: tmpdir(),
      HOLDFAST_JSDIFF: import.meta.resolve("diff"),
    };
    const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"], timeout: 120_000 });
    child.stdout.resume();
    child.stdin.on("error", () => undefined);
    child.on("error", reject);
    child.on("close", (code) => resolve({ ms: performance.now() - start, ok: code === 0 }));
    child.stdin.end(input);
  });
}

const jsdiffProgram = `
const { applyPatch } = await import(process.env.HOLDFAST_JSDIFF);
const parts = [];
for await (const part of process.stdin) parts.push(part);
const { base, diff } = JSON.parse(Buffer.concat(parts).toString("utf8"));
let text = false;
try { text = applyPatch(base, diff); } catch {}
process.stdout.write(JSON.stringify({ text }));
process.exitCode = text === false ? 1 : 0;
`;
const names = [
  "200 lines, 10 hunks, exact",
  "20,000 lines, 10 hunks, exact",
  "20,000 lines, 10 hunks, numbers wrong by thousands",
  "100,000 lines, 1,000 hunks, exact",
  "100,000 lines, 1,000 hunks, numbers wrong by thousands",
  "100,000 hunks, numbers true",
  "100,000 equal lines, true number",
];
