import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runClient } from "../../proof/clients/any-client.mjs";

/**
 * One task in one client, and what it cost.
 *
 * @typedef {{ readonly kind: "done", readonly turns: number, readonly toModel: number, readonly fromModel: number,
 *   readonly descriptions: number, readonly flaws: readonly string[] } | { readonly kind: "cannot" }} Cost
 *   bytes of UTF-8: `toModel` all results of tools as they stand in the requests, `fromModel` names and arguments
 *   of all calls
 * @typedef {object} Contender
 * @property {string} name
 * @property {import("../../proof/clients/any-client.mjs").Client} client
 * @property {(ground: import("../../proof/clients/any-client.mjs").Ground) => void} prepare
 * @property {(project: string) => import("./hands.mjs").Hand} hand
 * @property {(tool: string) => boolean} owns whether a tool is one of it
 */

/** @param {Contender} contender @param {string} program @param {import("./tasks.mjs").Task} task @param {(line: string) => void} print @returns {Promise<Cost>} */
export async function measureTask(contender, program, task, print) {
  const { client, prepare, owns } = contender;
  /** @type {{ turns: number, toModel: number, fromModel: number, shown: string[], done: boolean, cannot: boolean }} */
  const count = { turns: 0, toModel: 0, fromModel: 0, shown: [], done: false, cannot: false };
  const turns = (/** @type {string} */ project) => turnsOf(contender, task, project, count);
  return runClient(client, { program, files: task.files, prepare, turns }, (told) => {
    if (count.cannot) return { kind: "cannot" };
    const good = task.good((file) => told.bytes(file)?.toString(), worldOf("", count.shown));
    const flaws = Object.entries(good)
      .filter(([, isGood]) => !isGood)
      .map(([name]) => name);
    if (!count.done || told.exit !== 0 || told.faults.length > 0) flaws.push("broken run");
    if (flaws.length > 0 || process.env.SHOW !== undefined)
      print([...flaws, ...count.shown, ...told.faults.map(String)].join("\n---\n"));
    const { turns, toModel, fromModel } = count;
    const descriptions = client
      .offered(told.requests[0] ?? {})
      .filter(({ name }) => owns(name))
      .reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    return { kind: "done", turns, toModel, fromModel, descriptions, flaws };
  });
}

/** @param {Contender} contender @param {import("./tasks.mjs").Task} task @param {string} project @param {any} count */
function turnsOf({ client, hand }, task, project, count) {
  const work = task.work(hand(project), worldOf(project, count.shown));
  if (work === undefined) count.cannot = true;
  let begun = false;
  const turn = (/** @type {any} */ request) => {
    if (work === undefined) return [{ text: "done" }];
    const answers = begun ? client.answers(request).map(withoutReminders) : [];
    for (const answer of answers) count.toModel += Buffer.byteLength(answer);
    count.shown.push(...answers);
    const step = begun ? work.next(answers) : work.next();
    begun = true;
    if (step.done === true) {
      count.done = true;
      return [{ text: "done" }];
    }
    count.turns += 1;
    for (const part of step.value)
      if ("call" in part) count.fromModel += Buffer.byteLength(part.call + JSON.stringify(part.args));
    return step.value;
  };
  return Array.from({ length: 30 }, () => turn);
}

/** @param {string} project @param {readonly string[]} shown @returns {import("./tasks.mjs").World} */
function worldOf(project, shown) {
  return {
    foreign: (file, change) => {
      const path = join(project, file);
      if (existsSync(path)) writeFileSync(path, change(readFileSync(path, "utf8")));
    },
    shown: () => shown.join("\n"),
  };
}

/** Claude Code counts the tokens that are left behind every last result, whoever's tool it is. @param {string} answer */
function withoutReminders(answer) {
  return answer.replaceAll(
    /\s*<system-reminder>\s*(?:<total_tokens>|The task tools haven't)[\s\S]*?<\/system-reminder>\s*/g,
    "",
  );
}
