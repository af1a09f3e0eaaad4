/**
 * A client's own diff, as the client sees it: hunks of signed lines. No repair, no judgement.
 *
 * @typedef {{ readonly sign: " " | "-" | "+", readonly text: string }} OwnLine
 * @typedef {{ readonly header: string, readonly lines: readonly OwnLine[] }} OwnHunk
 */

/** @param {string} diff @returns {OwnHunk[]} */
export function readOwnDiff(diff) {
  /** @type {{ header: string, lines: OwnLine[] }[]} */
  const hunks = [];
  for (const raw of diff.replace(/\n+$/, "").split("\n")) {
    const line = raw.replace(/\r$/, "");
    if (line.startsWith("@@")) hunks.push({ header: line, lines: [] });
    else if (!line.startsWith("\\ No newline") && line !== "```") hunks.at(-1)?.lines.push(readLine(line));
  }
  return hunks;
}

/** @param {readonly OwnHunk[]} hunks */
export function writeDiff(hunks) {
  const body = hunks.flatMap(({ header, lines }) => [header, ...lines.map(({ sign, text }) => sign + text)]);
  return `--- a/file\n+++ b/file\n${body.join("\n")}\n`;
}

/** The first old line that the header names, from 1. @param {OwnHunk} hunk */
export function numberOf({ header }) {
  const number = /^@@ -(\d+)/.exec(header)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** @param {string} line @returns {OwnLine} */
function readLine(line) {
  const [sign] = line;
  if (sign === " " || sign === "-" || sign === "+") return { sign, text: line.slice(1) };
  return { sign: " ", text: line };
}
