import { claudeCode, claudeVersion, installClaude } from "./clients/claude-code.mjs";
import { codex } from "./clients/codex.mjs";
import { figures, guardedFigure } from "./clients/day.mjs";
import { tellDay } from "./clients/day-run.mjs";
import { foreignWriters } from "./clients/foreign-writers.mjs";
import { geminiCli, geminiVersion, installGemini, runGemini } from "./clients/gemini-cli.mjs";
import { formatted, mixed, workInClaude } from "./clients/guard-day.mjs";
import { editInClaude, guardedOverwrite, guardedReplace, movedInClaude } from "./clients/guard-stories.mjs";
import { blindWrite, replaceInLegacy, staleReplace } from "./clients/stock-tools.mjs";
import { answersOf, blindStory, bytesStory, staleStory, togetherStory } from "./clients/stories.mjs";

/**
 * Real clients of `holdfast mcp` as shipped, headless, with a scripted model behind them: judged by the requests
 * that they sent to their model and by the bytes on disk.
 *
 * @type {import("./contract.mjs").Part}
 */
export const part = {
  name: "clients",
  title: "Real clients",
  run: async (options) => wanted(await run(options)),
};

/** @typedef {import("./clients/stories.mjs").Story} Story */

/** In CI every client can be installed: a client that is missing there is bad. @param {readonly import("./contract.mjs").Row[]} rows */
function wanted(rows) {
  if (process.env.CI === undefined) return rows;
  return rows.map(({ notHad, ...row }) =>
    notHad === undefined ? row : { ...row, bad: { ...row.bad, "not to be had": 1 }, seen: notHad },
  );
}

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
    ...(await claudeRows(print)),
    ...(await dayRows(print)),
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

/** @param {(line: string) => void} print */
async function claudeRows(print) {
  const rows = [
    {
      figure: "C7",
      what: "Claude Code's own `Edit` behind `holdfast guard` meets a change behind its back",
      tell: (/** @type {string} */ program) => editInClaude(program, true),
    },
    {
      figure: "C14",
      what: "Claude Code's own `Edit` behind the guard under `rebase`: a formatter elsewhere in the file, two edits in one turn, others on the same line",
      tell: movedInClaude,
    },
    {
      figure: "C15",
      what: "Claude Code's own tools behind the guard as it is set up: five edits, a formatter behind each",
      tell: (/** @type {string} */ program) => workInClaude(program, formatted),
    },
    {
      figure: "C16",
      what: `the same on a mixed day: ${mixed.length} requests, one change by a stranger`,
      tell: (/** @type {string} */ program) => workInClaude(program, mixed),
    },
  ];
  const claude = installClaude();
  if (claude.kind === "missing")
    return rows.map(({ figure, what }) => ({ figure, what, tried: 0, bad: {}, notHad: claude.reason }));
  const told = [];
  for (const { figure, what, tell } of rows) {
    print(what);
    const { breaches, said, complaint, requests } = await tell(claude.program);
    if (Object.values(breaches).some((count) => count > 0)) print(`${said}\n${complaint}`);
    const seen = `${requests} requests of claude-code ${claudeVersion}`;
    told.push({ figure, what, tried: 1, bad: breaches, seen });
  }
  const alone = await editInClaude(claude.program, false);
  const isChanged = alone.said.includes("updated successfully");
  const baseline = isChanged ? "`Edit` changed the state that it had not seen" : "`Edit` refused";
  return told.map((row) => (row.figure === "C7" ? { ...row, baseline } : row));
}

/** A day's work in each client, set up by `holdfast setup`; where it has hooks, another day behind the guard. @param {(line: string) => void} print */
async function dayRows(print) {
  /** @type {import("./clients/day-run.mjs").Told[]} */
  const told = [];
  /** @type {string[]} */
  const missing = [];
  for (const client of [claudeCode, geminiCli, codex]) {
    const installed = client.install();
    if (installed.kind === "missing") missing.push(`${client.title}: ${installed.reason}`);
    else {
      print(`a day in ${client.title}`);
      told.push(await tellDay(client, installed.program, print));
      if (client.own !== undefined) told.push(await tellDay(client, installed.program, print, true));
    }
  }
  const offer = { figure: "C12", what: "all twelve tools with their schemas in the first request" };
  return [...figures, offer, guardedFigure].map(({ figure, what }) => dayRow(figure, what, told, missing));
}

/** @param {string} figure @param {string} what @param {readonly import("./clients/day-run.mjs").Told[]} told @param {readonly string[]} missing */
function dayRow(figure, what, told, missing) {
  const findings = told.flatMap(({ title, byFigure }) => {
    const finding = byFigure.get(figure);
    return finding === undefined ? [] : [{ title, ...finding }];
  });
  /** @type {Record<string, number>} */
  const bad = { breaches: 0 };
  for (const finding of findings)
    for (const [name, count] of Object.entries(finding.bad)) bad[name] = (bad[name] ?? 0) + count;
  const seen = findings
    .map(({ title, seen }) => (seen.length === 0 ? title : `${title}: ${seen.join(", ")}`))
    .join("; ");
  const notHad = missing.length === 0 ? {} : { notHad: missing.join("; ") };
  return { figure, what, tried: findings.length, bad, seen, ...notHad };
}

/** @param {string} reason */
function notHad(reason) {
  return { figure: "C1", what: "the real Gemini CLI as client", tried: 0, bad: {}, notHad: reason };
}
