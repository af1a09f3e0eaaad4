import { createInterface } from "node:readline/promises";
import {
  type ConversationRefusal,
  forkSession,
  loadSession,
  renameSession,
  type SessionFacts,
  type SessionStore,
} from "@holdfast/core/conversation";
import { isRefusal } from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import { counted } from "../answers/amounts.js";
import { exitCodes } from "../shell/exit-codes.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";
import { escapeName } from "../shell/terminal.js";
import { jsonLine, newIds } from "./open-store.js";

/** `holdfast sessions fork ID`: a session of its own, with all branches. */
export async function forkOne(
  { flags, settings, terminal }: Invocation,
  store: SessionStore,
  { id }: SessionFacts,
): Promise<number | ConversationRefusal> {
  const { title } = flags;
  const head = flags.head === undefined ? undefined : await findNode(store, id, flags.head);
  if (head !== undefined && typeof head !== "string") return head;
  const forked = await finishOnceBegun(() =>
    forkSession(store, id, {
      newId: newIds(),
      now: Date.now(),
      ...defined({ head, title }),
    }),
  );
  if (isRefusal(forked)) return forked;
  await terminal.out(
    settings.json
      ? jsonLine({ success: true, id: forked.id, from: id, nodes: forked.nodes })
      : `Forked: ${forked.id} (${counted(forked.nodes, "node")} of ${escapeName(id)}).\n`,
  );
  return exitCodes.success;
}

/** The node that is meant by an id or the beginning of one, and that a head can stand at. */
export async function findNode(
  store: SessionStore,
  sessionId: string,
  prefix: string,
): Promise<string | ConversationRefusal> {
  const loaded = await loadSession(store, sessionId);
  if (isRefusal(loaded)) return loaded;
  const { nodes, orphans } = loaded.context;
  if (nodes.has(prefix)) return prefix;
  const meant = [...nodes.keys()].filter((id) => id.startsWith(prefix));
  const [first, ...others] = meant;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined)
    return refuse("invalid_arguments", `${meant.length} nodes begin with ${prefix}. Give more of the id.`);
  return orphans.has(prefix)
    ? refuse("unknown_node", `Node ${prefix} hangs on one that is lost: nothing can go on from it.`)
    : refuse(
        "unknown_node",
        `There is no node ${prefix} in this session; \`holdfast history view\` shows them.`,
      );
}

function refuse(code: ConversationRefusal["code"], message: string): ConversationRefusal {
  return { kind: "refusal", code, message };
}

/** `holdfast sessions rename ID TITLE`. */
export async function renameOne(
  { args, settings, terminal, misuse }: Invocation,
  store: SessionStore,
  { id }: SessionFacts,
): Promise<number | ConversationRefusal> {
  const title = args[2];
  if (title === undefined || title.trim() === "") return misuse("rename takes a session and its new title");
  const renamed = await finishOnceBegun(() => renameSession(store, id, title, Date.now()));
  if (isRefusal(renamed)) return renamed;
  await terminal.out(
    settings.json
      ? jsonLine({ success: true, id, title })
      : `Renamed: ${escapeName(id)} is now ${escapeName(title)}.\n`,
  );
  return exitCodes.success;
}

/** `holdfast sessions rm ID`: for good, so it asks. */
export async function removeOne(
  { flags, settings, terminal }: Invocation,
  store: SessionStore,
  { id, title }: SessionFacts,
): Promise<number | ConversationRefusal> {
  const name = `${escapeName(id)} (${escapeName(title ?? "untitled")})`;
  if (flags.yes !== true && (settings.json || !(await consents(name)))) {
    if (settings.json)
      return {
        kind: "refusal",
        code: "invalid_arguments",
        message: "A session is deleted for good: say --yes.",
      };
    terminal.err(`Nothing was deleted. To delete ${name} for good: --yes\n`);
    return exitCodes.change;
  }
  const removed = await finishOnceBegun(() => store.remove(id));
  if (isRefusal(removed)) return removed;
  await terminal.out(settings.json ? jsonLine({ success: true, id }) : `Deleted ${name}.\n`);
  return exitCodes.success;
}

/** Asks, if there is somebody to ask. */
async function consents(name: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const asked = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asked.question(`Delete ${name} for good? [y/N] `);
  asked.close();
  return /^y(es)?$/i.test(answer.trim());
}
