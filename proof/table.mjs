/** @typedef {import("./contract.mjs").Row} Row */

/** @param {readonly Row[]} rows @returns {string} Markdown */
export function tableOf(rows) {
  const lines = rows.map((row) => {
    const bad = Object.entries(row.bad).map(([what, count]) =>
      count === 0 ? `0 ${what}` : `**${count} ${what}**`,
    );
    const ours = row.notHad === undefined ? bad.join(", ") : `not to be had: ${row.notHad}`;
    const cells = [
      row.figure,
      row.what,
      row.tried.toLocaleString("en"),
      ours,
      row.seen ?? "",
      row.baseline ?? "",
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return [
    "| figure | what | tried | bad | seen | the unsafe way |",
    "|---|---|--:|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

/**
 * Broken promises, and rows that show nothing because nothing was tried.
 *
 * @param {readonly Row[]} rows
 */
export function countBad(rows) {
  return rows.reduce((bad, row) => bad + badIn(row), rows.length === 0 ? 1 : 0);
}

/** @param {readonly Row[]} rows @returns {readonly Row[]} those that are counted as bad */
export function badOf(rows) {
  return rows.filter((row) => badIn(row) > 0);
}

/** @param {Row} row */
function badIn(row) {
  const broken = Object.values(row.bad).reduce((sum, count) => sum + count, 0);
  return row.tried === 0 && row.notHad === undefined ? broken + 1 : broken;
}
