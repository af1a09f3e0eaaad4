import type { SourceLine, SourceLines } from "@holdfast/core/conversation/import";
import type {
  JsonObject,
  ModelMessage,
  ModelOrigin,
  TurnMetadata,
  TurnPayload,
  TurnUsage,
} from "@holdfast/core/conversation/values";
import { type Advancing, defined } from "@holdfast/core/text";
import { countOf, objectOf, textOf, timeOf } from "../lines/fields.js";
import { FoldedCounter } from "../lines/folded-counter.js";
import type { EntryNode, EntryScope, ForeignEntry } from "../tree/foreign-entry.js";
import type { ForeignSession } from "../tree/foreign-session.js";
import {
  argsOf,
  blocksOf,
  detailsOf,
  madeNode,
  noteForModel,
  noteForPerson,
  resultNodes,
  splitTexts,
  unknown,
  userNodes,
} from "./blocks.js";

/**
 * Reads a session of pi: entries with `id` and `parentId` (versions 2 and 3), or one below the other
 * (version 1). Where it stood is its last entry; pi keeps no other mark of it.
 */
export function* readPi({ lines, problems }: SourceLines, now: number): Advancing<ForeignSession> {
  const [first] = lines;
  const header = first?.value.type === "session" ? first : undefined;
  const sources = header === undefined ? lines : lines.slice(1);
  const startedMs = header === undefined ? now : timeOf(header.value, now);
  const entries: ForeignEntry[] = [];
  const folded = new FoldedCounter();
  for (const [at, source] of sources.entries()) {
    if (at % stepLines === stepLines - 1) yield { done: at, of: lines.length };
    const { line, value } = source;
    const last = entries.at(-1);
    const timestamp = timeOf(value, last?.timestamp ?? startedMs);
    const content = contentOf(value, keptBy(value, lines));
    if (content === undefined) folded.add(textOf(value, "type") ?? "untyped");
    const place = { sourceId: idOf(source), parentSourceId: parentOf(value, last), line, timestamp };
    entries.push({ ...place, ...(content ?? { nodes: [] }) });
  }
  return {
    format: "pi",
    title: titleOf(sources),
    cwd: header === undefined ? undefined : textOf(header.value, "cwd"),
    sourceSessionId: header === undefined ? undefined : textOf(header.value, "id"),
    startedMs,
    entries,
    leafLine: entries.at(-1)?.line,
    folded: folded.all(),
    problems,
  };
}

/** Read in some milliseconds. */
const stepLines = 256;

function idOf({ line, value }: SourceLine): string {
  return textOf(value, "id") ?? `line ${line}`;
}

/** From where a compaction keeps the entries: by an id, in version 1 by an index in the file, from 0. */
function keptBy(value: JsonObject, lines: readonly SourceLine[]): string | undefined {
  const { firstKeptEntryId: id, firstKeptEntryIndex: index } = value;
  if (typeof id === "string" || typeof index !== "number") return textOf(value, "firstKeptEntryId");
  const kept = lines[index];
  return kept === undefined ? `entry ${index}` : idOf(kept);
}

function parentOf(value: JsonObject, last: ForeignEntry | undefined): string | null {
  if (value.parentId === null) return null;
  return textOf(value, "parentId") ?? last?.sourceId ?? null;
}

/** The name that was given last, else the beginning of the first prompt. */
function titleOf(sources: readonly SourceLine[]): string | undefined {
  const names = sources.filter(({ value }) => value.type === "session_info");
  const name = names.map(({ value }) => textOf(value, "name")).findLast((text) => text !== undefined);
  if (name !== undefined) return name;
  const prompts = sources.map(({ value }) => objectOf(value, "message"));
  const first = prompts.find((message) => message?.role === "user");
  return first === undefined ? undefined : titleFrom(splitTexts(blocksOf(first.content)).text);
}

/** The first line of a prompt, short enough for a list. */
export function titleFrom(prompt: string): string | undefined {
  const [line = ""] = prompt.trim().split("\n");
  const points = [...line];
  if (points.length === 0) return undefined;
  return points.length <= 72 ? line : `${points.slice(0, 71).join("")}…`;
}

