import {
  type Content,
  type Part,
  type Rendering,
  type RenderOptions,
  renderContext,
} from "../../src/context/index.js";
import { applyEvent, startedContext } from "../../src/conversation/index.js";
import type {
  ConversationContext,
  ConversationEvent,
  TurnMetadata,
  TurnPayload,
} from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";

/** A conversation built from events, node by node. Ids are what the test says. */
export class Tree {
  context: ConversationContext;
  #clock = 1_000;

  constructor(
    root: TurnPayload = { kind: "task_boundary", name: "session", transformation: { kind: "clear" } },
  ) {
    const node = { id: "root", parentId: null, timestamp: this.#clock, payload: root };
    this.context = startedContext({ type: "session_started", sessionId: "root", root: node });
  }

  apply(event: ConversationEvent): this {
    const next = applyEvent(this.context, event);
    if (isRefusal(next)) throw new Error(`${next.code}: ${next.message}`);
    this.context = next;
    return this;
  }

  /** Adds one node under the head, or under another, and stands on it. */
  add(id: string, payload: TurnPayload, metadata: TurnMetadata = {}, parentId?: string): this {
    this.#clock += 1_000;
    const parent = parentId ?? this.context.currentNodeId;
    const node = { id, parentId: parent, timestamp: this.#clock, payload, metadata };
    return this.apply({ type: "nodes_added", nodes: [node], head: id });
  }

  move(head: string): this {
    return this.apply({ type: "head_moved", head, reason: "navigate" });
  }
}

export const user = (text: string): TurnPayload => ({ kind: "user_message", text });

export const model = (text: string, rest: object = {}): TurnPayload => ({
  kind: "model_message",
  text,
  ...rest,
});

export const call = (callId: string, rest: object = {}): TurnPayload => ({
  kind: "tool_call",
  callId,
  name: "read_file",
  args: { path: "a" },
  ...rest,
});

export const result = (callId: string, output = `output of ${callId}`, rest: object = {}): TurnPayload => ({
  kind: "tool_result",
  callId,
  name: "read_file",
  output,
  ...rest,
});

export const overlay = (
  targetId: string,
  form: Extract<TurnPayload, { action: "overlay" }>["form"],
): TurnPayload => ({ kind: "context_management", action: "overlay", targetId, form });

export const task = (
  name: string,
  transformation: Extract<TurnPayload, { kind: "task_boundary" }>["transformation"] = { kind: "clone" },
  rest: object = {},
): TurnPayload => ({ kind: "task_boundary", name, transformation, ...rest });

export const taskSummary = (taskId: string, tipId: string, rest: object = {}): TurnPayload => ({
  kind: "task_summary",
  taskId,
  tipId,
  name: "a task",
  summary: "It is done.",
  files: [],
  ...rest,
});

export const compaction = (keepFromId: string | null, text = "All before."): TurnPayload => ({
  kind: "summary",
  of: "compaction",
  text,
  keepFromId,
});

export const hash = (letter: string): string => letter.repeat(64);

export const file = (text: string, rest: object = {}): TurnPayload => {
  const total = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return {
    kind: "file_content",
    path: "src/a.ts",
    version: 1,
    sha256: hash("a"),
    lines: { from: 1, to: total, total },
    text,
    form: "whole",
    verified: true,
    ...rest,
  };
};

/** One short line for each part. */
export function sketch(contents: readonly Content[]): readonly string[] {
  return contents.flatMap(({ role, parts }) =>
    parts.map((part, at) => `${at === 0 ? (role === "user" ? "U" : "M") : " "} ${sketchPart(part)}`),
  );
}

function sketchPart(part: Part): string {
  if ("text" in part) {
    const signed = part.thoughtSignature === undefined ? "" : ` ~${part.thoughtSignature}`;
    return `${part.thought === true ? "thought " : ""}${part.text}${signed}`;
  }
  if ("redactedThought" in part) return `redacted ${part.redactedThought}`;
  if ("functionCall" in part) {
    const signed = part.thoughtSignature === undefined ? "" : ` ~${part.thoughtSignature}`;
    return `call ${part.functionCall.id}${signed}`;
  }
  if ("functionResponse" in part) {
    const { id, response } = part.functionResponse;
    return "output" in response ? `result ${id}: ${response.output}` : `error ${id}: ${response.error}`;
  }
  if ("fileData" in part) return `file ${part.fileData.fileUri}`;
  return "blobData" in part
    ? `blob ${part.blobData.sha256.slice(0, 4)}`
    : `media ${part.inlineData.mimeType}`;
}

export function rendered(tree: Tree, options: RenderOptions = {}): Rendering {
  return renderContext(tree.context, options);
}

/** Everything of a rendering, to be compared as one value. */
export function snapshot({ contents, provenance, report, visibility }: Rendering): object {
  return { contents, provenance, report, visibility: visibility.states() };
}
