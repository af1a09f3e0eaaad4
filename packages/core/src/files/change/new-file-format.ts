import { newFormat } from "../access/file-text.js";
import type { AbsentFile } from "../access/kept-states.js";
import type { Site } from "../access/landing.js";
import { compileGlob } from "../reading/glob.js";
import type { Disk } from "../values/disk.js";
import { isRefusal } from "../values/refusal.js";

/**
 * No file, and the format of one that is made here by the `.editorconfig` files from its folder up to the root:
 * `charset` and `end_of_line`, the nearest word first (EditorConfig specification 0.17). A range of numbers in braces
 * is not read.
 */
export async function absentAt({ call, target: { realPath, relativePath } }: Site): Promise<AbsentFile> {
  const { disk, codec } = call.session.ports;
  const words = new Map<string, string>();
  for (let below = relativePath.lastIndexOf("/"); ; below = relativePath.lastIndexOf("/", below - 1)) {
    const path = relativePath.slice(below + 1);
    const { isRoot, found } = await wordsFor(await readConfig(disk, realPath.slice(0, -path.length)), path);
    for (const [key, word] of found) if (!words.has(key)) words.set(key, word);
    if (isRoot || below < 0) break;
  }
  const charset = words.get("charset");
  const named = charset?.replace("latin1", "iso-8859-1").replace("utf-8-bom", "utf-8");
  const format = named === undefined || charset === "utf-8" ? undefined : newFormat(codec, named);
  const isKnown = format !== undefined && !("kind" in format);
  return {
    kind: "absent",
    ...(isKnown ? { format: { ...format, bom: format.bom || charset === "utf-8-bom" } } : {}),
    ...(words.get("end_of_line") === "crlf" ? { isCrlf: true } : {}),
  };
}

const maxBytes = 65_536;

/** The lines of a folder's file; none where it cannot be read: it protects nothing. */
async function readConfig(disk: Disk, folder: string): Promise<readonly string[]> {
  const target = await disk.enter(`${folder}.editorconfig`, "allow", "name");
  if (isRefusal(target)) return [];
  try {
    const read = await target.read(maxBytes);
    return isRefusal(read) ? [] : new TextDecoder().decode(read.bytes).split(/\r?\n/);
  } finally {
    await target.close();
  }
}

/** The pairs of the sections that the path falls under; the last one of a key counts. */
async function wordsFor(lines: readonly string[], path: string) {
  const found = new Map<string, string>();
  let isRoot = false;
  let section: boolean | undefined;
  for (const line of lines) {
    const glob = /^\s*\[(.+)\]\s*$/.exec(line)?.[1];
    if (glob !== undefined) section = await isUnder(glob, path);
    const [, key = "", word = ""] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line.toLowerCase()) ?? [];
    if (section === true) found.set(key, word);
    if (section === undefined && key === "root") isRoot = word === "true";
  }
  return { isRoot, found };
}

async function isUnder(section: string, path: string): Promise<boolean> {
  if (section === "*") return true;
  // There `**` is any text; in our globs it is any number of folders.
  const written = section.replace(/\*\*(?!\/)/g, "**/*");
  const glob = await compileGlob(section.includes("/") ? written : `**/${written}`);
  return !isRefusal(glob) && glob.matches(path);
}
