import { createHash } from "node:crypto";
import fc from "fast-check";
import { ContextManager, openCalls } from "../../src/conversation/index.js";
import {
  type AnswerPart,
  type ConversationEvent,
  defineMetadataKey,
  type ModelOrigin,
  type ShownText,
  type TurnNode,
  type TurnPayload,
} from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { conversationToolNames, runConversationTool } from "../../src/tools/index.js";
import { countedIds, steadyClock } from "./support.js";

/** One thing that a user, a model or a host does; `pick` chooses among what is there at that moment. */
export interface Operation {
  readonly kind: (typeof kinds)[number];
  readonly pick: number;
  readonly text: string;
}

const kinds = [
  ...(["say", "say", "stage", "discard", "reply", "reply", "step", "step", "half_step", "read"] as const),
  ...(["read", "file", "track", "overlay", "overlay", "reform", "answer", "start", "start"] as const),
  ...([
    "complete",
    "complete",
    "complete",
    "cancel",
    "pop",
    "resume",
    "restart",
    "rewind",
    "rewind",
  ] as const),
  ...(["prune", "unprune", "expand", "expand", "expand", "label", "custom", "summary"] as const),
  ...(["compaction", "restore", "elsewhere", "hidden", "tool"] as const),
];

const text = fc.oneof(
  fc.constantFrom("", " ", "yes", "a\nb\nc", "line\r\nline", "</file>", "\u202e\u0000", "é😀"),
  fc.string({ maxLength: 12 }),
);

export const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat({ max: 10_000 }),
  text,
});

type Acts = {
  readonly [Kind in Operation["kind"]]?: (
    operation: Operation,
  ) => object | undefined | Promise<object | undefined>;
};

const google: ModelOrigin = { provider: "google", model: "gemini-3-pro" };
const anthropic: ModelOrigin = { provider: "anthropic", model: "claude-opus-5" };

/** Who answers: one provider or the other. */
const originOf = (pick: number) => (pick % 2 === 0 ? google : anthropic);

const hashOf = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

/** The lines of the states of the files that the operations read, by hash. */
export type KnownFiles = Map<string, readonly string[]>;

/** A conversation that operations happen to, and everything that its journal would hold. */
export class World {
  readonly manager = new ContextManager({ ids: countedIds(), now: steadyClock(), digest: hashOf });
  readonly events: ConversationEvent[] = [];
  readonly files: KnownFiles = new Map();
  private calls = 0;

  constructor() {
    this.manager.subscribe((_, event) => {
      if (event !== undefined) this.events.push(event);
    });
  }

  /** Does it, or finds it refused; a refusal must leave the very same state. */
  async perform(operation: Operation): Promise<void> {
    const before = this.manager.context;
    const answer = await this.attempt(operation);
    if (answer !== undefined && isRefusal(answer) && this.manager.context !== before)
      throw new Error(`${operation.kind} was refused (${answer.code}) and changed the conversation`);
  }

  private attempt(operation: Operation): object | undefined | Promise<object | undefined> {
    return this.onTurns[operation.kind]?.(operation) ?? this.onTree[operation.kind]?.(operation);
  }

  /** What is said, asked and shown. */
  private readonly onTurns: Acts = {
    say: ({ text }) => this.manager.commitStagedItems(text),
    stage: ({ pick, text }) =>
      this.manager.addToStagingArea(
        pick % 3 === 0
          ? this.fileContent(pick)
          : { kind: "note", text, audience: pick % 2 === 0 ? "model" : "person" },
      ),
    discard: () => this.manager.discardStaging(),
    reply: ({ pick, text }) => this.manager.addNode(this.message(pick, text)),
    step: ({ pick, text }) => this.step(pick, text, 1 + (pick % 3), 1 + (pick % 3)),
    half_step: ({ pick, text }) => this.step(pick, text, 2 + (pick % 2), pick % 2),
    read: ({ pick }) => this.read(pick),
    file: ({ pick }) => this.manager.addNode(this.fileContent(pick)),
    answer: ({ pick, text }) => this.answer(pick, text),
    elsewhere: ({ pick, text }) =>
      this.manager.addNode({ kind: "note", text, audience: "model" }, this.node(pick).id),
    hidden: ({ pick, text }) =>
      this.manager.addNode(this.message(pick, text), undefined, { isHiddenFromLlm: true }),
    tool: ({ pick, text }) => this.tool(pick, text),
  };

