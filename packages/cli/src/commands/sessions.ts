import { forkOne, removeOne, renameOne } from "../sessions/changing.js";
import { filesOfOne } from "../sessions/files.js";
import { type OnSession, type OnStore, withSession, withSessions } from "../sessions/open-store.js";
import { pruneStored } from "../sessions/pruning.js";
import { listSessions, searchInSessions, showSession, verifySessions } from "../sessions/read-only.js";
import { repairOne } from "../sessions/repairing.js";
import { exportOne, importOne } from "../sessions/transfer.js";
import type { Invocation } from "../shell/invocation.js";

const onStore: Readonly<Record<string, OnStore>> = {
  list: listSessions,
  search: searchInSessions,
  verify: verifySessions,
  prune: pruneStored,
  import: importOne,
};

const onSession: Readonly<Record<string, OnSession>> = {
  show: showSession,
  fork: forkOne,
  files: filesOfOne,
  rename: renameOne,
  repair: repairOne,
  rm: removeOne,
  export: exportOne,
};

/** `holdfast sessions ACTION`: the stored conversations. */
export async function sessionsCommand(call: Invocation): Promise<number> {
  const [action = "", prefix] = call.args;
  const [ofAll, ofOne] = [onStore[action], onSession[action]];
  if (ofAll !== undefined) return withSessions(call, (store) => ofAll(call, store));
  if (ofOne !== undefined) return withSession(call, prefix, (store, session) => ofOne(call, store, session));
  return call.misuse(`sessions has no action ${action}`);
}
