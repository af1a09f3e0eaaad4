import { costOf, factsOfModel } from "@holdfast/agent";
import { debugOutline, debugYaml, type HistoryFilter, historyFilter } from "@holdfast/core/context";
import { type LoadedSession, listTasks, loadSession } from "@holdfast/core/conversation";
import {
  type ConversationRefusal,
  payloadKinds,
  type SessionStore,
  type TurnNode,
  type TurnUsage,
} from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { absentAddon, addonFor, loadAddon } from "../addons.js";
import { localTime } from "../answers/amounts.js";
import { lineOfJson } from "../answers/one-answer.js";
import { noteProblems } from "../answers/report.js";
import { onSession } from "../sessions/open-store.js";
import { writeOut } from "../sessions/output.js";
import { jsonWithTasks } from "../sessions/task-texts.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { version } from "../shell/version.js";

/** `holdfast history view SESSION`: the tree of a stored conversation, to read. */
const viewHistory = onSession(async (call, store, { id }) => {
  const { flags, settings, terminal } = call;
  const wanted = filterFrom(call);
  const loaded = await loadSession(store, id);
  if (isRefusal(loaded)) return loaded;
  const filter = historyFilter(loaded.context, wanted);
  if (isRefusal(filter)) return filter;
  if (settings.json) {
    await terminal.out(lineOfJson(treeToJson(loaded, filter.filter)));
    return exitCodes.success;
  }
  const time = flags.times === true ? { time: localTime } : {};
  await terminal.out(debugOutline(loaded.context, { reader: "person", ...time, ...filter }));
  const problems = loaded.problems.map(({ message }) => message);
  noteProblems(terminal, problems);
  return exitCodes.success;
});

/** What the flags ask to see of a history. */
function filterFrom({ flags, misuse }: Invocation): HistoryFilter {
  const { text, branch, depth, foldTasks, all: chatter } = flags;
  const named = flags.kind?.flatMap((kinds) => kinds.split(","));
  const unknown = named?.find((kind) => !payloadKinds.some((each) => each === kind));
  if (unknown !== undefined) return misuse(`--kind takes ${payloadKinds.join(", ")}`);
  const kinds = named === undefined ? undefined : payloadKinds.filter((kind) => named.includes(kind));
  return defined({ kinds, text, branch, depth, foldTasks, chatter });
}

/** `holdfast history export SESSION`: all of it, to keep. */
const exportHistory = onSession(async (call, store, { id }) => {
  const { flags, settings } = call;
  const forms = [settings.json, flags.yaml === true, flags.html === true].filter((asked) => asked).length;
  if (forms > 1) return call.misuse("history export takes one of --yaml, --json and --html");
  const loaded = await loadSession(store, id, { media: "inline" });
  if (isRefusal(loaded)) return loaded;
  if (settings.json) return writeOut(call, [lineOfJson(treeToJson(loaded))]);
  if (flags.html !== true) return writeOut(call, [await debugYaml(loaded.context)]);
  return writeOut(call, await sessionPage(call, loaded));
});

/** `holdfast history ACTION SESSION`: the tree of a stored conversation, to read and to keep. */
export const historyActions = { view: viewHistory, export: exportHistory };

/** A session as one page. */
export async function sessionPage(call: Invocation, loaded: LoadedSession): Promise<readonly string[]> {
  const page = await addonFor("page", call.misuse);
  const { stateDir } = call.settings;
  return page.htmlPage(loaded, { stateDir, now: Date.now(), version, costOf: costOfAnswer });
}

/** US dollars for an answer; undefined of a model whose prices are not known. */
export function costOfAnswer(model: string, usage: TurnUsage): number | undefined {
  const prices = factsOfModel(model)?.prices;
  return prices && costOf(usage, prices);
}

/** A session as JSON or as a page, as `holdfast history export` writes it. */
export async function exportedText(
  form: "json" | "html",
  { store, id, stateDir }: { readonly store: SessionStore; readonly id: string; readonly stateDir: string },
): Promise<string | ConversationRefusal> {
  const loaded = await loadSession(store, id, { media: "inline" });
  if (isRefusal(loaded)) return loaded;
  if (form === "json") return lineOfJson(treeToJson(loaded));
  const page = await loadAddon("page");
  if (page === undefined) return refuse("invalid_arguments", absentAddon("page"));
  return (await page.htmlPage(loaded, { stateDir, now: Date.now(), version, costOf: costOfAnswer })).join("");
}

/** The whole state: every node with its payload and its place. @param shows which nodes; all unless given. */
function treeToJson({ id, context, problems }: LoadedSession, shows?: (node: TurnNode) => boolean): string {
  const { title, currentNodeId, stagingArea, nodes, pruned, expansions, pendingRestore } = context;
  const state = {
    success: true,
    id,
    title: title ?? null,
    head: currentNodeId,
    nodes: [...nodes.values()]
      .filter((node) => shows?.(node) ?? true)
      .sort((one, other) => one.depth - other.depth || one.timestamp - other.timestamp),
    // A node without a parent is put below another when it is read; who reads this JSON still finds the list.
    orphans: [],
    pruned: [...pruned.keys()],
    staged: stagingArea,
    expansions,
    pending_restore: pendingRestore ?? null,
    problems,
  };
  return jsonWithTasks(state, listTasks(context), ({ tasks: _, ...task }) => task);
}