/** Undefined: it is no turn, but what an extension keeps. */
function contentOf(
  value: JsonObject,
  kept: string | undefined,
): Pick<ForeignEntry, "nodes" | "effect"> | undefined {
  switch (value.type) {
    case "message":
      return { nodes: messageNodes(value) };
    case "model_change":
      return {
        nodes: [
          noteForPerson(`Model: ${textOf(value, "provider") ?? "?"}/${textOf(value, "modelId") ?? "?"}`),
        ],
      };
    case "thinking_level_change":
      return { nodes: [noteForPerson(`Thinking level: ${textOf(value, "thinkingLevel") ?? "?"}`)] };
    case "compaction":
      return { nodes: [{ payload: (scope) => compaction(value, kept, scope), metadata: details(value) }] };
    case "branch_summary":
      return { nodes: [{ payload: (scope) => branchSummary(value, scope), metadata: details(value) }] };
    case "context_edit":
      return { nodes: [{ payload: (scope) => contextEdit(value, scope) }] };
    case "custom_message":
      return { nodes: customMessage(value) };
    case "label":
      return { nodes: [], effect: (scope) => label(value, scope) };
    case "session_info":
      return { nodes: [], effect: () => renamed(value) };
    case "custom":
      return undefined;
    default:
      // An entry of the tree of a kind that is not known keeps its bytes.
      return textOf(value, "id") === undefined ? undefined : { nodes: [unknown("pi", value)] };
  }
}

function messageNodes(value: JsonObject): readonly EntryNode[] {
  const message = objectOf(value, "message");
  if (message === undefined) return [unknown("pi", value)];
  const blocks = blocksOf(message.content);
  switch (message.role) {
    case "user":
      return userNodes(blocks, "pi");
    case "assistant":
      return assistantPieces(message, blocks, textOf(value, "id"));
    case "toolResult": {
      const callId = textOf(message, "toolCallId") ?? "";
      const name = textOf(message, "toolName") ?? "unknown";
      return resultNodes({ callId, name, isError: message.isError === true }, blocks, "pi", message.details);
    }
    case "bashExecution":
      return [shellNote(message)];
    case "custom":
    case "hookMessage":
      return customMessage(message);
    default:
      return [unknown("pi", value)];
  }
}

/** A command that the user ran: shown to the model afterwards, unless it was to be kept from it. */
function shellNote(message: JsonObject): EntryNode {
  const code = message.exitCode === undefined ? "" : `\n(exit code ${JSON.stringify(message.exitCode)})`;
  const text = `$ ${textOf(message, "command") ?? ""}\n${textOf(message, "output") ?? ""}${code}`;
  return message.excludeFromContext === true ? noteForPerson(text) : noteForModel(text);
}

function customMessage(value: JsonObject): readonly EntryNode[] {
  const { text, rest } = splitTexts(blocksOf(value.content));
  const note = { ...noteForModel(text), metadata: details(value) };
  // A note holds no media: they are shown as the user's, as pi shows them to its model.
  return rest.length === 0 ? [note] : [note, ...userNodes(rest, "pi")];
}

function assistantPieces(
  message: JsonObject,
  blocks: readonly JsonObject[],
  step: string | undefined,
): readonly EntryNode[] {
  const origin = {
    from: {
      provider: textOf(message, "provider") ?? "unknown",
      model: textOf(message, "model") ?? "unknown",
    },
    ...defined({ step }),
  };
  const nodes = mergeThoughts(blocks.map((block) => answerNode(block, origin)));
  const error = textOf(message, "errorMessage");
  const stop = textOf(message, "stopReason");
  if (error !== undefined || stop === "aborted" || nodes.length === 0)
    nodes.push(noteForPerson(error ?? `The model's answer ended: ${stop ?? "nothing was said"}.`));
  const [first, ...others] = nodes;
  const usage = usageOf(objectOf(message, "usage"));
  if (first === undefined || usage === undefined) return nodes;
  return [{ ...first, metadata: { ...first.metadata, usage } }, ...others];
}

type Origin = { readonly from: ModelOrigin; readonly step?: string };

function answerNode(block: JsonObject, origin: Origin): EntryNode {
  switch (block.type) {
    case "text": {
      const text = textOf(block, "text") ?? "";
      return { payload: { kind: "model_message", text, ...signed(block, "textSignature"), ...origin } };
    }
    case "thinking": {
      const signature = signed(block, "thinkingSignature");
      const thought = textOf(block, "thinking") ?? "";
      return block.redacted === true && signature.signature !== undefined
        ? { payload: { kind: "model_message", text: "", redactedThought: signature.signature, ...origin } }
        : { payload: { kind: "model_message", text: "", thought, ...signature, ...origin } };
    }
    case "toolCall": {
      const call = { callId: textOf(block, "id") ?? "", name: textOf(block, "name") ?? "unknown" };
      const args = argsOf(block.arguments);
      return {
        payload: { kind: "tool_call", ...call, args, ...signed(block, "thoughtSignature"), ...origin },
      };
    }
    default:
      return madeNode("pi", block, origin);
  }
}

function signed(block: JsonObject, key: string): { readonly signature?: string } {
  const signature = textOf(block, key);
  return defined({ signature });
}

