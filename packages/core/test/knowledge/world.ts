/**
 * A model that works on files in a conversation, and an oracle of what it was shown: from the prompts' own
 * texts, the calls' own arguments and the answers' own texts. Every word of every file is unique, so that a
 * word in a text tells where it came from. Nothing here asks the code under test for the truth.
 */
import { renderContext, safeCuts } from "../../src/context/index.js";
import {
  createConversation,
  forkSession,
  memorySessionStore,
  openConversation,
  type StoredConversation,
} from "../../src/conversation/index.js";
import {
  type AnswerPart,
  namesFrom,
  type SessionStore,
  type TurnNode,
} from "../../src/conversation/values/index.js";
import { Workspace } from "../../src/files/index.js";
import type { KnownState } from "../../src/files/seen/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { carryOut } from "../../src/tools/index.js";
import { countedIds, steadyClock } from "../conversation/support.js";
import { must } from "../reproductions/scene.js";
import { memoryWith, sha } from "../support.js";
import { type Call, type CallKind, drawCall } from "./calls.js";
import type { Picks } from "./picks.js";
import type { Walker } from "./walks.js";

export const paths = ["a.txt", "b.txt", "d/c.txt"] as const;
const root = "/workspace";

type Sources = Parameters<typeof createConversation>[1];

const callKinds: readonly CallKind[] = [
  "read",
  "read",
  "read",
  "window",
  "window",
  "many",
  "search",
  "edit",
  "edit",
  "edit",
  "word",
  "many_edits",
  "patch",
  "append",
  "append",
  "prepend",
  "insert",
  "write",
  "write",
  "create",
  "create",
  "fs_create",
  "set",
  "rename",
  "set_write",
  "undo",
];

/** Every name that a file has in the laws. */
export const allPaths = [...paths, "e.txt"] as const;

/** A call that was carried out, with what the disk and the answer were. */
interface Done {
  readonly call: Call;
  readonly prompt: ReadonlySet<string>;
  code: string;
  text: string;
}

/** What a write of ours made of a file. */
interface Step {
  readonly path: string;
  readonly from: string | undefined;
  readonly before: string | undefined;
  readonly after: string;
}

export interface Figures {
  /** Lines that the model knows by the oracle, and those of them that the knowledge has. */
  truth: number;
  known: number;
  readonly codes: Map<string, number>;
  /** Answers that speak of lines shown before, when they were sent, and renderings in which one does so no more. */
  stubs: number;
  broken: number;
}

export class World implements Walker {
  readonly ports = memoryWith({}, countedIds("id"));
  /** Every state that a file ever was in, by its hash. */
  readonly states = new Map<string, string>();
  private readonly done = new Map<string, Done>();
  private readonly steps = new Map<string, readonly Step[]>();
  private words = 0;
  private answers = 0;
  workspace = new Workspace(this.ports);
  readonly problems: string[] = [];

  private constructor(
    private readonly sources: Sources,
    private readonly store: SessionStore,
    private open: StoredConversation,
    private readonly figures: Figures,
  ) {}

  static async begin(figures: Figures): Promise<World> {
    const store = memorySessionStore();
    const sources = { ids: countedIds(), now: steadyClock(), naming: namesFrom(root) };
    const world = new World(sources, store, must(await createConversation(store, sources)), figures);
    world.say();
    for (const path of paths.slice(0, 2)) world.foreign(path, (_) => world.lines(6));
    return world;
  }

  get manager() {
    return this.open.manager;
  }

  readonly word = (): string => {
    this.words += 1;
    return `w${this.words}q`;
  };

  readonly line = (): string => `${this.word()} ${this.word()}`;

  readonly lines = (count: number): string =>
    Array.from({ length: count }, () => `${this.line()}\n`).join("");

  readonly text = (path: string): string | undefined => {
    const bytes = this.ports.disk.peek(path);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };

  foreign(path: string, change: (text: string) => string): void {
    this.ports.disk.poke(path, Buffer.from(change(this.text(path) ?? "")));
    this.note();
  }

  private note(): void {
    for (const path of allPaths) {
      const text = this.text(path);
      if (text !== undefined) this.states.set(sha(text), text);
    }
  }

  readonly changing = paths;

  nextCall(pick: Picks): Call {
    const hashes = () => [...this.states.keys()];
    const { word, line, lines, text } = this;
    return drawCall({ root, paths, hashes, word, line, lines, text }, callKinds, pick);
  }

  say(): void {
    this.manager.commitStagedItems("Go on.");
  }

  async resume(): Promise<void> {
    const { sessionId } = this.manager.context;
    must(await this.open.close());
    this.open = must(await openConversation(this.store, sessionId, "write", this.sources));
    this.workspace = new Workspace(this.ports);
  }

