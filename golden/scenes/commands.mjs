import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutIds } from "../normalise.mjs";
import { framed } from "../server.mjs";

/** The documented examples of the command line with what they print, and the help of each command. @type {import("../run.mjs").Scene["default"]} */
export default async function commands({ folder, house }) {
  const pages = ["README.md", ...readdirSync(join(house, "docs")).map((name) => `docs/${name}`)];
  const documented = pages.flatMap((page) => {
    const examples = page.endsWith(".md") ? examplesOf(readFileSync(join(house, page), "utf8")) : [];
    if (examples.length === 0) return [];
    const place = join(folder, page.replaceAll("/", "-"));
    mkdirSync(join(place, "project"), { recursive: true });
    return [
      `# ${page}`,
      ...examples.flatMap((command) => [`$ ${command}`, framed(run(command, place, house))]),
      "",
    ];
  });
  mkdirSync(join(folder, "help", "project"), { recursive: true });
  const help = (/** @type {string} */ name) =>
    `$ holdfast ${name} --help\n${run(`holdfast ${name} --help`, join(folder, "help"), house)}`;
  const overview = help("");
  const names = [...overview.matchAll(/^ {2}([a-z]+) .*? {2,}\S/gm)].map(([, name = ""]) => name);
  return {
    "commands-documented.txt": withoutIds(documented.join("\n")),
    "commands-help.txt": [
      overview,
      ...names.filter((name) => name !== "help" && name !== "holdfast").map(help),
    ].join("\n"),
  };
}

/** As `test/docs.test.ts` reads and runs them. @param {string} page */
function examplesOf(page) {
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : [])),
  );
}

/** @param {string} command @param {string} place @param {string} house */
function run(command, place, house) {
  const PATH = [join(house, "node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(":");
  const env = { ...process.env, PATH, HOME: place, XDG_STATE_HOME: join(place, "state") };
  return spawnSync("bash", ["-c", `exec 2>&1; ${command}`], {
    cwd: join(place, "project"),
    encoding: "utf8",
    env,
  }).stdout;
}
