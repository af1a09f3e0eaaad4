import { lstatSync, readlinkSync } from "node:fs";
import type { LaterFile } from "@holdfast/agent";
import { isRefusal } from "@holdfast/core/files";
import { openWorkspace, readForeign, sha256 } from "@holdfast/core/node";

/**
 * Gives files of the workspace the content that they had, or takes them away where there were none. What they hold now is kept
 * in the history, as of every write.
 *
 * @returns those that could not be: nobody knows what they were, or they are changed again meanwhile.
 */
export async function takeBack(
  files: readonly LaterFile[],
  { roots, stateDir }: { readonly roots: readonly string[]; readonly stateDir: string },
): Promise<readonly LaterFile[]> {
  // Who took away the approval of what a command wrote there approves of this; nobody has to have read it.
  const guards = { wholeReplacement: "hash", onMismatch: "refuse" } as const;
  const workspace = await openWorkspace({ roots, stateDir, guards, allowProtected: ["**"] });
  if (isRefusal(workspace)) return files;
  try {
    const left: LaterFile[] = [];
    for (const file of files) {
      const { path, before } = file;
      const base = stateAt(path);
      const content =
        before === undefined
          ? ({ kind: "delete" } as const)
          : ({ kind: "text", text: before ?? "" } as const);
      const done =
        before === null || base === undefined
          ? undefined
          : await workspace.applyChanges({ changes: [{ path, base, content }] });
      if (done?.kind !== "change_set") left.push(file);
    }
    return left;
  } finally {
    await workspace.close();
  }
}

/** The hash of a file, or of a link's text. */
function stateAt(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return sha256(readlinkSync(path));
  const read = readForeign(path, { limitBytes: mostBytes });
  return read.kind === "read" ? sha256(read.bytes) : undefined;
}

const mostBytes = 1 << 29;
