import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { built, cacheFolder } from "../machine.mjs";
import { onGround, openAt, sha } from "../races/ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */
/**
 * @typedef {{ root: string, stateDir: string, put: (path: string, content: string) => string }} Ground
 * @typedef {{ id: string, name: string, path: string | ((on: Ground) => string), read?: string, write?: string, setUp?: (on: Ground) => void }} Attack
 */

/** What is not a regular file, or too large, must be answered within this time. */
const limitMs = 10_000;

/** B4: every case of the attack list that the tests have, with the code that it expects. @returns {Promise<readonly Row[]>} */
export async function attackList() {
  const { names, links, kinds, protectedPaths } = await load();
  const totals = { "wrongly answered": 0, "changed outside": 0 };
  let slowest = 0;
  /** @type {readonly Attack[]} */
  const attacks = [...names, ...links, ...kinds];
  for (const attack of attacks) {
    const answer = await meet(attack);
    if (answer.read !== attack.read || answer.write !== attack.write) totals["wrongly answered"] += 1;
    if (answer.outside) totals["changed outside"] += 1;
    if (kinds.includes(attack)) slowest = Math.max(slowest, answer.ms);
  }
  const figure = "B4";
  return [
    {
      figure,
      what: "cases 1 to 31: names, links, kinds; read_file and write_file",
      tried: attacks.length * 2,
      bad: totals,
      baseline: await naiveAnswers(attacks),
    },
    {
      figure,
      what: "FIFO, device, folder, 1 GB: refused at once",
      tried: kinds.length,
      bad: { hanging: slowest > limitMs ? 1 : 0 },
      seen: `slowest ${slowest.toFixed(1)} ms for both answers; aim 100`,
    },
    await protectedNames(protectedPaths),
  ];
}

/** The list is the tests' own; it is plain data but for its types. */
async function load() {
  const outfile = join(mkdtempSync(join(cacheFolder("attacks"), "list-")), "list.mjs");
  const source = fileURLToPath(new URL("../../packages/core/test/attack-list.ts", import.meta.url));
  buildSync({ entryPoints: [source], outfile, platform: "node", format: "esm", logLevel: "error" });
  try {
    return await import(outfile);
  } finally {
    rmSync(dirname(outfile), { recursive: true });
  }
}

/** @param {string} base @param {string} root @returns {Ground} */
function groundAt(base, root) {
  const put = (/** @type {string} */ path, /** @type {string} */ content) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    return sha(content);
  };
  return { root, stateDir: join(base, "state"), put };
}

/** @param {Attack} attack */
function meet(attack) {
  return onGround(async (base, root) => {
    const { runTool } = await import(built.core);
    const on = groundAt(base, root);
    on.put("a.txt", "inside\n");
    writeFileSync(join(base, "secret.txt"), "SECRET\n");
    attack.setUp?.(on);
    const workspace = await openAt(base);
    const wire = { workspace, wire: "text", resultContent: "auto" };
    const path = typeof attack.path === "string" ? attack.path : attack.path(on);
    const before = readdirSync(base).join();
    const begun = performance.now();
    const read = await runTool("read_file", { file_path: path }, wire);
    const write = await runTool("write_file", { file_path: path, content: "ATTACK\n" }, wire);
    const ms = performance.now() - begun;
    await workspace.close();
    const made = readdirSync(base).filter((name) => name !== "state" && !before.includes(name));
    const outside = made.length > 0 || readFileSync(join(base, "secret.txt"), "utf8") !== "SECRET\n";
    return { read: read.code, write: write.code, ms, outside: outside || read.text.includes("SECRET") };
  });
}

/** @param {readonly (readonly string[])[]} lists @returns {Promise<Row>} */
async function protectedNames(lists) {
  const paths = lists.flatMap(([, ...names]) => names);
  let written = 0;
  for (const path of paths) {
    await onGround(async (base, root) => {
      const workspace = await openAt(base);
      const make = await workspace.write({ path, content: "ATTACK\n" });
      if (path !== ".git") groundAt(base, root).put(path, "original\n");
      const change = await workspace.write({ path, content: "ATTACK\n", base: sha("original\n") });
      if (make.code !== "protected_path" || change.code !== "protected_path") written += 1;
      await workspace.close();
    });
  }
  const what = "cases 42 to 47: protected names, made and changed";
  return { figure: "B4", what, tried: paths.length * 2, bad: { written } };
}

/** What resolving by hand and a prefix give away: the secret read or overwritten. @param {readonly Attack[]} attacks */
async function naiveAnswers(attacks) {
  let escapes = 0;
  for (const attack of attacks) {
    if (attack.id.startsWith("26") || attack.id.startsWith("27") || attack.id === "31") continue;
    await onGround(async (base, root) => {
      const on = groundAt(base, root);
      writeFileSync(join(base, "secret.txt"), "SECRET\n");
      attack.setUp?.(on);
      const path = typeof attack.path === "string" ? attack.path : attack.path(on);
      const full = path.startsWith("/") ? path : join(root, path);
      try {
        if (full.startsWith(root) && readFileSync(full, "utf8").includes("SECRET")) escapes += 1;
      } catch {
        // It failed by luck.
      }
    });
  }
  return `a resolved path that begins with the root's: ${escapes} read the secret`;
}
