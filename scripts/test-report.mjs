// Prints what a run of the tests came to, failures last and in full: `node scripts/test-report.mjs REPORT.json [SKIPPED]`.
// Exits with 1 where a test failed or was skipped, or none ran. The report is Vitest's JSON (the form of Jest). With SKIPPED,
// tests may skip; their files are listed there.
import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";

const [, , report, list] = process.argv;
const { testResults } = JSON.parse(readFileSync(report, "utf8"));
const tests = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.map((test) => ({ ...test, file: relative(process.cwd(), name) })),
);
const passed = tests.filter(({ status }) => status === "passed");
const failed = tests.filter(({ status }) => status === "failed");
const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
// A file that could not be loaded has no tests of its own.
const broken = testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
);

const files = [...new Set(skipped.map(({ file }) => file))];
const where = files.length === 0 ? "" : ` in ${files.length} files`;

console.log(`## ${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped${where}`);
for (const { file, fullName } of skipped) console.log(`skipped: ${file}: ${fullName}`);
for (const { name, message } of broken)
  console.log(`\nnot loaded: ${relative(process.cwd(), name)}\n${message}`);
for (const { file, fullName, failureMessages } of failed)
  console.log(`\nnot as expected: ${file}: ${fullName}\n${failureMessages.join("\n").slice(0, 1_500)}`);
if (list !== undefined) writeFileSync(list, files.map((file) => `${file}\n`).join(""));
const bad = failed.length + broken.length + (list === undefined ? skipped.length : 0);
process.exit(bad > 0 || passed.length === 0 ? 1 : 0);
