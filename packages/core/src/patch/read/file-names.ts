/** The names in a pair of file header lines, without prefixes and times. */
export interface FileNames {
  readonly old: string | undefined;
  readonly new: string | undefined;
  /** What the times of the two sides say of there being a file. */
  readonly oldStamp?: Stamp;
  readonly newStamp?: Stamp;
}

/** That there is no file on this side, that there is one, or words that nobody here knows. */
export type Stamp = "absent" | "present" | "unknown";

/** The name that means no file in a file header. */
export const noFile = "/dev/null";

/**
 * Reads `--- x` and `+++ y`; either may be missing.
 *
 * @param strip so many folders are taken off each name; found out by the two names unless given.
 */
export function readFileNames(oldLine?: string, newLine?: string, strip?: number): FileNames {
  const [old, fresh] = [oldLine, newLine].map((line) =>
    line === undefined ? line : readName(line.slice(4)),
  );
  const names = withoutPrefixes(old, fresh, strip);
  return { ...names, oldStamp: readStamp(oldLine), newStamp: readStamp(newLine) };
}

/** The names of the file in a line `diff --git …`; none where they cannot be told apart. */
export function readGitNames(line: string, strip?: number): Partial<FileNames> {
  const whole = line.slice("diff --git ".length);
  return /\s$/.test(whole)
    ? (sameNames(whole, strip) ?? namesIn(whole.trimEnd(), strip))
    : namesIn(whole, strip);
}

function namesIn(rest: string, strip?: number): Partial<FileNames> {
  const quoted =
    /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*")$/.exec(rest) ?? /^("(?:[^"\\]|\\.)*") (.+)$/.exec(rest);
  if (quoted !== null) return withoutPrefixes(readName(quoted[1] ?? ""), readName(quoted[2] ?? ""), strip);
  const same = sameNames(rest, strip);
  if (same !== undefined) return same;
  const [, old, fresh] = /^(\S+) (\S+)$/.exec(rest) ?? /^(a\/.*) (b\/.*)$/.exec(rest) ?? [];
  return old === undefined ? {} : withoutPrefixes(old, fresh, strip);
}

/** Names may hold blanks; the two are the same, except in a rename, which has lines of its own. */
function sameNames(rest: string, strip?: number): FileNames | undefined {
  for (let at = rest.indexOf(" "); at >= 0; at = rest.indexOf(" ", at + 1)) {
    const names = withoutPrefixes(rest.slice(0, at), rest.slice(at + 1), strip);
    if (names.old !== "" && names.old === names.new) return names;
  }
  return undefined;
}

/**
 * A name as a header has it: quoted or not, with a time behind it or not. What a tab follows is the name as it is: git
 * puts one behind a name with blanks. Blanks at the end without one are nobody's.
 */
export function readName(text: string): string {
  const quoted = /^\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  if (quoted !== undefined) return decodeEscapes(quoted).replace(/^\.\//, "");
  const tab = text.indexOf("\t");
  const name = tab < 0 ? text.replace(/\s\d{4}-\d\d-\d\d[ T].*$/, "").trim() : text.slice(0, tab);
  return name.replace(/^\.\//, "");
}

/**
 * What the time behind a name says. The beginning of 1970 stands for no file: in UTC, whatever zone it is written in; in
 * a zone that nobody knows where the form of POSIX has none. Subversion has words instead, in the language of its user.
 */
function readStamp(line = ""): Stamp {
  const stamp = line.slice(line.indexOf("\t") + 1);
  const [, day, time, zone] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.0+)? ([-+]\d{4})$/.exec(stamp) ?? [];
  if (day !== undefined)
    return Date.parse(`${day}T${time}${zone?.slice(0, 3)}:${zone?.slice(3)}`) === 0 ? "absent" : "present";
  if (/\b(0?1 \d\d:[0-5]\d:00 1970|31 \d\d:[0-5]\d:00 1969)$/.test(stamp) || stamp === "(nonexistent)")
    return "absent";
  return /^\((?!working copy\))\D*\)$/.test(stamp) ? "unknown" : "present";
}

/**
 * Takes off what stands for the two sides: `a/` and `b/`, in a reversed diff the other way round, or whatever two
 * folders were compared, such as `old/` and `new/`. Two equal letters are a folder of a diff without prefixes.
 */
function withoutPrefixes(old?: string, fresh?: string, strip?: number): FileNames {
  if (strip !== undefined) return { old: withoutFolders(old, strip), new: withoutFolders(fresh, strip) };
  const pair = `${prefixOf(old)}${prefixOf(fresh)}`;
  const both = { old: withoutFolders(old, 1), new: withoutFolders(fresh, 1) };
  if (pair === "ab" || pair === "ba") return both;
  if (both.old === both.new && old !== fresh && both.old !== "") return both;
  if (pair === "aa" || pair === "bb") return { old, new: fresh };
  return { old: old?.replace(/^a\//, ""), new: fresh?.replace(/^b\//, "") };
}

/** The name without its first folders; "" where it has not so many. */
export function withoutFolders(name: string | undefined, count: number): string | undefined {
  if (name === undefined || name === noFile) return name;
  return name.split(/\/+/).slice(count).join("/");
}

function prefixOf(name: string | undefined): string {
  return /^([ab])\//.exec(name ?? "")?.[1] ?? "-";
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
