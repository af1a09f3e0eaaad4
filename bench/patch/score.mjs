import { refusals } from "../generator/index.mjs";
import { applyDiff } from "./engine.mjs";
import { tableOf } from "./table.mjs";

/**
 * @typedef {import("../generator/contract.mjs").Case} Case
 * @typedef {import("./peers.mjs").Peer} Peer
 * @typedef {"right" | "refused" | "wrong"} Verdict
 * @typedef {Case & { readonly verdict: Verdict, readonly got: unknown }} Failure
 * @typedef {{ n: number, right: number, refused: number, wrong: number }} Tally
 */

/**
 * The table of everybody by class, and the totals; it is given one class at a time, since all cases of a full
 * run do not fit into memory. Peers that are processes see the first `sample` cases of each class.
 *
 * @param {{ readonly list: readonly Peer[] }} peers
 * @param {number} sample
 */
export function openTable(peers, sample) {
  /** @type {Map<string, Map<string, Tally>>} */
  const tallies = new Map();
  /** @type {Map<string, Map<string, number>>} */
  const codes = new Map();
  /** @type {Failure[]} */
  const failures = [];
  return {
    /** @param {string} name @param {readonly Case[]} cases */
    add: async (name, cases) => {
      const refused = new Map();
      const row = new Map([["holdfast", scoreOurs(cases, failures, refused)]]);
      for (const peer of peers.list)
        row.set(peer.name, await scorePeer(peer, peer.isProcess ? cases.slice(0, sample) : cases));
      tallies.set(name, row);
      if (refused.size > 0) codes.set(name, refused);
    },
    text: () =>
      describe(tallies, ["holdfast", ...peers.list.map(({ name }) => name)]) + describeRefused(codes),
    failures,
  };
}

/** What our engine refuses, with which code, and why that is right. @param {Map<string, Map<string, number>>} codes */
function describeRefused(codes) {
  const rows = [...codes].map(([name, counts]) => [
    name,
    String([...counts.values()].reduce((sum, one) => sum + one, 0)),
    [...counts].map(([code, n]) => `${code} ${n}`).join(", "),
    refusals.get(name) ?? "",
  ]);
  return [
    "\n## What is refused\n",
    "All refusals of holdfast, right ones and those that cost a point, and why a refusal is right in the class.\n",
    tableOf(["class", "refused", "with", "why"], rows),
  ].join("\n");
}

/** What our engine's answer to a case is worth. @param {Case} made @param {import("./engine.mjs").Outcome} outcome @returns {Verdict} */
export function judgeOurs({ base, expect }, outcome) {
  switch (expect.kind) {
    case "one_right_text":
      if (outcome.kind === "refusal") return "refused";
      return outcome.text === expect.text ? "right" : "wrong";
    case "right_text_or_refusal":
      return outcome.kind === "refusal" || outcome.text === expect.text ? "right" : "wrong";
    case "must_refuse":
      return outcome.kind === "refusal" ? "right" : "wrong";
    case "already_applied":
      if (outcome.kind === "refusal") return "refused";
      if (outcome.text !== base) return "wrong";
      return outcome.code === "already_applied" ? "right" : "refused";
    default:
      return expect;
  }
}

/** The same for peers, which have no word for "already applied": to refuse, or to change nothing, is right. @param {Case} made @param {import("./peers.mjs").Answer} answer @returns {Verdict | undefined} */
function judgePeer({ base, expect }, answer) {
  if (answer.kind === "none") return undefined;
  switch (expect.kind) {
    case "one_right_text":
      if (answer.kind === "refused") return "refused";
      return answer.text === expect.text ? "right" : "wrong";
    case "right_text_or_refusal":
      return answer.kind === "refused" || answer.text === expect.text ? "right" : "wrong";
    case "must_refuse":
      return answer.kind === "refused" ? "right" : "wrong";
    case "already_applied":
      return answer.kind === "refused" || answer.text === base ? "right" : "wrong";
    default:
      return expect;
  }
}