/** A thought and the text right behind it are one message, unless the text is signed on its own. */
export function mergeThoughts(nodes: readonly EntryNode[]): EntryNode[] {
  const merged: EntryNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1)?.payload;
    const next = node.payload;
    if (isThought(last) && isPlainText(next)) merged.splice(-1, 1, { payload: { ...last, text: next.text } });
    else merged.push(node);
  }
  return merged;
}

function isThought(payload: EntryNode["payload"] | undefined): payload is ModelMessage {
  if (typeof payload !== "object" || payload.kind !== "model_message") return false;
  return payload.text === "" && (payload.thought !== undefined || payload.redactedThought !== undefined);
}

function isPlainText(payload: EntryNode["payload"]): payload is ModelMessage {
  if (typeof payload !== "object" || payload.kind !== "model_message") return false;
  const { thought, redactedThought, signature, media } = payload;
  return (
    media === undefined && thought === undefined && redactedThought === undefined && signature === undefined
  );
}

function usageOf(usage: JsonObject | undefined): TurnUsage | undefined {
  if (usage === undefined) return undefined;
  const cached = countOf(usage, "cacheRead");
  return {
    inputTokens: countOf(usage, "input") + cached + countOf(usage, "cacheWrite"),
    cachedInputTokens: cached,
    outputTokens: countOf(usage, "output"),
  };
}

function details(value: JsonObject): TurnMetadata {
  const { details: data } = value;
  return data === undefined || data === null ? {} : detailsOf("pi", data);
}

function compaction(value: JsonObject, kept: string | undefined, scope: EntryScope): TurnPayload {
  const firstId = kept === undefined ? undefined : scope.nodesOf(kept)?.firstId;
  const isThere = firstId !== undefined && scope.isAbove(firstId);
  if (kept !== undefined && !isThere)
    scope.report(`The compaction keeps what follows ${kept}, which is not above it; it keeps nothing.`);
  const keepFromId = isThere ? firstId : null;
  return { kind: "summary", of: "compaction", text: textOf(value, "summary") ?? "", keepFromId };
}

function branchSummary(value: JsonObject, scope: EntryScope): TurnPayload {
  const from = textOf(value, "fromId");
  const toId = from === undefined ? undefined : scope.nodesOf(from)?.lastId;
  if (from !== undefined && toId === undefined)
    scope.report(`The summary is of a branch that ends at ${from}, which is not in the file before it.`);
  const covers = {
    fromId: toId === undefined ? scope.parentId : scope.branchStart(toId),
    toId: toId ?? scope.parentId,
  };
  return { kind: "summary", of: "branch", text: textOf(value, "summary") ?? "", covers };
}

/** What pi leaves out or replaces from here on; of an entry with several parts only the whole can be hidden. */
function contextEdit(value: JsonObject, scope: EntryScope): TurnPayload {
  const target = textOf(value, "targetId");
  const nodes = target === undefined ? undefined : scope.nodesOf(target);
  const data: TurnPayload = { kind: "unknown", type: "pi:context_edit", data: value };
  if (nodes === undefined || nodes.firstId !== nodes.lastId || !scope.isAbove(nodes.lastId)) {
    scope.report(
      `It edits ${target ?? "nothing"}, which is not one node above it; the edit is kept, not applied.`,
    );
    return data;
  }
  const overlay = { kind: "context_management", action: "overlay", targetId: nodes.lastId } as const;
  const replacement = objectOf(value, "replacement");
  if (replacement === undefined) return { ...overlay, form: { form: "hidden" } };
  if (scope.payloadOf(nodes.lastId)?.kind !== "tool_result") {
    scope.report(`It rewrites ${target}, which is no result of a tool; the edit is kept, not applied.`);
    return data;
  }
  const { text } = splitTexts(blocksOf(replacement.content));
  return { ...overlay, form: { form: "replaced", by: "cleared", text } };
}

function label(value: JsonObject, scope: EntryScope): ReturnType<NonNullable<ForeignEntry["effect"]>> {
  const target = textOf(value, "targetId");
  const nodeId = target === undefined ? undefined : scope.nodesOf(target)?.firstId;
  if (nodeId === undefined) {
    scope.report(`A label is for ${target ?? "nothing"}, which is not in the file before it.`);
    return undefined;
  }
  return { type: "metadata_set", nodeId, metadata: { label: textOf(value, "label") ?? null } };
}

function renamed(value: JsonObject): ReturnType<NonNullable<ForeignEntry["effect"]>> {
  const title = textOf(value, "name");
  return title === undefined ? undefined : { type: "renamed", title };
}
