export { type DeltaRequest, deltaContent, deltaReads } from "./delta-reads.js";
