import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openAgent, scriptedModel } from "@holdfast/agent";
import { createConversation } from "@holdfast/core/conversation";
import { namesFrom, timeSortedIds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import { displacedAmong, displacedTexts } from "../displaced.mjs";
import { freshFolder, makeFolder, remove } from "../rooms.mjs";

/** @typedef {{ readonly name: string, readonly line: string }} ForeignLine */
/** @typedef {{ readonly ownMs: number, readonly cpuMs: number, readonly heap: number }} Turn */

/**
 * Each turn reads one file of a repository and counts its first line up, in one session in a journal; beside it a process
 * appends lines to the same files. In the end every file has each line that was written to it, and the count of the turns.
 *
 * @param {number} turns @param {(line: string) => void} print
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function longSession(turns, print) {
  const top = freshFolder();
  const root = makeFolder(`${top}/project`);
  const names = writeRepository(root);
  const workspace = opened(
    await openWorkspace({ roots: [root], stateDir: `${top}/state`, guards: { onMismatch: "rebase" } }),
  );
  const store = opened(openJournalStore({ stateDir: `${top}/state` }));
  const ids = timeSortedIds(Date.now, randomBytes);
  const conversation = opened(
    await createConversation(store, { ids, now: Date.now, naming: namesFrom(root) }),
  );
  const model = timed(scriptedModel(scriptOf(turns, names)));
  const { manager } = conversation;
  const agent = openAgent({ manager, workspace, model, mode: "yolo", newId: ids, now: Date.now });
  const foreign = startForeign(root);
  /** @type {Turn[]} */
  const measured = [];
  let undone = 0;
  try {
    for (let at = 0; at < turns; at += 1) {
      const began = performance.now();
      const cpuBegan = process.cpuUsage();
      const modelBefore = model.spentMs();
      const end = await agent.turn({ text: `Turn ${at}: count ${names[at % names.length]} up.` });
      undone += end.reason === "complete" ? end.undone.length : 1;
      const ownMs = performance.now() - began - (model.spentMs() - modelBefore);
      const { user, system } = process.cpuUsage(cpuBegan);
      const cpuMs = (user + system) / 1_000;
      measured.push({ ownMs, cpuMs, heap: isMark(at, turns) ? heapUsed() : 0 });
      if (at % 50 === 49) print(`${at + 1} turns: ${ownMs.toFixed(0)} ms`);
    }
    const lines = await foreign.stop();
    const said = [...textsOf(manager.context), ...(await lastNotices(workspace, names))].join("\n");
    const states = displacedTexts(
      `${top}/state`,
      names.map((name) => join(root, name)),
    );
    return rowOf({ turns, names, root, lines, undone, measured, displaced: { states, said } });
  } finally {
    await foreign.stop();
    await conversation.close();
    await store.close();
    await workspace.close();
    remove(top);
  }
}

/** All that the model was told. @param {import("@holdfast/core/conversation/values").ConversationContext} context */
function textsOf({ nodes }) {
  return [...nodes.values()].flatMap(({ payload }) =>
    payload.kind === "tool_result" ? [payload.output] : payload.kind === "note" ? [payload.text] : [],
  );
}

/**
 * What was displaced last is found by the next look; what a look finds that has begun by then, is told with the answer after.
 *
 * @param {import("@holdfast/core/node").OpenedWorkspace} workspace
 * @param {readonly string[]} names
 */
async function lastNotices(workspace, names) {
  const notices = [];
  for (let round = 0; round < 2; round += 1) {
    await pause(100);
    const found = await Promise.all(names.map((path) => workspace.read({ path })));
    notices.push(...found.flatMap((read) => (read.kind === "read" ? [read.notice ?? ""] : [])));
  }
  return notices;
}

/** Files as they are in a repository: our own sources, each with a line that counts. @param {string} root */
function writeRepository(root) {
  const sources = fileURLToPath(new URL("../../packages/core/src/files/", import.meta.url));
  const found = readdirSync(sources, { recursive: true, encoding: "utf8" });
  const paths = found.filter((path) => path.endsWith(".ts")).slice(0, 40);
  return paths.map((path) => {
    const name = path.replaceAll("/", "-");
    const text = readFileSync(join(sources, path), "utf8").slice(0, 2_000);
    writeFileSync(join(root, name), `// count 0\n${text}\n`);
    return name;
  });
}

/** Two requests do the work of a turn, a third one ends it. @param {number} turns @param {readonly string[]} names */
function scriptOf(turns, names) {
  return Array.from({ length: turns }, (_, at) => {
    const path = names[at % names.length] ?? "";
    const before = Math.floor(at / names.length);
    const edits = [{ old_string: `// count ${before}\n`, new_string: `// count ${before + 1}\n` }];
    return [
      { calls: [{ name: "read_file", args: { file_path: path } }] },
      {
        calls: [
          { name: "edit_file", args: { file_path: path, base_content_sha256: `{{sha256:${path}}}`, edits } },
        ],
      },
      { text: "Counted." },
    ];
  }).flat();
}

