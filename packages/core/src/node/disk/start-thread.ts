import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * A thread of this process, running a file of ours.
 *
 * @returns undefined where the system gives no more threads to this user, process or container.
 */
export function startThread(file: URL, options: WorkerOptions): Worker | undefined {
  try {
    // Flags of this process may mean nothing, or something else, to a file of ours.
    return new Worker(file, { execArgv: [], ...options });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_INIT_FAILED")
      return undefined;
    throw error;
  }
}
