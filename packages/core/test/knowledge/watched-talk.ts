/**
 * A conversation of a model about files, in which every write is watched (`Witness`). The calls are made by
 * the real `carryOut` on a real manager, store and workspace; of one answer one after the other, so that the
 * disk can be looked at between them.
 */
import { renderContext, safeCuts } from "../../src/context/index.js";
import {
  type ContextManager,
  createConversation,
  forkSession,
  lastVersion,
  openConversation,
  refreshTrackedFiles,
  type StoredConversation,
} from "../../src/conversation/index.js";
import {
  type AnswerPart,
  namesFrom,
  type SessionStore,
  type TurnNode,
  timeSortedIds,
} from "../../src/conversation/values/index.js";
import type { Workspace } from "../../src/files/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { carryOut, followFiles, type ToolContext } from "../../src/tools/index.js";
import { steadyClock } from "../conversation/support.js";
import { must } from "../reproductions/scene.js";
import { type Call, type CallKind, drawCall, note } from "./calls.js";
import type { Picks } from "./picks.js";
import { type Operation, perform, type Walker } from "./walks.js";
import { type Disk, Witness } from "./witness.js";

/** Where the files and the conversation are kept. */
export interface Ground {
  readonly root: string;
  readonly store: SessionStore;
  readonly workspace: Workspace;
  disk(): Disk;
  put(path: string, text: string): void;
  /** Another process opens the same files. */
  reopen(): Promise<void>;
}

/** How the answers look. */
export type Look = Pick<ToolContext, "wire" | "resultContent" | "budgetChars">;

/** Makes the manager's knowledge wrong, to see that the law can fail. */
export type Breach = (manager: ContextManager) => void;

export interface Setting {
  readonly look?: Look;
  readonly breach?: Breach;
}

const paths = ["a.txt", "b.txt", "d/c.txt", note] as const;

/** Through every door at which a model reads or writes; what is drawn more often stands there again. */
export const callKinds: readonly CallKind[] = [
  ...(["read", "read", "read", "window", "window", "window", "many", "search"] as const),
  ...(["view", "view_range", "view_range", "memory_view"] as const),
  ...(["edit", "edit", "word", "many_edits", "all_edits", "replace", "replace_empty"] as const),
  ...(["editor_edit", "fs_edit", "memory_edit", "patch", "patch", "diff_of_several"] as const),
  ...(["append", "prepend", "fs_append", "section"] as const),
  ...(["insert", "editor_insert", "fs_insert", "memory_insert"] as const),
  ...(["write", "write", "create", "create", "fs_create", "memory_create", "set_write", "set"] as const),
  ...(["rename", "remove", "memory_rename", "memory_delete", "undo"] as const),
];

export class WatchedTalk implements Walker {
  readonly problems: string[] = [];
  /** How often each tool ended with each code. */
  readonly codes = new Map<string, number>();
  readonly changing = paths;
  private readonly witness = new Witness();
  private counted = { words: 0, answers: 0 };

  private constructor(
    private readonly ground: Ground,
    private open: StoredConversation,
    private readonly sources: ReturnType<typeof sourcesFor>,
    private readonly setting: Setting,
  ) {
    setting.breach?.(this.manager);
  }

  static async begin(ground: Ground, setting: Setting = {}): Promise<WatchedTalk> {
    const sources = sourcesFor(ground);
    const open = must(await createConversation(ground.store, sources));
    const talk = new WatchedTalk(ground, open, sources, setting);
    for (const path of paths) talk.foreign(path, () => `${talk.lines(4)}## Part\n${talk.lines(3)}`);
    await talk.say();
    return talk;
  }

  /** Makes the walk, up to the first thing that is wrong. */
  async walk(operations: readonly Operation[]): Promise<void> {
    for (const one of operations) {
      await this.perform(one);
      if (this.problems.length > 0) return;
    }
  }

  async close(): Promise<void> {
    must(await this.open.close());
  }

  /** What all walks do, and now and then what only a host with files does. */
  private async perform(one: Operation): Promise<void> {
    const [first = 0, second = 0] = one.picks;
    const isSpecial = one.kind === "foreign" || one.kind === "rewind";
    if (!isSpecial || first % 3 !== 0) return perform(this, one);
    if (one.kind === "foreign") {
      const path = paths[second % paths.length] ?? paths[0];
      if (second % 2 === 0) this.manager.trackFile(path);
      else this.manager.untrackFile(path);
      return;
    }
    const nodes = this.nodes();
    const toId = nodes[second % nodes.length]?.id;
    if (toId === undefined) return;
    const files = followFiles(this.manager, this.ground.workspace, this.sources.ids);
    const move = { kind: "go", toId, words: "Went back" } as const;
    await files.follow({ move, consent: [], conflicts: "leave", answering: undefined });
    this.witness.finds(this.ground.disk());
    return this.say();
  }

