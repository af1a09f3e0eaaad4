import { unlinkSync } from "node:fs";
import { basename, parse as parsePath, sep } from "node:path";
import { type Folder, openRoot } from "../disk/folder.js";
import { closeQuietly, codeOf } from "../disk/platform.js";
import { hashOpened, lookAt, openFile, readLinkAt, type Spot, sha256 } from "../disk/reading.js";
import { stagePrefix } from "./stage.js";

/** The folder of a real path, reached without following a link; undefined where it cannot be reached. */
export function openFolder(path: string): Folder | undefined {
  try {
    return reachFolder(path);
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** The same; undefined only where it is gone. Throws the system's error where that cannot be told. */
export function findFolder(path: string): Folder | undefined {
  try {
    return reachFolder(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

function reachFolder(path: string): Folder {
  const { root } = parsePath(path);
  let folder = openRoot(root).folder;
  try {
    for (const name of path.slice(root.length).split(sep)) {
      if (name === "") continue;
      const next = folder.enter(name);
      folder.close();
      folder = next;
    }
    return folder;
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** The name holds 128 random bits that stand only in our record: what bears it is ours. */
export function removeStage(folder: Folder, name: string): boolean {
  if (!isStageName(name)) return false;
  const spot: Spot = { folder, name, shown: name };
  if (!["file", "link"].includes(lookAt(spot).kind)) return false;
  unlinkSync(folder.at(name));
  return true;
}

/** Whether a file of this name can only be a stage file of ours. */
export function isStageName(name: string): boolean {
  return name.startsWith(stagePrefix) && /^[a-z2-7]{26}$/.test(name.slice(stagePrefix.length));
}

/** The hash of what stands there now, `null` where nothing does, undefined where it cannot be told. */
export function hashNow(folder: Folder, realPath: string): string | null | undefined {
  const spot: Spot = { folder, name: basename(realPath), shown: realPath };
  if (lookAt(spot).kind === "missing") return null;
  const link = readLinkAt(spot);
  if (link !== undefined) return sha256(link.bytes);
  const opened = openFile(spot);
  if (opened.kind === "refusal") return undefined;
  try {
    return hashOpened(opened.fd, Number(opened.stat.size));
  } finally {
    closeQuietly(opened.fd);
  }
}
