import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker, WorkerOptions } from "node:worker_threads";

/**
 * The file of a thread, which lies beside the module that starts it, also where the program is bundled into a few.
 *
 * @param beside the module's `import.meta.url`; a CommonJS bundle has none.
 * @returns undefined where a bundler left the file behind: the work is then done in this thread.
 */
export function threadFile(name: string, beside: string | undefined): URL | undefined {
  if (beside === undefined) return undefined;
  const file = new URL(name, beside);
  return file.protocol === "file:" && existsSync(fileURLToPath(file)) ? file : undefined;
}

/**
 * A thread of this process, running a file of ours.
 *
 * @returns undefined where the system gives no more threads to this user, process or container.
 */
export function startThread(file: URL, options: WorkerOptions): Worker | undefined {
  // Loaded here: a start that needs no thread does not pay for it.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  try {
    // Flags of this process may mean nothing, or something else, to a file of ours.
    return new Worker(file, { execArgv: [], ...options });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_INIT_FAILED")
      return undefined;
    throw error;
  }
}
