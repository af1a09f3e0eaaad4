/**
 * A repair of session "s" in a process of its own, between two marks that a trace can see. Arguments: an unused
 * folder, state folder, file with the name of the call, folder to warm up in.
 */
import { accessSync, writevSync } from "node:fs";
import { repairSession } from "@holdfast/core/conversation/journal";
import { openJournalStore } from "@holdfast/core/node";
import { layDamaged } from "./damaged-session.mjs";

const [, stateDir = "", , warm = ""] = process.argv.slice(2);

/** @param {string} name */
function mark(name) {
  try {
    accessSync(`/holdfast-${name}`);
  } catch {}
}

/** @param {string} dir @returns {Promise<string>} */
async function repair(dir) {
  const store = openJournalStore({ stateDir: dir });
  if ("kind" in store) return store.code;
  const answer = await repairSession(store, "s", { apply: true });
  await store.close();
  return answer.kind === "refusal" ? answer.code : answer.kind;
}

await layDamaged(`${warm}/state`);
await repair(`${warm}/state`);
mark("begin");
/** @type {{ first?: string, thrown?: string }} */
let told;
try {
  told = { first: await repair(stateDir) };
} catch (error) {
  told = { thrown: String(error) };
}
mark("end");
writevSync(1, [Buffer.from(`${JSON.stringify(told)}\n`)]);