  async fork(): Promise<void> {
    must(await this.manager.flush());
    const { sessionId } = this.manager.context;
    const forked = must(
      await forkSession(this.store, sessionId, { newId: this.sources.ids, now: this.sources.now() }),
    );
    must(await this.open.close());
    this.open = must(await openConversation(this.store, forked.id, "write", this.sources));
    this.workspace = new Workspace(this.ports);
  }

  /** The nodes from the head up to where the path's knowledge begins. */
  private path(): readonly TurnNode[] {
    const { context } = this.manager;
    const nodes: TurnNode[] = [];
    let node = context.nodes.get(context.currentNodeId);
    while (node !== undefined) {
      nodes.push(node);
      const { payload } = node;
      if (payload.kind === "task_boundary" && payload.transformation.kind !== "clone") break;
      node = node.parentId === null ? undefined : context.nodes.get(node.parentId);
    }
    return nodes.reverse();
  }

  private prompt(): string {
    return stringsIn(renderContext(this.manager.context).contents).join("\n");
  }

  safeCut(pick: number): string | undefined {
    const cuts = safeCuts(renderContext(this.manager.context), "google");
    return cuts[pick % Math.max(1, cuts.length)];
  }

  /** The oldest first. */
  nodes(): readonly TurnNode[] {
    const count = ({ id }: TurnNode) => Number(id.replace(/\D/g, ""));
    return [...this.manager.context.nodes.values()].sort((one, other) => count(one) - count(other));
  }

  /** One answer of the model with these calls, carried out side by side, and the laws held against it. */
  async answer(calls: readonly Call[]): Promise<void> {
    const { manager } = this;
    this.answers += 1;
    const step = `step ${this.answers}`;
    const prompt = new Set(wordsIn(this.prompt()));
    const ids = calls.map((_, at) => `${step} call ${at}`);
    const parts = calls.map(
      ({ tool, args }, at): AnswerPart => ({ kind: "tool_call", callId: ids[at] ?? "", name: tool, args }),
    );
    if (isRefusal(manager.addAnswer({ step, parts }))) return;
    for (const [at, call] of calls.entries())
      this.done.set(ids[at] ?? "", { call, prompt, code: "", text: "" });
    this.holdKnowledge(ids, prompt);
    await Promise.all(ids.map((callId) => this.carry(callId)));
    this.note();
    this.holdReferrals(ids);
  }

  /**
   * What an answer speaks of without showing it stands in the next prompt to the letter; where it was taken
   * out later, the rendering says so.
   */
  private holdReferrals(fresh: readonly string[]): void {
    const { contents, report } = renderContext(this.manager.context);
    const frames = stringsIn(contents).map((text) => [text, framesIn(text)] as const);
    for (const { id, payload } of this.path()) {
      if (payload.kind !== "tool_result" || !frames.some(([text]) => text === payload.output)) continue;
      for (const lines of payload.refers ?? []) {
        const { path, sha256, from, to } = lines;
        const state = this.states.get(sha256)?.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const stands = state
          .slice(from - 1, to)
          .every((line) =>
            frames.some(
              ([text, shown]) =>
                text.includes(line) && shown.some(([name, hash]) => name === bare(path) && hash === sha256),
            ),
          );
        const isBroken = report.broken.some((one) => one.nodeId === id && one.lines === lines);
        const isFresh = fresh.includes(payload.callId);
        if (isFresh) this.figures.stubs += 1;
        if (isBroken) this.figures.broken += 1;
        if (isFresh && isBroken) this.problems.push(`${payload.callId} speaks of what the next prompt lacks`);
        if (!isBroken && !stands) this.problems.push(`${payload.callId} speaks of lines that nobody sees`);
      }
    }
  }

  private async carry(callId: string): Promise<void> {
    const { manager, workspace } = this;
    const done = this.done.get(callId);
    if (done === undefined) throw new Error("a call that was never made");
    const carried = must(await carryOut({ callId }, { manager, workspace }));
    done.code = carried.code;
    done.text = carried.text;
    this.figures.codes.set(carried.code, (this.figures.codes.get(carried.code) ?? 0) + 1);
    this.note();
    if (carried.kind !== "answered" || carried.node.payload.kind !== "tool_result") return;
    const { files = [], shows = [], output } = carried.node.payload;
    for (const shown of shows) {
      const state = this.states.get(shown.sha256) ?? "";
      const lines = state.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      const whole = lines.slice(shown.from - 1, shown.to).join("");
      // In a difference a line stands without its terminator.
      const bytes = shown.chars === undefined ? whole : whole.replace(/\n$/, "");
      if (output.slice(shown.start, shown.end) !== bytes)
        this.problems.push(`shows of ${callId} are not the bytes`);
    }
    if (carried.code !== "applied") return;
    const steps: Step[] = [];
    for (const { path, before, after, from, by } of files) {
      if (by !== "tool" || after === null) continue;
      const moved = from === undefined ? before : files.find((other) => other.path === from)?.before;
      steps.push({
        path: bare(path),
        from: from === undefined ? undefined : bare(from),
        before: moved ?? undefined,
        after,
      });
    }
    this.steps.set(callId, steps);
  }

