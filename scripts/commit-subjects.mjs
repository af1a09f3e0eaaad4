// Fails on a commit since the base whose message is not as CONTRIBUTING.md asks for: a subject of at most 60
// characters that begins with a capital, a blank line, a body that says why. Merges are passed over.
import { spawnSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The last commit before this check. */
const base = "f6bfe7b6a8b08fa90415bd504888dbdcdedcb2e2";
const longestSubject = 60;
/** `Added …`, `Adding …`; not the verbs that end so themselves. */
const otherMood = /^(?!(?:Bring|Embed|Feed|Need|Seed|Shed|Speed|String)\b)\w+(?:ed|ing)\b/;

const known = git("rev-parse", "--quiet", "--verify", `${base}^{commit}`);
if (known === undefined) {
  console.log(`Commit messages were not checked: ${base.slice(0, 7)} is not in this clone.`);
} else {
  const log = git("log", "-z", "--no-merges", "--format=%H%n%B", `${base}..HEAD`) ?? "";
  const commits = log.split("\0").filter((entry) => entry !== "");
  const flaws = commits.flatMap((entry) => flawsOf(entry));
  for (const flaw of flaws) console.error(flaw);
  console.log(`${commits.length} commits, ${flaws.length} flaws in their messages.`);
  process.exitCode = flaws.length > 0 ? 1 : 0;
}

/** @param {string} entry of the log: the commit's id on a line of its own, and its message */
function flawsOf(entry) {
  const [id = "", subject = "", blank = "", ...body] = entry.trimEnd().split("\n");
  const flaws = [];
  const units = [...subject].length;
  if (units > longestSubject)
    flaws.push(`the subject has ${units} characters; ${longestSubject} are the limit`);
  if (!/^\p{Lu}/u.test(subject)) flaws.push("the subject begins with no capital");
  if (otherMood.test(subject)) flaws.push("the subject is no imperative, such as Add, Keep, Refuse");
  if (subject.endsWith(".")) flaws.push("the subject ends with a period");
  if (blank !== "") flaws.push("no blank line follows the subject");
  if (body.join("").trim() === "") flaws.push("there is no body that says why");
  return flaws.map((flaw) => `${id.slice(0, 7)} ${JSON.stringify(subject)}: ${flaw}`);
}

/** @param {readonly string[]} args @returns what git prints; undefined where it fails. */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, {
    cwd: house,
    encoding: "utf8",
    maxBuffer: 64 * 1_024 ** 2,
  });
  return status === 0 ? stdout.trimEnd() : undefined;
}
