export { forkOne, removeOne, renameOne } from "./changing.js";
export { filesOfOne } from "./files.js";
export { htmlPage } from "./html-page.js";
export { jsonLine, newIds, withSession, withSessions } from "./open-store.js";
export { writeOut } from "./output.js";
export { listSessions, localTime, searchInSessions, showSession, verifySessions } from "./read-only.js";
export { exportOne, importOne } from "./transfer.js";
