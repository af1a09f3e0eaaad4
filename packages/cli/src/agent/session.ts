import { createHash } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type AgentSettings, type ApprovalMode, type SessionWork, titleOf, workOf } from "@holdfast/agent";
import { foldersOfRepository } from "@holdfast/agent/host";
import { approvalModes } from "@holdfast/agent/shown";
import {
  type ConversationFiles,
  createConversation,
  findSession,
  forkSession,
  loadSession,
  openConversation,
  type StoredConversation,
} from "@holdfast/core/conversation";
import {
  type ConversationRefusal,
  type IdSource,
  namesFrom,
  type SessionFacts,
  type SessionStore,
} from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { readForeign } from "@holdfast/core/node";
import { defined } from "@holdfast/core/text";
import { newIds } from "../sessions/open-store.js";
import type { Flags } from "../shell/invocation.js";
import { modelOf, type RunModel, withModel } from "./model.js";

/** Which session a run goes on with, or begins. */
interface SessionWanted {
  /** The session that it goes on with, or copies; undefined where a new one begins. */
  readonly earlier: string | undefined;
  readonly flags: Pick<Flags, "continue" | "resume" | "fork" | "sessionId">;
  /** The first folder of the workspace, absolute. */
  readonly root: string;
  /** The user's words, of which a new session has its title. */
  readonly prompt: string;
  readonly files: ConversationFiles;
}

/** Opens the session that the flags mean, for writing. */
export async function sessionOf(
  store: SessionStore,
  { earlier, flags, root, files, prompt }: SessionWanted,
): Promise<StoredConversation | ConversationRefusal> {
  const sources = { now: Date.now, naming: namesFrom(root) };
  if (earlier === undefined) {
    const title = titleOf(prompt);
    return createConversation(store, {
      ...sources,
      ids: idsFrom(flags.sessionId),
      cwd: root,
      ...(title === "" ? {} : { title }),
    });
  }
  if (flags.fork !== true)
    return openConversation(store, earlier, "write", { ...sources, ids: newIds(), files });
  const forked = await forkSession(store, earlier, { newId: idsFrom(flags.sessionId), now: Date.now() });
  if (isRefusal(forked)) return forked;
  return openConversation(store, forked.id, "write", { ...sources, ids: newIds(), files });
}

/** A session that is gone on with, and what a person should know of that. */
interface EarlierSession {
  readonly id: string;
  readonly notices: readonly string[];
}

/** The session that the flags go on with; undefined where a new one begins. */
export async function earlierSession(
  store: SessionStore,
  { flags, root }: Pick<SessionWanted, "flags" | "root">,
): Promise<EarlierSession | ConversationRefusal | undefined> {
  if (flags.resume !== undefined) {
    const found = await findSession(store, flags.resume);
    return isRefusal(found) ? found : { id: found.id, notices: [] };
  }
  if (flags.continue !== true) return undefined;
  const all = await store.list();
  if (isRefusal(all)) return all;
  const listed = all.filter(({ problem }) => problem === undefined);
  const here = listed.find(({ cwd }) => cwd === root);
  if (here !== undefined) return { id: here.id, notices: [] };
  const place = placeInRepository(root);
  const beside =
    place === undefined ? undefined : listed.find(({ cwd = "" }) => placeInRepository(cwd) === place);
  const found = beside ?? (await movedSession(store, listed, root));
  if (found === undefined)
    return refuse("unknown_session", "There is no session of this folder to go on with.");
  return { id: found.id, notices: [`This session began in ${found.cwd}.`] };
}

