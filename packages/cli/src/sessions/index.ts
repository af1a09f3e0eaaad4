export { forkOne, removeOne, renameOne } from "./changing.js";
export { filesOfOne } from "./files.js";
export { htmlPage } from "./html-page.js";
export { jsonLine, lineOfJson, newIds, withSession, withSessions } from "./open-store.js";
export { writeOut } from "./output.js";
export { listSessions, localTime, searchInSessions, showSession, verifySessions } from "./read-only.js";
export { repairOne } from "./repairing.js";
export { jsonWithTasks } from "./task-texts.js";
export { exportOne, importOne } from "./transfer.js";
