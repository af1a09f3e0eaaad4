export type { LookAfter } from "./look-after.js";
