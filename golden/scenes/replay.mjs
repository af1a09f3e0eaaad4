import { openPolicies } from "../../bench/replay/policies.mjs";
import { replayUnder } from "../../bench/replay/replay.mjs";
import { sets, syntheticSession } from "../../bench/replay/synthetic.mjs";

/** The replay table at seed 1, without what it took in time: ours, beside the session as it was. @type {import("../run.mjs").Scene["default"]} */
export default async function replay() {
  const names = /** @type {(keyof typeof sets)[]} */ (Object.keys(sets));
  const tables = names.map((name) => {
    const blocks = syntheticSession(name, 1);
    const policies = openPolicies().filter((policy) => ["raw", "holdfast"].includes(policy.name));
    const rows = policies.map((policy) => {
      const { planMs: _plan, renderMs: _render, ...figures } = replayUnder(blocks, policy);
      return JSON.stringify(figures);
    });
    return `# ${name}, seed 1, ${blocks.length} blocks\n${rows.join("\n")}\n`;
  });
  return { "replay.txt": tables.join("\n") };
}
