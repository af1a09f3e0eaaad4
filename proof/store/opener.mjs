/** Opens session `s` once and tells how long it took. Argument: state folder. */
import { replay } from "@holdfast/core/conversation/journal";
import { must, storeAt } from "./life.mjs";

const [stateDir = ""] = process.argv.slice(2);
const store = storeAt(stateDir);
const begun = performance.now();
const { records } = must(await store.open("s", "write"));
const open = performance.now() - begun;
const opened = performance.now();
replay("s", records);
const folded = performance.now() - opened;
console.log(JSON.stringify({ records: records.length, open, replay: folded }));
process.exit(0);
