import { escapeForDisplay } from "../../text/index.js";
import { foldName, protectionOf } from "./protected-paths.js";
import { type Refusal, refuse } from "./refusal.js";

/**
 * What a path may be, judged by its letters alone. Where links lead is judged by the disk's walk; both
 * the name asked for and the place arrived at are held against this policy.
 */
export interface TidyPath {
  readonly kind: "path";
  /** Without `.`, `..`, doubled or trailing slashes; relative or absolute as it was given. "" is the first root. */
  readonly path: string;
}

/**
 * Tidies a path as a model or a person wrote it. `~`, `$HOME`, `%2e` and `file://` mean nothing special.
 *
 * @returns `invalid_arguments` for what cannot be a portable name, `outside_workspace` for a climb above
 *   the root.
 */
export function tidyPath(input: string): TidyPath | Refusal {
  // What no compiler has checked may be anything.
  if (typeof input !== "string")
    return refuse("invalid_arguments", "The path is no text. Nothing was touched.");
  const flaw = findFlaw(input);
  if (flaw !== undefined) return refuse("invalid_arguments", `The path ${flaw}. Nothing was touched.`);
  const absolute = input.startsWith("/");
  const kept: string[] = [];
  for (const part of input.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") {
      kept.push(part);
    } else if (kept.pop() === undefined) {
      return refuse("outside_workspace", `The path ${escapeForDisplay(input)} climbs out of the workspace.`);
    }
  }
  const path = (absolute ? "/" : "") + kept.join("/");
  // What was taken off may have hidden a name that is none: `./C:/x`, `x:$DATA/`.
  const hidden = path === input || path === "" ? undefined : findFlaw(path);
  if (hidden !== undefined) return refuse("invalid_arguments", `The path ${hidden}. Nothing was touched.`);
  return { kind: "path", path };
}

/** The tidied path, or the path itself where it cannot be tidied: for comparing names, not for access. */
export function bareName(path: string): string {
  const tidy = tidyPath(path);
  return tidy.kind === "path" ? tidy.path : path;
}

/**
 * Why a path is protected from writing, or undefined. Reading is allowed; writing needs an approval that
 * no mode gives by itself (docs/files.md). Names are compared as the most forgiving file system would.
 *
 * @param path relative to its root.
 */
export function protectedReason(path: string): string | undefined {
  return protectionOf(path)?.reason;
}

/**
 * Whether a file likely holds secrets, by its name. Its states are kept apart (kept-states.ts), it is searched only
 * where it is named, and nothing of it stands in a page.
 *
 * @param path relative to its root or absolute.
 */
export function isSecret(path: string): boolean {
  const parts = path.split(/[/\\]/).map(foldName);
  if (parts.some((part) => secretFolders.has(part))) return true;
  const name = parts.at(-1) ?? "";
  if (/^\.env(\.|$)/.test(name)) return !/\.(example|sample|template|dist)$/.test(name);
  // A person's own settings of the agent may hold keys; a project's may not.
  if (/^(settings\.jsonc|credentials\.json)$/.test(name) && parts.at(-2) === "holdfast") return true;
  return secretNames.has(name) || /\.(pem|key|p12|pfx|kdbx|jks|keystore)$/.test(name);
}

const maxPathBytes = 4096;
const maxNameBytes = 255;

function findFlaw(input: string): string | undefined {
  if (input === "") return "is empty";
  if (!input.isWellFormed()) return "holds half of a surrogate pair, so that it names no file";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (/[\u0000-\u001f\u007f-\u009f]/.test(input)) return "holds a control character";
  if (input.includes("\\")) return "holds a backslash; folders are separated by /";
  if (/^[A-Za-z]:(\/|$)/.test(input))
    return "begins with a drive letter; use a path relative to the workspace";
  if (/:\$[a-z_]+$/i.test(input)) return "names an alternate data stream";
  if (isLonger(input, maxPathBytes - 1)) return `is longer than ${maxPathBytes - 1} bytes`;
  for (const part of input.split("/")) {
    if (isLonger(part, maxNameBytes)) return `has a name longer than ${maxNameBytes} bytes`;
    if (/^(con|prn|aux|nul|com[1-9]|lpt[1-9])$/i.test(part))
      return `has a name (${part}) that is a device on Windows`;
  }
  return undefined;
}

/** A unit of a string takes three bytes of UTF-8 at most: what is short by that count need not be encoded. */
function isLonger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

const secretFolders: ReadonlySet<string> = new Set([".ssh", ".gnupg", ".aws", ".kube", ".docker"]);
const secretNames: ReadonlySet<string> = new Set([
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".pgpass",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
]);

/** Refuses a place that lies outside a folder of its root, links resolved. */
export function outsideFolder(relativePath: string, folder: string | undefined): Refusal | undefined {
  if (folder === undefined || relativePath === folder || relativePath.startsWith(`${folder}/`))
    return undefined;
  return refuse("outside_workspace", `The path leads out of the folder ${folder}; nothing was done.`);
}
