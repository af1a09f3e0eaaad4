import { createHash } from "node:crypto";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AgentSettings } from "@holdfast/agent";

/** Where the notes of a project lie that outlast a conversation. */
export interface MemoryPlace {
  /** As tools name the file. */
  readonly path: string;
  /** The same from its root on, as a glob. */
  readonly glob: string;
  /** Set where it lies in the state folder: absolute, and a root of its own. */
  readonly folder?: string;
}

const fileName = "workspace.md";

/**
 * The place of a project's memory file: the one of the settings, else a folder for this project in the state folder,
 * which is made. None where the settings want none, where a run is to leave no trace, or where the folder cannot be made.
 */
export function memoryPlace(
  { enabled = true, file }: NonNullable<AgentSettings["memory"]> = {},
  {
    root,
    stateDir,
    isEphemeral,
  }: { readonly root: string; readonly stateDir: string; readonly isEphemeral: boolean },
): MemoryPlace | undefined {
  if (!enabled) return undefined;
  if (file !== undefined) return { path: file, glob: file };
  try {
    const real = realpathSync(root);
    const digest = createHash("sha256").update(real).digest("hex").slice(0, 16);
    const folder = join(stateDir, "memory", `${basename(real).replaceAll(/[^\w.-]/g, "_")}-${digest}`);
    if (isEphemeral && !existsSync(folder)) return undefined;
    makeFolder(folder);
    const own = realpathSync(folder);
    return { path: join(own, fileName), glob: fileName, folder: own };
  } catch {
    // A state folder that cannot be written in is told by what needs it; a memory is a convenience.
    return undefined;
  }
}

/** Step by step: Node's recursive way never ends where a system says of every folder that the one above is missing. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
