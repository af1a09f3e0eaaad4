/** A Markdown table. @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function tableOf(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? "---" : "--:"))), ...rows.map(line), ""].join(
    "\n",
  );
}

/** @param {number} ms */
export function formatMs(ms) {
  if (!Number.isFinite(ms)) return "–";
  if (ms >= 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 100 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(ms >= 10 ? 1 : 2)} ms`;
}

/** @param {number} bytes */
export function formatMiB(bytes) {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

/** The middle one. @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
