/** The names in a pair of file header lines, without prefixes and times. */
export interface FileNames {
  readonly old: string | undefined;
  readonly new: string | undefined;
}

/** The name that means no file in a file header. */
export const noFile = "/dev/null";

/** Reads `--- x` and `+++ y`; either may be missing. */
export function readFileNames(oldLine: string | undefined, newLine: string | undefined): FileNames {
  return withoutPrefixes(
    oldLine === undefined ? undefined : readName(oldLine.slice(4)),
    newLine === undefined ? undefined : readName(newLine.slice(4)),
  );
}

/** The names of the file in a line `diff --git …`; none where they cannot be told apart. */
export function readGitNames(line: string): Partial<FileNames> {
  const whole = line.slice("diff --git ".length);
  return /\s$/.test(whole) ? (sameNames(whole) ?? namesIn(whole.trimEnd())) : namesIn(whole);
}

function namesIn(rest: string): Partial<FileNames> {
  const quoted =
    /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*")$/.exec(rest) ?? /^("(?:[^"\\]|\\.)*") (.+)$/.exec(rest);
  if (quoted !== null) return withoutPrefixes(readName(quoted[1] ?? ""), readName(quoted[2] ?? ""));
  const same = sameNames(rest);
  if (same !== undefined) return same;
  const [, old, fresh] = /^(\S+) (\S+)$/.exec(rest) ?? /^(a\/.*) (b\/.*)$/.exec(rest) ?? [];
  return old === undefined ? {} : withoutPrefixes(old, fresh);
}

/** Names may hold blanks; the two are the same, except in a rename, which has lines of its own. */
function sameNames(rest: string): FileNames | undefined {
  for (let at = rest.indexOf(" "); at >= 0; at = rest.indexOf(" ", at + 1)) {
    const names = withoutPrefixes(rest.slice(0, at), rest.slice(at + 1));
    if (names.old !== "" && names.old === names.new) return names;
  }
  return undefined;
}

/**
 * A name as a header has it: quoted or not, with a time behind it or not. Behind a name with blanks git puts a tab, so
 * that those at its end are its own; blanks without one are nobody's.
 */
export function readName(text: string): string {
  const quoted = /^\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  if (quoted !== undefined) return decodeEscapes(quoted).replace(/^\.\//, "");
  const [before = "", behind] = text.split("\t");
  if (behind === "") return before.replace(/^\.\//, "");
  return before
    .replace(/\s\d{4}-\d\d-\d\d[ T].*$/, "")
    .trim()
    .replace(/^\.\//, "");
}

/**
 * Takes off what stands for the two sides: `a/` and `b/`, in a reversed diff the other way round, or letters of
 * what git compares (index, work tree, commit, object). Two equal letters are a folder of a diff without prefixes.
 */
function withoutPrefixes(old: string | undefined, fresh: string | undefined): FileNames {
  const pair = `${prefixOf(old)}${prefixOf(fresh)}`;
  const both = { old: old?.slice(2), new: fresh?.slice(2) };
  if (pair === "ab" || pair === "ba") return both;
  if (/^[icow]{2}$/.test(pair) && pair[0] !== pair[1] && both.old === both.new) return both;
  if (pair === "aa" || pair === "bb") return { old, new: fresh };
  return { old: old?.replace(/^a\//, ""), new: fresh?.replace(/^b\//, "") };
}

function prefixOf(name: string | undefined): string {
  return /^([abicow])\//.exec(name ?? "")?.[1] ?? "-";
}

/** Takes back the escapes of a quoted name; bytes outside of ASCII are three octal digits each, in UTF-8. */
function decodeEscapes(text: string): string {
  return text.replace(/(?:\\[0-3][0-7]{2})+|\\(.)/g, (found, char: string | undefined) => {
    if (char !== undefined) return letters[char] ?? char;
    const bytes = found.match(/[0-7]{3}/g) ?? [];
    return new TextDecoder().decode(Uint8Array.from(bytes, (digits) => Number.parseInt(digits, 8)));
  });
}

const letters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};