/** @param {readonly Case[]} cases @param {Failure[]} failures @param {Map<string, number>} refused by code */
function scoreOurs(cases, failures, refused) {
  const tally = newTally();
  for (const made of cases) {
    const outcome = applyDiff(requestOf(made));
    if (outcome.kind === "refusal") refused.set(outcome.code, (refused.get(outcome.code) ?? 0) + 1);
    const verdict = judgeOurs(made, outcome);
    count(tally, verdict);
    if (verdict === "wrong" || (verdict === "refused" && tally.refused <= 5))
      failures.push({ ...made, verdict, got: outcome });
  }
  return tally;
}

/** @param {Case} made @returns {import("./engine.mjs").Request} */
export function requestOf({ base, diff, path }) {
  return path === undefined ? { base, diff } : { base, diff, path };
}

/** @param {Peer} peer @param {readonly Case[]} cases */
async function scorePeer(peer, cases) {
  const tally = newTally();
  for (const made of cases) {
    const verdict = judgePeer(made, await peer.apply(made));
    if (verdict !== undefined) count(tally, verdict);
  }
  return tally;
}

/** @returns {Tally} */
function newTally() {
  return { n: 0, right: 0, refused: 0, wrong: 0 };
}

/** @param {Tally} tally @param {Verdict} verdict */
function count(tally, verdict) {
  tally.n++;
  tally[verdict]++;
}

/** @param {Tally} tally right − 10 × wrong, for each hundred cases */
function scoreOf({ n, right, wrong }) {
  return n === 0 ? undefined : (100 * (right - 10 * wrong)) / n;
}

/** @param {Map<string, Map<string, Tally>>} tallies @param {readonly string[]} names */
function describe(tallies, names) {
  const cell = (/** @type {Tally | undefined} */ tally) => {
    if (tally === undefined || tally.n === 0) return "–";
    const wrong = tally.wrong > 0 ? `**${tally.wrong}**` : "0";
    return `${tally.right}/${tally.refused}/${wrong}`;
  };
  const rows = [...tallies].map(([name, row]) => [name, ...names.map((peer) => cell(row.get(peer)))]);
  const behind = [...tallies].filter(([, row]) => isBehind(row)).map(([name]) => name);
  const wrong = [...tallies].filter(([, row]) => (row.get("holdfast")?.wrong ?? 0) > 0).map(([name]) => name);
  return [
    "## By error class\n",
    "Each cell: exact / refused / **wrong**. Where a diff must be refused, a refusal counts as exact and any success as wrong.",
    `In order, n of the first class is ${names.map((peer) => `${peer} ${[...tallies.values()][0]?.get(peer)?.n ?? 0}`).join(", ")}; "–": the case cannot be put to this peer.\n`,
    tableOf(["class", ...names], rows),
    "## In all\n",
    "The score is exact − 10 × wrong; for each hundred cases in the last column, since the samples differ.\n",
    tableOf(
      ["who", "n", "exact", "refused", "wrong", "score", "score of 100"],
      names.map((peer) => totalRow(tallies, peer)),
    ),
    `Classes in which a peer scores higher than holdfast: ${behind.join(", ") || "none"}. Classes in which holdfast was wrong: ${wrong.join(", ") || "none"}.\n`,
  ].join("\n");
}

/** @param {Map<string, Map<string, Tally>>} tallies @param {string} peer */
function totalRow(tallies, peer) {
  const sum = newTally();
  for (const row of tallies.values()) {
    const tally = row.get(peer) ?? newTally();
    for (const key of /** @type {const} */ (["n", "right", "refused", "wrong"])) sum[key] += tally[key];
  }
  const score = sum.right - 10 * sum.wrong;
  return [peer, sum.n, sum.right, sum.refused, sum.wrong, score, (scoreOf(sum) ?? 0).toFixed(1)].map(String);
}

/** @param {Map<string, Tally>} row */
function isBehind(row) {
  const scores = [...row].map(([name, tally]) => ({ name, score: scoreOf(tally) ?? -Infinity }));
  const ours = scores.find(({ name }) => name === "holdfast")?.score ?? -Infinity;
  return scores.some(({ score }) => score > ours);
}
