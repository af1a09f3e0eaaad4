/** So many complaints are read; more of them hide what else there is to see. */
const mostComplaints = 20;

/**
 * The first 20 lines, and how many more there are: the bound of every list of complaints that is printed.
 *
 * @param rest ends the line of the others: where they are to be had.
 */
export function cappedLines(lines: readonly string[], rest = ""): readonly string[] {
  const more = lines.length - mostComplaints;
  if (more <= 0) return lines;
  return [...lines.slice(0, mostComplaints), `… and ${more.toLocaleString("en")} more${rest}`];
}
