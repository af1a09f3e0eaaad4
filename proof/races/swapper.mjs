import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onGround, openAt, sha, startLines } from "./ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

/**
 * R4: another process swaps a folder of the workspace for a link to one outside, every some 20 µs.
 *
 * @param {string} program
 * @param {number} count of operations: three of four are reads, the rest creations and replacements
 * @returns {Promise<readonly Row[]>}
 */
export async function symlinkSwaps(program, count) {
  return onGround(async (base, root) => {
    const outside = join(base, "outside");
    for (const folder of [join(root, "sub"), outside]) mkdirSync(folder);
    writeFileSync(join(outside, "file"), "SECRET\n");
    writeFileSync(join(root, "sub", "file"), "inside\n");
    symlinkSync(outside, join(root, "link"));
    const swapper = startLines(program, ["swap", join(root, "sub"), join(root, "link")]);
    await swapper.line();
    const workspace = await openAt(base);
    const seen = await operate(workspace, count);
    const naive = naiveReads(root, 20_000);
    swapper.stop();
    await workspace.close();
    const litter = readdirSync(outside).filter((name) => name !== "file").length;
    const touched = readFileSync(join(outside, "file"), "utf8") === "SECRET\n" ? 0 : 1;
    return [
      {
        figure: "R4",
        what: "reads, replacements and creations in a folder that is swapped for a link out",
        tried: count,
        bad: { "read outside": seen.escapes, "written outside": touched, "left outside": litter },
        seen: `${seen.done} done inside, ${seen.refused} refused`,
        baseline: `realpath, compare, read: ${naive.escapes} of ${naive.tried} read outside`,
      },
    ];
  });
}

/** @param {import("./ground.mjs").OpenedWorkspace} workspace @param {number} count */
async function operate(workspace, count) {
  const seen = { escapes: 0, done: 0, refused: 0 };
  let text = "inside\n";
  for (let at = 0; at < count; at++) {
    const outcome = await operation(workspace, at, text);
    if (outcome.text?.includes("SECRET")) seen.escapes += 1;
    if (outcome.success) seen.done += 1;
    else seen.refused += 1;
    if (outcome.next !== undefined) text = outcome.next;
  }
  return seen;
}

/**
 * @param {import("./ground.mjs").OpenedWorkspace} workspace
 * @param {number} at
 * @param {string} text what the file holds
 * @returns {Promise<{ success: boolean, text?: string, next?: string }>}
 */
async function operation(workspace, at, text) {
  if (at % 8 === 3) {
    const next = `inside ${at}\n`;
    const { success, state } = await workspace.write({ path: "sub/file", content: next, base: sha(text) });
    return { success, text: state?.content ?? "", ...(success ? { next } : {}) };
  }
  if (at % 8 === 7) {
    const { success, state } = await workspace.write({ path: `sub/new${at}/f`, content: `${at}\n` });
    return { success, text: state?.content ?? "" };
  }
  const read = await workspace.read({ path: "sub/file" });
  return read.kind === "read" ? { success: true, text: read.state.content } : { success: false };
}

/** @param {string} root @param {number} tried */
function naiveReads(root, tried) {
  let escapes = 0;
  for (let at = 0; at < tried; at++) {
    try {
      const real = realpathSync(join(root, "sub", "file"));
      if (real.startsWith(`${root}/`) && readFileSync(real, "utf8") === "SECRET\n") escapes += 1;
    } catch {
      // In the middle of a swap: that is no escape.
    }
  }
  return { tried, escapes };
}
