import { openJournalStore } from "@holdfast/core/node";

/**
 * @typedef {Exclude<ReturnType<typeof openJournalStore>, { readonly kind: "refusal" }>} Store
 * @typedef {Extract<Awaited<ReturnType<Store["open"]>>, { readonly kind: "session" }>} Session
 * @typedef {Parameters<Store["create"]>[1][number]} Event
 */

/** @param {string} stateDir @returns {Store} */
export function storeAt(stateDir) {
  const store = openJournalStore({ stateDir });
  if ("kind" in store) throw new Error(store.message);
  return store;
}

/** What session `id` begins with. @param {string} id @returns {Event} */
export function started(id) {
  /** @type {{ kind: "task_boundary", name: string, transformation: { kind: "clear" } }} */
  const payload = { kind: "task_boundary", name: "session", transformation: { kind: "clear" } };
  const root = { id, parentId: null, timestamp: 1, payload };
  return { ts: 1, event: { type: "session_started", sessionId: id, root, title: "trial", cwd: "/work" } };
}

/**
 * The `n`-th event of a session; every third one holds a text that is kept out of its line.
 *
 * @param {string} id @param {number} n from 2 @param {string} [by] who wrote it
 * @returns {Event}
 */
export function nth(id, n, by = "") {
  const text = n % 3 === 0 ? `${by}${n} `.repeat(9_000) : `message ${n} ${by}`;
  /** @type {{ kind: "user_message", text: string }} */
  const payload = { kind: "user_message", text };
  const node = { id: `n${n}`, parentId: n === 2 ? id : `n${n - 1}`, timestamp: n, payload };
  return { ts: n, event: { type: "nodes_added", nodes: [node], head: node.id } };
}

/** The events up to and with the `n`-th. @param {string} id @param {number} n */
export function lifeUpTo(id, n) {
  return [started(id), ...Array.from({ length: n - 1 }, (_, at) => nth(id, at + 2))];
}

/** Whether these records are the first ones of that life, and how many. @param {Session} session @returns {number} -1 where they are not */
export function lengthOf({ id, records }) {
  const life = lifeUpTo(id, Math.max(records.length, 1));
  const same = records.every(
    ({ seq, event }, at) => seq === at + 1 && JSON.stringify(event) === JSON.stringify(life[at]?.event),
  );
  return same ? records.length : -1;
}

/**
 * @template Answer @param {Answer} answer
 * @returns {Exclude<Answer, { readonly kind: "refusal" }>}
 */
export function must(answer) {
  if (typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === "refusal")
    throw new Error("message" in answer ? String(answer.message) : "refused");
  // A refusal was ruled out just now.
  return /** @type {Exclude<Answer, { readonly kind: "refusal" }>} */ (answer);
}
