import { claudeVersion, installClaude } from "./clients/claude-code.mjs";
import { foreignWriters } from "./clients/foreign-writers.mjs";
import { geminiVersion, installGemini, runGemini } from "./clients/gemini-cli.mjs";
import { editInClaude, guardedOverwrite, guardedReplace } from "./clients/guard-stories.mjs";
import { blindWrite, replaceInLegacy, staleReplace } from "./clients/stock-tools.mjs";
import { answersOf, blindStory, bytesStory, staleStory, togetherStory } from "./clients/stories.mjs";

/**
 * The real Gemini CLI as a client of `holdfast mcp` as shipped, headless, with a scripted model behind it:
 * judged by the requests that the client sent to its model and by the bytes on disk.
 *
 * @type {import("./contract.mjs").Part}
 */
export const part = {
  name: "clients",
  title: "Real clients",
  quickInTest: "test/clients.test.ts",
  run,
};

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
  /** @param {string} figure @param {string} what @param {() => Story} story @param {Promise<string>} baseline */
  const guarded = async (figure, what, story, baseline) => {
    print(what);
    return { figure, what, ...(await tell(program, [story()], print, true)), baseline: await baseline };
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
    await guarded(
      "C5",
      "its own `replace` behind `holdfast guard` meets a change behind its back, then knows it",
      guardedReplace,
      staleReplace(program),
    ),
    await guarded(
      "C6",
      "its own `write_file` behind `holdfast guard` on an unseen file",
      guardedOverwrite,
      blindWrite(program),
    ),
    ...(await claudeRows(quick, print)),
  ];
}

/**
 * @param {string} program @param {readonly Story[]} stories @param {(line: string) => void} print
 * @param {boolean} [guard] the client's own tools behind the guard, instead of ours
 */
async function tell(program, stories, print, guard = false) {
  /** @type {Record<string, number>} */
  const bad = {};
  let requests = 0;
  for (const story of stories) {
    await runGemini({ program, serve: !guard, guard, ...story }, (told) => {
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

/** @param {boolean} quick @param {(line: string) => void} print */
async function claudeRows(quick, print) {
  const figure = "C7";
  const what = "Claude Code's own `Edit` behind `holdfast guard` meets a change behind its back";
  const claude = installClaude(quick);
  if (claude.kind === "missing")
    return quick ? [] : [{ figure, what, tried: 0, bad: {}, notHad: claude.reason }];
  print(what);
  const told = await editInClaude(claude.program, true);
  if (Object.values(told.breaches).some((count) => count > 0)) print(`${told.said}\n${told.complaint}`);
  const alone = await editInClaude(claude.program, false);
  const baseline = alone.said.includes("updated successfully")
    ? "`Edit` changed the state that it had not seen"
    : "`Edit` refused";
  const seen = `${told.requests} requests of claude-code ${claudeVersion}`;
  return [{ figure, what, tried: 1, bad: told.breaches, seen, baseline }];
}

/** @param {string} reason */
function notHad(reason) {
  return { figure: "C1", what: "the real Gemini CLI as client", tried: 0, bad: {}, notHad: reason };
}
