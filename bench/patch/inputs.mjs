/**
 * Inputs for the clock. Each is made anew in the process that measures it.
 *
 * @typedef {{ readonly base: string, readonly diff: string }} Input
 * @typedef {{ readonly name: string, readonly group: string, readonly lines: number, make(): Input,
 *   readonly jsdiff?: boolean, readonly heavy?: boolean }} InputCase
 */

/** @type {readonly InputCase[]} */
export const inputs = [
  ...[200, 2_000, 20_000, 200_000, 1_000_000].map((lines) => exact(lines, 10)),
  ...[1, 10, 100, 1_000, 10_000].map((hunks) => exact(100_000, hunks)),
  ...[200, 2_000, 20_000, 200_000, 1_000_000].map((lines) => moved(lines, 10)),
  ...[1, 10, 100, 1_000, 10_000].map((hunks) => moved(100_000, hunks)),
  plain(
    "numbers wrong by thousands",
    "100,000 lines, 1,000 hunks, all numbers wrong by the same 3,000",
    100_000,
    () => regular(100_000, 1_000, () => 3_000),
    true,
  ),
  plain("many hunks", "100,000 hunks, numbers true", 400_000, () => regular(400_000, 100_000, nowhere), true),
  plain("many hunks", "100,000 hunks, no numbers", 400_000, () => bare(regular(400_000, 100_000, nowhere))),
  plain("many hunks", "100,000 hunks, all the same, bare", 100_000, () => {
    return { base: "x\n".repeat(100_000), diff: "@@\n-x\n+y\n".repeat(100_000) };
  }),
  plain(
    "equal lines",
    "100,000 equal lines, true number",
    100_000,
    () => equal(50_000, "-same\n+other"),
    true,
  ),
  plain(
    "equal lines",
    "100,000 equal lines, number hits none",
    100_000,
    () => equal(200_000, "-same\n+other"),
    true,
  ),
  plain(
    "equal lines",
    "100,000 equal lines, a line that is not there",
    100_000,
    () => equal(50_000, "-gone\n+other"),
    true,
  ),
  plain("equal lines", "1,000 hunks, each fits everywhere, bare", 100_000, () => {
    const hunks = Array.from({ length: 1_000 }, (_, n) => `@@\n same\n-same\n+new ${n}\n same\n`);
    return { base: "same\n".repeat(100_000), diff: hunks.join("") };
  }),
  plain(
    "equal lines",
    "a hunk that fits 50,000 places",
    100_000,
    () => {
      return { base: "a\nb\n".repeat(50_000), diff: "@@ -100001,2 +100001,2 @@\n-a\n+c\n b\n" };
    },
    true,
  ),
  plain(
    "large diffs",
    "50 MB added by one hunk",
    10,
    () => {
      const added = Array.from({ length: 500_000 }, (_, n) => `+${String(n).padStart(98, "x")}\n`);
      return { base: text(10), diff: `@@ -5,2 +5,500002 @@\n line 5\n${added.join("")} line 6\n` };
    },
    true,
  ),
  plain("large diffs", "50 MB of context that is not there", 10, () => {
    const lost = Array.from({ length: 500_000 }, (_, n) => ` ${String(n).padStart(98, "x")}\n`);
    return { base: text(10), diff: `@@ -1,500001 +1,500001 @@\n${lost.join("")}-line 3\n+three\n` };
  }),
  plain("large diffs", "50 MB of prose", 10, () => ({
    base: text(10),
    diff: "no diff in here at all, only words, again.\n".repeat(1_200_000),
  })),
  plain("large diffs", "one line of 50 MB", 3, () => {
    const long = "y".repeat(25_000_000);
    return { base: `a\n${long}\nb\n`, diff: `@@ -1,3 +1,3 @@\n a\n-${long}\n+short\n b\n` };
  }),
  plain(
    "worst",
    "1,000 lines of a b a b …, the last one wrong",
    100_000,
    () => {
      return {
        base: "a\nb\n".repeat(50_000),
        diff: `@@ -1,1001 +1,1001 @@\n${" a\n b\n".repeat(500)}-c\n+d\n`,
      };
    },
    true,
  ),
  plain("worst", "every second context line made up, in repeated text", 20_000, () => {
    const block = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join("");
    const context = Array.from({ length: 1_000 }, (_, n) => ` line ${n % 20}\n made up ${n}\n`).join("");
    return { base: block.repeat(1_000), diff: `@@ -1,2001 +1,2001 @@\n${context}-line 7\n+line seven\n` };
  }),
  plain("worst", "200 such hunks with skipped context", 100_000, () => {
    const block = Array.from({ length: 50 }, (_, n) => `line ${n}\n`).join("");
    const hunk = "@@\n line 3\n line 7\n-line 9\n+line nine\n line 20\n line 30\n";
    return { base: block.repeat(2_000), diff: hunk.repeat(200) };
  }),
  plain("worst", "a removed line at 100,000 places, context made up", 100_000, () => {
    return { base: "same\n".repeat(100_000), diff: "@@\n made up\n-same\n+other\n made up too\n" };
  }),
  plain("worst", "a long hunk of blank lines", 100_000, () => {
    return { base: "\n".repeat(100_000), diff: `@@ -7,2000 +7,2000 @@\n${" \n".repeat(2_000)}+new\n` };
  }),
  plain("worst", "10,000 hunks of another file", 100_000, () => {
    const { diff } = regular(100_000, 10_000, nowhere);
    return { base: text(100_000), diff: diff.replaceAll("line ", "other ") };
  }),
  plain("worst", "a diff of diffs, 100,000 lines", 100_000, () => {
    const inner = regular(40_000, 10_000, nowhere).diff;
    const lines = inner.split("\n");
    return {
      base: inner,
      diff: `@@ -1,${lines.length} +1,1 @@\n${lines.map((line) => `-${line}\n`).join("")}+x\n`,
    };
  }),
];

