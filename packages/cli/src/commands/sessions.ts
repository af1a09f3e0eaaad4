import { forkOne, removeOne, renameOne } from "../sessions/changing.js";
import { filesOfOne } from "../sessions/files.js";
import { withSession, withSessions } from "../sessions/open-store.js";
import { pruneStored } from "../sessions/pruning.js";
import { listSessions, searchInSessions, showSession, verifySessions } from "../sessions/read-only.js";
import { repairOne } from "../sessions/repairing.js";
import { exportOne, importOne } from "../sessions/transfer.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast sessions ACTION`: the stored conversations. */
export async function sessionsCommand(call: Invocation): Promise<number> {
  const [action, first] = call.args;
  switch (action) {
    case "list":
      return withSessions(call, (store) => listSessions(call, store));
    case "search":
      return withSessions(call, (store) => searchInSessions(call, store));
    case "verify":
      return withSessions(call, (store) => verifySessions(call, store));
    case "prune":
      return withSessions(call, (store) => pruneStored(call, store));
    case "import":
      return withSessions(call, (store) => importOne(call, store));
    case "show":
      return withSession(call, first, (store, session) => showSession(call, store, session));
    case "fork":
      return withSession(call, first, (store, session) => forkOne(call, store, session));
    case "files":
      return withSession(call, first, (store, session) => filesOfOne(call, store, session));
    case "rename":
      return withSession(call, first, (store, session) => renameOne(call, store, session));
    case "repair":
      return withSession(call, first, (store, session) => repairOne(call, store, session));
    case "rm":
      return withSession(call, first, (store, session) => removeOne(call, store, session));
    case "export":
      return withSession(call, first, (store, session) => exportOne(call, store, session));
    default:
      return call.misuse(
        "sessions knows list, show, search, fork, files, rename, rm, export, import, prune, verify, repair",
      );
  }
}
