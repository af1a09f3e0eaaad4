import { applyDiff } from "@holdfast/core/patch";
import { readSessionFile } from "../../addons/importers/dist/index.js";

/** @typedef {import("../contract.mjs").Row} Row */

/** The time that a diff may take, and the processor time that its parsing and its answer may add. */
const limitMs = 500;
const slackMs = 3_000;

/** @param {number} count @param {(at: number) => string} line */
const many = (count, line) => Array.from({ length: count }, (_, at) => line(at)).join("");
/** @param {number} count */
const lines = (count) => many(count, (at) => `line ${at}\n`);
/** @param {number} count */
const diffOf = (count) => many(count, (at) => `@@ -${at},1 +${at},1 @@\n-a${at}\n+b${at}\n`);
/** @param {number} bits */
const pattern = (bits) => many(17, (bit) => ((bits >> bit) & 1 ? " a\n" : " b\n"));
/** @param {number} block @param {number} by */
const words = (block, by) => many(3_000, (at) => `w${(at * by + block) % 3_001}\n`);

/** @type {readonly (readonly [name: string, base: () => string, diff: () => string])[]} */
const diffs = [
  ["hunks without numbers", () => lines(100_000), () => many(100_000, (at) => `@@\n-line ${at}\n+x\n`)],
  [
    "hunks of another file",
    () => lines(100_000),
    () => many(100_000, (at) => `@@\n other ${at}\n-another ${at}\n+x\n`),
  ],
  [
    "equal hunks that fit everywhere",
    () => "x\n".repeat(100_000),
    () => "@@\n x\n x\n-x\n+y\n x\n".repeat(100_000),
  ],
  [
    "hunks that nearly fit everywhere",
    () => "a\nb\n".repeat(50_000),
    () => many(10_000, (at) => `@@\n${pattern(at)}-a\n+y\n`),
  ],
  ["a million @@", () => lines(1_000), () => "@@\n".repeat(1_000_000)],
  [
    "headings that name lines",
    () => lines(50_000),
    () => many(50_000, (at) => `@@ li${at}\n line ${at}\n+x\n`),
  ],
  [
    "50 MB of context that is not there",
    () => lines(10),
    () => `@@ -1 +1 @@\n${many(500_000, (at) => ` ${String(at).padStart(98, "x")}\n`)}-line 3\n+three\n`,
  ],
  [
    "50 MB added by one hunk",
    () => lines(10),
    () => `@@ -5,2 +5,2 @@\n line 5\n${`+${"y".repeat(98)}\n`.repeat(500_000)} line 6\n`,
  ],
  ["a line of 50 MB", () => "a\n", () => `@@\n-${"a".repeat(50_000_000)}\n+b\n`],
  ["a line of 50 MB of blanks", () => "a\n", () => `@@\n${" ".repeat(50_000_000)}\n-a\n+b\n`],
  ["a line of 50 MB of @", () => "a\n", () => "@".repeat(50_000_000)],
  [
    "a diff of a diff, as context",
    () => diffOf(50_000),
    () => `@@\n ${diffOf(50_000).replaceAll("\n", "\n ")}\n+x\n`,
  ],
  ["a diff of itself", () => diffOf(50_000), () => diffOf(50_000)],
  [
    "file headers in one hunk",
    () => "a\n",
    () => `@@ -1,1 +1,1 @@\n${"--- a\n+++ b\n@@x\n".repeat(300_000)}`,
  ],
  ["fences without end", () => "a\n", () => "```\n".repeat(450_000)],
  ["NUL lines", () => "\0\n".repeat(100_000), () => "@@\n-\0\n+b\n".repeat(50_000)],
  ["lone surrogates", () => "\ud800\n".repeat(100_000), () => "@@\n-\ud800\n+\udc00\n".repeat(50_000)],
  [
    "a creation over a large file",
    () => lines(100_000),
    () => `@@ -0,0 +1,100000 @@\n${many(100_000, (at) => `+new ${at}\n`)}`,
  ],
  ["lines with entities", () => lines(1_000), () => `@@\n${" &lt;&amp;&gt;\n".repeat(1_000_000)}+x\n`],
  [
    "SEARCH/REPLACE blocks that are hard to compare",
    () => lines(10),
    () =>
      many(
        60,
        (block) => `<<<<<<< SEARCH\n${words(block, 7_919)}=======\n${words(0, 104_729)}>>>>>>> REPLACE\n`,
      ),
  ],
  [
    "a hunk of insertions with damaged context",
    () => lines(200_000),
    () => `@@\n${many(100_000, (at) => ` line ${2 * at}\n+x\n made up ${at}\n`)}`,
  ],
  [
    "a tail removed line by line",
    () => lines(100_000).slice(0, -1),
    () => many(50_000, (at) => `@@ -${50_001 + at},1 +50000,0 @@\n-line ${50_000 + at}\n`),
  ],
];