/** @param {number} lines @param {number} hunks @returns {InputCase} */
function exact(lines, hunks) {
  const name = `${lines.toLocaleString("en")} lines, ${hunks.toLocaleString("en")} hunks, exact`;
  return plain("exact", name, lines, () => regular(lines, hunks, nowhere), true);
}

/** @param {number} lines @param {number} hunks @returns {InputCase} */
function moved(lines, hunks) {
  const name = `${lines.toLocaleString("en")} lines, ${hunks.toLocaleString("en")} hunks, numbers wrong by thousands`;
  return plain("numbers wrong by thousands", name, lines, () => regular(lines, hunks, byThousands), true);
}

/** @param {string} group @param {string} name @param {number} lines @param {() => Input} make @param {boolean} [jsdiff] @returns {InputCase} */
function plain(group, name, lines, make, jsdiff = false) {
  return { name, group, lines, make, jsdiff };
}

/** @param {number} lines */
function text(lines) {
  return Array.from({ length: lines }, (_, n) => `line ${n + 1}\n`).join("");
}

/** Every so many lines one is changed, with a line of context on both sides. @param {number} lines @param {number} hunks @param {(hunk: number) => number} off @returns {Input} */
export function regular(lines, hunks, off) {
  const step = Math.floor(lines / hunks);
  const parts = Array.from({ length: hunks }, (_, n) => {
    const at = n * step + Math.floor(step / 2) + 1;
    const start = Math.max(1, at - 1 + off(n));
    return `@@ -${start},3 +${start},3 @@\n line ${at - 1}\n-line ${at}\n+changed ${at}\n line ${at + 1}\n`;
  });
  return { base: text(lines), diff: `--- a/file\n+++ b/file\n${parts.join("")}` };
}

/** @param {Input} input @returns {Input} */
function bare({ base, diff }) {
  return { base, diff: diff.replace(/^@@.*$/gm, "@@") };
}

/** @param {number} start @param {string} change @returns {Input} */
function equal(start, change) {
  const context = " same\n".repeat(50);
  return {
    base: "same\n".repeat(100_000),
    diff: `@@ -${start},101 +${start},101 @@\n${context}${change}\n${context}`,
  };
}

const nowhere = () => 0;

/** Each hunk is off by an amount of its own, as a model's are: 1,000 to 9,000 lines, up or down. @param {number} hunk */
function byThousands(hunk) {
  const amount = 1_000 + ((hunk * 2_654_435_761) % 8_000);
  return hunk % 2 === 0 ? amount : -amount;
}
