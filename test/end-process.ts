import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/**
 * Kills a process and waits until it is gone. A signal is only sent: who removes the folder of a process right
 * after it removes under the hands of one that still writes.
 */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
