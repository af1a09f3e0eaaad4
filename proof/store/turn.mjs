/**
 * One call of the session store in a process of its own, between two marks that a trace can see; then, since
 * a failure need not last, two turns more. Prints what it was told. Arguments: an unused folder, state folder, file with
 * the name of the call, folder to warm up in.
 */
import { accessSync, readFileSync, writevSync } from "node:fs";
import { openJournalStore } from "@holdfast/core/node";
import { nth, started } from "./life.mjs";

const [, stateDir = "", requestFile = "", warm = ""] = process.argv.slice(2);
const call = readFileSync(requestFile, "utf8");

/** @typedef {{ acked: number, first?: string, more: string[] }} Told */

/** @param {string} name */
function mark(name) {
  try {
    accessSync(`/holdfast-${name}`);
  } catch {}
}

/** By a call of its own, which no fault is given to. @param {unknown} told */
function say(told) {
  writevSync(1, [Buffer.from(`${JSON.stringify(told)}\n`)]);
}

/** @param {string} dir @param {string} what @returns {Promise<Told>} */
async function run(dir, what) {
  /** @type {Told} */
  const told = { acked: 0, more: [] };
  const store = openJournalStore({ stateDir: dir });
  if ("kind" in store) return { ...told, first: `no store, ${store.code}` };
  if (what === "remove") {
    told.first = wordOf(await store.remove("s"));
    return told;
  }
  const session = await (what === "create" ? store.create("s", [started("s")]) : store.open("s", "write"));
  if (session.kind === "refusal") {
    told.first = session.code;
    return told;
  }
  told.acked = session.records.length;
  if (session.mode === "read") told.first = `read-only, ${session.readOnlyBecause?.code}`;
  for (let turn = 0; turn < 3; turn++) {
    const answer = await takeTurn(session, told.acked);
    if (answer.kind === "acknowledged") told.acked = answer.seq;
    if (turn === 0 && dir === stateDir) mark("end");
    if (turn === 0) told.first ??= wordOf(answer);
    else told.more.push(wordOf(answer));
    // Known to the one who watches although the process may be killed at the next call.
    if (dir === stateDir) say(told);
  }
  await store.close();
  return told;
}

/** Three events, of which one or two are written before the flush asks for it. @param {import("./life.mjs").Session} session @param {number} acked */
async function takeTurn(session, acked) {
  session.append(nth("s", acked + 1));
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  session.append(nth("s", acked + 2));
  session.append(nth("s", acked + 3));
  return session.flush();
}

/** @param {{ readonly kind: string, readonly code?: string }} answer */
function wordOf(answer) {
  return answer.code ?? answer.kind;
}

await run(`${warm}/state`, "create");
mark("begin");
/** @type {Partial<Told> & { thrown?: string }} */
let told;
try {
  told = await run(stateDir, call);
} catch (error) {
  told = { thrown: String(error) };
}
mark("end");
say(told);
