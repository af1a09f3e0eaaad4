import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * For a server: lets the file tools have the last large file's memory collected before they read the next one
 * (`globalThis.gc`, which Node gives with a flag). V8 collects by what is on its heap; the bytes of a file lie
 * beside it, so that two large files would be held at once.
 */
export function letCollect(): void {
  if (globalThis.gc !== undefined) return;
  // Made when it is asked for: a context costs more than a hundredth of a start.
  Object.defineProperty(globalThis, "gc", { configurable: true, get: collector });
}

function collector(): NodeJS.GCFunction {
  setFlagsFromString("--expose-gc");
  // A cast: a new context has the function by the flag, which the compiler cannot know.
  const value = runInNewContext("gc") as NodeJS.GCFunction;
  setFlagsFromString("--no-expose-gc");
  Object.defineProperty(globalThis, "gc", { value });
  return value;
}
