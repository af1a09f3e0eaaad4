/** So many complaints are read; more of them hide what else there is to see. */
export const mostComplaints = 20;

/** The first 20 lines, and how many more there are: the bound of every list of complaints that is printed. */
export function cappedLines(lines: readonly string[], most: number = mostComplaints): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `… and ${lines.length - most} more`];
}
