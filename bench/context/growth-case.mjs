import { rendering } from "./engine.mjs";
import { newManager, player } from "./turns.mjs";

/**
 * One size and shape, in a process of its own (`growth.mjs` starts it with `--expose-gc`): what a turn costs
 * there, rendering from scratch, memory. Prints JSON.
 *
 * @typedef {{ readonly ms: number, readonly cpu: number }} Cost by the clock and of all threads; milliseconds
 * @typedef {{ readonly append: Cost, readonly render: Cost, readonly contents: Cost }} TurnCost
 * @typedef {{ readonly turns: readonly TurnCost[], readonly scratch: readonly Cost[],
 *   readonly parts: number, readonly heapMiB: { readonly tree: number, readonly rendered: number } }} Measured
 */
const [nodes = 0, rounds = 0] = process.argv.slice(2, 4).map(Number);
const shape = process.argv[4] === "branchy" ? "branchy" : "linear";
const turnsEach = 200 / rounds;

/** The compiler has seen everything before the clock is looked at. */
for (let round = 0; round < 10; round += 1) measureTurns(grow(400), 20);
const before = heapMiB();
/** @type {TurnCost[]} */
const turns = [];
let grown = grow(nodes);
const tree = heapMiB() - before;
for (let round = 0; round < rounds; round += 1) {
  if (round > 0) grown = grow(nodes);
  turns.push(...measureTurns(grown, turnsEach));
}
const rendered = heapMiB() - before;
const scratch = [0, 1, 2].map(() =>
  costOf(() => mustHold(rendering.renderContext(grown.manager.context).contents.length > 0)),
);
const parts = rendering.renderContext(grown.manager.context).report.parts;
/** @type {Measured} */
const measured = { turns, scratch, parts, heapMiB: { tree, rendered } };
console.log(JSON.stringify(measured));

/** @param {number} size */
function grow(size) {
  const manager = newManager();
  const { play } = player(manager, shape);
  while (manager.context.nodes.size < size) play();
  return { manager, play, plain: new rendering.ContextRenderer(), read: new rendering.ContextRenderer() };
}

/**
 * Two renderers, so that one never writes its lists down.
 *
 * @param {ReturnType<typeof grow>} grown
 * @param {number} count
 * @returns {TurnCost[]}
 */
function measureTurns({ manager, play, plain, read }, count) {
  plain.render(manager.context);
  void read.render(manager.context).contents;
  return Array.from({ length: count }, () => ({
    append: costOf(play),
    render: costOf(() => mustHold(plain.render(manager.context).report.ready)),
    contents: costOf(() => mustHold(read.render(manager.context).contents.length > 0)),
  }));
}

/** @param {() => void} work @returns {Cost} */
function costOf(work) {
  const usage = process.cpuUsage();
  const begun = performance.now();
  work();
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(usage);
  return { ms, cpu: (user + system) / 1_000 };
}

/** @param {boolean} holds */
function mustHold(holds) {
  if (!holds) throw new Error("not the prompt that was expected");
}

function heapMiB() {
  // Twice: what the first leaves to finalisers goes with the second.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
