import { bareName } from "../../files/index.js";
import type { FileDelta, FileEffect } from "./file-facts.js";
import type { TurnPayload } from "./payload.js";

/** `null`: there is no such file. */
export type FileStateHash = string | null;

/** The one name under which a file is known, of the names that a step may have used for it. */
export type FileNaming = (path: string) => string;

/**
 * Names without `.`, `..` and doubled slashes, relative where they lie in the folder that relative paths
 * count from. Links are not looked at: two names of one file by a link stay two.
 *
 * @param roots the names of that folder, absolute: as the workspace was opened and with links resolved.
 */
export function namesFrom(...roots: readonly string[]): FileNaming {
  const folders = roots.map((root) => `${bareName(root).replace(/\/$/, "")}/`);
  return (path) => {
    const bare = bareName(path);
    const folder = folders.find((each) => bare.startsWith(each));
    return folder === undefined ? bare : bare.slice(folder.length);
  };
}

/** The same naming, which does not work the same name out again and again. */
export function remembered(naming: FileNaming): FileNaming {
  const known = new Map<string, string>();
  return (path) => {
    const name = known.get(path) ?? naming(path);
    if (known.size >= mostRemembered) known.clear();
    known.set(path, name);
    return name;
  };
}

const mostRemembered = 10_000;

/** What a node says of the states of files, in its order. */
export function effectsOf(payload: TurnPayload): readonly FileEffect[] {
  switch (payload.kind) {
    case "tool_result":
    case "note":
      return payload.files ?? none;
    case "file_content":
      return [{ path: payload.path, after: payload.sha256, by: "seen" }];
    case "task_summary":
      return payload.files.map(changeOf);
    // It stands below the node that it went to, whose files it made: what was before was on another branch,
    // unless the head stayed.
    case "restore":
      return payload.fromId === payload.toId
        ? payload.files.map(changeOf)
        : payload.files.map(({ path, to }) => ({ path, after: to, by: "seen" }));
    // A compaction tells once more what the nodes above it say.
    case "summary":
    case "user_message":
    case "model_message":
    case "tool_call":
    case "context_management":
    case "task_boundary":
    case "lost":
    case "unknown":
      return none;
    default:
      return payload satisfies never;
  }
}

const none: readonly FileEffect[] = [];

/** A change on the way that was recorded as a whole. */
export function changeOf({ path, from, to }: FileDelta): FileEffect {
  return { path, before: from, after: to, by: "tool" };
}
