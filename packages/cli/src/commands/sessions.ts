import { forkOne, removeOne, renameOne } from "../sessions/changing.js";
import { filesOfOne } from "../sessions/files.js";
import { pruneStored } from "../sessions/pruning.js";
import { listSessions, searchInSessions, showSession, verifySessions } from "../sessions/read-only.js";
import { repairOne } from "../sessions/repairing.js";
import { exportOne, importOne } from "../sessions/transfer.js";

/** `holdfast sessions ACTION`: the stored conversations. */
export const sessionActions = {
  list: listSessions,
  show: showSession,
  search: searchInSessions,
  fork: forkOne,
  files: filesOfOne,
  rename: renameOne,
  rm: removeOne,
  export: exportOne,
  import: importOne,
  prune: pruneStored,
  verify: verifySessions,
  repair: repairOne,
};
