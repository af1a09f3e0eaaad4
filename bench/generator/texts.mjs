import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { makeForms } from "./forms.mjs";
import { isBlank } from "./lines.mjs";
import { createRandom, hash32 } from "./random.mjs";

/**
 * The texts that cases are made of. `edits` are given where the repository's history knows what really became
 * of the text.
 * @typedef {{ readonly at: number, readonly del: number, readonly add: readonly string[] }} Edit
 * @typedef {{ readonly name: string, readonly text: string, readonly edits?: readonly Edit[] }} Source
 * @typedef {{ readonly history: readonly Source[], readonly packages: readonly Source[],
 *   readonly repetitive: readonly Source[], readonly forms: readonly Source[],
 *   readonly fingerprint: string }} Pool
 */

/**
 * Reads the pool: true changes from the history of this repository (its oldest first, so that the set stays
 * as the history grows; a shallow clone has fewer), texts from npm packages (a stable choice for one
 * lockfile), repetitive texts and whole files of several languages made here.
 *
 * @returns {Pool}
 */
export function loadPool(root = fileURLToPath(new URL("../../", import.meta.url))) {
  const history = readHistory(root);
  const packages = readPackages(join(root, "node_modules"));
  const repetitive = makeRepetitive();
  const forms = makeForms();
  if (packages.length === 0) throw new Error("No texts found in node_modules: run npm ci first.");
  const hash = createHash("sha256");
  for (const { name, text } of [...history, ...packages, ...repetitive, ...forms])
    hash.update(`${name}\0${text}\0`);
  return { history, packages, repetitive, forms, fingerprint: hash.digest("hex").slice(0, 12) };
}

/** @param {string} root @returns {Source[]} */
function readHistory(root) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", ["-C", root, ...args], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  try {
    const log = git(
      ...["-c", "core.quotePath=false", "log", "--reverse", "--no-merges", "--max-count=100000", "-p", "-U0"],
      ...["--diff-filter=M", "--no-renames", "--no-color", "--no-ext-diff", "--full-index", "--format="],
    ).toString("utf8");
    const changes = log
      .split(/^diff --git /m)
      .slice(1)
      .map(readChange);
    const sources = [];
    for (const change of changes) {
      if (sources.length === historyLimit) break;
      if (change === undefined || !wanted.test(change.name) || change.edits.length === 0) continue;
      const text = git("cat-file", "blob", change.blob).toString("utf8");
      if (isUsable(text)) sources.push({ name: change.name, text, edits: change.edits });
    }
    return sources;
  } catch {
    // No git, no repository: the packages' texts remain.
    return [];
  }
}

/** Reads one file's part of `git log -p -U0`. @param {string} part */
function readChange(part) {
  const name = /^\+\+\+ b\/(.*)$/m.exec(part)?.[1];
  const blob = /^index ([0-9a-f]{40})\.\./m.exec(part)?.[1];
  if (name === undefined || blob === undefined || part.includes("\n\\ No newline")) return undefined;
  const edits = [];
  for (const hunk of part.split(/^@@ /m).slice(1)) {
    const [, start, count] = /^-(\d+)(?:,(\d+))?/.exec(hunk) ?? [];
    const del = Number(count ?? 1);
    const add = hunk
      .split("\n")
      .slice(1)
      .filter((line) => line.startsWith("+"))
      .map((line) => line.slice(1));
    edits.push({ at: Number(start) - (del === 0 ? 0 : 1), del, add });
  }
  return { name, blob, edits };
}

/** @param {string} folder @returns {Source[]} */
function readPackages(folder) {
  const names = [...walk(folder)].map((path) => relative(folder, path).replaceAll("\\", "/"));
  const sorted = names
    .filter((name) => wanted.test(name) && !unstable.test(name))
    .map((name) => ({ name, rank: hash32(name) }))
    .sort((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1));
  const left = new Map(Object.entries(quotas));
  const sources = [];
  for (const { name } of sorted) {
    const kind = kindOf(name);
    const rest = left.get(kind) ?? 0;
    if (rest === 0 || statSync(join(folder, name)).size > 80_000) continue;
    const text = readFileSync(join(folder, name), "utf8");
    if (!isUsable(text)) continue;
    left.set(kind, rest - 1);
    sources.push({ name, text });
  }
  return sources;
}

/** @param {string} folder @returns {Generator<string>} */
function* walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.isSymbolicLink()) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

/** @param {string} text */
function isUsable(text) {
  if (/[\0\r\ufffd\ufeff\u2028\u2029]/.test(text)) return false;
  const lines = text.split("\n");
  if (lines.length < 12 || lines.length > 1_500) return false;
  return lines.every((line) => line.length <= 300) && lines.filter((line) => !isBlank(line)).length >= 8;
}

/** @param {string} name */
function kindOf(name) {
  const ending = name.slice(name.lastIndexOf(".") + 1);
  return { mts: "ts", cts: "ts", mjs: "js", cjs: "js", yaml: "yml" }[ending] ?? ending;
}

/** Texts that say the same again and again: what uniqueness has to be proved on. @returns {Source[]} */
function makeRepetitive() {
  const random = createRandom("repetitive texts");
  const name = () => random.pick(["alpha", "beta", "gamma", "delta"]);
  const blocks = {
    "settings.yml": (/** @type {number} */ n) =>
      [`- name: ${name()}`, "  enabled: true", "  retries: 3", `  port: ${8000 + (n % 7)}`, ""].join("\n"),
    "records.json": (/** @type {number} */ n) =>
      ["  {", `    "id": ${n % 9},`, '    "kind": "row",', `    "name": "${name()}"`, "  },"].join("\n"),
    "handlers.ts": (/** @type {number} */ n) =>
      [
        `export function on${name()}${n}(event) {`,
        "  if (!event) {",
        "    return;",
        "  }",
        "  run(event);",
        "}",
        "",
      ].join("\n"),
    "table.md": () => `| ${name()} | ${name()} | yes |`,
    "rules.css": (/** @type {number} */ n) =>
      [`.${name()}-${n % 5} {`, "  display: flex;", "  margin: 0;", "}", ""].join("\n"),
    "classes.py": (/** @type {number} */ n) =>
      [
        `class ${name()}${n}:`,
        "    def run(self):",
        "        pass",
        "",
        "    def stop(self):",
        "        pass",
        "",
      ].join("\n"),
    "equal.txt": () => "the same line",
  };
  return Object.entries(blocks).map(([file, block]) => {
    const text = Array.from({ length: random.between(12, 40) }, (_, n) => block(n)).join("\n");
    return { name: file, text: `${text}\n` };
  });
}

const wanted = /\.(ts|mts|cts|js|mjs|cjs|md|json|yml|yaml|css)$/;
/** Packages that exist on one platform only, and files that tools rewrite. */
const unstable =
  /(linux|darwin|win32|windows|freebsd|openbsd|netbsd|android|sunos|aix|wasm|arm64|x64)|package-lock|\.min\./i;
const quotas = { ts: 40, js: 40, md: 30, json: 15, yml: 10, css: 10 };
const historyLimit = 150;
