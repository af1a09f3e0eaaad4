import { describeRun, optionsOf, publish } from "../page.mjs";
import { officialVersion, openContenders, ours } from "./contenders.mjs";
import { measureTask } from "./session.mjs";
import { tableOf } from "./table.mjs";
import { tasks } from "./tasks.mjs";

/**
 * `npm run bench:turns`: turns, bytes to the model and bytes that the model writes for ten everyday tasks, in two
 * real clients. Prints Markdown. `--task stale`, `--who own` take those whose name has this in it.
 */
const values = optionsOf({ task: { type: "string" }, who: { type: "string" } });
const { short } = values;
const [wantedTask, wantedWho] = [
  values.task ?? (short ? "stale edit" : ""),
  values.who ?? (short ? "holdfast" : ""),
];
const print = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
const chosen = tasks.filter(({ name }) => name.includes(wantedTask));
const contenders = openContenders().filter(({ name, client }) =>
  `${client.title} ${name}`.includes(wantedWho),
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
    if (installed.kind === "missing" && short) {
      print(installed.reason);
      continue;
    }
    if (installed.kind === "missing") throw new Error(installed.reason);
    print(`${task.name}: ${contender.client.title}, ${contender.name}`);
    const cost = await measureTask(contender, installed.program, task, print);
    lines.push({ task: task.name, client: contender.client, contender: contender.name, cost });
  }
}
const head = describeRun("bench:turns", [
  ["server-filesystem", `\`@modelcontextprotocol/server-filesystem\` ${officialVersion}`],
]);
publish("bench:turns", "turns.md", [head, tableOf(lines)].join("\n"));
const flawed = lines.filter(({ cost }) => cost.kind !== "done" || cost.flaws.length > 0);
if (lines.length === 0) throw new Error("no client is installed; `npm run proof -- clients` installs them");
if (short && flawed.length > 0) throw new Error(JSON.stringify(flawed));
