export { counted, readableSize } from "./amounts.js";
export { answerInJson, withWorkspace } from "./open.js";
export { reportChangeSet, reportRefusal, reportWrite, stateLine } from "./report.js";