  /** What becomes of the tree, of tasks and of how nodes are rendered. */
  private readonly onTree: Acts = {
    track: ({ pick }) =>
      pick % 3 === 0 ? this.manager.untrackFile(`f${pick % 2}`) : this.manager.trackFile(`f${pick % 2}`),
    overlay: ({ pick, text }) => this.manager.overlay(this.node(pick).id, this.form(pick, text)),
    reform: ({ pick, text }) =>
      this.manager.reform(
        [pick, pick + 7, pick * 3].map((one) => ({
          ...{ targetId: this.node(one).id, form: this.form(one, text) },
        })),
      ),
    start: ({ pick, text }) => {
      const transformation = transformations(text)[pick % 3] ?? { kind: "clone" };
      return this.manager.startTask({ name: text, goal: text, transformation });
    },
    complete: ({ text }) => this.manager.completeTask({ summary: text }),
    cancel: () => this.manager.cancelTask(),
    pop: () => this.manager.popTask(),
    resume: ({ pick }) => this.manager.resumeTask(this.task(pick)),
    restart: ({ pick, text }) => this.manager.restartTask({ taskId: this.task(pick), hint: text }),
    rewind: ({ pick }) => this.manager.rewind(pick % 4 === 0 ? undefined : this.node(pick).id),
    prune: ({ pick }) => this.manager.prune(this.node(pick).id),
    unprune: () => this.manager.unprune([...this.manager.context.pruned.keys()].sort()[0] ?? "none"),
    expand: ({ pick }) => this.manager.expandTask(this.task(pick)),
    label: ({ pick, text }) => this.manager.setLabel(this.node(pick).id, text),
    custom: ({ pick, text }) => this.manager.setCustom(this.node(pick).id, textKey, text),
    summary: ({ text }) => {
      const covers = { fromId: this.manager.context.sessionId, toId: this.manager.context.currentNodeId };
      return this.manager.addSummary({ kind: "summary", of: "branch", text, covers });
    },
    compaction: ({ pick, text }) => {
      const keepFromId = pick % 5 === 0 ? null : this.node(pick).id;
      return this.manager.addSummary({ kind: "summary", of: "compaction", text, keepFromId });
    },
    restore: ({ pick }) => this.restore(pick),
  };

  /** Nodes in the order in which they were made, so that shrinking keeps the same ones. */
  private nodes(): readonly TurnNode[] {
    const order = ({ id }: TurnNode) => Number(id.slice(1));
    return [...this.manager.context.nodes.values()].sort((one, other) => order(one) - order(other));
  }

  private node(pick: number): TurnNode {
    const nodes = this.nodes();
    const node = nodes[pick % nodes.length];
    if (node === undefined) throw new Error("there is always a root");
    return node;
  }

  private task(pick: number): string {
    const tasks = [...this.manager.context.tasks.keys()].sort();
    return tasks[pick % tasks.length] ?? "none";
  }

  private message(pick: number, text: string): TurnPayload {
    const thought = pick % 3 === 0 ? { thought: `think ${text}`, signature: `sig${pick}` } : {};
    const step = pick % 4 === 0 ? { step: `s${pick}` } : {};
    return { kind: "model_message", text, from: originOf(pick), ...thought, ...step };
  }

  /** A model's answer with calls, of which some are answered. */
  private step(pick: number, text: string, calls: number, answers: number): undefined {
    const { manager } = this;
    if (pick % 2 === 0) manager.addNode(this.message(pick, text));
    const ids = Array.from({ length: calls }, () => this.callId(pick));
    for (const [at, callId] of ids.entries()) {
      const signed = at === 0 ? { signature: `call${pick}` } : {};
      manager.addNode({
        kind: "tool_call",
        callId,
        name: "run",
        args: { text },
        from: originOf(pick),
        ...signed,
      });
    }
    const order = pick % 5 === 0 ? ids.toReversed() : ids;
    for (const callId of order.slice(0, answers))
      manager.addNode({ kind: "tool_result", callId, name: "run", output: text, isError: pick % 7 === 0 });
    return undefined;
  }

  /** A whole answer: a thought, texts and calls in some order, of which some are answered. */
  private answer(pick: number, text: string): object {
    const { manager } = this;
    const ids = Array.from({ length: pick % 4 }, () => this.callId(pick));
    const calls = ids.map((callId) => ({ kind: "tool_call", callId, name: "run", args: { text } }) as const);
    const parts: readonly AnswerPart[] = [
      ...(pick % 3 === 0
        ? [{ kind: "thought", text: `think ${text}`, signature: `sig${pick}` } as const]
        : []),
      ...(pick % 5 === 0 ? [] : [{ kind: "text", text } as const]),
      ...calls,
    ];
    const answer = {
      step: `answer${this.calls}-${pick % 9}`,
      from: originOf(pick),
      usage: { inputTokens: pick },
      parts,
    };
    const added = manager.addAnswer(answer);
    if (isRefusal(added)) return added;
    for (const callId of ids.slice(pick % 2))
      manager.addNode({ kind: "tool_result", callId, name: "run", output: text });
    return added;
  }

