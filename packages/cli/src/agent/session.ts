import { titleOf } from "@holdfast/agent";
import {
  type ConversationFiles,
  createConversation,
  findSession,
  forkSession,
  openConversation,
  type StoredConversation,
} from "@holdfast/core/conversation";
import {
  type ConversationRefusal,
  type IdSource,
  namesFrom,
  type SessionStore,
} from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { newIds } from "../sessions/open-store.js";
import type { Flags } from "../shell/invocation.js";

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

/** The session that the flags go on with; undefined where a new one begins. */
export async function earlierSession(
  store: SessionStore,
  { flags, root }: Pick<SessionWanted, "flags" | "root">,
): Promise<string | ConversationRefusal | undefined> {
  if (flags.resume !== undefined) {
    const found = await findSession(store, flags.resume);
    return isRefusal(found) ? found : found.id;
  }
  if (flags.continue !== true) return undefined;
  const listed = await store.list();
  if (isRefusal(listed)) return listed;
  const last = listed.find(({ cwd, problem }) => cwd === root && problem === undefined);
  return last?.id ?? refuse("unknown_session", "There is no session of this folder to go on with.");
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
