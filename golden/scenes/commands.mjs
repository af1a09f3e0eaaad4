import { fork, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { withoutIds } from "../normalise.mjs";
import { framed } from "../server.mjs";

/** The documented examples of the command line with what they print, and the help of each command. @type {import("../run.mjs").Scene["default"]} */
export default async function commands({ folder, house }) {
  const loop = openLoop(house);
  try {
    return await play(folder, house, (command, place) => run(command, place, house, loop));
  } finally {
    loop.stop();
  }
}

/** @param {string} folder @param {string} house @param {(command: string, place: string) => Promise<string>} run */
async function play(folder, house, run) {
  const pages = ["README.md", ...readdirSync(join(house, "docs")).map((name) => `docs/${name}`)];
  const documented = [];
  for (const page of pages.filter((name) => name.endsWith(".md"))) {
    const examples = examplesOf(readFileSync(join(house, page), "utf8"));
    if (examples.length === 0) continue;
    const place = join(folder, page.replaceAll("/", "-"));
    mkdirSync(join(place, "project"), { recursive: true });
    documented.push(`# ${page}`);
    for (const command of examples) documented.push(`$ ${command}`, framed(await run(command, place)));
    documented.push("");
  }
  const place = join(folder, "help");
  mkdirSync(join(place, "project"), { recursive: true });
  const helpOf = async (/** @type {string} */ name) =>
    `$ holdfast ${name} --help\n${await run(`holdfast ${name} --help`, place)}`;
  const overview = await helpOf("");
  const names = [...overview.matchAll(/^ {2}([a-z]+) .*? {2,}\S/gm)].map(([, name = ""]) => name);
  const help = [overview];
  for (const name of names) if (name !== "help" && name !== "holdfast") help.push(await helpOf(name));
  return {
    "commands-documented.txt": withoutIds(documented.join("\n")),
    "commands-help.txt": help.join("\n"),
  };
}

/** As `test/docs.test.ts` reads and runs them. @param {string} page */
function examplesOf(page) {
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : [])),
  );
}

/** A command line of the program alone. `read` writes to stderr first, and only a shell keeps the order. */
const alone = /^(?:((?:printf|echo) .*?) \| )?holdfast (?!read )([^|;&<>`$]*)(; echo "exit \$\?")?$/;

/** @param {string} command @param {string} place @param {string} house @param {ReturnType<typeof openLoop>} loop */
async function run(command, place, house, loop) {
  const PATH = [join(house, "node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(":");
  const env = { ...process.env, PATH, HOME: place, XDG_STATE_HOME: join(place, "state") };
  const cwd = join(place, "project");
  const bash = (/** @type {string} */ script) =>
    spawnSync("bash", ["-c", script], { cwd, encoding: "utf8", env }).stdout;
  const [whole, given, words, showsExit] = alone.exec(command) ?? [];
  if (whole === undefined) return bash(`exec 2>&1; ${command}`);
  // The shell splits the words.
  const args = bash(`printf '%s\\0' ${words}`).split("\0").slice(0, -1);
  const { code, said } = await loop.run({ args, cwd, env, input: given === undefined ? "" : bash(given) });
  return said + (showsExit === undefined ? "" : `exit ${code}\n`);
}

/** One process that runs one command after the other, as for the tests of the commands. @param {string} house */
function openLoop(house) {
  const cli = join(house, "packages/cli");
  const files = [join(cli, "bin/holdfast.js"), join(cli, "dist/bundle/main.js")];
  const options = { cwd: "/", env: {}, silent: true };
  const child = fork(join(cli, "test/command-loop.mjs"), files, { ...options, serialization: "advanced" });
  const said = { out: "", err: "" };
  for (const [stream, name] of /** @type {const} */ ([
    [child.stdout, "out"],
    [child.stderr, "err"],
  ]))
    stream?.setEncoding("utf8").on("data", (part) => {
      said[name] += part;
    });
  return {
    /** @param {{ args: string[], cwd: string, env: object, input: string }} line */
    async run(line) {
      Object.assign(said, { out: "", err: "" });
      /** @type {{ code: number, out: number, err: number }} */
      const ended = await new Promise((resolve) => {
        child.once("message", resolve);
        child.send(line);
      });
      const isWhole = () =>
        Buffer.byteLength(said.out) >= ended.out && Buffer.byteLength(said.err) >= ended.err;
      while (!isWhole()) await setImmediate();
      return { code: ended.code, said: said.out + said.err };
    },
    stop: () => child.kill(),
  };
}
