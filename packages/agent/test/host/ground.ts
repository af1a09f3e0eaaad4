import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HostScope, type HostTool, type HostToolResult, runHostTool } from "@holdfast/core/tools";
import { afterThisTest } from "../../../../test/cleanups.js";

export { until } from "../../../../test/until.js";

/** A private folder, removed after the test, or after the file. */
export async function folder(after: (clean: () => unknown) => void = afterThisTest): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), "holdfast-host-")));
  after(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Calls a tool as the loop does. */
export function call(tool: HostTool, args: unknown, scope: Partial<HostScope> = {}): Promise<HostToolResult> {
  return runHostTool(tool, args, {
    progress: () => {},
    onError: (error) => {
      throw error;
    },
    ...scope,
  });
}
