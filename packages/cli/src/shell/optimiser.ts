import { setFlagsFromString } from "node:v8";

/**
 * For a server of small calls: V8 optimises a function after four times the work that it takes for by default.
 * A small edit runs a little of much code. Node 20 compiles that code before its types are settled, throws part of it
 * away and compiles it again, and over the first thousand edits this costs more than it saves (`npm run bench`).
 * Later Nodes have a cheap compiler between and do not know the flag.
 */
export function optimiseLate(): void {
  if (process.versions.v8.startsWith("11.")) setFlagsFromString(`--interrupt-budget=${4 * defaultBudget}`);
}

/** V8's own, in bytes of bytecode. */
const defaultBudget = 67_584;
