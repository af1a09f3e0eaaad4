import type { Workspace } from "@holdfast/core/files";
import { isRefusal, type ListedEntry } from "@holdfast/core/files/values";
import { escapeForDisplay } from "@holdfast/core/text";
import { begunMention, mentionLike } from "./expand-input.js";

/** What names are looked for in. */
interface MentionPorts {
  readonly workspace: Workspace;
  /** Ends the waiting: then there are no names, since half of them would read as all. */
  readonly signal?: AbortSignal;
  /** Names of MCP servers, of whose resources `@server:uri` is one. */
  readonly servers?: readonly string[];
  /** Names at most; 100 unless given. */
  readonly most?: number;
}

/** What the mention at the end of a text may become. */
interface MentionCompletion {
  /** Where the mention begins in the text, at its `@`; the length of the text where it ends in plain words. UTF-16 units. */
  readonly from: number;
  /** Each as it is typed: quoted, or with backslashes, as it was begun. A folder ends in `/` and stays open. */
  readonly candidates: readonly string[];
  /** Whether there are more than `most`. */
  readonly more: boolean;
}

/**
 * The names that the mention at the end of the text may become: what lies in the folder that was typed so far, as far as
 * ignore files let it; where nothing there begins so and no folder was typed, files of such a name in any folder. Names that
 * begin with a dot are offered to who typed the dot. Reads names only, no file.
 */
export async function completeMention(text: string, ports: MentionPorts): Promise<MentionCompletion> {
  const begun = begunMention(text);
  if (begun === undefined) return { from: text.length, candidates: [], more: false };
  const { most = 100, servers = [] } = ports;
  const paths = await pathsBeginning(begun.path, ports);
  const named = servers.filter((name) => begun.quote === undefined && name.startsWith(begun.path));
  const candidates = [
    ...paths.map((path) => mentionLike(path, begun, path.endsWith("/"))),
    ...named.map((name) => `@${name}:`),
  ];
  return { from: begun.from, candidates: candidates.slice(0, most), more: candidates.length > most };
}

/** Paths that begin so, folders with a slash; none where the time is over or the folder cannot be read. */
export async function pathsBeginning(begun: string, ports: MentionPorts): Promise<readonly string[]> {
  // A folder of a slow disk answers when it likes.
  return ports.signal?.aborted === true ? [] : Promise.race([lookedUp(begun, ports), over(ports.signal)]);
}

/** No names, once the signal comes. */
function over(signal: AbortSignal | undefined): Promise<readonly string[]> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve([]), { once: true }));
}

async function lookedUp(begun: string, ports: MentionPorts): Promise<readonly string[]> {
  const slash = begun.lastIndexOf("/") + 1;
  const [folder, start] = [begun.slice(0, slash), begun.slice(slash)];
  const here = await namesIn(folder, ports);
  const fitting = here.filter((name) => name.startsWith(start) && (start !== "" || !name.startsWith(".")));
  if (fitting.length > 0 || folder !== "" || start === "") return fitting.map((name) => folder + name);
  return pathsNamed(start, ports);
}

async function namesIn(folder: string, { workspace, signal }: MentionPorts): Promise<readonly string[]> {
  const path = folder === "" ? {} : { path: folder === "/" ? folder : folder.slice(0, -1) };
  const listed = await workspace.run({ kind: "list", limit: mostListed, ...path }, scopeOf(signal));
  if (isRefusal(listed) || listed.because === "time") return [];
  return listed.entries.filter(isOffered).map((entry) => {
    const name = entry.path.replace(/\/$/u, "").split("/").at(-1) ?? "";
    return entry.isDirectory ? `${name}/` : name;
  });
}

/** The names of one folder: more are nobody's choice, but a few thousand letters narrow down. */
const mostListed = 5_000;

/** Files whose name begins so, wherever they lie. */
async function pathsNamed(start: string, { workspace, signal, most = 100 }: MentionPorts) {
  const glob = `**/${start.replace(/[*?[\]{}!\\]/gu, "\\$&")}*`;
  const asked = { kind: "find", glob, sized: false, limit: most } as const;
  const found = await workspace.run(asked, scopeOf(signal));
  if (isRefusal(found)) return [];
  return found.files.filter(isOffered).map(({ path }) => path);
}

/** A name that acts on a terminal, or cannot be seen, is no choice that is shown. */
function isOffered({ path, special, openable }: ListedEntry): boolean {
  return special !== "other" && openable && escapeForDisplay(path) === path;
}

function scopeOf(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}
