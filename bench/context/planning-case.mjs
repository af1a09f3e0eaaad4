import { economy, must, rendering } from "./engine.mjs";
import { newManager, turnAt } from "./turns.mjs";

/**
 * What planning a prompt costs in a session of so many nodes (docs/economy.md), in a process of its own: `planning.mjs`
 * starts it. Argument: nodes. Prints JSON.
 *
 * @typedef {{ readonly [At in "below" | "paying" | "over"]: PlanningTime } & { readonly tokens: number }} PlanningCost
 * @typedef {{ readonly median: number, readonly p95: number, readonly kind: string }} PlanningTime in milliseconds
 */
const [nodes = 0] = process.argv.slice(2).map(Number);
const manager = newManager();
const renderer = new rendering.ContextRenderer();
let steps = 0;
must(manager.commitStagedItems("Make the tests pass."));
while (manager.context.nodes.size < nodes) step();

const { tokens } = plan({ type: "input_tokens", value: 1e9 });
/** @type {PlanningCost} */
const cost = {
  below: timed({ type: "input_tokens", value: tokens * 3 }),
  paying: timed({ type: "input_tokens", value: Math.round(tokens * 1.5) }),
  over: timed({ type: "input_tokens", value: Math.round(tokens / 1.5) }),
  tokens,
};
console.log(JSON.stringify(cost));

/**
 * Fifty plans, each for a session that has grown by a step; nothing is carried out, so that each has as much to decide.
 *
 * @param {import("../../packages/core/dist/economy/index.js").ClearTrigger} trigger
 * @returns {PlanningTime}
 */
function timed(trigger) {
  let kind = "";
  const times = Array.from({ length: 50 }, () => {
    step();
    const rendered = renderer.render(manager.context);
    // What the rendering leaves for later is not the planner's.
    void rendered.provenance.length;
    const begun = performance.now();
    ({ kind } = planOf(rendered, trigger));
    return performance.now() - begun;
  }).sort((one, other) => one - other);
  return { median: times[25] ?? 0, p95: times[47] ?? 0, kind };
}

/** @param {import("../../packages/core/dist/economy/index.js").ClearTrigger} trigger */
function plan(trigger) {
  return planOf(renderer.render(manager.context), trigger);
}

/**
 * @param {ReturnType<typeof renderer.render>} rendered
 * @param {import("../../packages/core/dist/economy/index.js").ClearTrigger} trigger
 */
function planOf(rendered, trigger) {
  const settings = economy.economySettings({ trigger, compaction: { enabled: false } });
  if (economy.isEconomyRefusal(settings)) throw new Error(settings.message);
  const made = economy.planPrompt(manager.context, rendered, { settings, provider: "anthropic" }, {});
  return { kind: made.kind, tokens: made.kind === "clear" ? made.report.tokensBefore : made.tokens };
}

/** Two nodes: a call and its result. In turn a read of a file's part, an output, and a read of lines that stand above. */
function step() {
  const callId = `call ${steps}`;
  const path = `src/part-${steps % 40}.ts`;
  const isRead = steps % 3 < 2;
  const name = isRead ? "read_file" : "run_shell_command";
  const args = isRead ? { file_path: path } : { command: `npm test ${steps % 7}` };
  must(manager.addNode({ kind: "tool_call", callId, name, args, step: callId }));
  const output = turnAt(isRead ? steps % 40 : steps).result;
  const lines = output.split("\n").length - 1;
  const sha256 = (steps % 40).toString(16).padStart(64, "0");
  const files = [{ path, after: sha256, by: /** @type {const} */ ("seen"), lines, version: 1 }];
  const shown = { path, sha256, from: 1, to: lines, start: 0, end: output.lastIndexOf("\n") + 1 };
  const isLater = steps >= 120 && isRead;
  const repeats = isLater && lines > 0 ? [{ ...shown, as: { sha256, from: 1 } }] : undefined;
  const more = isRead ? { files, shows: [shown], ...(repeats && { repeats }) } : {};
  must(manager.addNode({ kind: "tool_result", callId, name, output, ...more }));
  steps += 1;
}
