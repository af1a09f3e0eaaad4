import { formatMs, tableOf } from "../patch/table.mjs";
import { runCase } from "./case.mjs";

/** @typedef {import("./planning-case.mjs").PlanningCost} PlanningCost */

/** What it costs to decide what is done about a prompt. @param {{ readonly short: boolean, readonly note: (line: string) => void }} options */
export async function measurePlanning({ short, note }) {
  const rows = [];
  for (const nodes of short ? [400] : [500, 1_000, 2_000, 4_000, 8_000]) {
    note(`planning: ${nodes} nodes`);
    /** @type {PlanningCost} */
    const cost = await runCase("planning-case.mjs", [String(nodes)]);
    const { below, paying, over, tokens } = cost;
    const columns = [below, paying, over].map(
      ({ median, p95, kind }) => `${formatMs(median)} (${formatMs(p95)}), ${kind}`,
    );
    rows.push([`${nodes.toLocaleString("en")} nodes`, tokens.toLocaleString("en"), ...columns]);
  }
  return [
    "## What planning a prompt costs\n",
    "A session of reads and commands, a call and a result of 1,000 characters a step, two thirds of the later reads named and not repeated. Before each plan the session grows by a step; the rendering is not counted. The median of fifty, with the 95th percentile, and what was decided. *Below*: a third of the trigger. *Paying*: two thirds of it, where what has been held for long may go. *Over*: one and a half times the trigger.\n",
    tableOf(["session", "tokens", "below", "paying", "over"], rows),
  ].join("\n");
}
