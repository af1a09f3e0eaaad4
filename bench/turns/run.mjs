import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { findVersions } from "../patch/machine.mjs";
import { officialVersion, openContenders, ours } from "./contenders.mjs";
import { measureTask } from "./session.mjs";
import { tableOf } from "./table.mjs";
import { tasks } from "./tasks.mjs";

/**
 * `npm run bench:turns`: turns, bytes to the model and bytes that the model writes for ten everyday tasks, in two
 * real clients. Prints Markdown. `--task stale`, `--who own` take those whose name has this in it.
 */
const { values } = parseArgs({
  options: { task: { type: "string", default: "" }, who: { type: "string", default: "" } },
});
const print = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
const chosen = tasks.filter(({ name }) => name.includes(values.task));
const contenders = openContenders().filter(({ name, client }) =>
  `${client.title} ${name}`.includes(values.who),
);

/** @type {import("./table.mjs").Line[]} */
const lines = [];
for (const task of chosen) {
  for (const open of contenders) {
    if (task.setup !== undefined && open.name !== "holdfast") {
      // Others have no such choice: their figures of the task before stand here again.
      const before = lines.findLast((line) => line.client === open.client && line.contender === open.name);
      if (before !== undefined) lines.push({ ...before, task: task.name });
      continue;
    }
    const contender = task.setup === undefined ? open : ours(open.client, task.setup);
    const installed = contender.client.install();
    if (installed.kind === "missing") throw new Error(installed.reason);
    print(`${task.name}: ${contender.client.title}, ${contender.name}`);
    const cost = await measureTask(contender, installed.program, task, print);
    lines.push({ task: task.name, client: contender.client, contender: contender.name, cost });
  }
}
console.log(`# Turns and bytes of ten everyday tasks\n\n${describe()}`);
console.log(tableOf(lines));

function describe() {
  const { holdfast, commit } = findVersions();
  const day = new Date().toISOString().slice(0, 16).replace("T", " ");
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return [
    "| what | which |",
    "|---|---|",
    `| command | \`${["npm run bench:turns", ...process.argv.slice(2)].join(" ")}\` |`,
    `| date | ${day} UTC |`,
    `| machine | ${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${memory} GiB, Node ${process.version} |`,
    `| holdfast | ${holdfast} at ${commit ?? "no commit"} |`,
    `| server-filesystem | \`@modelcontextprotocol/server-filesystem\` ${officialVersion} |`,
    "",
  ].join("\n");
}
