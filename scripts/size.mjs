/**
 * `npm run size`: how large each room is, and all sources together, beside the ceilings in `size.json`. Fails above a
 * ceiling, and on a room that has none. `-- --lower` lowers the ceilings of rooms to what is there, with 1 % to spare; it
 * raises none. A room that is new gets what it has, where all ceilings together still do not rise: so files can move. A
 * ceiling rises by hand only; that of all sources falls by hand as well.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const tableFile = join(house, "scripts/size.json");
const codeEndings = [".ts", ".mts", ".mjs", ".js", ".c", ".css", ".html", ".sh"];
const wholeFolders = ["proof", "bench", "fuzz", "golden", "examples", "test", "scripts"];

/** Rows of all sources together. @type {readonly (readonly [row: string, rooms: RegExp])[]} */
const totals = [
  ["packages/*/src", /^packages\/[^/]+\/src/],
  ["addons/*/src", /^addons\/[^/]+\/src/],
];
/** @type {Record<string, number>} */
const ceilings = JSON.parse(readFileSync(tableFile, "utf8"));
const sizes = measure();
if (process.argv.includes("--lower")) lower();
print();
judge();

/** @returns {ReadonlyMap<string, number>} the lines of each room; words of the pages */
function measure() {
  const listed = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate"], {
    cwd: house,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (listed.status !== 0) throw new Error(`git ls-files: ${listed.stderr}`);
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const path of listed.stdout.split("\n").sort()) {
    const room = roomOf(path);
    const text = room === undefined ? undefined : textOf(path);
    if (room === undefined || text === undefined) continue;
    const size = room.endsWith(" words") ? (text.match(/\S+/g)?.length ?? 0) : text.split("\n").length - 1;
    found.set(room, (found.get(room) ?? 0) + size);
  }
  const rooms = [...found];
  for (const [row, fits] of totals) {
    const all = sum(rooms.filter(([room]) => fits.test(room)).map(([, size]) => size));
    if (all > 0) found.set(row, all);
  }
  return found;
}

/** @param {string} path @returns {string | undefined} the room that a file counts for */
function roomOf(path) {
  if (path === "CHANGELOG.md") return path;
  if (path === "README.md") return `${path} words`;
  const [top = "", name, part] = path.split("/");
  // Written by `npm run doors` out of the docstrings.
  if (path === "docs/doors.md") return undefined;
  if (top === "docs" && path.endsWith(".md")) return name === "lab" ? "docs/lab words" : "docs words";
  if (!codeEndings.includes(extname(path)) || path.startsWith("golden/expected/")) return undefined;
  if (top === "packages" && part === "src") return dirname(path);
  const isPart = part === "src" || part === "test";
  if (top === "packages" || top === "addons") return isPart ? `${top}/${name}/${part}` : undefined;
  return wholeFolders.includes(top) && name !== undefined ? top : undefined;
}

/** @param {string} path @returns {string | undefined} nothing for a file that is listed and removed */
function textOf(path) {
  try {
    return readFileSync(join(house, path), "utf8");
  } catch {
    return undefined;
  }
}

function lower() {
  const before = sum(Object.values(ceilings));
  const rooms = Object.entries(ceilings).filter(([room]) => !totals.some(([row]) => row === room));
  for (const [room, ceiling] of rooms) {
    const size = sizes.get(room);
    if (size === undefined) delete ceilings[room];
    else ceilings[room] = Math.min(ceiling, Math.ceil((size * 1.01) / 10) * 10);
  }
  const fresh = [...sizes].filter(([room]) => ceilings[room] === undefined);
  const after = sum(Object.values(ceilings)) + sum(fresh.map(([, size]) => size));
  if (after <= before) Object.assign(ceilings, Object.fromEntries(fresh));
  const sorted = Object.entries(ceilings).sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(tableFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

function print() {
  const rows = [...sizes].map(([room, size]) => [room, size, ceilings[room] ?? "none"]);
  const tests = sum([...sizes].filter(([room]) => /^(.*\/)?test$/.test(room)).map(([, size]) => size));
  for (const [room, size, ceiling] of [["room", "lines", "ceiling"], ...rows, ["tests", tests, ""]])
    console.log(
      `${String(room).padEnd(44)}${String(size).padStart(8)}${String(ceiling).padStart(9)}`.trimEnd(),
    );
}

function judge() {
  const above = [...sizes].filter(([room, size]) => size > (ceilings[room] ?? -1));
  if (above.length === 0) return;
  const said = above.map(([room, size]) => `${room} (${size}, ceiling ${ceilings[room] ?? "none"})`);
  console.error(
    `\nToo large: ${said.join(", ")}. Make it smaller; or, where an issue names the need, raise its ceiling in ` +
      "scripts/size.json by hand, in a commit of its own.",
  );
  process.exitCode = 1;
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0);
}
