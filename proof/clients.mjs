import { foreignWriters } from "./clients/foreign-writers.mjs";
import { geminiVersion, installGemini, runGemini } from "./clients/gemini-cli.mjs";
import { blindWrite, replaceInLegacy, staleReplace } from "./clients/stock-tools.mjs";
import { answersOf, blindStory, bytesStory, staleStory, togetherStory } from "./clients/stories.mjs";

/**
 * The real Gemini CLI as a client of `holdfast mcp` as shipped, headless, with a scripted model behind it:
 * judged by the requests that the client sent to its model and by the bytes on disk.
 *
 * @type {import("./contract.mjs").Part}
 */
export const part = { name: "clients", title: "Real clients", run };

/** @typedef {import("./clients/stories.mjs").Story} Story */

/** @param {import("./contract.mjs").RunOptions} options */
async function run({ quick, print }) {
  const gemini = installGemini();
  if (gemini.kind === "missing") return [notHad(gemini.reason)];
  const { program } = gemini;
  const rounds = quick ? 1 : 5;
  const writers = Object.values(foreignWriters).slice(0, rounds);
  /** @param {string} figure @param {string} what @param {readonly Story[]} stories @param {Promise<string>} baseline */
  const row = async (figure, what, stories, baseline) => {
    print(what);
    return { figure, what, ...(await tell(program, stories, print)), baseline: await baseline };
  };
  const again = (/** @type {() => Story} */ make) => Array.from({ length: rounds }, make);
  return [
    await row(
      "C1",
      `reads, patches, meets a change behind its back (kinds of writer: ${writers.length}), recovers`,
      writers.map(staleStory),
      staleReplace(program),
    ),
    await row("C2", "two patches of one file in one turn", again(togetherStory), Promise.resolve("")),
    await row("C3", "one line of a Latin-1 file with CRLF", again(bytesStory), replaceInLegacy(program)),
    await row(
      "C4",
      "overwrites an unseen file, reads it, overwrites it",
      again(blindStory),
      blindWrite(program),
    ),
  ];
}

/** @param {string} program @param {readonly Story[]} stories @param {(line: string) => void} print */
async function tell(program, stories, print) {
  /** @type {Record<string, number>} */
  const bad = {};
  let requests = 0;
  for (const story of stories) {
    await runGemini({ program, serve: true, ...story }, (told) => {
      requests += told.requests.length;
      const breaches = story.breaches(told);
      for (const [name, count] of Object.entries(breaches)) bad[name] = (bad[name] ?? 0) + count;
      if (Object.values(breaches).some((count) => count > 0)) {
        print(JSON.stringify(breaches));
        for (const text of [...told.faults.map(String), told.complaint, ...answersOf(told)]) print(text);
      }
    });
  }
  return { tried: stories.length, bad, seen: `${requests} requests of gemini-cli ${geminiVersion}` };
}

/** @param {string} reason */
function notHad(reason) {
  return { figure: "C1", what: "the real Gemini CLI as client", tried: 0, bad: {}, notHad: reason };
}
