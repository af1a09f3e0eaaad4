/**
 * One call of a tool in a process of its own, between two marks that a trace can see. Prints how it ended.
 * Arguments: root, state folder, file with the request, folder to warm up in.
 */
import { accessSync, mkdirSync, readFileSync } from "node:fs";
import { openWorkspace } from "@holdfast/core/node";
import { runTool } from "@holdfast/core/tools";

const [root = "", stateDir = "", requestFile = "", warm = ""] = process.argv.slice(2);
const request = JSON.parse(readFileSync(requestFile, "utf8"));

/** What Node and we load at the first use is loaded, so that it is not struck. */
async function warmUp() {
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

/** @returns {Promise<Record<string, unknown>>} */
async function call() {
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

await warmUp();
mark("begin");
let told;
try {
  told = await call();
} catch (error) {
  told = { unopened: error instanceof Error && "code" in error ? error.code : String(error) };
}
mark("end");
console.log(JSON.stringify(told));
