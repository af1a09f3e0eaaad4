/**
 * Makes sessions and writes turns into them until it is killed, and tells of each before it (`begin`) and
 * after it was acknowledged (`ack`), with the length of the session. Arguments: state folder, longest pause
 * in milliseconds.
 */
import { must, nth, started, storeAt } from "./life.mjs";

const [stateDir = "", pause = "0"] = process.argv.slice(2);
const turns = 20;

/** @param {"begin" | "ack"} event @param {string} id @param {number} length */
function tell(event, id, length) {
  process.stdout.write(`${JSON.stringify({ event, files: { [id]: length } })}\n`);
}

const store = storeAt(stateDir);
for (let number = 1; ; number++) {
  const id = `s${number}`;
  tell("begin", id, 1);
  const session = must(await store.create(id, [started(id)]));
  tell("ack", id, 1);
  let length = 1;
  for (let turn = 0; turn < turns; turn++) {
    const events = 1 + (turn % 3);
    for (let at = 1; at <= events; at++) session.append(nth(id, length + at));
    tell("begin", id, length + events);
    length = must(await session.flush()).seq;
    tell("ack", id, length);
    if (Number(pause) > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * Number(pause)));
  }
  await session.close();
}
