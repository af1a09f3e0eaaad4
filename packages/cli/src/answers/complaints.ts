/** More of them tell nobody more. */
const mostComplaints = 20;

/** The first of many complaints, and how many more there are; `rest` says where these are to be had. */
export function firstComplaints(complaints: readonly string[], rest = ""): readonly string[] {
  const more = complaints.length - mostComplaints;
  if (more <= 0) return complaints;
  return [...complaints.slice(0, mostComplaints), `… and ${more.toLocaleString("en")} more${rest}`];
}
