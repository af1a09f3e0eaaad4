import { closeSync, realpathSync } from "node:fs";
import { dirname, parse, resolve, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  type Clock,
  compileGlob,
  type Disk,
  type HistoryStore,
  type LatePart,
  loadLinePattern,
  type SectionWorker,
  Workspace,
  type WorkspaceOptions,
  type WorkspacePorts,
} from "../../files/index.js";
import { isRefusal, type Refusal, refuse } from "../../files/values/index.js";
import { answerSection, type SectionAnswer } from "../../patch/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import { openChangeSets } from "../change-sets/change-sets.js";
import { locksAfterRecovery, type RecoveryEvents, recover } from "../change-sets/recovery.js";
import { type DiskOptions, momentBetween, type OpenedDisk, openDisk } from "../commit/disk-target.js";
import { openCharsets } from "../disk/charsets.js";
import { codeOf, isForWant, knownHome, openDescriptor } from "../disk/platform.js";
import { inflate, isGitBlob, newId, sha256 } from "../disk/reading.js";
import { startThread, threadFile } from "../disk/start-thread.js";
import { isBelow } from "../disk/walk.js";
import { openBlobs } from "../state-folder/blobs.js";
import { hostWrote } from "../state-folder/host-memory.js";
import { openLocks } from "../state-folder/locks.js";
import { openHistory, openRootRecords, type RootRecords } from "../state-folder/operations.js";
import { openSecrets, removeSecrets } from "../state-folder/secrets.js";
import { openPresence } from "../state-folder/sessions.js";
import { openStateFolder } from "../state-folder/state-folder.js";

const systemClock: Clock = { now: () => Date.now() };

const ownPlace = refuse(
  "protected_path",
  "This is the tools' own state folder: nothing in it is read, listed or written through the tools.",
);

/** What the ports on this machine work with. */
export interface PortOptions {
  /** Folders; a relative path of the tools counts from the first. */
  readonly roots: readonly string[];
  /** Opens also a root that is the whole disk or holds a home folder, and takes "" for the current folder. */
  readonly allowWideRoot?: boolean | undefined;
  /** `HOLDFAST_STATE_DIR`, the XDG state folder or its default, unless given. */
  readonly stateDir?: string | undefined;
  /** A folder in the state folder, absolute and without links, that tools may use all the same: an agent's memory. */
  readonly memoryFolder?: string | undefined;
  /** The rules of a host that count for these tools, too. */
  readonly hostRules?: Disk["hostRules"];
  /** The time of day; this machine's unless given. */
  readonly clock?: Clock | undefined;
  /** Weaker ways than this machine has, to see what they promise. */
  readonly disk?: DiskOptions | undefined;
  /**
   * Told of change sets that were interrupted and settled, at the start or when one of their files is
   * locked. A file that is left alone deserves a word to a person. Must not throw.
   */
  readonly onRecovered?: RecoveryEvents["onRecovered"] | undefined;
  /** Told of files that a kill may have left half written in place, in the same moments; an undo puts the old bytes back. */
  readonly onHalfWritten?: RecoveryEvents["onHalfWritten"] | undefined;
}

/** The ports on this machine. */
export interface OpenedPorts extends WorkspacePorts {
  readonly kind: "ports";
  /** Absolute: no tool gets there. */
  readonly stateDir: string;
  /** Ends the session: its states are no longer kept from the garbage collection. */
  close(): Promise<void>;
}

/** Without the writes to the files of a folder in whose place another one stands, found by this process or an earlier one. */
function sinceReplaced(history: HistoryStore, disk: OpenedDisk, roots: RootRecords): HistoryStore {
  const momentOf = (realPath: string) => Math.max(disk.replacedAt(realPath) ?? 0, roots.since(realPath) ?? 0);
  return {
    ...history,
    entries: async (realPath) => {
      const entries = await history.entries(realPath);
      const moment = momentOf(realPath);
      return moment === 0 ? entries : entries.filter(({ time }) => time > moment);
    },
    ofOtherFolder: async (realPath) => {
      const moment = momentOf(realPath);
      if (moment === 0) return [];
      return (await history.entries(realPath)).filter(({ time }) => time <= moment);
    },
  };
}

