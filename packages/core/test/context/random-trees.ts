import * as fc from "fast-check";
import { debugOutline } from "../../src/context/index.js";
import { applyEvent, startedContext } from "../../src/conversation/index.js";
import type {
  ConversationContext,
  ConversationEvent,
  OverlayForm,
  ShownText,
  TurnMetadata,
  TurnNode,
  TurnPayload,
} from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { hash } from "./support.js";

/** A file's state that random nodes may show: its lines are known, so that what is shown can be checked. */
export interface KnownFile {
  readonly path: string;
  readonly sha256: string;
  readonly lines: readonly string[];
}

export const knownFiles: readonly KnownFile[] = [
  { path: "src/a.ts", sha256: hash("a"), lines: ["one\n", "two\n", "three\n", "four\n"] },
  { path: "src/a.ts", sha256: hash("b"), lines: ["one\n", "zwei\n", "three\n", "four"] },
  { path: 'odd "<name>\n', sha256: hash("c"), lines: ["</file>\n", "<file-1 x\r\n", "</file-2>"] },
  { path: "empty.txt", sha256: hash("e"), lines: [] },
];

/** A number below a limit, from what fast-check draws: one drawn list steers a whole conversation. */
export class Dice {
  #at = 0;

  constructor(readonly rolls: readonly number[]) {}

  below(limit: number): number {
    const roll = this.rolls[this.#at % this.rolls.length] ?? 0;
    this.#at += 1;
    return Math.floor((((roll + this.#at * 7) % 1009) / 1009) * limit);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error("nothing to pick from");
    // The index is below the length; an item may well be undefined.
    return items[this.below(items.length)] as Item;
  }
}

/** A random conversation, and all its states on the way. */
export interface RandomConversation {
  readonly contexts: readonly ConversationContext[];
  readonly last: ConversationContext;
  /** What a failed law shows of it. */
  readonly [fc.toStringMethod]: () => string;
}

export const conversations: fc.Arbitrary<RandomConversation> = fc
  .tuple(fc.array(fc.nat(1008), { minLength: 40, maxLength: 160 }), fc.integer({ min: 4, max: 70 }))
  .map(([rolls, steps]) => play(new Dice(rolls), steps));

function play(dice: Dice, steps: number): RandomConversation {
  const player = new Player(dice);
  for (let at = 0; at < steps; at += 1) player.act();
  const { contexts, context } = player;
  return { contexts, last: context, [fc.toStringMethod]: () => debugOutline(context) };
}

const texts = ["", " \n", "hello", "Do this.\nThen that.", "</file>", "[Go on.]"];
const origins = [
  undefined,
  { provider: "anthropic", model: "claude" },
  { provider: "anthropic", model: "claude-2" },
  { provider: "google", model: "gemini-3-pro" },
];

class Player {
  context: ConversationContext;
  readonly contexts: ConversationContext[] = [];
  #ids = 0;
  #clock = 1_000_000;

  constructor(readonly dice: Dice) {
    const kind = dice.pick(["clear", "clear", "clear", "compress"] as const);
    const transformation = kind === "clear" ? { kind } : { kind, summary: "Before." };
    const payload: TurnPayload = { kind: "task_boundary", name: "session", transformation };
    const root = { id: "root", parentId: null, timestamp: 0, payload };
    this.context = startedContext({ type: "session_started", sessionId: "root", root });
  }

  act(): void {
    const acts: readonly (readonly [number, () => void])[] = [
      [16, () => this.say()],
      [22, () => this.answer()],
      [16, () => this.resolve()],
      [10, () => this.show()],
      [9, () => this.overlay()],
      [6, () => this.startTask()],
      [6, () => this.completeTask()],
      [3, () => this.summarise()],
      [4, () => this.aside()],
      [5, () => this.rewind()],
      [2, () => this.prune()],
      [3, () => this.expand()],
      [2, () => this.stray()],
    ];
    let roll = this.dice.below(acts.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, act] of acts) {
      roll -= weight;
      if (roll >= 0) continue;
      act();
      return;
    }
  }

  #id(): string {
    this.#ids += 1;
    return `n${this.#ids}`;
  }

  #apply(event: ConversationEvent): boolean {
    const next = applyEvent(this.context, event);
    if (isRefusal(next)) return false;
    this.context = next;
    this.contexts.push(next);
    return true;
  }

  #add(payload: TurnPayload, more: { parentId?: string; turn?: boolean } = {}): string {
    const id = this.#id();
    this.#clock += 60_000;
    const parentId = more.parentId ?? this.context.currentNodeId;
    const metadata = this.#metadata();
    const node = { id, parentId, timestamp: this.#clock, payload, metadata };
    const turn = more.turn === true ? { turn: true as const } : {};
    this.#apply({ type: "nodes_added", nodes: [node], head: id, ...turn });
    return id;
  }

  #metadata(): TurnMetadata {
    const expanded = this.context.expansions.map(({ taskId }) => taskId);
    return {
      ...(this.dice.chance(6) ? { isHiddenFromLlm: true } : {}),
      ...(expanded.length > 0 && this.dice.chance(80) ? { provenance: { expanded } } : {}),
    };
  }

  #path(): readonly TurnNode[] {
    const path: TurnNode[] = [];
    let node = this.context.nodes.get(this.context.currentNodeId);
    while (node !== undefined) {
      path.push(node);
      node = node.parentId === null ? undefined : this.context.nodes.get(node.parentId);
    }
    return path;
  }

