import type { FileRequest } from "../../files/values/index.js";
import { splitByFile } from "../../patch/index.js";
import { defined } from "../../text/index.js";
import { fileOfRefusal, intentOf } from "../tool/arguments.js";
import type { FileTool } from "../tool/tool.js";

/** The files that a call is about, as far as its arguments name them, and whether it only looks at them. */
export interface CallPaths {
  readonly paths: readonly string[];
  readonly shared: boolean;
  /** The encoding that the call insists on. */
  readonly encoding?: string;
}

/**
 * Read off the arguments alone, so that calls can take their turns before anything is looked at. A call with wrong
 * arguments looks at one file at most: the one that its refusal shows.
 */
export function pathsOfCall(tool: FileTool, args: unknown): CallPaths {
  const intent = intentOf(tool, args);
  if (intent.kind === "refusal") {
    const path = fileOfRefusal(tool, args, intent);
    return path === undefined ? none : { paths: [path], shared: true };
  }
  const { request } = intent;
  const encoding = "encoding" in request ? request.encoding : undefined;
  return { ...pathsOf(request), ...defined({ encoding }) };
}

const none: CallPaths = { paths: [], shared: true };

function pathsOf(request: FileRequest): CallPaths {
  switch (request.kind) {
    case "read":
      return { paths: [request.path], shared: true };
    case "read_many":
      return { paths: request.paths ?? [], shared: true };
    case "list":
    case "find":
    case "search":
      return none;
    case "apply_changes":
      return {
        paths: "changes" in request ? pathsOfChanges(request) : pathsOfDiff(request.diff),
        shared: false,
      };
    default:
      return { paths: [request.path], shared: false };
  }
}

function pathsOfChanges(
  request: Extract<FileRequest, { readonly kind: "apply_changes"; readonly changes: unknown }>,
): readonly string[] {
  return request.changes.flatMap(({ path, renameTo }) =>
    renameTo === undefined ? [path] : [path, renameTo],
  );
}

function pathsOfDiff(diff: string): readonly string[] {
  const split = splitByFile(diff, mostMs);
  if (split.kind === "refusal") return [];
  return split.files.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
}

/**
 * The place in the queues is taken before anything else has a turn, so this holds the thread. A diff that takes longer
 * is large; its call then waits for no other call, and the files' own locks keep the order of the writes.
 */
const mostMs = 40;
