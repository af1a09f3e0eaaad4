export { type HookEvent, type Host, readHookEvent } from "./hook-event.js";
export { judge, type Verdict } from "./verdict.js";
