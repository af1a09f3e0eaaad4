/**
 * Writes on and on until it is killed, and tells of each step before it (`begin`) and after it was
 * acknowledged (`ack`), with the versions of the files. Arguments: root, state folder, longest pause in
 * milliseconds, kinds of steps.
 */
import { mkdirSync } from "node:fs";
import { openWorkspace } from "@holdfast/core/node";
import { textOf } from "./versions.mjs";

const [root = "", stateDir = "", pause = "0", kinds = ""] = process.argv.slice(2);
mkdirSync(root, { recursive: true });
const opened = await openWorkspace({ guards: { wholeReplacement: "hash" }, roots: [root], stateDir });
if (opened.kind === "refusal") throw new Error(opened.message);
const workspace = opened;

/** The SHA-256 of what stands in each file, as we were told. @type {Map<string, string>} */
const bases = new Map();
/** @type {Map<string, number>} */
const versions = new Map();

/** @param {"begin" | "ack"} event @param {Readonly<Record<string, number>>} files */
function tell(event, files) {
  process.stdout.write(`${JSON.stringify({ event, files })}\n`);
}

/** @param {string} path @param {number} version */
function change(path, version) {
  const base = bases.get(path);
  return base === undefined ? { path, content: textOf(version) } : { path, base, content: textOf(version) };
}

/** @param {string} path @param {number} version @param {{ success: boolean, message: string, state: { sha256: string | null } | null }} done */
function note(path, version, done) {
  if (!done.success) throw new Error(done.message);
  bases.set(path, done.state?.sha256 ?? "");
  versions.set(path, version);
}

/** @param {string} path @param {number} version */
async function write(path, version) {
  tell("begin", { [path]: version });
  note(path, version, await workspace.write(change(path, version)));
  tell("ack", { [path]: version });
}

/** @param {number} version */
async function writeSet(version) {
  const files = { set0: version, set1: version, set2: version };
  tell("begin", files);
  const changes = Object.keys(files).map((path) => {
    const { content, ...rest } = change(path, version);
    return { ...rest, content: { kind: /** @type {const} */ ("text"), text: content } };
  });
  const done = await workspace.applyChanges({ changes });
  if (done.code !== "applied") throw new Error(done.message);
  for (const { path, outcome } of done.files) note(path, version, outcome);
  tell("ack", files);
}

/** A write that is taken back: what counts then is the version before it. @param {number} version */
async function undo(version) {
  const before = versions.get("undone");
  await write("undone", version);
  if (before === undefined) return;
  tell("begin", { undone: before });
  note("undone", before, await workspace.undo({ path: "undone" }));
  tell("ack", { undone: before });
}

/** @type {Readonly<Record<string, (version: number) => Promise<void>>>} */
const known = {
  replace: (version) => write("replaced", version),
  create: (version) => write(`new${version}`, version),
  set: writeSet,
  undo,
};
const steps = kinds.split(",").map((kind) => known[kind]);
for (let n = 1; ; n++) {
  const step = steps[n % steps.length];
  if (step === undefined) throw new Error(`unknown steps: ${kinds}`);
  await step(n);
  if (Number(pause) > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * Number(pause)));
}
