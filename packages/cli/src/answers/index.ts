export { counted, readableSize } from "./amounts.js";
export { answerInJson, commandLimits, withWorkspace } from "./open.js";
export { reportChangeSet, reportRefusal, reportWrite, stateLine } from "./report.js";
