import { readFileSync } from "node:fs";
import { conversation, must, openNode, rendering } from "./engine.mjs";

/**
 * Opens a stored session in a fresh process, as a program does that goes on with it. Prints JSON.
 *
 * @typedef {{ readonly load: number, readonly decode: number, readonly replay: number,
 *   readonly cpu: number,
 *   readonly render: number, readonly floor: number, readonly floorCpu: number, readonly records: number, readonly nodes: number,
 *   readonly rssMiB: number }} Opening in milliseconds
 */
const [stateDir = "", id = "", file = ""] = process.argv.slice(2);

const begun = performance.now();
const { openJournalStore } = await openNode();
const loaded = performance.now();
const usage = process.cpuUsage();
const store = must(openJournalStore({ stateDir }));
const session = must(await store.open(id, "write"));
const decoded = performance.now();
const { context, problems } = conversation.replay(session.id, session.records);
const replayed = performance.now();
const cpu = cpuSince(usage);
const { contents } = rendering.renderContext(context);
const rendered = performance.now();
const rssMiB = process.memoryUsage().rss / 2 ** 20;
if (problems.length + session.problems.length > 0 || contents.length === 0) throw new Error("damaged");
await session.close();

/** @type {Opening} */
const opening = {
  load: loaded - begun,
  decode: decoded - loaded,
  replay: replayed - decoded,
  cpu,
  render: rendered - replayed,
  ...readFloor(),
  records: session.records.length,
  nodes: context.nodes.size,
  rssMiB,
};
console.log(JSON.stringify(opening));

/** The least that any reader of the same lines does. */
function readFloor() {
  const start = performance.now();
  const usage = process.cpuUsage();
  const lines = readFileSync(file, "utf8").split("\n");
  const values = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  if (values.length !== session.records.length) throw new Error("another number of lines");
  return { floor: performance.now() - start, floorCpu: cpuSince(usage) };
}

/** In milliseconds. @param {NodeJS.CpuUsage} from */
function cpuSince(from) {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}