/** What a folder is known by, also after it got another name; undefined where it is not there. */
export function folderId(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

/** The last session whose folder has this name now. Only of those whose folder is gone is that read. */
async function movedSession(store: SessionStore, listed: readonly SessionFacts[], root: string) {
  const gone = listed.filter(({ cwd }) => cwd !== undefined && !existsSync(cwd)).slice(0, mostGone);
  for (const session of gone) {
    const loaded = await loadSession(store, session.id);
    if (!isRefusal(loaded) && workOf(loaded.context).folderId === folderId(root)) return session;
  }
  return undefined;
}

const mostGone = 20;

/** The repository and the place in it, the same in each linked worktree; undefined where there is none. */
function placeInRepository(folder: string): string | undefined {
  const [top = folder] = foldersOfRepository(folder);
  const git = join(top, ".git");
  if (folder === "" || !existsSync(git)) return undefined;
  const inside = relative(top, folder);
  if (statSync(git).isDirectory()) return JSON.stringify([realpathSync(git), inside]);
  const linked = /^gitdir: (.+)$/mu.exec(lineIn(git))?.[1] ?? "";
  const common = join(resolve(top, linked), "commondir");
  if (!existsSync(common)) return undefined;
  const shared = resolve(dirname(common), lineIn(common));
  return JSON.stringify([existsSync(shared) ? realpathSync(shared) : shared, inside]);
}

function lineIn(path: string): string {
  const read = readForeign(path, { limitBytes: 8_192 });
  return read.kind === "read" ? new TextDecoder().decode(read.bytes).trim() : "";
}

/** Ids of which the first, the session's, is the wanted one. */
function idsFrom(first: string | undefined): IdSource {
  const ids = newIds();
  let isFirst = first !== undefined;
  return () => {
    if (!isFirst || first === undefined) return ids();
    isFirst = false;
    return first;
  };
}

/** Where the notes of a project lie that outlast a conversation. */
export interface MemoryPlace {
  /** As tools name the file. */
  readonly path: string;
  /** The same from its root on, as a glob. */
  readonly glob: string;
  /** Set where it lies in the state folder: absolute, and a root of its own. */
  readonly folder?: string;
}

const fileName = "workspace.md";

/**
 * The place of a project's memory file: the one of the settings, else a folder for this project in the state folder,
 * which is made. None where the settings want none, where a run is to leave no trace, or where the folder cannot be made.
 */
export function memoryPlace(
  { enabled = true, file }: NonNullable<AgentSettings["memory"]> = {},
  {
    root,
    stateDir,
    isEphemeral,
  }: { readonly root: string; readonly stateDir: string; readonly isEphemeral: boolean },
): MemoryPlace | undefined {
  if (!enabled) return undefined;
  if (file !== undefined) return { path: file, glob: file };
  try {
    const real = realpathSync(root);
    const digest = createHash("sha256").update(real).digest("hex").slice(0, 16);
    const folder = join(stateDir, "memory", `${basename(real).replaceAll(/[^\w.-]/g, "_")}-${digest}`);
    if (isEphemeral && !existsSync(folder)) return undefined;
    makeFolder(folder);
    const own = realpathSync(folder);
    return { path: join(own, fileName), glob: fileName, folder: own };
  } catch {
    // A state folder that cannot be written in is told by what needs it; a memory is a convenience.
    return undefined;
  }
}

/** Step by step: Node's recursive way never ends where a system says of every folder that the one above is missing. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** What a run has without the session that it goes on with. */
interface RunBefore {
  readonly flags: Flags;
  readonly settings: AgentSettings;
  readonly model: RunModel;
  /** Whether a person is there, who may have meant the mode: a script names what it needs. */
  readonly isTalk: boolean;
}

/**
 * With the model, the effort and the mode that the session had, where no flag says otherwise; what cannot be so is told. A
 * session may have come from somebody else: its mode makes the one of the settings stricter, never wider.
 */
export async function asBefore({ flags, settings, model, isTalk }: RunBefore, work: SessionWork) {
  const isOther = work.model !== undefined && work.model !== model.name && flags.model === undefined;
  const isNamed = isOther && flags.script === undefined && flags.replay === undefined;
  const opened = isNamed ? await modelOf(withModel(settings, work.model), flags) : model;
  const { mode: own = "ask" } = settings.approval ?? {};
  const wanted = flags.approvalMode ?? work.mode ?? own;
  const mode = flags.approvalMode === undefined && isWider(wanted, own) ? own : wanted;
  const effort = opened.kind === "model" ? (flags.effort ?? work.effort) : undefined;
  const differs = [
    ...(opened.kind === "model"
      ? []
      : [`The session worked with ${work.model}; it goes on with ${model.name}. ${opened.message}`]),
    ...(mode === wanted || !isTalk
      ? []
      : [`The session worked in ${wanted}; it goes on in ${mode}. /mode changes it.`]),
  ];
  return {
    settings: {
      ...settings,
      model: { ...settings.model, ...defined({ effort }) },
      approval: { ...settings.approval, mode },
    },
    model: opened.kind === "model" ? opened : model,
    differs,
  };
}

function isWider(mode: ApprovalMode, than: ApprovalMode): boolean {
  return approvalModes.indexOf(mode) > approvalModes.indexOf(than);
}
