import { createHash } from "node:crypto";
import { linkSync, lutimesSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

type Entry =
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly link: string }
  | { readonly same: string };

interface Packed {
  /** The id of the session in it. */
  readonly session: string;
  readonly state: Readonly<Record<string, Entry>>;
  readonly project: Readonly<Record<string, Entry>>;
}

/**
 * Unpacks what release 0.1 left, packed by a program of that release, as if it had worked in this folder.
 *
 * @param root absolute, links resolved; it and the state folder are made.
 * @returns the id of the session.
 */
export function unpackOld(root: string, stateDir: string): string {
  const packed: Packed = JSON.parse(readFileSync(new URL("of-0.1/packed.json", import.meta.url), "utf8"));
  put(packed.project, root, root);
  put(packed.state, stateDir, root);
  return packed.session;
}

function put(entries: Packed["state"], folder: string, root: string): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, entry] of Object.entries(entries)) {
    const path = join(folder, placed(name, root));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if ("link" in entry) {
      symlinkSync(placed(entry.link, root), path);
      // As old as it is: of a lock's age it is judged whether its holder still lives.
      lutimesSync(path, 1_000, 1_000);
    } else if ("same" in entry) linkSync(join(folder, placed(entry.same, root)), path);
    else if ("base64" in entry) writeFileSync(path, Buffer.from(entry.base64, "base64"));
    else writeFileSync(path, checked(placed(entry.text, root)), { mode: 0o600 });
  }
}

function placed(text: string, root: string): string {
  return text
    .replaceAll("{{root}}", root)
    .replace(/\{\{key of ([^}]*)\}\}/g, (_, name) => sha256(join(root, name)).slice(0, 40));
}

/** Lines that begin with the check of what they say have another one now. */
function checked(text: string): string {
  return text.replace(/^\["[0-9a-f]{16}",(.*)\]$/gm, (_, said) => `["${sha256(said).slice(0, 16)}",${said}]`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
