/**
 * What the screen costs, beside three others: `npm run bench:screen` after a build, with tmux. A model on loopback streams
 * 4,000 tokens of Markdown at 200 a second to the real programs in a window of 100×40. `--who holdfast` takes those
 * whose name has this in it.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { versions } from "../agent/peers.mjs";
import { must } from "../context/engine.mjs";
import { openJournals, startConversation } from "../context/journals.mjs";
import { player } from "../context/turns.mjs";
import { describeRun, optionsOf, publish } from "../page.mjs";
import { tableOf } from "../patch/table.mjs";
import { contenders } from "./contenders.mjs";
import { lastWords, markdown, startModel, wanted } from "./model.mjs";
import { openWindow } from "./window.mjs";

const values = optionsOf({ who: { type: "string" } });
const [tokenCount, turnCount, keyCount] = values.short ? [100, 3, 5] : [4_000, 200, 100];
const nodeCount = values.short ? 100 : 10_000;
const who = values.who ?? (values.short ? "holdfast" : "");
/** How long it is left alone: until it is at rest, and then. */
const [settlesMs, restsMs] = values.short ? [500, 500] : [15_000, 10_000];
const perSecond = 200;

/** @typedef {import("./contenders.mjs").Contender} Contender */
/** @typedef {Readonly<Record<string, number>>} Measured by the title of its row */

/** @type {readonly (readonly [title: string, aim: string, digits: number])[]} */
const rows = [
  ["processor time to the first paint, s", "0.35", 2],
  ["idle for 10 s, s", "0.03", 2],
  ["bytes a token", "70", 1],
  ["processor time of the stream, s", "4", 2],
  ["memory after the stream, MiB", "", 0],
  ["keystroke to echo while it streams, p95, ms", "16", 1],
  [`memory after ${turnCount} turns, MiB`, "200", 0],
  [`keystroke to echo after ${turnCount} turns, p95, ms`, "16", 1],
  [`keystroke to echo with ${nodeCount} nodes, p95, ms`, "16", 1],
];
const [painted, idle, bytes, streamed, resident, echoed, grown, later, large] = rows.map(([title]) => title);

const model = await startModel(markdown(tokenCount), perSecond);
const top = mkdtempSync(join(tmpdir(), "holdfast-bench-screen-"));
try {
  /** @type {Map<string, Measured>} */
  const measured = new Map();
  for (const contender of contenders.filter(({ name }) => name.includes(who))) {
    const installed = contender.install();
    if (installed.kind === "missing") throw new Error(`${contender.name}: ${installed.reason}`);
    measured.set(contender.name, await measure(contender, installed.program));
    process.stderr.write(`${contender.name}: ${JSON.stringify(measured.get(contender.name))}\n`);
  }
  const cells = rows.map(([title, aim, digits]) => [
    title,
    ...[...measured.values()].map((one) => one[title]?.toFixed(digits) ?? "–"),
    aim,
  ]);
  const peers = Object.entries(versions).filter(([name]) => /claude|gemini|pi-coding/.test(name));
  const head = describeRun("bench:screen", [["peers", peers.map((peer) => peer.join("@")).join(", ")]]);
  publish(
    "bench:screen",
    "screen-bench.md",
    [head, tableOf(["measured", ...measured.keys(), "aim of ours"], cells)].join("\n"),
  );
} finally {
  model.close();
  rmSync(top, { recursive: true, force: true, maxRetries: 5 });
}

/** @param {Contender} contender @param {string} program @returns {Promise<Measured>} */
async function measure(contender, program) {
  const first = await inWindow(contender, program, async (window) => {
    const paint = window.cpu();
    await wait(settlesMs);
    const rested = window.cpu();
    await wait(restsMs);
    const [begun, sent] = [window.cpu(), window.bytes()];
    await enter(window, wanted);
    await window.until(lastWords, 240_000);
    await wait(500);
    const [processor, written] = [window.cpu() - begun, window.bytes() - sent];
    return {
      ...{ [`${painted}`]: paint, [`${idle}`]: begun - rested, [`${bytes}`]: written / tokenCount },
      ...{ [`${streamed}`]: processor, [`${resident}`]: window.memory() },
    };
  });
  const second = await inWindow(contender, program, async (window) => {
    await enter(window, wanted);
    await wait(1_500);
    return { [`${echoed}`]: await echoes(window) };
  });
  const third = await inWindow(contender, program, async (window) => {
    for (let turn = 1; turn <= turnCount; turn += 1) {
      await enter(window, `turn ${turn}`);
      await window.until(`The answer is ${turn}.`);
    }
    await wait(1_000);
    return { [`${grown}`]: window.memory(), [`${later}`]: await echoes(window) };
  });
  if (contender.name !== "holdfast") return { ...first, ...second, ...third };
  const fourth = await inWindow(
    contender,
    program,
    async (window) => ({ [`${large}`]: await echoes(window) }),
    grow,
  );
  return { ...first, ...second, ...third, ...fourth };
}

/**
 * A fresh home and project, and the program in a window once it takes input.
 *
 * @param {Contender} contender @param {string} program
 * @param {(window: import("./window.mjs").Window) => Promise<Measured>} look
 * @param {(ground: import("../../proof/clients/any-client.mjs").Ground) => Promise<readonly string[]>} [prepare] gives more arguments
 */
async function inWindow({ settle, command, ready }, program, look, prepare) {
  const place = mkdtempSync(join(top, "run-"));
  const ground = { home: join(place, "home"), project: join(place, "project") };
  for (const folder of Object.values(ground)) mkdirSync(folder);
  const own = { PATH: process.env.PATH ?? "", TERM: "screen-256color", LANG: "C.UTF-8", HOME: ground.home };
  const env = { ...own, ...settle(ground, model.url) };
  const more = (await prepare?.(ground)) ?? [];
  const window = openWindow({ socket: join(place, "tmux"), folder: ground.project, env }, [
    ...command(program),
    ...more,
  ]);
  try {
    await window.until(ready);
    return await look(window);
  } finally {
    await window.close();
  }
}

/** A pause before Enter: some take keys that follow at once for a paste. @param {import("./window.mjs").Window} window @param {string} words */
async function enter(window, words) {
  window.type(words);
  await window.until(words);
  await wait(200);
  window.keys("Enter");
}

/** The 95th of 100, in milliseconds. Each letter is a new one: programs draw their input again. @param {import("./window.mjs").Window} window */
async function echoes(window) {
  await wait(500);
  const times = [];
  for (let at = 0; at < keyCount; at += 1) {
    times.push(await window.echo(String.fromCodePoint(0x100 + at)));
    await wait(20 + (at % 7));
  }
  return times.sort((one, other) => one - other)[Math.ceil(keyCount * 0.95) - 1] ?? Number.NaN;
}

/** A session of many nodes, and the arguments that open it. @param {import("../../proof/clients/any-client.mjs").Ground} ground */
async function grow({ home }) {
  const store = await openJournals(join(home, ".local", "state", "holdfast"));
  const stored = await startConversation(store);
  const { play } = player(stored.manager, "linear");
  while (stored.manager.context.nodes.size < nodeCount) play();
  must(await stored.manager.flush());
  await stored.close();
  await store.close();
  return ["-r", stored.session.id];
}
