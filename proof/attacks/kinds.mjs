import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { built, isRoot } from "../machine.mjs";
import { onGround, openAt, sha } from "../races/ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */
/** @typedef {import("../races/ground.mjs").OpenedWorkspace} OpenedWorkspace */
/** @typedef {{ id: string, name: string, run: (workspace: OpenedWorkspace, base: string, root: string) => Promise<readonly [got: unknown, wanted: unknown]> }} Case */

const code = async (/** @type {Promise<{ kind: string, code?: string }>} */ answer) => {
  const { kind, code: given } = await answer;
  return given ?? kind;
};
const write = (
  /** @type {OpenedWorkspace} */ workspace,
  /** @type {string} */ path,
  /** @type {string} */ old,
) => code(workspace.write({ path, content: "new\n", base: sha(old) }));

/** What needs more than a path: each gives what came and what should have come. @type {readonly Case[]} */
const cases = [
  {
    id: "23",
    name: "a second hard link, outside",
    async run(workspace, base, root) {
      writeFileSync(join(root, "f"), "old\n");
      linkSync(join(root, "f"), join(base, "other"));
      const got = await write(workspace, "f", "old\n");
      return [
        [got, readFileSync(join(base, "other"), "utf8")],
        ["cannot_preserve", "old\n"],
      ];
    },
  },
  {
    id: "27",
    name: "a socket",
    async run(workspace, _, root) {
      const server = createServer().listen(join(root, "socket"));
      await new Promise((go) => server.once("listening", go));
      const got = await code(workspace.read({ path: "socket" }));
      server.close();
      return [got, "not_a_file"];
    },
  },
  {
    id: "33",
    name: "an immutable file",
    async run(workspace, _, root) {
      writeFileSync(join(root, "f"), "old\n");
      if (spawnSync("chattr", ["+i", join(root, "f")]).status !== 0) return ["skipped", "skipped"];
      const got = await write(workspace, "f", "old\n");
      execFileSync("chattr", ["-i", join(root, "f")]);
      return [
        [got, readFileSync(join(root, "f"), "utf8")],
        ["permission_denied", "old\n"],
      ];
    },
  },
  {
    id: "37",
    name: "the root renamed, another in its place",
    async run(workspace, base, root) {
      writeFileSync(join(root, "f"), "old\n");
      renameSync(root, join(base, "moved"));
      mkdirSync(root);
      writeFileSync(join(root, "f"), "decoy\n");
      const got = await write(workspace, "f", "old\n");
      const texts = [join(base, "moved", "f"), join(root, "f")].map((path) => readFileSync(path, "utf8"));
      return [
        [got, ...texts],
        ["root_changed", "old\n", "decoy\n"],
      ];
    },
  },
  {
    id: "48",
    name: "our own state, in a workspace that holds it",
    async run(_, base) {
      const { openWorkspace } = await import(built.node);
      const whole = await openWorkspace({
        guards: { wholeReplacement: "hash" },
        roots: [base],
        stateDir: join(base, "state"),
      });
      const got = await code(whole.write({ path: "state/history/x", content: "x" }));
      await whole.close();
      return [got, "protected_path"];
    },
  },
  {
    id: "32",
    name: "read-only and unreadable, as nobody",
    async run(_, base, root) {
      if (!isRoot) return ["skipped", "skipped"];
      for (const name of ["unreadable", "unwritable", "closed/f"]) {
        mkdirSync(join(root, "closed"), { recursive: true });
        writeFileSync(join(root, name), "old\n");
      }
      chmodSync(join(root, "unreadable"), 0o200);
      chmodSync(join(root, "unwritable"), 0o644);
      chmodSync(join(root, "closed"), 0o755);
      for (const folder of [base, root]) chmodSync(folder, 0o755);
      const script = fileURLToPath(new URL("as-nobody.mjs", import.meta.url));
      const said = execFileSync(process.execPath, [script, base], { encoding: "utf8" });
      return [said.trim(), "permission_denied permission_denied permission_denied permission_denied"];
    },
  },
];

/** B4: what a path alone does not show. @returns {Promise<readonly Row[]>} */
export async function harderCases() {
  let wrong = 0;
  let skipped = 0;
  const failed = [];
  for (const { id, run } of cases) {
    const [got, wanted] = await onGround(async (base, root) => {
      const workspace = await openAt(base);
      const pair = await run(workspace, base, root);
      await workspace.close();
      return pair;
    });
    if (got === "skipped") skipped += 1;
    if (JSON.stringify(got) === JSON.stringify(wanted)) continue;
    wrong += 1;
    failed.push(`${id}: ${JSON.stringify(got)}`);
  }
  const row = {
    figure: "B4",
    what: `cases ${cases.map(({ id, name }) => `${id} (${name})`).join(", ")}`,
    tried: cases.length - skipped,
    bad: { "wrongly answered": wrong },
    seen: failed.length === 0 ? `${skipped} cannot be had here` : failed.join("; "),
  };
  return [row, await hugeFile()];
}

/** Case 31: a file of 1 GB is refused whole and read in windows, without being held. @returns {Promise<Row>} */
function hugeFile() {
  return onGround(async (base, root) => {
    const path = join(root, "big.log");
    writeFileSync(path, `${"a line of a log\n".repeat(1_000)}`);
    truncateSync(path, 2 ** 30);
    const workspace = await openAt(base);
    await workspace.read({ path: "big.log", offset: 1, limit: 1 });
    const before = process.memoryUsage().rss;
    const begun = performance.now();
    const whole = await workspace.read({ path: "big.log" });
    const wholeMs = performance.now() - begun;
    const window = await workspace.read({ path: "big.log", offset: 900, limit: 5 });
    const windowMs = performance.now() - begun - wholeMs;
    const grownMiB = (process.memoryUsage().rss - before) / 2 ** 20;
    await workspace.close();
    const answered = whole.kind === "refusal" && whole.code === "too_large" && window.kind === "read";
    return {
      figure: "B4",
      what: "a sparse file of 1 GB: whole, then a window of 5 lines",
      tried: 2,
      bad: { "wrongly answered": answered ? 0 : 1, "grown by 64 MiB": grownMiB >= 64 ? 1 : 0 },
      seen: `refused in ${wholeMs.toFixed(1)} ms, window and hash in ${windowMs.toFixed(0)} ms, memory grew by ${Math.max(0, grownMiB).toFixed(1)} MiB`,
      baseline: "readFileSync as UTF-8: fails after 4.3 s (measured once, not here)",
    };
  });
}
