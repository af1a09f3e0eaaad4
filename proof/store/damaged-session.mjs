import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lifeUpTo, must, storeAt } from "./life.mjs";

/** How many nodes the session has, the root and the lost one among them. */
export const damagedNodes = 12;

/** Makes session "s" and takes one line out of its journal. @param {string} stateDir @returns {Promise<Buffer>} what its journal is then */
export async function layDamaged(stateDir) {
  const store = storeAt(stateDir);
  must(await store.create("s", lifeUpTo("s", damagedNodes)));
  await store.close();
  const path = join(stateDir, "conversations", "s.jsonl");
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.filter((_, at) => at !== 6).join("\n"));
  return readFileSync(path);
}
