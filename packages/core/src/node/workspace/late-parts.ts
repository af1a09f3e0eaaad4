import { closeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileGlob, type LatePart, loadLinePattern } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { answerSection } from "../../patch/index.js";
import { isForWant, openDescriptor } from "../disk/platform.js";

/**
 * Loads what is loaded late, each part once. Node takes a module that could not be opened for broken as long as the
 * process lives. So whether there are descriptors enough is tried beforehand, with this file.
 */
export function openLateParts(): (part: LatePart) => Promise<Refusal | undefined> {
  const loaded = new Set<LatePart>();
  return async (part) => {
    if (loaded.has(part)) return undefined;
    const refusal = shortage() ?? (await load(part));
    if (refusal === undefined) loaded.add(part);
    return refusal;
  };
}

async function load(part: LatePart): Promise<Refusal | undefined> {
  try {
    await loaders[part]();
    return undefined;
  } catch (error) {
    // Others took the descriptors meanwhile.
    if (isForWant(error)) return noneLeft;
    throw error;
  }
}

/** With its engine for patterns the content search is as large as all that a read needs. */
export const loadContentSearch = () => import("../search/content-search.js");

/** The smallest work that needs all of a part. */
const loaders: Readonly<Record<LatePart, () => Promise<unknown>>> = {
  search: async () => [await loadContentSearch(), await loadLinePattern(), await compileGlob("*")],
  globs: () => compileGlob("*"),
  sections: () => answerSection({ kind: "text", text: "", header: "" }),
};

/** @returns `busy` where there are not descriptors enough to load a part of the program, or to start a thread. */
export function shortage(): Refusal | undefined {
  const held: number[] = [];
  try {
    while (held.length < mostOpenAtOnce) held.push(openDescriptor(fileURLToPath(import.meta.url), "r"));
    return undefined;
  } catch (error) {
    // Where this file is gone, or in an archive, nothing can be tried.
    return isForWant(error) ? noneLeft : undefined;
  } finally {
    for (const descriptor of held) closeSync(descriptor);
  }
}

/** Node opens what a module imports side by side: fewer than this in each part, with some for others meanwhile. */
const mostOpenAtOnce = 16;

/** For want of descriptors, the program's own files cannot be opened. */
const noneLeft: Refusal = refuse(
  "busy",
  "Too many files are open in this process, or in the system, to load what this needs. Nothing was done; ask again in a moment.",
);
