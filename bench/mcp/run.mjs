import { cpus, loadavg, release, totalmem, type } from "node:os";
import { parseArgs } from "node:util";
import { findVersions, installPeers } from "../patch/machine.mjs";

/**
 * `npm run bench`: what the promises cost, beside the official filesystem server of the protocol, with the
 * same changes through the same client. Prints Markdown; see bench/README.md.
 */
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "trips,genkit,start,search,parts" },
    task: { type: "string", default: "" },
    disk: { type: "string", default: "ext4,tmpfs" },
  },
});
const missing = installPeers();
if (missing !== undefined) {
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
  quick: values.quick,
  task: values.task,
  disks: values.disk,
  print: (/** @type {string} */ line) => void process.stderr.write(`${line}\n`),
};
const parts = values.only.split(",");
console.log(`# What it costs\n\n${describe()}`);
if (parts.includes("trips")) console.log(await measureRoundTrips(options));
if (parts.includes("genkit")) console.log(await measureGenkit(options));
if (parts.includes("start")) console.log(await measureColdStart(options));
if (parts.includes("search")) console.log(await measureSearch(options));
if (parts.includes("parts")) console.log(await measureParts(options));

function describe() {
  const { holdfast, commit } = findVersions();
  const args = process.argv.slice(2);
  const rows = [
    ["command", `\`npm run bench${args.length > 0 ? ` -- ${args.join(" ")}` : ""}\``],
    ["date", `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`],
    [
      "machine",
      `${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)} at the start`,
    ],
    ["holdfast", `${holdfast} at ${commit ?? "no commit"}`],
    ["peer", `\`@modelcontextprotocol/server-filesystem\` ${peerVersion}`],
    ["fsync switched off", eatmydata ?? "not to be had here (Debian package eatmydata)"],
  ];
  return ["| what | which |", "|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`), ""].join("\n");
}