  /** What is said to be known was shown in a prompt of this path, or stood in a call of it. */
  private holdKnowledge(ids: readonly string[], prompt: ReadonlySet<string>): void {
    const { manager } = this;
    const seen = this.shownOnPath();
    const own = new Set<string>();
    const oracle = this.oracle(ids);
    for (const node of this.path()) {
      const { payload } = node;
      if (payload.kind !== "tool_call" || !ids.includes(payload.callId)) continue;
      const knowledge = manager.knowledge.forCall(node.id);
      for (const path of allPaths) {
        for (const [sha256, text] of this.states) {
          const state = knowledge.find({ path, realPath: `${root}/${path}` }, sha256);
          if (state === undefined) continue;
          this.holdState(`${payload.callId} ${path}`, state, text, { seen, prompt, own });
          if (ids[0] === payload.callId) this.count(state, text, oracle.get(`${path} ${sha256}`));
        }
      }
      knowledge.end([]);
    }
  }

  private holdState(
    where: string,
    state: KnownState,
    text: string,
    { seen, prompt, own }: Record<"seen" | "prompt" | "own", ReadonlySet<string>>,
  ): void {
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const hold = (name: "lines" | "beforeCall" | "inPrompt", words: readonly ReadonlySet<string>[]) => {
      for (const { from, to } of state[name])
        for (let at = from; at <= to; at += 1) {
          const missing = wordsIn(lines[at - 1] ?? "").filter((word) => !words.some((set) => set.has(word)));
          if (missing.length > 0 || at > lines.length)
            this.problems.push(
              `${where}: ${name} has line ${at} with ${missing} (${state.sha256.slice(0, 8)})`,
            );
        }
    };
    hold("lines", [seen]);
    hold("beforeCall", [prompt, own]);
    hold("inPrompt", [prompt]);
  }

  private count(state: KnownState, text: string, truth: ReadonlySet<string> | undefined): void {
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    for (const [at, line] of lines.entries()) {
      if (!wordsIn(line).every((word) => truth?.has(word))) continue;
      this.figures.truth += 1;
      if (state.lines.some(({ from, to }) => from <= at + 1 && at + 1 <= to)) this.figures.known += 1;
    }
  }

  /** All words that a prompt of this path ever held, and those of the path's own calls. */
  private shownOnPath(): Set<string> {
    const words = new Set(wordsIn(this.prompt()));
    for (const { payload } of this.path()) {
      if (payload.kind !== "tool_call") continue;
      const done = this.done.get(payload.callId);
      for (const word of done?.prompt ?? []) words.add(word);
      for (const word of wordsIn(JSON.stringify(payload.args))) words.add(word);
    }
    return words;
  }

  /** What the model really knows of each state, as words: shown under its hash, or carried on by its writes. */
  private oracle(without: readonly string[]): Map<string, Set<string>> {
    const known = new Map<string, Set<string>>();
    const of = (path: string, sha256: string) => {
      const key = `${path} ${sha256}`;
      const words = known.get(key) ?? new Set();
      known.set(key, words);
      return words;
    };
    for (const { payload } of this.path()) {
      if (payload.kind !== "tool_result" || without.includes(payload.callId)) continue;
      const done = this.done.get(payload.callId);
      if (done === undefined) continue;
      const args = wordsIn(JSON.stringify(done.call.args));
      for (const { path, from, before, after } of this.steps.get(payload.callId) ?? []) {
        const text = new Set(wordsIn(this.states.get(after) ?? ""));
        const old = before === undefined ? [] : of(from ?? path, before);
        for (const word of [...old, ...args]) if (text.has(word)) of(path, after).add(word);
      }
      for (const [path, sha256] of framesIn(done.text)) {
        const text = new Set(wordsIn(this.states.get(sha256) ?? ""));
        for (const word of wordsIn(done.text)) if (text.has(word)) of(path, sha256).add(word);
      }
    }
    return known;
  }
}

export function wordsIn(text: string): readonly string[] {
  return text.match(/w\d+q/g) ?? [];
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** The names and hashes of the states that an answer speaks of. */
function framesIn(text: string): readonly (readonly [string, string])[] {
  const frames = text.matchAll(/<file\S* path="([^"]*)" version="\d+" sha256="([0-9a-f]{64})"/g);
  return [...frames].map(([, path = "", sha256 = ""]) => [bare(path), sha256] as const);
}

function bare(path: string): string {
  return path.replace(`${root}/`, "").replace(/^\.\//, "");
}
