import { randomBytes } from "node:crypto";
import { findSession } from "@holdfast/core/conversation";
import {
  type ConversationRefusal,
  type IdSource,
  type SessionFacts,
  type SessionStore,
  timeSortedIds,
} from "@holdfast/core/conversation/values";
import type { AnyRefusalCode } from "@holdfast/core/files/values";
import { isRefusal, type Refusal } from "@holdfast/core/files/values";
import { openJournalStore } from "@holdfast/core/node";
import { defined } from "@holdfast/core/text";
import { addonFor } from "../addons.js";
import { jsonLine } from "../answers/one-answer.js";
import { reportRefusal } from "../answers/report.js";
import { exitCodeOf } from "../shell/exit-code-of.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation, Run } from "../shell/invocation.js";

/** What sessions or files refuse. */
export type AnyRefusal = Refusal<AnyRefusalCode>;

/** What is done with stored conversations. @returns the exit code, or what was refused, which is then reported. */
type OnStore = (call: Invocation, store: SessionStore) => Promise<number | AnyRefusal>;

/** The same with one of them. */
export type OnSession = (
  call: Invocation,
  store: SessionStore,
  session: SessionFacts,
) => Promise<number | AnyRefusal>;

/**
 * Opens the sessions that the flags name, for one piece of work: a PostgreSQL server or a folder (`--store`, or
 * HOLDFAST_STORE), else the journals in the state folder.
 *
 * @returns the exit code; a refusal is reported.
 */
export async function withSessions(
  call: Invocation,
  work: (store: SessionStore) => Promise<number | AnyRefusal>,
): Promise<number> {
  const place = call.flags.store ?? process.env.HOLDFAST_STORE ?? "";
  const tenant = call.flags.tenant ?? process.env.HOLDFAST_TENANT;
  if (!isServer(place) && place.includes("://"))
    return call.misuse(
      "--store takes a postgres:// address or a folder; without one, sessions are in the state folder",
    );
  if (!isServer(place) && call.flags.tenant !== undefined)
    return call.misuse("--tenant goes with --store: the state folder is one person's");
  const store = await openStoreAt({ place, tenant }, call);
  if (isRefusal(store)) return refuse(store, call);
  try {
    const done = await work(store);
    return typeof done === "number" ? done : refuse(done, call);
  } finally {
    await store.close();
  }
}

/**
 * Opens the sessions of a place: a PostgreSQL server, a folder, or "" for the state folder. The library of the server is
 * loaded only by those who name one.
 */
export async function openStoreAt(
  { place, tenant }: { readonly place: string; readonly tenant: string | undefined },
  call: Invocation,
): Promise<SessionStore | ConversationRefusal> {
  if (place === "") return openJournalStore({ stateDir: call.settings.stateDir });
  if (!isServer(place)) return openJournalStore({ stateDir: place });
  const { openPostgresStore } = await addonFor("postgres", call.misuse);
  // A person who waits at a terminal wants to know soon that there is no server.
  return openPostgresStore({ connection: place, retryMs: 2_000, ...defined({ tenant }) });
}

function isServer(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

/** An action on the stored conversations. */
export function onStore(work: OnStore): Run {
  return (call) => withSessions(call, (store) => work(call, store));
}

/** An action on the one session that is meant by an id or the beginning of one. */
export function onSession(work: OnSession): Run {
  return (call) => {
    const [, prefix] = call.args;
    if (prefix === undefined) return call.misuse("which session? `holdfast sessions list` shows them");
    return withSessions(call, async (store) => {
      const session = await findSession(store, prefix);
      return isRefusal(session) ? session : work(call, store, session);
    });
  };
}

/** One refusal: for `--json` an object on standard output, else a line on standard error. */
async function refuse(refusal: AnyRefusal, call: Invocation): Promise<number> {
  const { terminal, settings } = call;
  const { code, message } = refusal;
  const exitCode = exitCodeOf[code];
  process.exitCode = exitCode;
  if (settings.json) await terminal.out(jsonLine({ success: false, code, message }));
  else reportRefusal(refusal, terminal);
  if (!settings.json && code === "duplicate_id")
    terminal.err("Here: --new-id imports it beside the one that is there.\n");
  return exitCode;
}

/** What stands after Ctrl-C, in half a sentence. @returns the exit code. */
export async function interrupted({ terminal, settings }: Invocation, stands: string): Promise<number> {
  const message = `Interrupted: ${stands}`;
  if (settings.json) await terminal.out(jsonLine({ success: false, code: "cancelled", message }));
  else terminal.err(`${message}\n`);
  return exitCodes.cancelled;
}

/** Ids of new sessions and nodes. */
export function newIds(): IdSource {
  return timeSortedIds(Date.now, (bytes) => randomBytes(bytes));
}
