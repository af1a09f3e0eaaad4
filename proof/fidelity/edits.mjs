import { sha } from "../races/ground.mjs";
import { edited, marker } from "./files.mjs";

/** @typedef {import("../races/ground.mjs").OpenedWorkspace} OpenedWorkspace */
/** @typedef {import("./files.mjs").Sample} Sample */
/** @typedef {{ readonly success: boolean, readonly code: string }} Answer */

/**
 * The same edit by each way of writing. `undefined` where this file cannot even be asked for it: the text
 * that the caller would send is not to be had.
 *
 * @type {Readonly<Record<string, (workspace: OpenedWorkspace, path: string, sample: Sample) => Promise<Answer | undefined>>>}
 */
export const edits = {
  safe_patch: (workspace, path, sample) => patched(workspace, path, sample, false),
  "safe_patch, in place": (workspace, path, sample) => patched(workspace, path, sample, true),
  "apply_changes, exact edit": async (workspace, path, { bytes, encoding }) => {
    const content = /** @type {const} */ ({
      kind: "edits",
      edits: [{ oldString: marker, newString: edited }],
    });
    return workspace.applyChanges({ changes: [{ path, base: sha(bytes), content, ...named(encoding) }] });
  },
  "apply_changes, diff": async (workspace, path, { bytes, encoding }) => {
    const content = /** @type {const} */ ({ kind: "diff", diff });
    return workspace.applyChanges({ changes: [{ path, base: sha(bytes), content, ...named(encoding) }] });
  },
  write_file: async (workspace, path, { bytes, encoding }) => {
    const read = await workspace.read({ path, ...named(encoding) });
    if (read.kind === "refusal") return undefined;
    const content = read.state.content.replace(marker, edited);
    return workspace.write({ path, content, base: sha(bytes), ...named(encoding) });
  },
  "write_file, bytes": (workspace, path, { bytes, expected }) =>
    workspace.write({ path, content: expected, base: sha(bytes) }),
};

const diff = `@@\n-${marker}\n+${edited}\n`;

/** @param {OpenedWorkspace} workspace @param {string} path @param {Sample} sample @param {boolean} inPlace */
function patched(workspace, path, { bytes, encoding }, inPlace) {
  return workspace.patch({ path, diff, base: sha(bytes), inPlace, ...named(encoding) });
}

/** @param {string | undefined} encoding */
function named(encoding) {
  return encoding === undefined ? {} : { encoding };
}
