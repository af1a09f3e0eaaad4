import { checkContents, providers, renderContext } from "@holdfast/core/context";
import {
  findSession,
  type ListedTask,
  type LoadedSession,
  loadSession,
  pathTo,
  placeOf,
  readPlace,
  type SessionMatches,
  type SessionSummary,
  searchSessions,
  summarizeSession,
  tasksBelow,
  type VerifiedSession,
  verifySession,
} from "@holdfast/core/conversation";
import { describeLoss } from "@holdfast/core/conversation/journal";
import {
  type ConversationContext,
  type ConversationRefusal,
  excerptOf,
  isPlaceholder,
  type SessionFacts,
  type SessionStore,
} from "@holdfast/core/conversation/values";
import { compilePattern, requiredLiterals } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { cappedLines, counted, defined, escapeForPeople } from "@holdfast/core/text";
import { isoTime, localTime, readableSize } from "../answers/amounts.js";
import { jsonLine, lineOfJson } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import { atPersonsPace } from "../shell/long-work.js";
import type { Paint } from "../shell/terminal.js";
import { interrupted, onSession, onStore } from "./open-store.js";
import { jsonWithTasks } from "./task-texts.js";

/** `holdfast sessions list`: the last changed first. */
export const listSessions = onStore(async ({ settings, terminal, flags, misuse }, store) => {
  const { limit, title, since: changedSince, before: changedBefore } = flags;
  const after = flags.after === undefined ? undefined : readPlace(flags.after);
  if (flags.after !== undefined && after === undefined) return misuse("--after takes what a list ended with");
  const filter = defined({ title, changedSince, changedBefore, after });
  // One more than is shown says whether there are more.
  const found = await store.list({ ...filter, ...(limit === undefined ? {} : { limit: limit + 1 }) });
  if (isRefusal(found)) return found;
  const sessions = found.slice(0, limit ?? found.length);
  const last = sessions.at(-1);
  const next = last !== undefined && sessions.length < found.length ? placeOf(last) : undefined;
  if (settings.json) {
    await terminal.out(jsonLine({ success: true, sessions: sessions.map(factsToJson), next: next ?? null }));
    return exitCodes.success;
  }
  const isFiltered = Object.keys(filter).length > 0;
  if (found.length === 0)
    terminal.err(isFiltered ? "There is no such session.\n" : "There are no sessions yet.\n");
  for (const facts of sessions) await terminal.out(`${sessionLine(facts, terminal.outPaint)}\n`);
  if (next !== undefined) terminal.err(`There are more: --after ${next}\n`);
  return exitCodes.success;
});

function sessionLine(facts: SessionFacts, paint: Paint): string {
  const { id, title, cwd, modifiedMs, sizeBytes, heldBy, problem } = facts;
  const notes = [
    ...(cwd === undefined ? [] : [paint.dim(escapeForPeople(cwd))]),
    ...(heldBy === undefined ? [] : [paint.yellow(`in use by ${escapeForPeople(heldBy)}`)]),
    ...(problem === undefined ? [] : [paint.red(escapeForPeople(problem))]),
  ];
  const size = readableSize(sizeBytes).padStart(10);
  const name = title === undefined ? paint.dim("untitled") : escapeForPeople(cutTitle(title));
  return [paint.cyan(escapeForPeople(id)), localTime(modifiedMs), size, name, ...notes].join("  ");
}

function factsToJson({ id, title, cwd, createdMs, modifiedMs, sizeBytes, heldBy, problem }: SessionFacts) {
  return {
    id,
    title: title ?? null,
    cwd: cwd ?? null,
    created: isoTime(createdMs),
    modified: isoTime(modifiedMs),
    bytes: sizeBytes,
    held_by: heldBy ?? null,
    problem: problem ?? null,
  };
}

