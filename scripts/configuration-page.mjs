/**
 * Writes the tables of docs/configuration.md from the schema and the list of variables:
 * `node scripts/configuration-page.mjs` after a build. With `--check` it writes nothing and fails where the page is old.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { settingsReference, settingsVariables } from "../packages/agent/dist/index.js";

const page = new URL("../docs/configuration.md", import.meta.url);
const cell = (text) => text.replaceAll("|", "\\|");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const parts = {
  keys: table(
    ["key", "type", "default", "of an untrusted project", "what for"],
    settingsReference().map(({ key, type, fallback, untrusted, says }) => [
      `\`${key}\``,
      type,
      fallback === undefined ? "" : `\`${fallback}\``,
      untrusted,
      says,
    ]),
  ),
  variables: table(
    ["variable", "key", "read as"],
    settingsVariables.map(({ name, key, reads }) => [`\`${name}\``, `\`${key.join(".")}\``, words(reads)]),
  ),
};

function words(reads) {
  return { text: "text", number: "a number", boolean: "true, false, 1 or 0", list: "texts between commas" }[
    reads
  ];
}

const before = readFileSync(page, "utf8");
const after = Object.entries(parts).reduce(
  (text, [name, made]) =>
    text.replace(
      new RegExp(`(<!-- ${name}: made by scripts/configuration-page.mjs -->\\n)[\\s\\S]*?(<!-- end -->)`),
      (_whole, start, end) => `${start}\n${made}\n\n${end}`,
    ),
  before,
);
if (process.argv.includes("--check")) {
  if (after !== before) {
    console.error("docs/configuration.md is old: node scripts/configuration-page.mjs");
    process.exitCode = 1;
  }
} else writeFileSync(page, after);
