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
  let bad = rows.length === 0 ? 1 : 0;
  for (const row of rows) {
    for (const count of Object.values(row.bad)) bad += count;
    if (row.tried === 0 && row.notHad === undefined) bad += 1;
  }
  return bad;
}
