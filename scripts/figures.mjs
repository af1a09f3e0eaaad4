/**
 * `npm run figures`: writes the rows of README that are measured, out of the dated tables of docs/lab. `-- --check` fails where
 * README says something else, and tells of the rows whose sources have changed since.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const core = "packages/core/src";

/**
 * A row: the page that has its figures, the sources that were measured, and how it is said. `figures` finds them on the page; the
 * nearest date and commit before them are theirs.
 *
 * @typedef {{ readonly page: string, readonly of: readonly string[], readonly what: string, readonly figures: RegExp,
 *   readonly says: (found: RegExpMatchArray, page: string) => string }} Row
 * @type {readonly Row[]}
 */
const rows = [
  {
    page: "patch-bench.md",
    of: [`${core}/patch`, `${core}/text`],
    what: "diffs that models write, damaged in every way we know ([patch bench](docs/lab/patch-bench.md))",
    figures: /([\d,]+) diffs:\s+([\d,]+ exact, [\d,]+ refused), (\*\*\d+ wrong\*\*)/,
    says: ([, diffs, judged, wrong]) => `${diffs} | ${judged}, ${wrong}`,
  },
  {
    page: "proof.md",
    of: [`${core}/node`, `${core}/files`],
    what: "writes while another program writes the same file ([races](docs/lab/proof.md#races))",
    figures:
      /\| R1 \| exchange[^|]*?: (\d+ lost),[^|]*\| ([\d,]+) \| 0 \| lost: in place \d+ to (\d+ of \d+)/,
    says: ([, lost, tried, unsafe]) =>
      `${tried} | **${lost}**; without Holdfast, written in place: up to ${unsafe}`,
  },
  {
    page: "proof.md",
    of: [`${core}/node`, `${core}/files`],
    what: "power cuts ([how](docs/lab/proof.md#power-cuts))",
    figures: /\| F5 \| the power is cut[^|]*; ([\d,]+) writes acknowledged \| ([\d,]+) \| 0 \|/,
    says: ([, writes, cuts]) => `${cuts} | **0 lost** of ${writes} acknowledged writes, 0 torn`,
  },
  {
    page: "bench.md",
    of: [`${core}/node`, `${core}/files`, `${core}/tools`, "packages/mcp/src"],
    what: "processor time, compared with the official filesystem server ([bench](docs/lab/bench.md))",
    figures: /\| task \| disk \| server \|/,
    says: (_, page) => {
      const times = (/** @type {RegExp} */ task) => spanOf(page, task);
      const [reads, edits] = [times(/^[\d,]+ lines, read/), times(/^(200|2,000) lines, (?!read)/)];
      return ` | once warm: reads ${reads} times, small edits ${edits} times, edits at 50,000 lines ${times(/^50,000 lines, (?!read)/)}`;
    },
  },
];

const readme = join(house, "README.md");
const text = readFileSync(readme, "utf8");
const [above = "", below = ""] = text.split(
  /(?<=\| measured \| how often \| result \|\n\|---\|---\|---\|\n)(?:\|.*\n)+/,
);
const made = rows.map(rowOf);
const wanted = above + made.map(({ line }) => `${line}\n`).join("") + below;
if (!process.argv.includes("--check")) writeFileSync(readme, wanted);
else if (wanted !== text) {
  console.error("The measured rows of README are not what docs/lab says. Run: npm run figures");
  process.exitCode = 1;
}
const old = made.filter(({ changed }) => changed !== "");
for (const { what, date, commit, changed } of old)
  console.log(`${what}: of ${date} at ${commit}; ${changed}`);
console.log(`## ${made.length - old.length} of ${made.length} rows measured on the sources of today`);

/** @param {Row} row */
function rowOf({ page, of, what, figures, says }) {
  const told = readFileSync(join(house, "docs/lab", page), "utf8");
  const found = told.match(figures);
  if (found === null) throw new Error(`docs/lab/${page} has no figures for: ${what}`);
  const before = told.slice(0, (found.index ?? 0) + found[0].length);
  const [date, commit] = [
    last(before, /20\d\d-\d\d-\d\d/g),
    last(before, /(?<=\b(?:at|commit) )[0-9a-f]{7,40}\b/g),
  ];
  const differs = spawnSync("git", ["diff", "--shortstat", commit, "HEAD", "--", ...of], {
    cwd: house,
    encoding: "utf8",
  });
  const changed = differs.status === 0 ? differs.stdout.trim() : "which is not in this clone";
  return { what, date, commit, changed, line: `| ${what} | ${says(found, told)} |` };
}

/** @param {string} told @param {RegExp} kind */
function last(told, kind) {
  const found = told.match(kind)?.at(-1);
  if (found === undefined) throw new Error(`no ${kind} stands before the figures`);
  return found;
}

/** The least and the most of the column `times`, of the tasks of this name. @param {string} page @param {RegExp} task */
function spanOf(page, task) {
  const table = page.slice(page.indexOf("| task | disk | server |")).split("\n\n")[0] ?? "";
  const [head = [], , ...cells] = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const times = cells
    .filter(([, name = "", , server]) => task.test(name) && server === "holdfast")
    .map((row) => Number(row[head.indexOf("times")]));
  const [least, most] = [Math.min(...times), Math.max(...times)].map((one) => one.toFixed(1));
  return least === most ? least : `${least} to ${most}`;
}