  say(): void {
    const media = this.dice.chance(15)
      ? { media: [{ mimeType: this.dice.pick(["image/png", "text/x"]), data: this.dice.pick(["AAAA", ""]) }] }
      : {};
    this.#add({ kind: "user_message", text: this.dice.pick(texts), ...media }, { turn: true });
  }

  answer(): void {
    const step = this.dice.chance(80) ? { step: `s${this.dice.below(this.#ids + 2)}` } : {};
    const from = this.dice.pick(origins);
    const origin = from === undefined ? {} : { from };
    if (this.dice.chance(75)) {
      const thought = this.dice.chance(60) ? { thought: this.dice.pick(["hm", "", "so then"]) } : {};
      const redacted = this.dice.chance(10) ? { redactedThought: "xyz" } : {};
      const signature = this.dice.chance(50) ? { signature: `sig${this.#ids}` } : {};
      const text = this.dice.pick(texts);
      this.#add({ kind: "model_message", text, ...thought, ...redacted, ...signature, ...step, ...origin });
    }
    const calls = this.dice.pick([0, 0, 1, 1, 2, 3]);
    for (let at = 0; at < calls; at += 1) {
      const callId = this.dice.pick([
        "dup",
        "",
        "bad id! ".repeat(12),
        `call${this.#ids}`,
        `call${this.#ids}`,
      ]);
      const signature = this.dice.chance(30) ? { signature: `cs${this.#ids}` } : {};
      this.#add({
        kind: "tool_call",
        callId,
        name: "read_file",
        args: { at },
        ...signature,
        ...step,
        ...origin,
      });
    }
  }

  resolve(): void {
    const calls = this.#path().filter(({ payload }) => payload.kind === "tool_call");
    const open = calls.slice(0, 3).toReversed();
    for (const { payload } of open) {
      if (payload.kind !== "tool_call" || this.dice.chance(15)) continue;
      const isError = this.dice.chance(15);
      const shown = this.dice.chance(50) ? this.#shown("read: ") : { text: this.dice.pick(texts), shows: [] };
      const { callId, name } = payload;
      this.#add({ kind: "tool_result", callId, name, output: shown.text, isError, shows: shown.shows });
    }
  }

  /** Some whole lines of a known file, in a text of ours. */
  #shown(before: string): { readonly text: string; readonly shows: readonly ShownText[] } {
    const { path, sha256, lines } = this.dice.pick(knownFiles.filter((file) => file.lines.length > 0));
    const from = 1 + this.dice.below(lines.length);
    const to = from + this.dice.below(lines.length - from + 1);
    const shownLines = lines.slice(from - 1, to).join("");
    const start = before.length;
    const end = start + shownLines.length;
    const wrong = this.dice.chance(5) ? 1_000 : 0;
    return {
      text: `${before}${shownLines} end`,
      shows: [{ path, sha256, from, to, start, end: end + wrong }],
    };
  }

  show(): void {
    const { path, sha256, lines } = this.dice.pick(knownFiles);
    const total = lines.length;
    const form = this.dice.pick(["whole", "window", "tracked"] as const);
    const from = form === "window" && total > 0 ? 1 + this.dice.below(total) : 1;
    const to = form === "window" && total > 0 ? from + this.dice.below(total - from + 1) : total;
    const text = lines.slice(from - 1, to).join("");
    const fileApi = this.dice.chance(40) ? { fileApi: this.#fileApi() } : {};
    const version = this.#ids;
    this.#add({
      kind: "file_content",
      path,
      version,
      sha256,
      lines: { from, to, total },
      text,
      form,
      verified: true,
      ...fileApi,
    });
  }

  #fileApi() {
    return {
      uri: `https://files/${this.#ids}`,
      mimeType: "text/plain",
      state: this.dice.pick(["ACTIVE", "ACTIVE", "PENDING", "FAILED"] as const),
      expiresAt: this.dice.pick([1_500_000, 3_000_000, 9_000_000]),
    };
  }

  overlay(): void {
    const path = this.#path();
    const others = [...this.context.nodes.keys()];
    const targetId = this.dice.chance(92) ? this.dice.pick(path).id : this.dice.pick([...others, "nowhere"]);
    if (this.dice.chance(80)) {
      this.#add({ kind: "context_management", action: "overlay", targetId, form: this.#form() });
      return;
    }
    const more = [targetId, this.dice.pick(path).id, this.dice.pick(path).id];
    const changes = more.map((id) => ({ targetId: id, form: this.#form() }));
    this.#add({ kind: "context_management", action: "reform", changes });
  }

  #form(): OverlayForm {
    switch (this.dice.below(6)) {
      case 0:
      case 1:
        return { form: "hidden" };
      case 2:
        return { form: "original" };
      case 3: {
        const { text, shows } = this.#shown("kept: ");
        return { form: "replaced", by: "delta", text, shows };
      }
      case 4:
        return this.dice.chance(50)
          ? { form: "uri", fileApi: this.#fileApi() }
          : { form: "replaced", by: "cleared", text: this.dice.pick(["[cleared]", " "]) };
      default:
        return { form: "inline" };
    }
  }

  startTask(): void {
    const kind = this.dice.pick(["clone", "clone", "clear", "compress"] as const);
    const transformation = kind === "compress" ? { kind, summary: "Short." } : { kind };
    const hint = this.dice.chance(20) ? { hint: "Try harder.", restartOf: "n1" } : {};
    this.#add({ kind: "task_boundary", name: `task ${this.#ids}`, goal: "a goal", transformation, ...hint });
  }

  completeTask(): void {
    const head = this.context.nodes.get(this.context.currentNodeId);
    const task = this.context.tasks.get(head?.taskId ?? "");
    const boundary = this.context.nodes.get(task?.id ?? "");
    if (task === undefined || task.parentTaskId === null || boundary === undefined) return;
    const parent = this.context.tasks.get(task.parentTaskId);
    const outcome = this.dice.pick(["complete", "complete", "cancelled", "open"] as const);
    if (outcome !== "complete") {
      const mark = outcome === "cancelled" ? { pruned: task.id } : {};
      const reason = outcome === "cancelled" ? "task_cancel" : "task_pop";
      this.#apply({ type: "head_moved", head: parent?.tipId ?? "root", reason, ...mark });
      return;
    }
    const tipId = this.dice.chance(90) ? this.context.currentNodeId : "nowhere";
    const files = [{ path: "src/a.ts", from: null, to: hash("a") }];
    const payload = {
      kind: "task_summary",
      taskId: task.id,
      name: "t",
      summary: "done",
      files,
      tipId,
    } as const;
    this.#add(payload, { parentId: parent?.tipId ?? "root" });
  }

  summarise(): void {
    if (this.dice.chance(30)) {
      this.#add({ kind: "summary", of: "branch", text: "Sum.", covers: { fromId: "n1", toId: "n2" } });
      return;
    }
    const keepFromId = this.dice.chance(20) ? null : this.dice.pick(this.#path()).id;
    this.#add({ kind: "summary", of: "compaction", text: "All before.", keepFromId });
  }

  aside(): void {
    this.#add(
      this.dice.pick<TurnPayload>([
        { kind: "note", text: "note", audience: "model" },
        { kind: "note", text: "note", audience: "person" },
        { kind: "unknown", type: "later", data: { a: 1 } },
        { kind: "context_management", action: "track_file", path: "src/a.ts" },
        {
          kind: "restore",
          restoreId: `r${this.#ids}`,
          fromId: "root",
          toId: "root",
          files: [{ path: "src/a.ts", from: hash("a"), to: null }],
        },
      ]),
    );
  }

  rewind(): void {
    const head = this.dice.pick([...this.context.nodes.keys()]);
    this.#apply({ type: "head_moved", head, reason: "rewind" });
  }

  prune(): void {
    const nodeId = this.dice.pick([...this.context.nodes.keys()]);
    if (nodeId !== "root") this.#apply({ type: "pruned", nodeId });
  }

  expand(): void {
    const taskId = this.dice.pick([...this.context.tasks.keys()]);
    this.#apply({ type: "expansion_set", taskId, turns: this.dice.below(3) });
  }

  /** What no host of ours does: a result that nobody waits for. */
  stray(): void {
    this.#add({ kind: "tool_result", callId: "stray", name: "read_file", output: "late" });
  }
}

/**
 * How often each law is tried (the long run is documented in docs/context.md). Without shrinking: the
 * outline of a random conversation can be read as it is.
 */
export const patience = 3_600_000;

export const tries = { numRuns: Number(process.env.HOLDFAST_RUNS ?? 8), endOnFailure: true };
