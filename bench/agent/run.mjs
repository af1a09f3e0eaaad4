import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { claudeVersion } from "../../proof/clients/claude-code.mjs";
import { geminiVersion } from "../../proof/clients/gemini-cli.mjs";
import { findVersions } from "../patch/machine.mjs";
import { measureCache } from "./cache.mjs";
import { contendersWith } from "./contenders.mjs";
import { longName } from "./long-session.mjs";
import { measure } from "./measure.mjs";
import { sessions, threeTurns } from "./sessions.mjs";
import { cacheTable, costTable, sentTable } from "./table.mjs";

/**
 * `npm run bench:agent`: ours beside Gemini CLI and Claude Code, headless, with a script on loopback for a model.
 * Prints Markdown. `--rounds 3` of the timed session, after one that is not counted; `--only cost,sent,cache`; `--who holdfast`
 * takes those whose name has this in it.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "cost,sent,cache" },
    who: { type: "string", default: "" },
  },
});
const print = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
const isChosen = (/** @type {{ readonly name: string }} */ { name }) => name.includes(values.who);
const chosen = contendersWith("auto-edit").filter(isChosen);

console.log(describe());
if (values.only.includes("cost")) console.log(costTable(threeTurns.name, await timed()));
if (values.only.includes("sent"))
  for (const session of sessions) console.log(sentTable(session.name, await sent(session)));
if (values.only.includes("cache")) console.log(cacheTable(longName, await cached()));

/** Round by round, so that what else the machine does meets all of them. */
async function timed() {
  /** @type {Map<string, import("./measure.mjs").Cost[]>} */
  const all = new Map(chosen.map(({ name }) => [name, []]));
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const contender of chosen) {
      const cost = await judged(contender, threeTurns);
      // The first finds programs on the disk that the others find in memory.
      if (round > 0) all.get(contender.name)?.push(cost);
    }
  }
  return [...all].map(([name, costs]) => ({ name, costs }));
}

/** @param {import("./sessions.mjs").Session} session */
async function sent(session) {
  const rows = [];
  for (const contender of chosen)
    rows.push({ name: contender.name, costs: [await judged(contender, session)] });
  return rows;
}

async function cached() {
  const rows = [];
  for (const contender of contendersWith("yolo").filter(isChosen)) {
    const cost = await measureCache(contender);
    print(`${longName}: ${contender.name}: ${cost.requests} requests, ${cost.steps} steps`);
    for (const flaw of cost.flaws) print(`  not sound: ${flaw}`);
    rows.push({ name: contender.name, cost });
  }
  return rows;
}

/** @param {import("./contenders.mjs").Contender} contender @param {import("./sessions.mjs").Session} session */
async function judged(contender, session) {
  const cost = await measure(contender, session);
  const { wallMs, cpuMs, peakMiB, requests, bytes, flaws } = cost;
  print(
    `${session.name}: ${contender.name}: ${wallMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms, ${peakMiB.toFixed(0)} MiB, ${requests} requests, ${bytes} B`,
  );
  for (const flaw of flaws) print(`  not sound: ${flaw}`);
  return cost;
}

function describe() {
  const { holdfast, commit } = findVersions();
  const day = new Date().toISOString().slice(0, 16).replace("T", " ");
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return [
    "| what | which |",
    "|---|---|",
    `| command | \`${["npm run bench:agent", ...process.argv.slice(2)].join(" ")}\` |`,
    `| date | ${day} UTC |`,
    `| machine | ${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${memory} GiB, Node ${process.version} |`,
    `| holdfast | ${holdfast} at ${commit ?? "no commit"} |`,
    `| Gemini CLI | \`@google/gemini-cli\` ${geminiVersion} |`,
    `| Claude Code | \`@anthropic-ai/claude-code\` ${claudeVersion} |`,
    "",
  ].join("\n");
}