  get manager(): ContextManager {
    return this.open.manager;
  }

  private readonly word = (): string => {
    this.counted.words += 1;
    return `w${this.counted.words}q`;
  };

  readonly line = (): string => `${this.word()} ${this.word()}`;

  private readonly lines = (count: number): string =>
    Array.from({ length: count }, () => `${this.line()}\n`).join("");

  nextCall(pick: Picks, kinds: readonly CallKind[] = callKinds): Call {
    const disk = this.ground.disk();
    const { root } = this.ground;
    const { word, line, lines } = this;
    const hashes = () => this.witness.hashes;
    const text = (path: string) => disk.get(path);
    return drawCall({ root, paths, hashes, text, word, line, lines }, kinds, pick);
  }

  foreign(path: string, change: (text: string) => string): void {
    this.ground.put(path, change(this.ground.disk().get(path) ?? ""));
    this.witness.finds(this.ground.disk());
  }

  /** As a host begins a turn: tracked files first, then the words of the user. */
  async say(): Promise<void> {
    const { manager } = this;
    const { workspace } = this.ground;
    await refreshTrackedFiles({ manager, read: (request) => workspace.read(request), into: "staging" });
    manager.commitStagedItems("Go on.");
  }

  async resume(): Promise<void> {
    await this.reopen(this.manager.context.sessionId);
  }

  async fork(): Promise<void> {
    must(await this.manager.flush());
    const { sessionId } = this.manager.context;
    const forked = must(
      await forkSession(this.ground.store, sessionId, { newId: this.sources.ids, now: this.sources.now() }),
    );
    await this.reopen(forked.id);
  }

  private async reopen(id: string): Promise<void> {
    must(await this.open.close());
    await this.ground.reopen();
    this.open = must(await openConversation(this.ground.store, id, "write", this.sources));
    this.ground.workspace.countOn(lastVersion(this.manager.context));
    this.setting.breach?.(this.manager);
  }

  safeCut(pick: number): string | undefined {
    const cuts = safeCuts(renderContext(this.manager.context), "google");
    return cuts[pick % Math.max(1, cuts.length)];
  }

  nodes(): readonly TurnNode[] {
    return [...this.manager.context.nodes.values()].sort((one, other) => one.timestamp - other.timestamp);
  }

  async answer(calls: readonly Call[]): Promise<void> {
    const { manager } = this;
    this.counted.answers += 1;
    const step = `step ${this.counted.answers}`;
    const prompt = stringsIn(renderContext(manager.context).contents);
    const callIds = calls.map((_, at) => `${step} call ${at}`);
    const parts = calls.map(
      ({ tool, args }, at): AnswerPart => ({
        kind: "tool_call",
        callId: callIds[at] ?? "",
        name: tool,
        args,
      }),
    );
    if (isRefusal(manager.addAnswer({ step, parts }))) return;
    this.witness.sees(prompt, callIds);
    for (const [at, call] of calls.entries()) await this.carry(callIds[at] ?? "", call);
  }

  private async carry(callId: string, call: Call): Promise<void> {
    const { manager, ground, setting } = this;
    const before = ground.disk();
    const host = { manager, workspace: ground.workspace, ...setting.look };
    const { code, text } = must(await carryOut({ callId }, host));
    const after = ground.disk();
    const key = `${call.tool} ${code}`;
    this.codes.set(key, (this.codes.get(key) ?? 0) + 1);
    this.problems.push(
      ...this.witness.judge({ callId, call, before, after, output: text }, this.callsOnPath()),
    );
  }

  /** The calls that led here, from where the path's prompts begin: a cleared history shows nothing before it. */
  private callsOnPath(): readonly string[] {
    const { context } = this.manager;
    const callIds: string[] = [];
    let node = context.nodes.get(context.currentNodeId);
    while (node !== undefined) {
      const { payload, parentId } = node;
      if (payload.kind === "tool_call") callIds.push(payload.callId);
      if (payload.kind === "task_boundary" && payload.transformation.kind !== "clone") break;
      node = parentId === null ? undefined : context.nodes.get(parentId);
    }
    return callIds.reverse();
  }
}

/** Looks that show much, little, or no more than fits. */
export const looks: readonly Look[] = [
  {},
  { resultContent: "full", wire: "json" },
  { resultContent: "none" },
  { resultContent: "changed", budgetChars: 900 },
  { resultContent: "auto", budgetChars: 500 },
  { budgetChars: 60 },
];

function sourcesFor({ root }: Ground) {
  const now = steadyClock();
  let drawn = 0;
  const random = (length: number) => {
    drawn += 1;
    return Uint8Array.from({ length }, (_, at) => (drawn >> (8 * (at % 4))) & 0xff);
  };
  return { ids: timeSortedIds(now, random), now, naming: namesFrom(root) };
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
