/**
 * What every reproduction needs: files, and a model that works on them in a conversation or in a session
 * without one. The ways to carry out a call, to ask what is visible and to add an answer are written here
 * and nowhere else.
 */
import { randomBytes } from "node:crypto";
import { renderContext } from "../../src/context/index.js";
import {
  type ContextManager,
  createConversation,
  forkSession,
  lastVersion,
  memorySessionStore,
  openConversation,
} from "../../src/conversation/index.js";
import { type AnswerPart, type JsonObject, timeSortedIds } from "../../src/conversation/values/index.js";
import { Workspace } from "../../src/files/index.js";
import { type Guards, isRefusal } from "../../src/files/values/index.js";
import { carryOut, runTool, type ToolContext, type WireForm } from "../../src/tools/index.js";
import { memoryWith, sha } from "../support.js";

export { sha };

export type Call = readonly [tool: string, args: JsonObject];

export interface Answer {
  readonly code: string;
  readonly text: string;
}

export interface Setting {
  readonly files?: Readonly<Record<string, string>>;
  readonly guards?: Partial<Guards>;
  /** Of the answers; `text` unless given. */
  readonly wire?: WireForm;
  /** `auto` unless given. */
  readonly resultContent?: ToolContext["resultContent"];
}

/** Files on a disk in memory. */
export interface Ground {
  /** The text of a file on the disk; undefined where there is none. */
  text(path: string): string | undefined;
  /** Changes a file behind everybody's back. */
  put(path: string, text: string): void;
  /** Removes a file behind everybody's back. */
  remove(path: string): void;
}

/** A session without a conversation, as of an MCP client: requests that are sent, and answered. */
export interface SessionScene extends Ground {
  readonly workspace: Workspace;
  call(...call: Call): Promise<Answer>;
  /** Sends the calls together, before any is answered. */
  together(calls: readonly Call[]): Promise<readonly Answer[]>;
  /** As `together`; the numbers of the calls in the order in which they were finished. */
  finished(calls: readonly Call[]): Promise<readonly number[]>;
}

export function openSession(setting: Setting = {}): SessionScene {
  const disk = openDisk(setting);
  const workspace = new Workspace(disk.ports, { guards: setting.guards ?? {} });
  const call = async (...[tool, args]: Call): Promise<Answer> => {
    const { code, text } = await runTool(tool, args, { workspace, ...formOf(setting) });
    return { code, text };
  };
  return {
    ...disk,
    workspace,
    call,
    together: (calls) => Promise.all(calls.map((one) => call(...one))),
    finished: async (calls) => {
      const done: number[] = [];
      await Promise.all(calls.map(async (one, at) => call(...one).then(() => done.push(at))));
      return done;
    },
  };
}

/** A stored conversation about files, in which a model calls tools. */
export interface Talk extends Ground {
  readonly manager: ContextManager;
  readonly workspace: Workspace;
  say(text: string): void;
  /** One answer of the model with these calls, all carried out. */
  answer(calls: readonly Call[]): Promise<readonly Answer[]>;
  /** An answer with one call. */
  call(...call: Call): Promise<Answer>;
  /** How many states of files stand in the next prompt. */
  visibleStates(): number;
  /** The process ends; another one opens the conversation and the files. */
  resume(): Promise<Talk>;
  /** Another process opens a fork of the conversation that stands where this one does. */
  fork(): Promise<Talk>;
}

export async function openTalk(setting: Setting = {}): Promise<Talk> {
  const store = memorySessionStore();
  const disk = openDisk(setting);
  const reopen = async (id: string): Promise<Talk> => {
    const opened = must(await openConversation(store, id, "write", sources));
    return talkOf(opened.manager, async () => void must(await opened.close()));
  };
  const talkOf = (manager: ContextManager, close: () => Promise<void>): Talk => {
    const workspace = workspaceOf(disk, setting);
    workspace.countOn(lastVersion(manager.context));
    const answer = (calls: readonly Call[]) => answerWith(manager, workspace, setting, calls);
    return {
      ...disk,
      manager,
      workspace,
      say: (text) => void must(manager.commitStagedItems(text)),
      answer,
      call: async (...call) => only(await answer([call])),
      visibleStates: () => renderContext(manager.context).visibility.states().length,
      resume: async () => {
        await close();
        return reopen(manager.context.sessionId);
      },
      fork: async () => {
        must(await manager.flush());
        const newId = sources.ids;
        const forked = must(await forkSession(store, manager.context.sessionId, { newId, now: Date.now() }));
        return reopen(forked.id);
      },
    };
  };
  const { manager, close } = must(await createConversation(store, sources));
  const talk = talkOf(manager, async () => void must(await close()));
  talk.say("Go on.");
  return talk;
}

export function must<Value extends object>(value: Value): Exclude<Value, { readonly kind: "refusal" }> {
  if (isRefusal(value)) throw new Error(`${value.code}: ${value.message}`);
  // What is left is no refusal, which the guard cannot say of a type parameter.
  return value as Exclude<Value, { readonly kind: "refusal" }>;
}

/** The one element of a list. */
export function only<Value>(list: readonly Value[]): Value {
  const [first] = list;
  if (first === undefined || list.length > 1) throw new Error(`${list.length} elements, not one`);
  return first;
}

export function numbered(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `line ${at + 1}\n`).join("");
}

/** The code of each answer. */
export function codesOf(answers: readonly Answer[]): readonly string[] {
  return answers.map(({ code }) => code);
}

const sources = { ids: timeSortedIds(Date.now, randomBytes), now: Date.now };

function openDisk({ files = {} }: Setting) {
  const ports = memoryWith();
  const put = (path: string, text: string) => ports.disk.poke(path, Buffer.from(text));
  for (const [path, text] of Object.entries(files)) put(path, text);
  const remove = (path: string) => ports.disk.poke(path, undefined);
  const text = (path: string) => {
    const bytes = ports.disk.peek(path);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };
  return { ports, put, remove, text };
}

function workspaceOf({ ports }: ReturnType<typeof openDisk>, setting: Setting) {
  return new Workspace(ports, { guards: setting.guards ?? {} });
}

async function answerWith(
  manager: ContextManager,
  workspace: Workspace,
  setting: Setting,
  calls: readonly Call[],
): Promise<readonly Answer[]> {
  const step = `step ${manager.context.nodes.size}`;
  const callIds = calls.map((_, at) => `${step}, call ${at}`);
  const parts = calls.map(
    ([name, args], at): AnswerPart => ({ kind: "tool_call", callId: callIds[at] ?? "", name, args }),
  );
  must(manager.addAnswer({ step, parts }));
  return Promise.all(
    callIds.map(async (callId) => {
      const { code, text } = must(await carryOut({ callId }, { manager, workspace, ...formOf(setting) }));
      return { code, text };
    }),
  );
}

function formOf({ wire, resultContent }: Setting) {
  return { ...(wire && { wire }), ...(resultContent && { resultContent }) };
}
