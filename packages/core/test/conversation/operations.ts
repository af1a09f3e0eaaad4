import { createHash } from "node:crypto";
import fc from "fast-check";
import {
  type AnswerPart,
  ContextManager,
  type ConversationEvent,
  defineMetadataKey,
  type ModelOrigin,
  openCalls,
  type ShownText,
  type TurnNode,
  type TurnPayload,
} from "../../src/conversation/index.js";
import { isRefusal } from "../../src/files/index.js";
import { conversationToolNames, runConversationTool } from "../../src/tools/index.js";
import { countedIds, steadyClock } from "./support.js";

/** One thing that a user, a model or a host does; `pick` chooses among what is there at that moment. */
export interface Operation {
  readonly kind: (typeof kinds)[number];
  readonly pick: number;
  readonly text: string;
}

const kinds = [
  "say",
  "say",
  "stage",
  "discard",
  "reply",
  "reply",
  "step",
  "step",
  "half_step",
  "read",
  "read",
  "file",
  "track",
  "overlay",
  "overlay",
  "reform",
  "answer",
  "start",
  "start",
  "complete",
  "complete",
  "complete",
  "cancel",
  "pop",
  "resume",
  "restart",
  "rewind",
  "rewind",
  "prune",
  "unprune",
  "expand",
  "expand",
  "expand",
  "label",
  "custom",
  "summary",
  "compaction",
  "restore",
  "elsewhere",
  "hidden",
  "tool",
] as const;

const text = fc.oneof(
  fc.constantFrom("", " ", "yes", "a\nb\nc", "line\r\nline", "</file>", "\u202e\u0000", "é😀"),
  fc.string({ maxLength: 12 }),
);

export const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat({ max: 10_000 }),
  text,
});

const google: ModelOrigin = { provider: "google", model: "gemini-3-pro" };
const anthropic: ModelOrigin = { provider: "anthropic", model: "claude-opus-5" };

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

  private attempt({ kind, pick, text }: Operation): object | undefined | Promise<object | undefined> {
    const { manager } = this;
    const from = pick % 2 === 0 ? google : anthropic;
    switch (kind) {
      case "say":
        return manager.commitStagedItems(text);
      case "stage":
        return manager.addToStagingArea(
          pick % 3 === 0
            ? this.fileContent(pick)
            : { kind: "note", text, audience: pick % 2 === 0 ? "model" : "person" },
        );
      case "discard":
        return manager.discardStaging();
      case "reply":
        return manager.addNode(this.message(pick, text, from));
      case "step":
        return this.step(pick, text, from, 1 + (pick % 3), 1 + (pick % 3));
      case "half_step":
        return this.step(pick, text, from, 2 + (pick % 2), pick % 2);
      case "read":
        return this.read(pick, from);
      case "file":
        return manager.addNode(this.fileContent(pick));
      case "track":
        return pick % 3 === 0 ? manager.untrackFile(`f${pick % 2}`) : manager.trackFile(`f${pick % 2}`);
      case "overlay":
        return manager.overlay(this.node(pick).id, this.form(pick, text));
      case "reform":
        return manager.reform(
          [pick, pick + 7, pick * 3].map((one) => ({
            targetId: this.node(one).id,
            form: this.form(one, text),
          })),
        );
      case "answer":
        return this.answer(pick, text, from);
      case "start":
        return manager.startTask({
          name: text,
          goal: text,
          transformation: transformations(text)[pick % 3] ?? { kind: "clone" },
        });
      case "complete":
        return manager.completeTask({ summary: text });
      case "cancel":
        return manager.cancelTask();
      case "pop":
        return manager.popTask();
      case "resume":
        return manager.resumeTask(this.task(pick));
      case "restart":
        return manager.restartTask({ taskId: this.task(pick), hint: text });
      case "rewind":
        return manager.rewind(pick % 4 === 0 ? undefined : this.node(pick).id);
      case "prune":
        return manager.prune(this.node(pick).id);
      case "unprune":
        return manager.unprune([...manager.context.pruned.keys()].sort()[0] ?? "none");
      case "expand":
        return manager.expandTask(this.task(pick));
      case "label":
        return manager.setLabel(this.node(pick).id, text);
      case "custom":
        return manager.setCustom(this.node(pick).id, textKey, text);
      case "summary":
        return manager.addSummary({
          kind: "summary",
          of: "branch",
          text,
          covers: { fromId: manager.context.sessionId, toId: manager.context.currentNodeId },
        });
      case "compaction":
        return manager.addSummary({
          kind: "summary",
          of: "compaction",
          text,
          keepFromId: pick % 5 === 0 ? null : this.node(pick).id,
        });
      case "restore":
        return this.restore(pick);
      case "elsewhere":
        return manager.addNode({ kind: "note", text, audience: "model" }, this.node(pick).id);
      case "hidden":
        return manager.addNode(this.message(pick, text, from), undefined, { isHiddenFromLlm: true });
      case "tool":
        return this.tool(pick, text);
      default:
        return kind satisfies never;
    }
  }

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

  private message(pick: number, text: string, from: ModelOrigin): TurnPayload {
    const thought = pick % 3 === 0 ? { thought: `think ${text}`, signature: `sig${pick}` } : {};
    const step = pick % 4 === 0 ? { step: `s${pick}` } : {};
    return { kind: "model_message", text, from, ...thought, ...step };
  }

  /** A model's answer with calls, of which some are answered. */
  private step(pick: number, text: string, from: ModelOrigin, calls: number, answers: number): undefined {
    const { manager } = this;
    if (pick % 2 === 0) manager.addNode(this.message(pick, text, from));
    const ids = Array.from({ length: calls }, () => this.callId(pick));
    for (const [at, callId] of ids.entries()) {
      const signed = at === 0 ? { signature: `call${pick}` } : {};
      manager.addNode({ kind: "tool_call", callId, name: "run", args: { text }, from, ...signed });
    }
    const order = pick % 5 === 0 ? ids.toReversed() : ids;
    for (const callId of order.slice(0, answers))
      manager.addNode({ kind: "tool_result", callId, name: "run", output: text, isError: pick % 7 === 0 });
    return undefined;
  }

  /** A whole answer: a thought, texts and calls in some order, of which some are answered. */
  private answer(pick: number, text: string, from: ModelOrigin): object {
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
    const answer = { step: `answer${this.calls}-${pick % 9}`, from, usage: { inputTokens: pick }, parts };
    const added = manager.addAnswer(answer);
    if (isRefusal(added)) return added;
    for (const callId of ids.slice(pick % 2))
      manager.addNode({ kind: "tool_result", callId, name: "run", output: text });
    return added;
  }

  private read(pick: number, from: ModelOrigin): object {
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
    const asked = manager.addNode({ kind: "tool_call", callId, name: "read_file", args: { path }, from });
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
