export { counted, readableSize } from "./amounts.js";
export { answerInJson, withWorkspace } from "./open.js";
export { reportRefusal, reportWrite, stateLine } from "./report.js";
