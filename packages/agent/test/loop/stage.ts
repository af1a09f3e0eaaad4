import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type ContextManager,
  createConversation,
  openConversation,
  type StoredConversation,
} from "@holdfast/core/conversation";
import { namesFrom, type SessionStore, timeSortedIds } from "@holdfast/core/conversation/values";
import { type OpenedWorkspace, openJournalStore, openWorkspace } from "@holdfast/core/node";
import { afterThisTest } from "../../../../test/cleanups.js";
import { type Agent, openAgent } from "../../src/loop/agent.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { AgentEvent, TurnEnd } from "../../src/loop/turn.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";

/** A project on the disk, a session in a journal, and an agent over both. */
export interface Stage {
  readonly root: string;
  readonly workspace: OpenedWorkspace;
  readonly store: SessionStore;
  readonly manager: ContextManager;
  readonly agent: Agent;
  readonly events: AgentEvent[];
  /** One turn of an agent, with what happened in `events`. */
  turn(text: string, signal?: AbortSignal): Promise<TurnEnd>;
  write(name: string, text: string): void;
  read(name: string): string;
  /** Gives the session back and opens it again, as the next run of the program does. */
  resume(answers: readonly ScriptedAnswer[], parts?: Partial<AgentParts>): Promise<Stage>;
  /** Also done by itself after the test. */
  close(): Promise<void>;
}

const newId = timeSortedIds(Date.now, (bytes) => randomBytes(bytes));

/** Opens a stage whose model plays these answers. */
export async function openStage(
  answers: readonly ScriptedAnswer[],
  parts: Partial<AgentParts> = {},
  files: Readonly<Record<string, string>> = {},
  guards: NonNullable<Parameters<typeof openWorkspace>[0]["guards"]> = {},
): Promise<Stage> {
  const place = mkdtempSync(join(tmpdir(), "holdfast-agent-"));
  const [root, stateDir] = [join(place, "project"), join(place, "state")];
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const workspace = mustBe(await openWorkspace({ roots: [root], stateDir, guards }));
  const store = mustBe(openJournalStore({ stateDir }));
  const sources = { ids: newId, now: Date.now, naming: namesFrom(root) };
  let current: StoredConversation | undefined;
  const close = async () => {
    if (current === undefined) return;
    const last = current;
    current = undefined;
    await last.close();
    await store.close();
    await workspace.close();
    rmSync(place, { recursive: true, force: true });
  };
  afterThisTest(close);
  const stageOf = (
    conversation: StoredConversation,
    script: readonly ScriptedAnswer[],
    more: Partial<AgentParts>,
  ): Stage => {
    current = conversation;
    const { manager } = conversation;
    const sleep = (ms: number, signal: AbortSignal | undefined) =>
      wait(ms, undefined, signal ? { signal } : {});
    const model = scriptedModel(script, { sleep });
    const agent = openAgent({ manager, workspace, model, mode: "yolo", newId, now: Date.now, ...more });
    const events: AgentEvent[] = [];
    return {
      root,
      workspace,
      store,
      manager,
      agent,
      events,
      turn: (text, signal) =>
        agent.turn({ text }, { onEvent: (event) => events.push(event), ...(signal ? { signal } : {}) }),
      write: (name, text) => writeFileSync(join(root, name), text),
      read: (name) => readFileSync(join(root, name), "utf8"),
      resume: async (next, nextParts = more) => {
        await conversation.close();
        const again = mustBe(
          await openConversation(store, conversation.session.id, "write", { ...sources, files: workspace }),
        );
        return stageOf(again, next, nextParts);
      },
      close,
    };
  };
  return stageOf(mustBe(await createConversation(store, sources)), answers, parts);
}

/** The first event of each kind but the last; all of them with `HOLDFAST_SWEEP=all`. */
export function momentsOf(events: readonly AgentEvent[]): readonly number[] {
  const kinds = events.slice(0, -1).map(kindOf);
  const isWhole = process.env.HOLDFAST_SWEEP === "all";
  return kinds.flatMap((kind, at) => (isWhole || kinds.indexOf(kind) === at ? [at] : []));
}

function kindOf(event: AgentEvent): string {
  return event.kind === "sub_agent" ? `of a sub-agent: ${kindOf(event.event)}` : event.kind;
}

function mustBe<Value extends object>(value: Value): Exclude<Value, { readonly kind: "refusal" }> {
  if ("kind" in value && value.kind === "refusal") throw new Error(JSON.stringify(value));
  // A cast: what is no refusal is the value.
  return value as Exclude<Value, { readonly kind: "refusal" }>;
}
