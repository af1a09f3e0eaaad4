import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runClient, setUp } from "./any-client.mjs";
import { dayFiles, figures, guardedFigure } from "./day.mjs";
import { ourTools } from "./stories.mjs";

/**
 * Tells the day's work to one client, set up as `holdfast setup` does it.
 *
 * @typedef {{ readonly title: string, readonly requests: number, readonly seconds: number,
 *   readonly byFigure: ReadonlyMap<string, Finding> }} Told
 * @typedef {{ readonly bad: Readonly<Record<string, number>>, readonly seen: readonly string[] }} Finding
 */

/**
 * @param {import("./any-client.mjs").Client} client @param {string} program @param {(line: string) => void} print
 * @param {boolean} [guard] the day behind the guard, with the client's own tools beside ours
 * @returns {Promise<Told>}
 */
export async function tellDay(client, program, print, guard = false) {
  const begun = performance.now();
  const diary = new Diary(print, guard ? guardedFigure.figure : "C12");
  const prepare = (/** @type {import("./any-client.mjs").Ground} */ ground) =>
    setUp(client, ground, guard ? ["--guard", "--on-mismatch", "rebase-own"] : ["--tools-only"]);
  const work = { diary, figures: guard ? [guardedFigure] : figures, files: dayFiles, prepare };
  const told = await tellFigures(client, program, work);
  if (!guard) checkOffer(client, told.requests[0] ?? {}, diary);
  const seconds = (performance.now() - begun) / 1_000;
  const title = `${client.title} ${client.version}`;
  return { title, requests: told.requests.length, seconds, byFigure: diary.byFigure };
}

/**
 * Tells the work of these figures to one client, one after the other; the diary has what was found.
 *
 * @param {import("./any-client.mjs").Client} client @param {string} program
 * @param {{ readonly diary: Diary, readonly figures: readonly import("./day.mjs").Figure[],
 *   readonly files: Readonly<Record<string, string | Uint8Array>>,
 *   prepare(ground: import("./any-client.mjs").Ground): void }} work
 */
export async function tellFigures(client, program, { diary, figures, files, prepare }) {
  const turns = (/** @type {string} */ project) =>
    turnsOf(client, diary, (request) => wholeDay(client, diary, figures, project, client.offered(request)));
  const told = await runClient(client, { program, files, prepare, turns, mostMs: 240_000 }, (told) => told);
  diary.figure = diary.whole;
  const complete = told.exit === 0 && told.faults.length === 0 && diary.done;
  if (!complete) diary.breach("broken run", `${told.exit} ${told.faults.join("\n")}\n${told.complaint}`);
  return told;
}

/** What was found, figure by figure. */
export class Diary {
  /** @type {Map<string, { bad: Record<string, number>, seen: string[] }>} */
  byFigure = new Map();
  done = false;
  /** Which turns were whose, and what was said in them. @type {{ figure: string, label: string, bytes: number }[]} */
  turns = [];
  /** What the next turn is about, where it is to be counted by itself. */
  label = "";

  /** @param {(line: string) => void} print @param {string} whole the figure of what concerns the whole day */
  constructor(print, whole) {
    this.print = print;
    this.whole = whole;
    this.figure = whole;
  }

  get page() {
    const page = this.byFigure.get(this.figure) ?? { bad: {}, seen: [] };
    this.byFigure.set(this.figure, page);
    return page;
  }

  /** @param {string} what @param {string} found */
  breach(what, found) {
    this.page.bad[what] = (this.page.bad[what] ?? 0) + 1;
    this.print(`${this.figure}: ${what}: ${found.slice(0, 2_000)}`);
  }

  /** Tells that this figure was tried. */
  open() {
    return this.page;
  }

  /** @param {string} what */
  see(what) {
    this.page.seen.push(what);
  }
}

/**
 * @param {import("./any-client.mjs").Client} client @param {Diary} diary
 * @param {readonly import("./day.mjs").Figure[]} day @param {string} project
 * @param {readonly import("./any-client.mjs").Offered[]} offered @returns {import("./day.mjs").Stretch}
 */
function* wholeDay(client, diary, day, project, offered) {
  const at = (/** @type {string} */ name) => join(project, name);
  const desk = {
    disk: (/** @type {string} */ name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined),
    foreign: (/** @type {string} */ name, /** @type {(text: string) => string} */ change) =>
      writeFileSync(at(name), change(readFileSync(at(name), "utf8"))),
    breach: (/** @type {string} */ what, /** @type {string} */ found) => diary.breach(what, found),
    see: (/** @type {string} */ what) => diary.see(what),
    own: client.own?.(project) ?? noOwnTools,
    offered,
    label: (/** @type {string} */ label) => {
      diary.label = label;
    },
  };
  for (const { figure, work } of day) {
    diary.figure = figure;
    diary.open();
    yield* work(desk);
  }
  diary.done = true;
}

const noTool = () => ({ text: "there is no such tool" });
const noOwnTools = { read: noTool, edit: noTool, write: noTool, shell: noTool };

/** More than any day has. */
const mostTurns = 150;

/**
 * A stretch of calls as the turns of a scripted model.
 *
 * @param {import("./any-client.mjs").Client} client @param {Diary} diary
 * @param {(request: any) => import("./day.mjs").Stretch} begin
 */
function turnsOf(client, diary, begin) {
  /** @type {import("./day.mjs").Stretch | undefined} */
  let stretch;
  const turn = (/** @type {any} */ request) => {
    const fresh = stretch === undefined;
    stretch ??= begin(request);
    const step = fresh ? stretch.next() : stretch.next(client.answers(request).map(unwrapped));
    if (step.done === true) return [{ text: "done" }];
    const calls = step.value.map((call) =>
      "own" in call ? call.own : { call: client.toolName("holdfast", call.tool), args: call.args },
    );
    const parts = client.phrase?.(calls) ?? calls;
    const said = parts.map((part) =>
      "text" in part ? part.text : (part.args.script ?? JSON.stringify(part.args)),
    );
    diary.turns.push({ figure: diary.figure, label: diary.label, bytes: Buffer.byteLength(said.join("")) });
    diary.label = "";
    return parts;
  };
  return Array.from({ length: mostTurns }, () => turn);
}

/**
 * An answer without what the client puts around it: Gemini CLI frames what a server says that it was not told
 * to trust, Claude Code adds reminders of its own, Continue shows the blocks of an answer as JSON.
 *
 * @param {string} answer
 */
function unwrapped(answer) {
  if (answer.startsWith('[{"type":"text",'))
    return JSON.parse(answer)
      .map((/** @type {{ readonly text?: string }} */ { text = "" }) => text)
      .join("");
  const trusted = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/.exec(answer)?.[1] ?? answer;
  return trusted.replace(
    /(?:\s*<system-reminder>(?:(?!<system-reminder>)[\s\S])*<\/system-reminder>\s*)+$/,
    "",
  );
}

/** All tools with their schemas are in the very first request. @param {import("./any-client.mjs").Client} client @param {any} request @param {Diary} diary */
function checkOffer(client, request, diary) {
  const offered = client.offered(request);
  const ours = ourTools.map((tool) => offered.find(({ name }) => name === client.toolName("holdfast", tool)));
  for (const [at, tool] of ours.entries())
    if (tool === undefined || tool.description === "" || !/file_path|"path/.test(tool.text))
      diary.breach("tools not loaded", ourTools[at] ?? "");
  const bytes = ours.reduce((sum, tool) => sum + Buffer.byteLength(tool?.text ?? ""), 0);
  diary.see(`${bytes.toLocaleString("en")} B of tools`);
}
