/**
 * Appends one line after the other to a file and says each answer, until it is killed. It is told what was appended
 * last without an answer, and does that again first. Arguments: root, state folder, number to begin with, base.
 */
import { openWorkspace } from "@holdfast/core/node";

const [root = "", stateDir = "", first = "0", firstBase = ""] = process.argv.slice(2);
const workspace = await openWorkspace({ roots: [root], stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);
let base = firstBase;
for (let number = Number(first); ; number++) {
  process.stdout.write(`asked ${number} ${base}\n`);
  const outcome = await workspace.append({ path: "log", content: `line ${number}\n`, base });
  process.stdout.write(`answered ${number} ${outcome.code} ${outcome.state?.sha256}\n`);
  if (!outcome.success || typeof outcome.state?.sha256 !== "string") process.exit(1);
  base = outcome.state.sha256;
  // Short files: what is tried is the kill, not the length.
  if (number % 40 === 39) {
    const other = await workspace.write({ path: `log${number}`, content: "" });
    if (!other.success) process.exit(1);
  }
}