/**
 * Opens the roots and clears up after killed writes. Nothing is written before the first lock or blob:
 * a session that only looks leaves no trace.
 */
export async function openPorts(options: PortOptions): Promise<OpenedPorts | Refusal> {
  const wide = options.allowWideRoot === true ? undefined : refuseWideRoots(options.roots);
  if (wide !== undefined) return wide;
  const state = openStateFolder(options.stateDir);
  if (isRefusal(state)) return state;
  const { memoryFolder } = options;
  const isMemory = (path: string) => memoryFolder !== undefined && isBelow(memoryFolder, path);
  const bar = (path: string) => (isBelow(state.path, path) && !isMemory(path) ? ownPlace : undefined);
  const disk = openDisk(options.roots, { bar, hostRules: options.hostRules, ...options.disk });
  if (isRefusal(disk)) return disk;
  const presence = openPresence(state);
  const { clock = systemClock } = options;
  const { onRecovered = () => {}, onHalfWritten = () => {} } = options;
  const bare = openLocks(state, presence);
  const locks = locksAfterRecovery(state, bare, { onRecovered, onHalfWritten });
  try {
    await recover(state, bare, { onRecovered, onHalfWritten });
    removeSecrets(state, { now: clock.now() });
  } catch (error) {
    // A damaged state folder must not keep anybody from reading; writes answer for themselves.
    if (codeOf(error) === "") {
      disk.close();
      throw error;
    }
  }
  const roots = openRootRecords(
    state,
    disk.realRoots,
    (realPath) => disk.replacedAt(realPath),
    momentBetween,
  );
  const noted = {
    show: () => {
      roots.note();
      presence.show();
    },
  };
  return {
    kind: "ports",
    stateDir: state.path,
    disk,
    locks,
    blobs: openBlobs(state, presence),
    secrets: openSecrets(state, presence, clock),
    history: sinceReplaced(openHistory(state, noted), disk, roots),
    hostWrote: (realPath, digest) => hostWrote(state, realPath, digest),
    changeSets: openChangeSets(state, noted),
    codec: openCharsets(),
    clock,
    digest: sha256,
    isGitBlob,
    inflate,
    newId,
    nextTurn,
    load: openLateParts(),
    searchContent: async (job) => (await loadContentSearch()).searchContent(job),
    ...defined({ sections: openSections() }),
    later: (delayMs, work) => {
      setTimeout(() => void work(), delayMs).unref();
    },
    close: async () => {
      // What was too young to be told from another one when something was first written is so no more.
      roots.finish();
      presence.close();
      disk.close();
    },
  };
}

/**
 * Sections of large Markdown documents in a thread of their own, one a job: it is ended with its answer, or when its
 * time is up, wherever the parser is then.
 *
 * @returns undefined where the program was bundled without the thread's file (`section-thread.js`): documents are
 *   then parsed at once.
 */
export function openSections(): SectionWorker | undefined {
  const file = threadFile("./section-thread.js", import.meta.url);
  if (file === undefined) return undefined;
  return {
    ask: (job, limitMs) =>
      new Promise((resolve, reject) => {
        // The thread opens files and channels of its own; what it could not open it says as a failure of this program.
        const notNow = shortage();
        if (notNow !== undefined) return resolve(notNow);
        const thread = startThread(file, { workerData: job });
        if (thread === undefined) return resolve(noThread);
        const end = (answer: () => void) => {
          clearTimeout(limit);
          void thread.terminate().then(answer, reject);
        };
        const late = () => end(() => resolve("late"));
        const limit = Number.isFinite(limitMs) ? setTimeout(late, limitMs) : undefined;
        // What the thread sends is what `answerSection` gave there.
        thread.once("message", (answer: SectionAnswer) => end(() => resolve(answer)));
        thread.once("error", (error) => end(() => reject(error)));
      }),
  };
}