/** Many equal hunks over as many equal lines: heads × context × changes × lines. */
const forms = ["@@", "@@ f {", "@@ -7 +7 @@", "@@ -7 +7 @@ f {"].flatMap((head) =>
  ["", " a\n", " a\n a\n"].flatMap((context) =>
    ["-a\n", "+b\n", "-a\n+b\n", "-a \n+b\n"].flatMap((change) =>
      ["a\n", "a\nc\n", "f {\na\n}\n"].map(
        (base) =>
          /** @type {(typeof diffs)[number]} */ ([
            JSON.stringify([head, context, change, base]),
            () => base.repeat(40_000),
            () => `${head}\n${context}${change}`.repeat(20_000),
          ]),
      ),
    ),
  ),
);

/** M3: diffs that are much work end when their time is up. @param {boolean} quick some of them @returns {Row} */
export function hardDiffs(quick) {
  const bad = { "ended late": 0, "ended badly": 0 };
  const all = [...diffs, ...forms];
  const some = quick ? all.filter((_, at) => at % 7 === 0) : all;
  for (const [name, base, diff] of some) {
    const request = { base: base(), diff: diff(), limitMs };
    const start = process.cpuUsage();
    const outcome = applyDiff(request);
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1_000;
    if (ms > limitMs + slackMs) {
      bad["ended late"] += 1;
      console.error(`${name}: ${Math.round(ms)} ms`);
    }
    if (outcome.code === "internal_error") bad["ended badly"] += 1;
  }
  return {
    figure: "M3",
    what: `diffs that are much work, with ${limitMs} ms for each`,
    tried: some.length,
    bad,
  };
}

const head = '{"type":"session","version":3,"id":"p1","timestamp":"2026-03-02T09:12:00Z","cwd":"/"}';
const user = '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hello"}}';
const call = '{"type":"toolCall","id":"c","name":"t","arguments":{"deep":DEEP}}';
const answer = `{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[${call}]}}`;
const gemini = '{\n  "sessionId": "g",\n  "startTime": "2026-01-02T03:04:05.000Z",\n  "messages": [';
const said = '    {"id": "u", "type": "user", "content": [{"text": "hello"}]},';
const huge = 20_000_000;

/** @type {readonly (readonly [name: string, text: () => string])[]} */
const sessions = [
  ["a line of blanks", () => `${head}\n{${" ".repeat(huge)}日\n${user}`],
  ["a line of zeros", () => `${head}\n${"\0".repeat(huge)}日\n${user}`],
  ["a line of brackets", () => `${head}\n${"}".repeat(huge)}日\n${user}`],
  ["a line of one number", () => `${head}\n{"a":${"1".repeat(huge)}日\n${user}`],
  ["unreadable lines", () => `${head}\n${user}\n${"x\n".repeat(200_000)}`],
  [
    "a list of messages",
    () => [gemini, said, many(150_000, (at) => `    {"id": "${at}", "type": "n"},\n`)].join("\n"),
  ],
  [
    "200,000 levels",
    () => `${head}\n${user}\n${answer.replace("DEEP", `${'{"a":['.repeat(100_000)}${"]}".repeat(100_000)}`)}`,
  ],
];

/** M3: sessions of other agents with one part that is much too large keep all else. @returns {Row} */
export function hardSessions() {
  const bad = { "turn lost": 0 };
  for (const [, text] of sessions) {
    let count = 0;
    const read = readSessionFile(text(), { from: "f", newId: () => `n${++count}`, now: 1 });
    const isKept =
      "events" in read &&
      read.events.some(
        ({ event }) =>
          event.type === "nodes_added" && event.nodes.some(({ payload }) => payload.kind === "user_message"),
      );
    if (!isKept) bad["turn lost"] += 1;
  }
  return { figure: "M3", what: "sessions of other agents with one huge part", tried: sessions.length, bad };
}
