import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { findSession, loadSession } from "@holdfast/core/conversation";
import type { ConversationRefusal, SessionFacts, SessionStore } from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { defined, escapeForPeople } from "@holdfast/core/text";
import { type Addons, addonFor } from "../addons.js";
import { jsonLine } from "../answers/one-answer.js";
import { type OnSession, withSessions } from "../sessions/open-store.js";
import { writeOut } from "../sessions/output.js";
import { exitCodes } from "../shell/exit-codes.js";
import { watchedByWork, watchOutputReader } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";
import { version } from "../shell/version.js";
import { costOfAnswer, sessionPage } from "./history.js";

/** `holdfast view [SESSION]`: the page of a stored conversation, live until Ctrl-C, or in a file. */
export async function viewCommand(call: Invocation): Promise<number> {
  const { args, flags, misuse } = call;
  if (flags.share !== undefined && (flags.port !== undefined || flags.open === true))
    return misuse("--share writes a file and serves nothing: it goes without --port and --open");
  if (flags.yes === true && flags.share === undefined) return misuse("--yes goes with --share");
  if ((flags.port ?? 0) > 65_535) return misuse("--port takes 1 to 65535");
  const page = await addonFor("page", misuse);
  return withSessions(call, async (store) => {
    const session = args[0] === undefined ? await lastHere(call, store) : await findSession(store, args[0]);
    if (isRefusal(session)) return session;
    return flags.share === undefined ? serve({ ...call, page }, store, session) : share(call, store, session);
  });
}

/** The session of this folder that changed last. */
async function lastHere(
  { settings }: Invocation,
  store: SessionStore,
): Promise<SessionFacts | ConversationRefusal> {
  const listed = await store.list();
  if (isRefusal(listed)) return listed;
  const folder = resolve(settings.roots[0] ?? ".");
  const names = [folder, realName(folder)];
  const last = listed.find(({ cwd, problem }) => problem === undefined && names.includes(cwd ?? ""));
  const message = "There is no session of this folder; `holdfast sessions list` shows those of all folders.";
  return last ?? refuse("unknown_session", message);
}

function realName(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

const share: OnSession = async (call, store, { id }) => {
  const loaded = await loadSession(store, id, { media: "inline" });
  if (isRefusal(loaded)) return loaded;
  const { flags } = call;
  return writeOut(
    { ...call, flags: { ...flags, ...defined({ output: flags.share }) } },
    await sessionPage(call, loaded),
  );
};

async function serve(
  { flags, settings, terminal, page }: Invocation & { readonly page: Addons["page"] },
  store: SessionStore,
  { id, title }: SessionFacts,
): Promise<number | ConversationRefusal> {
  const { stateDir } = settings;
  const port = defined({ port: flags.port });
  const live = await page.serveSession(store, id, { stateDir, version, costOf: costOfAnswer, ...port });
  if (isRefusal(live)) return live;
  try {
    const ended = untilEnded();
    if (settings.json) await terminal.out(jsonLine({ success: true, id, url: live.url, port: live.port }));
    else {
      await terminal.out(`${live.url}\n`);
      terminal.err(
        `Following ${title === undefined ? id : `"${escapeForPeople(title)}"`}. Whoever has the address can read it; Ctrl-C ends it.\n`,
      );
    }
    const failed = () => terminal.err("No browser could be opened; the address is above.\n");
    const clean = flags.open === true ? page.openInBrowser(live.url, failed) : undefined;
    await ended;
    clean?.();
    return exitCodes.success;
  } finally {
    await live.close();
  }
}

/** Until Ctrl-C, or until nobody reads any more what is printed. */
function untilEnded(): Promise<void> {
  return new Promise((end) => {
    const work = watchedByWork(() => finish());
    const stop = watchOutputReader(() => finish());
    const finish = () => {
      work.end();
      stop();
      end();
    };
  });
}
