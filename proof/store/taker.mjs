/**
 * Takes the lease of session `s` for each of many turns and gives it back. Arguments: state folder, name,
 * number of turns.
 */
import { must, storeAt } from "./life.mjs";

const [stateDir = "", name = "", turns = "0"] = process.argv.slice(2);
const store = storeAt(stateDir);
for (let turn = 0; turn < Number(turns); ) {
  const session = await store.open("s", "write");
  if (session.kind === "refusal") {
    if (session.code !== "busy") throw new Error(session.message);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    continue;
  }
  session.append({ ts: turn, event: { type: "renamed", title: `${name} ${turn}` } });
  must(await session.flush());
  await session.close();
  turn += 1;
}
