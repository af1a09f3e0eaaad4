import { escapeForDisplay, quoteForDisplay } from "../../text/index.js";
import type { Disk } from "../values/disk.js";
import type { FileName } from "../values/knowledge.js";
import { type TidyPath, tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { Session } from "./session.js";

/** All names of one file, for rules about paths. The first of `named` and of `real` is relative in the first root. */
export interface PathNames {
  /** Of the place as it was asked for, links not looked at. */
  readonly named: readonly string[];
  /** Of the place that this leads to, all links resolved. */
  readonly real: readonly string[];
  /** Of both, relative to the other roots that hold them. */
  readonly within: readonly string[];
}

/**
 * The names of a file by its letters and by where the walk arrived. Pure. In the first root a name is relative, then
 * absolute; in another root it is absolute: by the root as it was opened, then with its links resolved.
 *
 * @param path tidied. @param realPath where the walk arrived; without it nothing but the letters counts.
 */
export function pathNames(
  disk: Pick<Disk, "roots" | "realRoots">,
  path: string,
  realPath: string | undefined,
): PathNames {
  const [first = ""] = disk.roots;
  const asked = path.startsWith("/") ? path : joined(first, path);
  const named = formsOf(disk, asked);
  const real = realPath === undefined ? named : formsOf(disk, realPath);
  return {
    named: named.forms,
    real: real.forms,
    within: [...new Set([...named.within, ...real.within])],
  };
}

/** The names of a file; of one that cannot be reached, those of its letters. */
export async function namesOf({ ports: { disk } }: Session, path: string): Promise<PathNames> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return { named: [path], real: [path], within: [] };
  const target = await disk.enter(tidy.path, "allow", "name");
  if (isRefusal(target)) return pathNames(disk, tidy.path, undefined);
  await target.close();
  return pathNames(disk, tidy.path, target.realPath);
}

/**
 * Where a name leads by links: the real name, relative to its root where that holds it. Undefined where the name is the
 * file's own.
 */
export function leadsTo(
  disk: Pick<Disk, "roots" | "realRoots">,
  { path, realPath }: FileName,
): string | undefined {
  const { named, real } = pathNames(disk, path, realPath);
  return named.some((name) => real.includes(name)) ? undefined : real[0];
}

interface Forms {
  readonly forms: readonly string[];
  readonly within: readonly string[];
}

function formsOf({ roots, realRoots }: Pick<Disk, "roots" | "realRoots">, absolute: string): Forms {
  const found = roots.flatMap((root, at) => {
    const real = realRoots[at] ?? root;
    const rest = below(root, absolute) ?? below(real, absolute);
    return rest === undefined ? [] : [{ at, rest, forms: [joined(root, rest), joined(real, rest)] }];
  });
  const [own] = found;
  if (own === undefined) return { forms: [absolute], within: [] };
  const relative = own.at === 0 ? [own.rest] : [];
  return {
    forms: [...new Set([...relative, ...own.forms])],
    within: found.filter(({ at }) => at > 0).map(({ rest }) => rest),
  };
}

function below(root: string, absolute: string): string | undefined {
  if (absolute === root) return "";
  const folder = root.endsWith("/") ? root : `${root}/`;
  return absolute.startsWith(folder) ? absolute.slice(folder.length) : undefined;
}

function joined(root: string, rest: string): string {
  return rest === "" ? root : `${root.endsWith("/") ? root : `${root}/`}${rest}`;
}

/**
 * A path as a model or a person wrote it, tidied. What prose puts around a path (quotes, `@`, a line number, `file://`) is
 * `invalid_arguments` with the plain form, unless an entry of that name is there, or `./` says that the name is meant.
 */
export async function plainPath(session: Session, path: string): Promise<TidyPath | Refusal> {
  const tidy = tidyPath(path);
  if (typeof path !== "string" || path.startsWith("./")) return tidy;
  const plain = await undressed(session, path);
  if (plain === path) return tidy;
  const isPath = plain !== undefined && !isRefusal(tidyPath(plain));
  const hint = isPath ? `Did you mean ${escapeForDisplay(plain)}?` : "Give its path here.";
  const message = `The path ${quoteForDisplay(path)} is not written plainly, and no entry of that name is here. ${hint} A path that begins with ./ is taken as it stands. Nothing was touched.`;
  return refuse("invalid_arguments", message);
}

