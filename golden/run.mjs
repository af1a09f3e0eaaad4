import { fork } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { conversationCodes, refusalCodes } from "@holdfast/core/files/values";
import { createTwoFilesPatch } from "diff";
import { normalise } from "./normalise.mjs";

/**
 * `npm run golden`: plays every scene, each in a process of its own, and compares what the program said with the
 * files in `expected/`. `-- --update` writes those files anew; further words name the scenes to play.
 *
 * @typedef {{ readonly folder: string, readonly house: string }} Ground an empty folder of the scene's own
 * @typedef {Readonly<Record<string, string>>} Files text by file name
 * @typedef {{ default(ground: Ground): Promise<Files> }} Scene
 */
const here = dirname(fileURLToPath(import.meta.url));
const house = dirname(here);
const expected = join(here, "expected");
const advice = "If the change is meant: npm run golden -- --update, and review the diff with the change.";
/** The scenes that take longest begin first. */
const longest = ["generator", "commands", "replay"];

if (process.send !== undefined) await playHere(process.argv[2] ?? "");
else process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} args */
async function main(args) {
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const names = readdirSync(join(here, "scenes")).map((file) => file.replace(/\.mjs$/, ""));
  const scenes = names.filter((name) => wanted.length === 0 || wanted.includes(name));
  const results = await playAll([...longest.filter((name) => scenes.includes(name)), ...scenes]);
  const said = Object.assign({}, ...results.map(({ files }) => files));
  // Which codes of the closed list are seen somewhere; only known where all scenes were played.
  const files = wanted.length > 0 ? said : { ...said, "refusal-codes.txt": codesIn(said) };
  const failures = results.filter(({ failure }) => failure !== "");
  for (const { scene, failure } of failures) console.error(`golden: the scene ${scene} broke.\n${failure}`);
  if (failures.length > 0) return 1;
  // What no scene writes any more is a difference, too; it is only known where all of them were played.
  const stale = wanted.length > 0 ? [] : readdirSync(expected).filter((file) => files[file] === undefined);
  if (args.includes("--update")) return update(files, stale);
  const differences = [...Object.entries(files), ...stale.map((file) => [file, ""])].flatMap(([file, text]) =>
    differenceOf(String(file), String(text)),
  );
  if (differences.length === 0) {
    console.log(`golden: ${scenes.length} scenes, ${Object.keys(files).length} files, all equal.`);
    return 0;
  }
  console.error(`${differences.join("\n")}\n${advice}`);
  return 1;
}

/** Each refusal code with the first file in which it is an answer. @param {Files} files */
function codesIn(files) {
  const seen = (/** @type {string} */ code) =>
    Object.keys(files)
      .toSorted()
      .find((file) => RegExp(`\\(${code}\\)|\\b${code}: |"code":"${code}"`).test(files[file] ?? ""));
  const codes = new Set([...refusalCodes, ...conversationCodes]);
  return [...codes].map((code) => `${code} ${seen(code) ?? "in no scene"}\n`).join("");
}

/** @param {Files} files @param {readonly string[]} stale */
function update(files, stale) {
  mkdirSync(expected, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(expected, file), text);
  for (const file of stale) rmSync(join(expected, file));
  console.log(`golden: ${Object.keys(files).length} files written, ${stale.length} removed.`);
  return 0;
}

/** @param {string} file @param {string} got @returns {readonly string[]} a short diff where the two differ */
function differenceOf(file, got) {
  const wanted = readExpected(file);
  if (wanted === got) return [];
  const shown = `golden/expected/${file}`;
  const patch = createTwoFilesPatch(shown, "what the program says now", wanted, got, "", "", {
    context: 2,
    maxEditLength: 2_000,
  });
  const lines = (patch ?? `${shown}: more than 2,000 lines differ`).split("\n").slice(1);
  const more = lines.length > 40 ? [`… and ${lines.length - 40} more lines of this diff`] : [];
  return [...lines.slice(0, 40).map((line) => line.slice(0, 400)), ...more];
}

/** @param {string} file */
function readExpected(file) {
  try {
    return readFileSync(join(expected, file), "utf8");
  } catch {
    return "";
  }
}

/** @param {readonly string[]} scenes */
async function playAll(scenes) {
  const waiting = [...new Set(scenes)];
  /** @type {{ scene: string, files: Files, failure: string }[]} */
  const results = [];
  const work = async () => {
    for (let scene = waiting.shift(); scene !== undefined; scene = waiting.shift())
      results.push(await play(scene));
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return results;
}

/** One scene in a process of its own, with nothing of this user's surroundings. @param {string} scene */
async function play(scene) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-golden-")));
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, TZ: "UTC", LC_ALL: "C.UTF-8" };
  try {
    const child = fork(fileURLToPath(import.meta.url), [scene], { cwd: folder, env, silent: true });
    /** @type {Files} */
    let files = {};
    let failure = "";
    child.on("message", (message) => {
      // The one message of `playHere`.
      files = /** @type {Files} */ (message);
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk) => {
        failure += chunk;
      });
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code !== 0 || Object.keys(files).length === 0) failure = `exit code ${code}\n${failure}`;
    return { scene, files, failure };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In the process of the scene. @param {string} name */
async function playHere(name) {
  process.umask(0o022);
  const folder = process.cwd();
  /** @type {Scene} */
  const scene = await import(new URL(`scenes/${name}.mjs`, import.meta.url).href);
  const files = Object.entries(await scene.default({ folder, house }));
  const said = Object.fromEntries(files.map(([file, text]) => [file, normalise(text, { folder, house })]));
  await new Promise((resolve) => process.send?.(said, undefined, undefined, resolve));
  process.disconnect?.();
}
