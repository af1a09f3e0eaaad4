import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { conversation, must, openPostgres, rendering } from "./engine.mjs";
import { journalBytes, openJournals, startConversation } from "./journals.mjs";
import { Checkpoints } from "./langgraph.mjs";
import { addTurn, sourcesOfIds, turnAt } from "./turns.mjs";

/**
 * Everybody who keeps the same turns, behind one face.
 *
 * @typedef {{ readonly name: string, turn(at: number): Promise<void>, load(): Promise<number>,
 *   bytes(): Promise<number>, close(): Promise<void> }} Keeper `turn` resolves when the turn is durable;
 *   `load` reads the last state, until the list stands that a model is sent, and says how many turns it holds
 */

/** @param {{ readonly url: string, readonly folder: string }} where @returns {Promise<readonly Keeper[]>} */
export async function openKeepers({ url, folder }) {
  const stateDir = join(folder, "keepers");
  mkdirSync(stateDir);
  const files = await ownKeeper("holdfast, journal files", await openJournals(stateDir), async () =>
    journalBytes(stateDir),
  );
  const { openPostgresStore } = await openPostgres();
  const store = must(await openPostgresStore({ connection: url, schema: "holdfast" }));
  return [
    files,
    await ownKeeper("holdfast, PostgreSQL", store, () => tableBytes(url, "holdfast")),
    await peerKeeper("langgraph, a checkpoint a step (default)", url, "step"),
    await peerKeeper('langgraph, a checkpoint a turn (`durability: "exit"`)', url, "turn"),
    await peerKeeper("langgraph, `DeltaChannel` (beta)", url, "delta"),
  ];
}

/** @param {string} name @param {import("./engine.mjs").SessionStore} store @param {() => Promise<number>} bytes @returns {Promise<Keeper>} */
async function ownKeeper(name, store, bytes) {
  const { manager, session } = await startConversation(store);
  return {
    name,
    turn: async (at) => {
      addTurn(manager, turnAt(at));
      must(await manager.flush());
    },
    load: async () => {
      const opened = must(await conversation.openConversation(store, session.id, "read", sourcesOfIds));
      const { contents } = rendering.renderContext(opened.manager.context);
      await opened.close();
      return contents.flatMap(({ parts }) => parts).filter((part) => "functionResponse" in part).length;
    },
    bytes,
    close: () => store.close(),
  };
}

/** @param {string} name @param {string} url @param {import("./langgraph.mjs").Way} way @returns {Promise<Keeper>} */
async function peerKeeper(name, url, way) {
  const schema = `langgraph_${way}`;
  const checkpoints = await Checkpoints.open(url, schema, way);
  return {
    name,
    turn: (at) => checkpoints.turn(turnAt(at)),
    load: async () => (await checkpoints.load()).length / 3,
    bytes: () => tableBytes(url, schema),
    close: () => checkpoints.close(),
  };
}

/** Tables, with what is stored beside them, and indexes. @param {string} url @param {string} schema */
async function tableBytes(url, schema) {
  const [row] = await ask(
    url,
    "select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'r'",
    [schema],
  );
  return Number(row?.bytes);
}

/** @param {string} url @param {string} question @param {readonly unknown[]} values @returns {Promise<Record<string, unknown>[]>} */
export async function ask(url, question, values = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(question, [...values])).rows;
  } finally {
    await client.end();
  }
}