/** The path without all that is around it; undefined where it is the address of something else. */
async function undressed(session: Session, path: string): Promise<string | undefined> {
  for (const strip of layers) {
    const plain = strip(path, session.ports.disk.roots);
    if (plain === path || plain === "" || (await isThere(session, path, plain))) continue;
    return plain === undefined ? undefined : undressed(session, plain);
  }
  return path;
}

/** Whether the first name that the plain path has not is an entry: then the path means it. */
async function isThere({ ports }: Session, path: string, plain = ""): Promise<boolean> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return false;
  const names = tidy.path.split("/");
  const plainNames = plain.split("/");
  const odd = names.findIndex((name) => !plainNames.includes(name));
  const target = await ports.disk.enter(names.slice(0, odd + 1 || names.length).join("/"), "allow", "name");
  if (isRefusal(target)) return false;
  try {
    const entry = await target.look();
    return isRefusal(entry) || entry.kind !== "missing";
  } finally {
    await target.close();
  }
}

/** Takes something off; undefined where nothing is left that could be a path here. */
type Strip = (path: string, roots: readonly string[]) => string | undefined;

/** From the outside in: what is taken off first stands around what is taken off later. */
const layers: readonly Strip[] = [
  (path) => path.trim(),
  (path) => path.replace(unseen, ""),
  (path) => path.replace(/^!?\[[^\]]*\]\(([^()]+)\)$/, "$1"),
  (path) => path.replace(/^(\*\*|<)(.+)(?:\1|>)$/, "$2").replace(/^["'`“‘«„]+|["'`”’»]+$/gu, ""),
  fromFileUrl,
  (path) => (/^[a-z][a-z\d+.-]*:\/\//i.test(path) ? undefined : path),
  withoutHome,
  (path) => path.replace(linesBehind, "$1").replace(partBehind, "$1"),
  (path) => path.replace(/(?<=.)[,;:]+$/, ""),
  (path) => path.replace(/^@\/?(?=.)/, ""),
  (path) => (/^[a-z]:/i.test(path) ? path : path.replace(/\\(?= )/g, "").replaceAll("\\", "/")),
];

/** A joiner between characters that are no ASCII belongs to the name, as in an emoji of several. */
const unseen =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?<=^|\p{ASCII})[\u200c\u200d]|[\u200c\u200d](?=\p{ASCII}|$)/gu;

function fromFileUrl(path: string): string {
  const rest = path.replace(/^file:(?:\/\/(?:localhost(?=\/))?)?(?=[^:])/i, "");
  if (rest === path) return path;
  const decode = (hex: readonly string[]) =>
    new TextDecoder().decode(Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16)));
  return rest.replace(/(?:%[\da-f]{2})+/gi, (spelt) => decode(spelt.slice(1).split("%")));
}

const home =
  /^(?:~$|(?:~[\w-]*|%USERPROFILE%)\/+|(?:\$(?:HOME|PWD)|\$\{(?:HOME|PWD|\w*[wW]orkspace\w*)\}|\$\(pwd\))(?:\/+|$))/;

/** What follows the home folder may begin with folders that the path of a root ends with. */
function withoutHome(path: string, [root = ""]: readonly string[]): string {
  if (!home.test(path)) return path;
  const names = path.replace(home, "").split("/");
  const last = names.findLastIndex((_, at) => root.endsWith(`/${names.slice(0, at + 1).join("/")}`));
  return names.slice(last + 1).join("/") || ".";
}

const line = String.raw`\d+(?:[:.,]\d+|C\d+)?`;
const span = String.raw`L?${line}(?:\s?[-–]\s?L?${line})?`;
/** A line or a range: `a.ts:12:5`, `a.ts#L3-L9`, `a.ts (line 3)`. Behind digits without an extension a number may be the time of day. */
const linesBehind = new RegExp(
  String.raw`^(.*(?:\.[a-z]\w*|[^\d\s:/#?]))(?::+${span}:?|#(?=L)${span}|(?:, ?| )\(?(?:at )?lines? ${span}\)?)$`,
  "i",
);
/** A fragment, a query, a place, a test: `a.md#usage`, `a.svg?raw`, `a.ts(3,9)`, `a.py::test`. */
const partBehind = /^(.*\.[a-z]\w*)(?:[#?][\w=&.-]+|\(\d+,? ?\d*\)|::[\w:.[\]-]+)$/i;