/** The same model, and how long its answers took. @param {import("@holdfast/core/context").ModelPort} port */
function timed(port) {
  let spent = 0;
  return {
    target: port.target,
    spentMs: () => spent,
    /** @param {import("@holdfast/core/context").ModelStep} step @param {AbortSignal} [signal] */
    async *ask(step, signal) {
      const events = port.ask(step, signal)[Symbol.asyncIterator]();
      const asked = performance.now();
      // As an answer by the network would: without it no message of the other process is ever read.
      await pause(1);
      spent += performance.now() - asked;
      for (;;) {
        const began = performance.now();
        const next = await events.next();
        spent += performance.now() - began;
        if (next.done) return;
        yield next.value;
      }
    },
  };
}

/** @param {string} root */
function startForeign(root) {
  /** @type {ForeignLine[]} */
  const lines = [];
  const child = fork(fileURLToPath(new URL("foreign.mjs", import.meta.url)), [root]);
  // A cast: the child says nothing else.
  child.on("message", (line) => lines.push(/** @type {ForeignLine} */ (line)));
  const ended = new Promise((done) => child.once("exit", done));
  return {
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
      return lines;
    },
  };
}

/**
 * @param {{ readonly turns: number, readonly names: readonly string[], readonly root: string,
 *   readonly lines: readonly ForeignLine[], readonly undone: number, readonly measured: readonly Turn[],
 *   readonly displaced: { readonly states: readonly import("../displaced.mjs").DisplacedText[], readonly said: string } }} found
 * @returns {import("../contract.mjs").Row}
 */
function rowOf({ turns, names, root, lines, undone, measured, displaced }) {
  const texts = new Map(names.map((name) => [name, readFileSync(join(root, name), "utf8").split("\n")]));
  const gone = lines.flatMap(({ name, line }) => (texts.get(name)?.includes(line) ? [] : [line]));
  const { lost, untold, kept } = displacedAmong(gone, displaced.states, displaced.said);
  const wrong = names.filter((name, at) => {
    const counted = Math.floor(turns / names.length) + (at < turns % names.length ? 1 : 0);
    return texts.get(name)?.[0] !== `// count ${counted}`;
  }).length;
  const window = Math.min(50, Math.floor(turns / 3));
  const [early, late] = [measured.slice(window / 2, window * 1.5), measured.slice(-window)];
  const [own, processor] = [grown("ownMs", early, late), grown("cpuMs", early, late)];
  const heaps = measured.flatMap(({ heap }) => (heap === 0 ? [] : [heap]));
  const [first = 0, last = 0] = [heaps[0], heaps.at(-1)];
  const perTurn = ((last - first) / 1024 / Math.max(1, turns - window)).toFixed(1);
  return {
    figure: "A1",
    what: `${turns} turns of one agent, each a read and a change, beside a process that wrote ${lines.length} lines into the same files`,
    tried: turns + lines.length,
    bad: {
      "foreign lines lost": lost,
      "displaced and not told": untold,
      "changes lost or made twice": wrong,
      undone,
    },
    seen:
      `${kept} foreign lines displaced and kept; p95 of a turn around turn ${window} and at turn ${turns}: ` +
      `${own} without its model, ${processor} of the processor's time; ` +
      `heap ${mib(first)} and ${mib(last)} MiB, ${perTurn} KiB a turn`,
  };
}

/** @param {"ownMs" | "cpuMs"} of @param {readonly Turn[]} early @param {readonly Turn[]} late */
function grown(of, early, late) {
  const [before, after] = [p95(of, early), p95(of, late)];
  return `${before.toFixed(1)} and ${after.toFixed(1)} ms (× ${(after / before).toFixed(2)})`;
}

/** @param {"ownMs" | "cpuMs"} of @param {readonly Turn[]} turns */
function p95(of, turns) {
  const sorted = turns.map((turn) => turn[of]).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}

/** @param {number} bytes */
const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);

/** @param {number} at @param {number} turns */
const isMark = (at, turns) => at === Math.min(50, Math.floor(turns / 3)) || at === turns - 1;

setFlagsFromString("--expose-gc");
/** @type {() => void} */
const collect = runInNewContext("gc");

function heapUsed() {
  collect();
  return process.memoryUsage().heapUsed;
}

/**
 * @template {object} Value @param {Value} value
 * @returns {Exclude<Value, import("@holdfast/core/files/values").Refusal | import("@holdfast/core/conversation/values").ConversationRefusal>}
 */
function opened(value) {
  if (isRefusal(value)) throw new Error(JSON.stringify(value));
  // A cast: what is no refusal is the value.
  return /** @type {Exclude<Value, import("@holdfast/core/files/values").Refusal | import("@holdfast/core/conversation/values").ConversationRefusal>} */ (
    value
  );
}
