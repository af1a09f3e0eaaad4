/** Puts folder after folder in a root's place; each is whole before it gets the name. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workerData } from "node:worker_threads";

const { base, root, swaps, shared } = workerData;
const counter = new Int32Array(shared);
const pause = new Int32Array(new SharedArrayBuffer(4));
for (let at = 1; at <= swaps; at++) {
  const [next, away] = [join(base, `next${at}`), join(base, `away${at}`)];
  mkdirSync(next);
  writeFileSync(join(next, "f"), `folder ${at}\n`);
  renameSync(root, away);
  renameSync(next, root);
  Atomics.store(counter, 0, at);
  if (at > 20) rmSync(join(base, `away${at - 20}`), { recursive: true, force: true });
  Atomics.wait(pause, 0, 0, Math.random() * 40);
}
Atomics.store(counter, 1, 1);
