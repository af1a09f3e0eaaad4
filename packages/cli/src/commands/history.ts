import {
  type ConversationRefusal,
  debugOutline,
  debugYaml,
  isRefusal,
  type LoadedSession,
  listTasks,
  loadSession,
  type SessionFacts,
  type SessionStore,
} from "@holdfast/core";
import { htmlPage, jsonLine, localTime, withSession, writeOut } from "../sessions/index.js";
import { exitCodes, type Invocation } from "../shell/index.js";

/** `holdfast history view|export SESSION`: the tree of a stored conversation, to read and to keep. */
export async function historyCommand(call: Invocation): Promise<number> {
  const [action, prefix] = call.args;
  switch (action) {
    case "view":
      return withSession(call, prefix, (store, session) => viewHistory(call, store, session));
    case "export":
      return withSession(call, prefix, (store, session) => exportHistory(call, store, session));
    default:
      return call.misuse("history knows view and export");
  }
}

async function viewHistory(
  { flags, settings, terminal }: Invocation,
  store: SessionStore,
  { id }: SessionFacts,
): Promise<number | ConversationRefusal> {
  const loaded = await loadSession(store, id);
  if (isRefusal(loaded)) return loaded;
  const time = flags.times === true ? { time: localTime } : {};
  const outline = () => debugOutline(loaded.context, { reader: "person", ...time });
  await terminal.out(settings.json ? jsonLine(treeToJson(loaded)) : outline());
  return exitCodes.success;
}

async function exportHistory(
  call: Invocation,
  store: SessionStore,
  { id }: SessionFacts,
): Promise<number | ConversationRefusal> {
  const { flags, settings } = call;
  const forms = [settings.json, flags.yaml === true, flags.html === true].filter((asked) => asked).length;
  if (forms > 1) return call.misuse("history export takes one of --yaml, --json and --html");
  const loaded = await loadSession(store, id, { media: "inline" });
  if (isRefusal(loaded)) return loaded;
  if (settings.json) return writeOut(call, [jsonLine(treeToJson(loaded))]);
  if (flags.html !== true) return writeOut(call, [await debugYaml(loaded.context)]);
  return writeOut(call, await htmlPage(loaded, { stateDir: settings.stateDir, now: Date.now() }));
}

/** The whole state: every node with its payload and its place. */
function treeToJson({ id, context, problems }: LoadedSession) {
  const { title, currentNodeId, stagingArea, nodes, pruned, orphans, expansions, pendingRestore } = context;
  return {
    success: true,
    id,
    title: title ?? null,
    head: currentNodeId,
    tasks: listTasks(context),
    nodes: [...nodes.values()].sort(
      (one, other) => one.depth - other.depth || one.timestamp - other.timestamp,
    ),
    orphans: [...orphans.values()],
    pruned: [...pruned.keys()],
    staged: stagingArea,
    expansions,
    pending_restore: pendingRestore ?? null,
    problems,
  };
}
