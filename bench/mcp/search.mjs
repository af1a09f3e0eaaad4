import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../patch/engine.mjs";
import { formatMs, median, tableOf } from "../patch/table.mjs";
import { openServer } from "./servers.mjs";

/**
 * A search of many files beside ripgrep: the wall time of a call of a server that runs, and of the command as a whole
 * process. The files are the texts among the installed packages, copied until there are enough; all stand in the cache
 * of the system. In turn, so that a busy moment meets all of them.
 *
 * @param {{ short: boolean, print: (line: string) => void }} options
 */
export async function measureSearch({ short, print }) {
  const version = /^ripgrep (\S+)/.exec(
    spawnSync("rg", ["--version"], { encoding: "utf8" }).stdout ?? "",
  )?.[1];
  if (version === undefined) return "## Search\n\nripgrep is not installed here (Debian package ripgrep).\n";
  const rows = [];
  for (const count of short ? [200] : [7_000, 54_000]) {
    const top = mkdtempSync(join(tmpdir(), "holdfast-search-"));
    try {
      const folder = join(top, "project");
      mkdirSync(folder);
      print(`search of ${count} files`);
      const bytes = fill(folder, count);
      rows.push(
        ...(await measureIn(
          folder,
          `${count.toLocaleString("en")} files, ${Math.round(bytes / 1e6)} MB`,
          short,
        )),
      );
    } finally {
      rmSync(top, { recursive: true, force: true });
    }
  }
  const head = ["files", "call", "ripgrep", "server", "times", "command", "times"];
  return [
    "## Search\n",
    `ripgrep ${version}; medians of the wall time. Of lines each prints the first 1,000 at most, ripgrep all.\n`,
    tableOf(head, rows),
  ].join("\n");
}

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const texts = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".json", ".md", ".css", ".html"]);

/** @param {string} folder @param {number} count @returns {number} bytes */
function fill(folder, count) {
  const names = readdirSync(modules, { recursive: true, encoding: "utf8" }).filter((name) =>
    texts.has(extname(name)),
  );
  const sources = names.map((name) => join(modules, name)).filter((path) => isSmallFile(path));
  let bytes = 0;
  for (let at = 0; at < count; at++) {
    const source = sources[at % sources.length];
    if (source === undefined) throw new Error("no package is installed");
    const copy = join(folder, `part${Math.floor(at / sources.length)}`, source.slice(modules.length + 1));
    // A folder of this name is passed over by most searches.
    const target = copy.replaceAll("node_modules", "modules");
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(source, target);
    bytes += statSync(target).size;
  }
  return bytes;
}

/** @param {string} path */
function isSmallFile(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size < 1_000_000;
}

/** @type {readonly { readonly name: string, readonly rg: readonly string[], readonly args: Record<string, unknown> }[]} */
const calls = [
  { name: "a word that is nowhere", rg: ["zqxjkvw"], args: { pattern: "zqxjkvw" } },
  { name: "a rare name", rg: ["createInterface\\("], args: { pattern: "createInterface\\(" } },
  {
    name: "a rare name in any case",
    rg: ["-i", "createinterface"],
    args: { pattern: "createinterface", ignore_case: true },
  },
  {
    name: "names of files",
    rg: ["-l", "export default"],
    args: { pattern: "export default", output: "files" },
  },
  {
    name: "no letter is certain",
    rg: ["[0-9]{4}-[0-9]{2}-[0-9]{2}T"],
    args: { pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}T" },
  },
];

/** @param {string} folder @param {string} label @param {boolean} short */
async function measureIn(folder, label, short) {
  const server = await openServer("holdfast", folder);
  try {
    const rows = [];
    for (const { name, rg, args } of calls) {
      const command = [bundle, "search", String(args.pattern), "--root", folder, "--limit", "1000"];
      if (args.ignore_case === true) command.push("--ignore-case");
      if (args.output === "files") command.push("--files-with-matches");
      /** @type {readonly [number[], number[], number[]]} */
      const [theirs, served, run] = [[], [], []];
      for (let round = 0; round < (short ? 2 : 7); round++) {
        theirs.push(await timed(() => processOf("rg", ["-n", "--no-heading", ...rg, folder], folder)));
        served.push(await timed(() => server.call("search_files", { ...args, limit: 1_000 })));
        run.push(await timed(() => processOf(process.execPath, command, folder)));
      }
      const [first, ...ours] = [theirs, served, run].map((times) => median(times.slice(1)));
      const base = first ?? Number.NaN;
      rows.push([
        label,
        name,
        formatMs(base),
        ...ours.flatMap((ms) => [formatMs(ms), (ms / base).toFixed(1)]),
      ]);
    }
    return rows;
  } finally {
    await server.close();
  }
}

/** @param {() => unknown} work */
async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
function processOf(command, args, cwd) {
  const env = { PATH: process.env.PATH ?? "", HOME: `${cwd}-home` };
  const { status, stderr } = spawnSync(command, args, { cwd, env, maxBuffer: 1e9 });
  if (status !== 0 && status !== 1) throw new Error(`${command}: ${String(stderr)}`);
}
