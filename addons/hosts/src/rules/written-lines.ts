import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * A line in the syntax of `.gitignore`, written for one folder, as lines for absolute paths: by the names as they are
 * written, and with the links resolved in the part before the first wildcard.
 *
 *     locked/*  for /work  →  /work/locked/*, /real/locked/*
 */
export function absoluteLines(written: string, folder: string): readonly string[] {
  const negation = written.startsWith("!") ? "!" : "";
  let end = written.length;
  while (written[end - 1] === "/") end -= 1;
  const line = written.slice(negation.length, end);
  const slash = end < written.length ? "/" : "";
  const parts = line.includes("/") ? line.replace(/^\/+/, "").split("/") : ["**", line];
  const firstWild = parts.findIndex((part) => /[*?[\\]/.test(part));
  const literal = firstWild < 0 ? parts : parts.slice(0, firstWild);
  const named = join(folder, ...literal);
  // No file has a longer path.
  const real = named.length > 4_096 ? named : realPathOf(named);
  return [...new Set([named, real])].map((place) => {
    const wild = firstWild < 0 ? [] : parts.slice(firstWild);
    return negation + [place === "/" ? "" : place.replace(/[\\*?[]/g, "\\$&"), ...wild].join("/") + slash;
  });
}

/** With the links resolved as far as the path leads somewhere. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPathOf(above), basename(path));
  }
}
