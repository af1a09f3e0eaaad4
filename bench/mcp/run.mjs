import { describeRun, optionsOf, publish } from "../page.mjs";
import { installPeers } from "../patch/machine.mjs";

/**
 * `npm run bench`: what the promises cost, beside the official filesystem server of the protocol, with the
 * same changes through the same client. Prints Markdown; see bench/README.md.
 */
const values = optionsOf({
  only: { type: "string", default: "trips,genkit,start,search,parts" },
  task: { type: "string", default: "" },
  disk: { type: "string" },
});
const { short } = values;
const missing = installPeers();
if (missing !== undefined && !short) {
  process.stderr.write(`${missing}\n`);
  process.exit(1);
}
const { peerVersion, eatmydata } = await import("./servers.mjs");
const { measureRoundTrips } = await import("./round-trips.mjs");
const { measureGenkit } = await import("../genkit/measure.mjs");
const { measureColdStart } = await import("./cold-start.mjs");
const { measureSearch } = await import("./search.mjs");
const { measureParts } = await import("./parts.mjs");

const options = {
  short,
  task: values.task,
  disks: values.disk ?? (short ? "tmp" : "ext4,tmpfs"),
  print: (/** @type {string} */ line) => void process.stderr.write(`${line}\n`),
};
const parts = values.only.split(",");
const sections = [];
if (parts.includes("trips")) sections.push(await measureRoundTrips(options));
if (parts.includes("genkit")) sections.push(await measureGenkit(options));
if (parts.includes("start")) sections.push(await measureColdStart(options));
if (parts.includes("search")) sections.push(await measureSearch(options));
if (parts.includes("parts")) sections.push(await measureParts(options));
const head = describeRun("bench", [
  ["peer", `\`@modelcontextprotocol/server-filesystem\` ${peerVersion ?? "is not installed"}`],
  ["fsync switched off", eatmydata ?? "not to be had here (Debian package eatmydata)"],
]);
publish("bench", "bench.md", [head, ...sections].join("\n"));
