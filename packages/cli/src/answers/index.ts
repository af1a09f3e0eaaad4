export { counted, readableSize } from "./amounts.js";
export { type ChosenRoots, chooseRoots, type FolderLeftOut, noFolders } from "./choose-roots.js";
export { answerInJson, commandLimits, openSettings, withWorkspace } from "./open.js";
export { reportChangeSet, reportRefusal, reportWrite, stateLine } from "./report.js";