/** `holdfast sessions show ID`: where it stands, what is in it, what is wrong with it. */
export const showSession = onSession(async ({ settings, terminal }, store, facts) => {
  const loaded = await loadSession(store, facts.id);
  if (isRefusal(loaded)) return loaded;
  const summary = summarizeSession(loaded.context);
  const all = () => ({ success: true, ...factsToJson(facts), ...summaryToJson(summary, loaded) });
  await terminal.out(
    settings.json
      ? lineOfJson(jsonWithTasks(all(), summary.tasks, taskToJson))
      : `${describe(facts, summary, loaded, terminal.outPaint).join("\n")}\n`,
  );
  return exitCodes.success;
});

function summaryToJson(summary: SessionSummary, { problems, losses, records }: LoadedSession) {
  const { head, nodes, kinds, branches, pruned, staged, files, tokens } = summary;
  return {
    records: records.length,
    nodes,
    kinds: Object.fromEntries(kinds),
    branches,
    pruned,
    orphans: noOrphans,
    staged,
    head: head === undefined ? null : { id: head.id, kind: head.payload.kind, gist: excerptOf(head.payload) },
    files,
    tokens,
    problems,
    losses,
  };
}

/** A node without a parent is put below another when it is read; who reads this JSON still finds the number. */
const noOrphans = 0;

function taskToJson({ id, name, goal, state, current, tipId }: ListedTask): object {
  return { id, name, goal: goal ?? null, state, current, tip: tipId };
}

function describe(
  facts: SessionFacts,
  summary: SessionSummary,
  { problems, losses }: LoadedSession,
  paint: Paint,
): readonly string[] {
  const { head, nodes, kinds, branches, pruned, staged, files, tokens } = summary;
  const rows: (readonly [string, string | undefined])[] = [
    ["id", facts.id],
    ["folder", facts.cwd],
    ["size", readableSize(facts.sizeBytes)],
    ["begun", localTime(facts.createdMs)],
    ["changed", localTime(facts.modifiedMs)],
    ["in use by", facts.heldBy],
    ["nodes", `${nodes} (${kindCounts(kinds)})`],
    ["branches", `${branches}${pruned === 0 ? "" : `, ${pruned} pruned`}`],
    ["staged", staged === 0 ? undefined : `${staged}`],
    ["head", head && `${head.id}  ${head.payload.kind}  ${excerptOf(head.payload, 60)}`],
    [
      "files",
      files.length === 0
        ? undefined
        : `${files.length}: ${files.slice(0, 8).join(", ")}${files.length > 8 ? " …" : ""}`,
    ],
    [
      "tokens",
      tokens.input + tokens.output === 0
        ? undefined
        : `${tokens.input} in (${tokens.cached} cached), ${tokens.output} out`,
    ],
  ];
  return [
    paint.bold(escapeForPeople(cutTitle(facts.title ?? "Untitled session"))),
    ...rows.flatMap(([name, value]) =>
      value === undefined ? [] : [`${paint.dim(name.padEnd(10))} ${escapeForPeople(value)}`],
    ),
    ...tasksBelow(summary.tasks).map(({ task, level }) => taskLine(task, level, paint)),
    ...cappedLines(
      [...problems.map(({ message }) => message), ...losses.map(describeLoss)],
      "; --json tells all",
    ).map((line) => `${paint.red("problem".padEnd(10))} ${escapeForPeople(line)}`),
  ];
}

