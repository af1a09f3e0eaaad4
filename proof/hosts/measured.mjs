import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { relaunched, setUp, writeInto } from "../clients/any-client.mjs";
import { claudeCode } from "../clients/claude-code.mjs";
import { codex, codexInCode } from "../clients/codex.mjs";
import { continueCli } from "../clients/continue.mjs";
import { copilotCli } from "../clients/copilot-cli.mjs";
import { Diary, tellFigures } from "../clients/day-run.mjs";
import { geminiCli } from "../clients/gemini-cli.mjs";
import { opencode } from "../clients/opencode.mjs";
import { qwenCode } from "../clients/qwen-code.mjs";
import { policies } from "./policies.mjs";
import { refusalRow } from "./refusals.mjs";
import { blind, figuresWith, names, ours, taskFiles, theirs } from "./tasks.mjs";

/**
 * A day in each host as it comes, with our tools as `holdfast setup` adds them and with the host's own.
 *
 * @typedef {import("../clients/any-client.mjs").Client} Client
 * @typedef {import("../clients/any-client.mjs").Ground} Ground
 * @typedef {import("../contract.mjs").Row} Row
 * @typedef {{ readonly figures: readonly import("../clients/day.mjs").Figure[], prepare(ground: Ground): void,
 *   readonly files: Readonly<Record<string, string | Uint8Array>> }} Work
 * @typedef {Awaited<ReturnType<typeof tallies>>} Tallies
 */

/** The clients of the table of hosts. */
export const probedClients = [claudeCode, geminiCli, codex, opencode, qwenCode, copilotCli];
/** The model is the one that each host chooses, where it can be asked for any. */
export const dayHosts = [...probedClients.map(asItComes), continueCli];

/** @param {Client} client */
function asItComes(client) {
  if (client === codex) return codexInCode;
  if (client !== claudeCode && client !== geminiCli) return client;
  return relaunched(client, (args) => args.filter((arg, at) => !isModel(arg) && !isModel(args[at - 1])));
}

const isModel = (/** @type {string | undefined} */ arg) => arg === "--model" || arg === "-m";

/** What schemas, results and arguments are to come to at most, beside those of the host's own tools. A cost, no promise. */
const aim = 1.15;

/** @param {Client} client @param {string} program @param {(line: string) => void} print @returns {Promise<readonly Row[]>} */
export async function dayIn(client, program, print) {
  const title = `${client.title} ${client.version}`;
  const run = (/** @type {Client} */ client, /** @type {Work} */ work) =>
    tallies(client, program, work, print);
  const alone = [
    { figure: "H5", what: "every hint names the tool as this host shows it", work: names(client.toolName) },
    { figure: "H6", what: "nothing counts as shown that was not sent", work: blind },
  ];
  const mine = await run(client, {
    figures: [...figuresWith(ours), ...alone],
    files: taskFiles,
    prepare: setUpHere(client),
  });
  const bare = { figures: figuresWith(theirs), files: taskFiles, prepare: () => {} };
  const own = await tallies(client, program, bare, () => {});
  const rows = [
    ...figuresWith(ours).map(({ figure, what }) => besideRow(figure, `${title}: ${what}`, mine, own)),
    ...alone.map(({ figure, what }) => plainRow(figure, `${title}: ${what}`, mine)),
  ];
  for (const policy of policies.filter((one) => one.client.title === client.title))
    rows.push(await refusalRow(policy, program, print));
  return rows;
}

/** @param {string} figure @param {string} what @param {Tallies} told @returns {Row} */
function plainRow(figure, what, told) {
  const { bad, seen } = told(figure);
  return { figure, what, tried: 1, bad, seen: seen.join("; ") };
}

/** @param {string} figure @param {string} what @param {Tallies} mine @param {Tallies} own @returns {Row} */
function besideRow(figure, what, mine, own) {
  const [tally, beside] = [mine(figure), own(figure)];
  const times = tally.bytes / beside.bytes;
  const bad = {
    "lost lines": 0,
    "broken run": beside.bad["broken run"] ?? 0,
    ...tally.bad,
  };
  const failed = Object.entries(beside.bad).map(([what, count]) => `; ${count} ${what}`);
  const missed =
    times > aim || tally.turns > beside.turns ? `, the aim of ${aim} and no turn more is missed` : "";
  const seen = `${tally.said}; ${times.toFixed(2)} times the bytes${missed}`;
  return { figure, what, tried: 1, bad, seen, baseline: `${beside.said}${failed.join("")}` };
}

/**
 * The figures in one run of the host, each with what it took.
 *
 * @param {Client} client @param {string} program @param {Work} work @param {(line: string) => void} print
 */
async function tallies(client, program, work, print) {
  const diary = new Diary(print, work.figures[0]?.figure ?? "");
  const prepare = (/** @type {Ground} */ ground) => {
    asProject(ground);
    work.prepare(ground);
  };
  const { requests } = await tellFigures(client, program, { ...work, diary, prepare });
  const turns = diary.turns.map((turn, at) => {
    const answers = client.answers(requests[at + 1] ?? {});
    // Of the turn that finds the tools the first answer is their schemas.
    const found = turn.label === "offer" ? bytesOf(answers.slice(0, 1)) : 0;
    return { ...turn, found, results: bytesOf(answers) - found };
  });
  const offered =
    bytesOf(client.offered(requests[0] ?? {}).map(({ text }) => text)) + sum(turns.map(({ found }) => found));
  return (/** @type {string} */ figure) => {
    const here = turns.filter((turn) => turn.figure === figure);
    const results = (/** @type {boolean} */ isBig) =>
      sum(here.map(({ label, results }) => ((label === "big") === isBig ? results : 0)));
    const pages = here.filter(({ label }) => label === "big").length;
    const parts = [offered, results(false), sum(here.map(({ bytes }) => bytes))];
    const [schemas, shown, args, big] = [...parts, results(true)].map((count) => count.toLocaleString("en"));
    const { bad = {}, seen = [] } = diary.byFigure.get(figure) ?? {};
    const large = pages === 0 ? "" : `, ${big} B of a big file in ${pages} turns`;
    const said = `${here.length} turns (${seen.length} refused); ${schemas} B of schemas, ${shown} of results, ${args} of arguments${large}`;
    // Without the big file: each side has pages of its own size.
    return { turns: here.length, bytes: sum(parts), said, bad, seen };
  };
}

/** @param {readonly string[]} texts */
function bytesOf(texts) {
  return sum(texts.map((text) => Buffer.byteLength(text)));
}

/** @param {readonly number[]} counts */
function sum(counts) {
  return counts.reduce((all, count) => all + count, 0);
}

/** A person's project has a history. @param {Ground} ground */
function asProject({ project }) {
  const commit =
    "git init -q . && git add -A && git -c user.email=a@example.com -c user.name=a commit -qm All";
  spawnSync("sh", ["-c", commit], { cwd: project });
}

/** As `holdfast setup` does it, with what it then says for a run that can ask nobody. @param {Client} client @param {(ground: Ground) => void} [rules] that a person had before @param {readonly string[]} [flags] */
function setUpHere(client, rules, flags) {
  return (/** @type {Ground} */ ground) => {
    rules?.(ground);
    setUp(client, ground, flags);
    if (client !== codexInCode) return;
    const settings = readFileSync(join(ground.home, ".codex/config.toml"), "utf8");
    if (settings.includes("default_tools_approval_mode")) return;
    const approved = settings.replace(
      "[mcp_servers.holdfast]\n",
      '$&default_tools_approval_mode = "approve"\n',
    );
    writeInto(ground.home, ".codex/config.toml", approved);
  };
}