const noThread = refuse(
  "busy",
  "The system gives this program no more threads to work on a large document. Nothing was done; ask again in a moment.",
);

/** The folders of a workspace, its guards and limits, and what a person has approved. */
export interface OpenWorkspaceOptions extends PortOptions, Omit<WorkspaceOptions, "allowsProtected"> {
  /** Globs of protected paths, relative to their root, that a person has opened for writing. */
  readonly allowProtected?: readonly string[];
  /** Globs of files, relative to their root, that are edited without a read: an agent's memory. */
  readonly memoryPaths?: readonly string[];
  /** Globs of files, relative to their root, that are written in place. */
  readonly inPlacePaths?: readonly string[];
}

/** A workspace on this machine's disk. */
export class OpenedWorkspace extends Workspace {
  readonly kind = "workspace";

  constructor(
    private readonly opened: OpenedPorts,
    options: WorkspaceOptions,
  ) {
    super(opened, options);
  }

  /** Lets the roots' handles go and ends the session. Idempotent. */
  async close(): Promise<void> {
    try {
      await this.letGo();
    } finally {
      await this.opened.close();
    }
  }
}

/**
 * Opens folders as one workspace: clears up after killed writes, starts a session.
 *
 * @returns `invalid_arguments` for a glob that is none, and what `openPorts` refuses: a root that is no folder or far
 *   too wide a one, a state folder of somebody else.
 */
export async function openWorkspace(options: OpenWorkspaceOptions): Promise<OpenedWorkspace | Refusal> {
  const { memoryPaths = [], inPlacePaths = [], allowProtected = [] } = options;
  const globs = [...memoryPaths, ...inPlacePaths, ...allowProtected];
  const flaw = (await Promise.all(globs.map(compileGlob))).find((glob) => glob.kind === "refusal");
  if (flaw !== undefined) return flaw;
  const ports = await openPorts(options);
  if (isRefusal(ports)) return ports;
  const isMemory = await matchesAny(memoryPaths);
  const isInPlace = await matchesAny(inPlacePaths);
  return new OpenedWorkspace(ports, {
    ...options,
    guards: { isMemory, isInPlace, ...options.guards },
    allowsProtected: await matchesAny(allowProtected),
  });
}

async function matchesAny(patterns: readonly string[]): Promise<(path: string) => boolean> {
  const globs = await Promise.all(patterns.map(compileGlob));
  return (path) => globs.some((glob) => glob.kind === "glob" && glob.matches(path));
}

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

/**
 * Refuses roots that nobody means, or that hold far more than a project: no name at all (an empty variable of a
 * shell would be the current folder), the whole disk, a home folder and what holds one.
 *
 * @returns `invalid_arguments`, undefined where every root may be opened. A root that does not exist is not its business.
 */
export function refuseWideRoots(roots: readonly string[]): Refusal | undefined {
  for (const root of roots) {
    const what = wideness(root);
    if (what !== undefined)
      return refuse(
        "invalid_arguments",
        `The root ${root.trim() === "" ? '""' : escapeForDisplay(resolve(root))} ${what}. Name the folder of a project; to have it none the less takes --allow-wide-root (in a program: allowWideRoot).`,
      );
  }
  return undefined;
}

function wideness(root: string): string | undefined {
  if (root.trim() === "") return "names no folder";
  const real = realPath(root);
  if (real === undefined) return undefined;
  if (real === parse(real).root) return "is the whole disk";
  const known = knownHome();
  const home = known === undefined ? undefined : realPath(known);
  if (home !== undefined && (home === real || home.startsWith(real + sep))) return "holds your home folder";
  return homes.includes(dirname(real)) ? "is a home folder" : undefined;
}

/** Folders of home folders, by custom of the system. */
const homes: readonly string[] = ["/home", "/Users"];

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(resolve(path));
  } catch {
    return undefined;
  }
}