/** The most frequent first, by name where they are as many: the nodes of a session have no order. */
function kindCounts(kinds: SessionSummary["kinds"]): string {
  return kinds
    .toSorted(([one, many], [other, more]) => more - many || (one < other ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
}

function taskLine(task: ListedTask, level: number, paint: Paint): string {
  const name = `${"  ".repeat(Math.min(level, deepest))}${escapeForPeople(cutTitle(task.name || task.id))}`;
  return `${paint.dim("task".padEnd(10))} ${name}  ${paint.yellow(task.state)}`;
}

/** Deeper levels are drawn at this one, so that lines stay readable. */
const deepest = 20;

/** A title may be a whole message. */
function cutTitle(title: string): string {
  const points = [...title.slice(0, 4 * mostOfTitle)];
  return points.length <= mostOfTitle ? title : `${points.slice(0, mostOfTitle - 1).join("")}…`;
}

const mostOfTitle = 80;

/** `holdfast sessions search TEXT [ID]`: the texts of all nodes, line by line. */
export const searchInSessions = onStore(async (call, store) => {
  const { args, flags, settings, terminal } = call;
  const [, text, prefix] = args;
  if (text === undefined) return call.misuse("search for what? `holdfast sessions search TEXT [SESSION]`");
  const pattern = compilePattern(text, {
    literal: flags.literal === true,
    ignoreCase: flags.ignoreCase === true,
  });
  if (isRefusal(pattern)) return pattern;
  const one = prefix === undefined ? undefined : await findSession(store, prefix);
  if (one !== undefined && isRefusal(one)) return one;
  const anyOf = requiredLiterals(text, { literal: flags.literal === true });
  const sought = { ignoreCase: flags.ignoreCase === true, ...defined({ anyOf }) };
  const found = await searchPages(
    store,
    one,
    (page, most) => searchSessions(store, page, pattern, most, sought),
    flags.limit ?? 100,
  );
  if (isRefusal(found)) return found;
  const { matches, more, unread, sessions } = found;
  if (settings.json) {
    await terminal.out(jsonLine({ success: true, matches, more, sessions, unread }));
    return exitCodes.success;
  }
  const paint = terminal.outPaint;
  let under = prefix === undefined ? "" : matches[0]?.sessionId;
  for (const { sessionId, nodeId, kind, snippet } of matches) {
    if (sessionId !== under) await terminal.out(`${paint.cyan(escapeForPeople(sessionId))}\n`);
    under = sessionId;
    await terminal.out(`  ${paint.dim(escapeForPeople(nodeId))} ${kind}: ${escapeForPeople(snippet)}\n`);
  }
  const complaints = unread.map(({ id, message }) => `${id}: ${message}`);
  for (const line of cappedLines(complaints, "; --json tells all"))
    terminal.err(`Not searched: ${escapeForPeople(line)}\n`);
  if (more) terminal.err("There is more; --limit shows it.\n");
  if (matches.length === 0) terminal.err(`Nothing found in ${counted(sessions, "session")}.\n`);
  return exitCodes.success;
});

/** Session by session as a list gives them, page by page, until enough is found. */
async function searchPages(
  store: SessionStore,
  one: SessionFacts | undefined,
  search: (page: readonly SessionFacts[], most: number) => Promise<SessionMatches>,
  limit: number,
): Promise<SessionMatches | ConversationRefusal> {
  let all: SessionMatches = { kind: "matches", matches: [], more: false, sessions: 0, unread: [] };
  for (let after: SessionFacts | undefined; ; ) {
    const page = one === undefined ? await store.list({ limit: pageSessions, ...defined({ after }) }) : [one];
    if (isRefusal(page)) return page;
    const { matches, more, sessions, unread } = await search(page, limit - all.matches.length);
    all = {
      kind: "matches",
      matches: [...all.matches, ...matches],
      more,
      sessions: all.sessions + sessions,
      unread: [...all.unread, ...unread],
    };
    after = page.at(-1);
    if (more || one !== undefined || page.length < pageSessions) return all;
  }
}

const pageSessions = 512;

async function chooseSessions(
  store: SessionStore,
  prefix: string | undefined,
): Promise<readonly SessionFacts[] | ConversationRefusal> {
  if (prefix === undefined) return store.list();
  const one = await findSession(store, prefix);
  return isRefusal(one) ? one : [one];
}

/** `holdfast sessions verify [ID]`: every record, the fold, and a rendering of every branch. */
export const verifySessions = onStore(async (call, store) => {
  const { args, settings, terminal } = call;
  const chosen = await chooseSessions(store, args[1]);
  if (isRefusal(chosen)) return chosen;
  const reports: object[] = [];
  let sound = true;
  for (const [at, { id }] of chosen.entries()) {
    const doing = `Verifying ${at + 1} of ${chosen.length}`;
    const verified = await atPersonsPace(call, { doing }, (pace) =>
      verifySession(store, id, checkRendering, pace),
    );
    if (isRefusal(verified) && verified.code === "cancelled")
      return interrupted(call, `${counted(at, "session")} of ${chosen.length} looked at, nothing changed.`);
    const wrong = isRefusal(verified)
      ? [verified.message]
      : [
          ...verified.problems.map(({ message }) => message),
          ...verified.losses.map(describeLoss),
          ...joinFindings(verified.findings),
        ];
    sound &&= wrong.length === 0;
    const counts = isRefusal(verified)
      ? {}
      : {
          records: verified.records,
          nodes: verified.nodes,
          orphans: noOrphans,
          branches: verified.rendered,
          placeholders: verified.placeholders,
        };
    reports.push({ id, sound: wrong.length === 0, ...counts, problems: wrong });
    if (!settings.json) await terminal.out(`${verdict(id, counts, wrong, terminal.outPaint)}\n`);
  }
  if (settings.json) await terminal.out(jsonLine({ success: sound, sessions: reports }));
  return sound ? exitCodes.success : exitCodes.state;
});

/** One line for each finding; a flaw of a node is found on every branch that holds it. */
function joinFindings(findings: VerifiedSession["findings"]): readonly string[] {
  const branches = new Map<string, string[]>();
  for (const { nodeId, message } of findings) {
    const ends = branches.get(message) ?? [];
    ends.push(nodeId);
    branches.set(message, ends);
  }
  return [...branches].map(([message, ends]) =>
    ends.length === 1 ? `Branch ${ends[0]}: ${message}` : `On ${ends.length} branches: ${message}`,
  );
}

function verdict(
  id: string,
  counts: { readonly records?: number; readonly branches?: number; readonly placeholders?: number },
  wrong: readonly string[],
  paint: Paint,
): string {
  const { records = 0, branches = 0, placeholders = 0 } = counts;
  const lost = placeholders === 0 ? "" : `, ${counted(placeholders, "placeholder")} for what is lost`;
  const size = `${counted(records, "record")}, ${counted(branches, "branch", "branches")}${lost}`;
  const word = wrong.length === 0 ? paint.green("sound") : paint.red(counted(wrong.length, "problem"));
  return [
    `${paint.cyan(escapeForPeople(id))}  ${word}  ${size}`,
    ...cappedLines(wrong).map((line) => `  ${escapeForPeople(line)}`),
  ].join("\n");
}

/**
 * What does not hold together where a branch is rendered: what cannot be shown, what cannot be done, and
 * what a provider would not take. That a call was interrupted is no such thing: sessions end where they end.
 * Nor is a result whose call is lost, or a decision about what is lost: the placeholder above tells of it.
 */
function checkRendering(context: ConversationContext): readonly string[] {
  const { contents, report } = renderContext(context);
  const isExplained = ({ nodeId }: { readonly nodeId: string }) => isBelowLost(context, nodeId);
  const dropped = report.dropped.filter(
    (one) => one.what === "wrong_lines" || (one.what === "result_without_call" && !isExplained(one)),
  );
  const ignored = report.ignored.filter((one) => !isExplained(one));
  return [
    ...dropped.map(
      ({ nodeId, what }) => `node ${nodeId} is left out of what a model is shown: ${words(what)}`,
    ),
    ...ignored.map(({ nodeId, reason }) => `what node ${nodeId} decides cannot be done: ${words(reason)}`),
    ...providers.flatMap((provider) =>
      checkContents(contents, provider).map(
        ({ content, message }) => `message ${content + 1} of the prompt for ${provider}: ${message}`,
      ),
    ),
  ];
}

function isBelowLost(context: ConversationContext, nodeId: string): boolean {
  return pathTo(context, nodeId).some(({ payload }) => isPlaceholder(payload));
}

function words(code: string): string {
  return code.replaceAll("_", " ");
}
