/**
 * One call of a tool, between two marks that a trace can see. Prints how it ended.
 * Arguments: root, state folder, file with the request, folder to warm up in. Without them, calls one after the other: root,
 * state folder and file of the request of each as a line of JSON.
 */
import { accessSync, mkdirSync, mkdtempSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "@holdfast/core/node";
import { runTool } from "@holdfast/core/tools";

/** What Node and we load at the first use is loaded, so that it is not struck. @param {string} warm */
async function warmUp(warm) {
  mkdirSync(`${warm}/root`, { recursive: true });
  const workspace = await openWorkspace({
    guards: { wholeReplacement: "hash" },
    roots: [`${warm}/root`],
    stateDir: `${warm}/state`,
  });
  if (workspace.kind === "refusal") throw new Error(workspace.message);
  const made = await workspace.write({ path: "file", content: "1\n" });
  if (made.state === null || made.state.sha256 === null) throw new Error(made.message);
  await workspace.write({ path: "file", content: "2\n", base: made.state.sha256 });
  await workspace.undo({ path: "file" });
  await workspace.close();
}

/** @param {string} name */
function mark(name) {
  try {
    accessSync(`/holdfast-${name}`);
  } catch {}
}

/** @param {string} root @param {string} stateDir @param {any} request @returns {Promise<Record<string, unknown>>} */
async function call(root, stateDir, request) {
  /** @type {Record<string, unknown>} */
  const told = {};
  const workspace = await openWorkspace({ guards: { wholeReplacement: "hash" }, roots: [root], stateDir });
  if (workspace.kind === "refusal") return { unopened: workspace.code };
  const onError = (/** @type {any} */ error) => {
    told.thrown = { name: error?.name, state: error?.state, code: error?.code, message: error?.message };
  };
  const { success, code, json } = await runTool(request.tool, request.args, {
    wire: "json",
    resultContent: "auto",
    workspace,
    onError,
  });
  Object.assign(told, { success, code, json });
  try {
    await workspace.close();
  } catch (error) {
    told.unclosed = String(error);
  }
  return told;
}

/** @param {readonly string[]} trial */
async function tell([root = "", stateDir = "", requestFile = ""]) {
  const request = JSON.parse(readFileSync(requestFile, "utf8"));
  mark("begin");
  let told;
  try {
    told = await call(root, stateDir, request);
  } catch (error) {
    told = { unopened: error instanceof Error && "code" in error ? error.code : String(error) };
  }
  mark("end");
  writeSync(1, `${JSON.stringify(told)}\n`);
}

const given = process.argv.slice(2);
const warm = given[3] ?? mkdtempSync(join(tmpdir(), "holdfast-proof-warm-"));
await warmUp(warm);
if (given.length > 0) await tell(given);
else {
  rmSync(warm, { recursive: true });
  writeSync(1, "ready\n");
  // Read at once, so that between two calls the process waits in this one.
  const line = Buffer.alloc(4096);
  for (let size = readSync(0, line); size > 0; size = readSync(0, line))
    await tell(JSON.parse(line.toString("utf8", 0, size)));
}
