import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { conversation } from "../context/engine.mjs";

/**
 * Fills the tables by COPY, with lines as the store writes them: a session costs microseconds instead of commits.
 *
 * @typedef {{ readonly bin: string, readonly connection: import("../../proof/postgres/cluster.mjs").Cluster["connection"],
 *   readonly schema: string }} Place
 * @typedef {{ readonly id: string, readonly events: number }} Filled
 */

const begun = 1_700_000_000_000;
/** The age of the oldest session, in milliseconds. */
const span = 90 * 86_400_000;

/** What stands in one event of `rareEvery`. */
export const needle = "quixotic-heron";
const rareEvery = 50_000;

/** One session with a tenth of all events, 100,000 at the most; the others alike. @param {number} events @param {number} sessions @returns {readonly Filled[]} */
export function plan(events, sessions) {
  const long = Math.min(100_000, Math.floor(events / 10));
  const each = Math.max(2, Math.floor((events - long) / (sessions - 1)));
  return Array.from({ length: sessions }, (_, at) => ({
    id: at === 0 ? "long" : `s-${String(at).padStart(7, "0")}`,
    events: at === 0 ? long : each,
  }));
}

/** @param {Place} place @param {readonly Filled[]} sessions @param {(line: string) => void} note */
export async function fill(place, sessions, note) {
  await copy(
    place,
    "sessions (id, title, title_key, cwd, head, seq, created_ms, modified_ms, size_bytes)",
    sessionRows(sessions),
  );
  let done = 0;
  await copy(
    place,
    "events (session_id, seq, ts, type, change_id, body)",
    eventRows(sessions, (count) => {
      done += count;
      if (done % 500_000 < count) note(`filled ${done.toLocaleString("en")} events`);
    }),
  );
}

/** When a session was changed last; the later ones of the list are the newer. @param {number} at @param {number} of */
export function changedAt(at, of) {
  return begun + Math.floor((span * at) / of);
}

/** @param {readonly Filled[]} sessions */
function* sessionRows(sessions) {
  for (const [at, { id, events }] of sessions.entries()) {
    const title = `Session ${at} about ${words(at, 3)}`;
    const last = changedAt(at, sessions.length);
    const json = JSON.stringify(title);
    yield [
      id,
      json,
      json.toLowerCase(),
      '"/srv/app"',
      JSON.stringify(nodeOf(id, events)),
      events,
      last - events * 1_000,
      last,
      events * 560,
    ];
  }
}

/** @param {readonly Filled[]} sessions @param {(count: number) => void} told */
function* eventRows(sessions, told) {
  let count = 0;
  for (const [at, { id, events }] of sessions.entries()) {
    const last = changedAt(at, sessions.length);
    for (let seq = 1; seq <= events; seq += 1) {
      count += 1;
      const ts = last - (events - seq) * 1_000;
      const event = seq === 1 ? startOf(id, ts) : turnOf(id, seq, ts, count);
      yield [id, seq, ts, event.type, changeOf(id, seq), lineOf({ seq, ts, event })];
    }
    told(events);
  }
}

/** @param {string} id @param {number} ts @returns {import("../../packages/core/dist/conversation/values/index.js").ConversationEvent} */
function startOf(id, ts) {
  const payload = /** @type {const} */ ({
    kind: "task_boundary",
    name: "session",
    transformation: { kind: "clear" },
  });
  return { type: "session_started", sessionId: id, root: { id, parentId: null, timestamp: ts, payload } };
}

/** @param {string} id @param {number} seq @param {number} ts @param {number} count @returns {import("../../packages/core/dist/conversation/values/index.js").ConversationEvent} */
function turnOf(id, seq, ts, count) {
  const rare = count % rareEvery === 0 ? ` ${needle}` : "";
  const text = `${words(count, 40)}${rare}`;
  const payload =
    seq % 2 === 0
      ? /** @type {const} */ ({ kind: "user_message", text })
      : /** @type {const} */ ({ kind: "model_message", text });
  const node = { id: nodeOf(id, seq), parentId: nodeOf(id, seq - 1), timestamp: ts, payload };
  return { type: "nodes_added", nodes: [node], head: node.id, ...(seq % 2 === 0 ? { turn: true } : {}) };
}

/** @param {string} id @param {number} seq */
function nodeOf(id, seq) {
  return seq === 1 ? id : `${id}-n${seq}`;
}

/** @param {string} id @param {number} seq */
function changeOf(id, seq) {
  return createHash("md5").update(`${id} ${seq}`).digest("hex");
}

/** @param {Parameters<typeof conversation.encodeRecord>[0]} record */
function lineOf(record) {
  const line = conversation.encodeRecord(record, () => {
    throw new Error("no text here is large");
  });
  return Buffer.from(line.buffer, line.byteOffset, line.length - 1).toString();
}

/** Some of a thousand words, the same for the same number. @param {number} seed @param {number} count */
function words(seed, count) {
  let state = (seed * 2_654_435_761) >>> 0;
  const found = [];
  for (let at = 0; at < count; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    found.push(`${syllables[(state >>> 8) % 32]}${syllables[(state >>> 16) % 32]}`);
  }
  return found.join(" ");
}

const syllables =
  "ka mo ri te lu sa vi no pe du fa gi ho je ki la me ni or pu qua ro si ta ul ve wo xi ya zu en ba".split(
    " ",
  );

/** @param {Place} place @param {string} into @param {Iterable<readonly (string | number)[]>} rows */
async function copy({ bin, connection, schema }, into, rows) {
  const { host, port, user, database } = connection;
  const args = ["-h", host, "-p", String(port), "-U", user, "-d", database, "-q", "-v", "ON_ERROR_STOP=1"];
  const psql = spawn(join(bin, "psql"), [...args, "-c", `copy ${schema}.${into} from stdin`], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const over = once(psql, "exit");
  let text = "";
  for (const row of rows) {
    text += `${row.map(escaped).join("\t")}\n`;
    if (text.length < 1 << 20) continue;
    if (!psql.stdin.write(text)) await Promise.race([once(psql.stdin, "drain"), over]);
    text = "";
  }
  psql.stdin.end(text);
  const [code] = await over;
  if (code !== 0) throw new Error(`psql ended with ${code}`);
}

/** @param {string | number} value */
function escaped(value) {
  return String(value).replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n");
}
