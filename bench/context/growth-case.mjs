import { rendering } from "./engine.mjs";
import { newManager, player } from "./turns.mjs";

/**
 * One size and shape, in a process of its own (`growth.mjs` starts it with `--expose-gc`): what a turn costs
 * there, rendering from scratch, memory. Prints JSON.
 *
 * @typedef {{ readonly append: number, readonly render: number, readonly contents: number,
 *   readonly back: boolean }} TurnCost in milliseconds
 * @typedef {{ readonly turns: readonly TurnCost[], readonly scratch: readonly number[],
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
const scratch = [0, 1, 2].map(() => {
  const begun = performance.now();
  void rendering.renderContext(grown.manager.context).contents;
  return performance.now() - begun;
});
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
  return Array.from({ length: count }, () => {
    const started = performance.now();
    const back = play();
    const appended = performance.now();
    if (!plain.render(manager.context).report.ready) throw new Error("no prompt that could be sent");
    const renderedAt = performance.now();
    if (read.render(manager.context).contents.length === 0) throw new Error("an empty prompt");
    const end = performance.now();
    return { append: appended - started, render: renderedAt - appended, contents: end - renderedAt, back };
  });
}

function heapMiB() {
  // Twice: what the first leaves to finalisers goes with the second.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
