import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  type CommandHost,
  localModels,
  modelCatalog,
  type Refused,
  type WantedSession,
} from "@holdfast/agent";
import { findSession, forkSession } from "@holdfast/core/conversation";
import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { newIds } from "../sessions/open-store.js";
import type { OpenedRun } from "./open-run.js";

/** What the commands need of other parts of the program. */
export type CommandPorts = Pick<CommandHost, "settings" | "doctor" | "copy" | "trust" | "addRule"> & {
  readonly exportAs: (form: "json" | "html", run: OpenedRun) => Promise<string | ConversationRefusal>;
};

/** What the slash commands work on in a run. */
export function commandHost(run: OpenedRun, ports: Partial<CommandPorts>, signal?: AbortSignal): CommandHost {
  const { agent, conversation, workspace, shell, store } = run;
  const { settings, doctor, copy, trust, addRule, exportAs } = ports;
  return {
    agent,
    manager: conversation.manager,
    workspace,
    prompts: run.written.prompts,
    servers: run.askServers,
    ...(addRule && {
      addRule: async (rule) => {
        const said = await addRule(rule);
        if (typeof said === "string") run.addRule(rule);
        return said;
      },
    }),
    background: () => run.commands.inBackground(),
    modelNames: async () => [...modelCatalog.keys(), ...(await localModels())],
    openModel: async (wanted) => {
      const opened = await run.openModel(wanted);
      if (opened.kind === "model_refused")
        return refused(opened.reason === "unpriced" ? "unpriced" : "unknown_model", opened.message);
      return opened.port;
    },
    listSessions: async () => {
      const listed = await store.list();
      if (isRefusal(listed)) return listed;
      const shown = listed.toSorted((one, two) => two.modifiedMs - one.modifiedMs).slice(0, mostListed);
      return shown.map(({ id, title, modifiedMs }) => ({ id, changedMs: modifiedMs, ...defined({ title }) }));
    },
    writeNew: async (path, text) => writeNew(resolve(run.root, path), text),
    ...(exportAs === undefined ? {} : { exportAs: async (form) => exportOf(form, run, exportAs) }),
    ...defined({ settings, doctor, copy, trust, shell, signal }),
  };
}

const mostListed = 20;

async function exportOf(
  form: Parameters<NonNullable<CommandHost["exportAs"]>>[0],
  run: OpenedRun,
  exportAs: CommandPorts["exportAs"],
) {
  const flushed = await run.conversation.manager.flush();
  if (isRefusal(flushed)) return flushed;
  return form === "json" || form === "html" ? exportAs(form, run) : "";
}

/** For the person's own eyes: a file that is there already stays as it is. */
function writeNew(path: string, text: string): string | Refused {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return path;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refused(message.startsWith("EEXIST") ? "exists" : "permission_denied", `Not written: ${message}`);
  }
}

/**
 * The id of the session that a command wants, which is there and can be opened: only then is the present one left.
 *
 * @returns undefined for a new one.
 */
export async function sessionWanted(
  wanted: WantedSession,
  { conversation, store }: Pick<OpenedRun, "conversation" | "store">,
): Promise<string | undefined | ConversationRefusal | Refused> {
  const here = conversation.session.id;
  switch (wanted.kind) {
    case "new":
      return undefined;
    case "resume": {
      const found = await findSession(store, wanted.id);
      if (isRefusal(found)) return found;
      return found.id === here ? refused("no_effect", "This is the session.") : found.id;
    }
    case "fork": {
      const head = wanted.nodeId;
      const forked = await forkSession(store, here, {
        newId: newIds(),
        now: Date.now(),
        ...defined({ head }),
      });
      return isRefusal(forked) ? forked : forked.id;
    }
    default:
      return wanted satisfies never;
  }
}

function refused(code: Refused["code"], message: string): Refused {
  return { kind: "refusal", code, message };
}