  private read(pick: number): object {
    const { manager } = this;
    const callId = this.callId(pick);
    const { path, sha256, lines } = this.state(pick);
    const first = 1 + (pick % lines.length);
    const body = lines.slice(first - 1).join("");
    const head = `<${path}>\n`;
    const shown: ShownText = {
      path,
      sha256,
      from: first,
      to: lines.length,
      start: head.length,
      end: head.length + body.length,
    };
    const asked = manager.addNode({
      kind: "tool_call",
      callId,
      name: "read_file",
      args: { path },
      from: originOf(pick),
    });
    if (isRefusal(asked)) return asked;
    manager.addNode({
      kind: "tool_result",
      callId,
      name: "read_file",
      output: `${head}${body}</>`,
      shows: [shown],
      files: [{ path, after: sha256, by: "seen" }],
    });
    return asked;
  }

  private fileContent(pick: number): TurnPayload {
    const { path, sha256, lines } = this.state(pick);
    const fileApi = {
      uri: `files/${sha256.slice(0, 8)}`,
      mimeType: "text/plain",
      state: pick % 2 === 0 ? "ACTIVE" : "PROCESSING",
      expiresAt: pick % 3 === 0 ? 1 : 10_000_000_000,
    } as const;
    return {
      kind: "file_content",
      path,
      version: 1 + (pick % 4),
      sha256,
      lines: { from: 1, to: lines.length, total: lines.length },
      text: lines.join(""),
      form: "whole",
      ...(pick % 4 === 0 ? { fileApi } : {}),
    };
  }

  private form(pick: number, text: string): Extract<TurnPayload, { action: "overlay" }>["form"] {
    const forms = [
      { form: "hidden" },
      { form: "original" },
      { form: "replaced", by: "cleared", text: text === "" ? "(cleared)" : text },
      { form: "inline" },
      {
        form: "uri",
        fileApi: { uri: "files/x", mimeType: "text/plain", state: "ACTIVE", expiresAt: 10_000_000_000 },
      },
    ] as const;
    return forms[pick % forms.length] ?? { form: "hidden" };
  }

  private state(pick: number): {
    readonly path: string;
    readonly sha256: string;
    readonly lines: readonly string[];
  } {
    const path = `f${pick % 2}`;
    const version = pick % 4;
    const lines = Array.from(
      { length: 1 + (pick % 5) },
      (_, at) => `${path} v${version} line ${at + 1} of ${pick % 5}\n`,
    );
    const sha256 = hashOf(lines.join(""));
    this.files.set(sha256, lines);
    return { path, sha256, lines };
  }

  private restore(pick: number): object {
    const { manager } = this;
    const { currentNodeId } = manager.context;
    const target = manager.rewindTarget(this.node(pick).id);
    if (isRefusal(target)) return target;
    if (openCalls(manager.context, currentNodeId).length > 0) return target;
    const move = { restoreId: `r${pick}`, fromId: currentNodeId, toId: target.id, files: [] };
    const begun = manager.beginRestore(move);
    if (isRefusal(begun)) return begun;
    if (pick % 2 === 0) return manager.dropRestore(move.restoreId);
    const files = [{ path: "f0", from: null, to: this.state(pick).sha256 }];
    return manager.finishRestore({ ...move, files });
  }

  /** A call of the model of one of the conversation's own tools, alone in its step or, now and then, not. */
  private async tool(pick: number, text: string): Promise<undefined> {
    const { manager } = this;
    const name = conversationToolNames[pick % conversationToolNames.length] ?? "task_list";
    const callId = this.callId(pick);
    if (isRefusal(manager.addNode({ kind: "tool_call", callId, name, args: {} }))) return undefined;
    const beside = pick % 5 === 0 ? this.callId(pick + 1) : undefined;
    if (beside !== undefined) manager.addNode({ kind: "tool_call", callId: beside, name: "run", args: {} });
    const args = {
      summary: text === "" ? "done" : text,
      task_id: this.task(pick),
      turn_id: this.node(pick).id,
      file_path: "f1",
      context: ["clone", "clear", "compress"][pick % 3],
    };
    const reply = await runConversationTool(name, args, { manager, callId });
    if (reply.code === "internal_error") throw new Error(reply.text);
    if (beside !== undefined)
      manager.addNode({ kind: "tool_result", callId: beside, name: "run", output: "ok" });
    return undefined;
  }

  /** Now and then an id that was used before, as some providers do. */
  private callId(pick: number): string {
    this.calls += 1;
    return pick % 11 === 0 ? "call_0" : `call_${this.calls}`;
  }
}

function transformations(text: string) {
  return [{ kind: "clone" }, { kind: "clear" }, { kind: "compress", summary: text }] as const;
}

const textKey = defineMetadataKey("test/text", (value): value is string => typeof value === "string");
