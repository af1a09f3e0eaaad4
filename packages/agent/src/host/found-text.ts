import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isSecret, type Workspace } from "@holdfast/core/files";
import { inWords } from "@holdfast/core/files/values";
import { type ForeignFiles, foreignFilesIn } from "@holdfast/core/node";
import { readSettings } from "../config/resolve.js";
import { realPathOf } from "./repository.js";

/** A text; why it is not read; or undefined where there is none. */
type FoundText =
  | { readonly text: string; readonly sha256: string; readonly isCut: boolean }
  | string
  | undefined;

/** Reads a text that somebody wrote down for the model, by its absolute path. Never rejects. */
export type ReadText = (path: string) => Promise<FoundText>;

/** Reads a file of the person's own, which may be a link; it is no larger than a file of settings. */
export const ownText: ReadText = async (path) => {
  const read = readSettings({ path, isOwn: true });
  if (read.kind !== "read") return read.kind === "absent" ? undefined : read.why;
  const sha256 = createHash("sha256").update(read.bytes).digest("hex");
  return { text: read.text, sha256, isCut: false };
};

/**
 * Reads files of a project as its workspace lets them be read.
 *
 * @param barred why a rule of the settings keeps a file from being read; undefined where none does.
 */
export function projectText(
  workspace: Pick<Workspace, "read">,
  barred: (path: string) => Promise<string | undefined>,
): ReadText {
  return async (path) => {
    const names = [path, realPathOf(path) ?? path];
    const isGits = names.some((name) => /[\\/]\.git(?:[\\/]|$)/i.test(name));
    const why = isGits ? "it is git's own" : isSecret(path) ? "it may hold secrets" : await barred(path);
    if (why !== undefined) return why;
    const found = await workspace.read({ path }, { isSilent: true });
    if (found.kind !== "read")
      return found.code === "file_missing" ? undefined : inWords(found, {}).split(/[.](?:\s|$)/)[0];
    const { content, sha256, lines } = found.state;
    return { text: content ?? "", sha256, isCut: lines !== undefined };
  };
}

/** The files below a folder whose paths within it fit; the folder itself may be a link. */
export function filesBelow(folder: string, fits: RegExp): ForeignFiles {
  const bounds = { depth: 6, limitEntries: 5_000, links: "followed" } as const;
  return foreignFilesIn(folder, bounds, (path) => fits.test(path));
}

/** Whether a path is a folder or lies in it, by its letters. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** The path that a text names which lies at `from`. @param home what `~/` stands for. */
export function pathFrom(from: string, named: string, home: string): string {
  return named.startsWith("~/") ? join(home, named.slice(2)) : resolve(dirname(from), named);
}
