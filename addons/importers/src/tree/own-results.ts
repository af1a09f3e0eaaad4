import { parsed } from "@holdfast/core/conversation/import";
import type {
  Digest,
  FileEffect,
  ToolCall,
  ToolResultPayload,
  TurnPayload,
} from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { textOf } from "../lines/fields.js";
import type { EntryNode, ForeignEntry } from "./foreign-entry.js";
import { type AnsweredState, readOwnAnswer } from "./own-answer.js";

/**
 * What the results of our own tools in a session of another agent show and did, so that it is known there as
 * after a call of our own: which lines stand where, which states were seen, which were made.
 *
 * A tool is ours by the name of its server: `mcp__holdfast__read_file`, `holdfast.read_file` and their like. A
 * plain name is ours where every answer under such names is one of ours and the agent has no tool of that name;
 * a name of another server where, besides, a write is proved: its answer names the hash of the text that its
 * call holds. A text that only looks like an answer of ours, in a result of any other tool, is a text.
 */
export class OwnResults {
  readonly #calls = new Map<string, ToolCall | "ambiguous">();
  readonly #trusted: ReadonlySet<string>;
  readonly #digest: Digest | undefined;
  /** By the new name: the last move that made it. */
  readonly #moves = new Map<string, FileEffect>();

  /**
   * @param entries of the whole session, in any order.
   * @param format whose session it is.
   * @param digest proves texts of whole files and of writes; without one, no other server's name is ours.
   */
  constructor(entries: readonly ForeignEntry[], format: string, digest: Digest | undefined) {
    this.#digest = digest;
    const payloads = entries.flatMap(({ nodes }) => nodes.flatMap(({ payload }) => payloadIn(payload)));
    for (const payload of payloads) if (payload.kind === "tool_call") this.#remember(payload);
    const groups = new Map<string, Evidence>();
    for (const payload of payloads) if (payload.kind === "tool_result") this.#weigh(payload, groups);
    const isTrusted = (group: string, { refuted, proved }: Evidence) =>
      holdfast.test(group) || (!refuted && (proved || (group === "" && !agentsOwn.has(format))));
    this.#trusted = new Set(
      [...groups].filter(([group, of]) => isTrusted(group, of)).map(([group]) => group),
    );
  }

  /** An entry whose results tell of files what ours among them told. To be asked in the order of the tree. */
  inEntry(entry: ForeignEntry): ForeignEntry {
    const nodes = entry.nodes.map((node): EntryNode => {
      const { payload } = node;
      if (typeof payload === "function" || payload.kind !== "tool_result") return node;
      return { ...node, payload: this.#withFacts(payload) };
    });
    return { ...entry, nodes };
  }

  /** The result with what it tells of files, where it is one of ours; else the same. */
  #withFacts(result: ToolResultPayload): ToolResultPayload {
    const call = this.#calls.get(result.callId);
    const named = ownName(fullName(result.name, call));
    if (named === undefined || call === undefined || call === "ambiguous") return result;
    if (!this.#trusted.has(named.group) || call.name !== result.name) return result;
    const answer = readOwnAnswer(result.output, this.#digest);
    if (answer === undefined || answer.states.length === 0) return result;
    const encoding = typeof call.args.encoding === "string" ? call.args.encoding : undefined;
    const insisted = defined({ encoding });
    const shows = answer.states.flatMap((state) => state.shows.map((shown) => ({ ...shown, ...insisted })));
    const told = effectsOf(answer.states, call, named.tool);
    const files = named.tool === "undo_edit" ? told.flatMap((effect) => this.#undone(effect)) : told;
    for (const effect of files) if (effect.from !== undefined) this.#moves.set(effect.path, effect);
    return { ...result, ...(shows.length === 0 ? {} : { shows }), files };
  }

  /** To undo a move puts the file back under its old name, which the answer does not show. */
  #undone(effect: FileEffect): readonly FileEffect[] {
    const move = this.#moves.get(effect.path);
    if (effect.by !== "tool" || effect.after !== null || move?.from === undefined) return [effect];
    const { from: path, after, lines } = move;
    return [effect, { path, after, by: "tool", ...defined({ lines }) }];
  }

  #remember(call: ToolCall): void {
    const before = this.#calls.get(call.callId);
    const same = before === undefined || (before !== "ambiguous" && sameCall(before, call));
    this.#calls.set(call.callId, same ? call : "ambiguous");
  }

  #weigh(result: ToolResultPayload, groups: Map<string, Evidence>): void {
    const named = ownName(fullName(result.name, this.#calls.get(result.callId)));
    if (named === undefined) return;
    const { refuted, proved } = groups.get(named.group) ?? noEvidence;
    const answer = readOwnAnswer(result.output, this.#digest);
    groups.set(named.group, {
      refuted: refuted || answer === undefined,
      proved: proved || answer?.states.some((state) => this.#isProof(result, state)) === true,
    });
  }

  /** No text can hold its own hash: whoever names that of what was to be written has hashed it. */
  #isProof({ callId }: ToolResultPayload, { sha256, applied }: AnsweredState): boolean {
    const call = this.#calls.get(callId);
    if (this.#digest === undefined || !applied || call === undefined || call === "ambiguous") return false;
    const { content } = call.args;
    return typeof content === "string" && this.#digest(encoder.encode(content)) === sha256;
  }
}

/** Compactions and the like name nodes that are not there yet; a call or a result does not. */
function payloadIn(payload: EntryNode["payload"]): readonly TurnPayload[] {
  return typeof payload === "function" ? [] : [payload];
}

interface Evidence {
  /** A tool of that group answered as none of ours does. */
  readonly refuted: boolean;
  readonly proved: boolean;
}

const noEvidence: Evidence = { refuted: false, proved: false };
const encoder = new TextEncoder();

function sameCall(one: ToolCall, other: ToolCall): boolean {
  return one.name === other.name && JSON.stringify(one.args) === JSON.stringify(other.args);
}

function effectsOf(
  states: readonly AnsweredState[],
  { args }: ToolCall,
  tool: string,
): readonly FileEffect[] {
  const effects = states.map(({ path, sha256: after, version, lines: total, applied }): FileEffect => {
    const by = applied && !reading.has(tool) ? "tool" : "seen";
    if (after !== null) return { path, after, by, version, ...defined({ lines: total }) };
    return by === "seen" ? { path, after, by } : { path, after, by, version, lines: 0 };
  });
  // The answer to a move shows the new name; the old one stands in the call.
  const [moved] = effects;
  const from = args.file_path;
  if (tool !== "move_file" || moved?.by !== "tool" || effects.length > 1) return effects;
  if (typeof from !== "string" || moved.after === null || from === moved.path) return effects;
  return [
    { ...moved, from },
    { path: from, after: null, by: "tool", version: 0, lines: 0 },
  ];
}

/** Tools of ours, by their last name; the names before a separator are those of a server. */
export const ownToolNames = [
  ...["read_file", "read_many_files", "list_files", "find_files", "search_files"],
  ...["edit_file", "safe_patch", "write_file", "append_to_file", "prepend_to_file", "insert_lines"],
  ...["update_section", "apply_changes", "apply_edit", "move_file", "delete_file", "undo_edit"],
  ...["move_lines", "copy_file"],
] as const;

const reading: ReadonlySet<string> = new Set([
  ...["read_file", "read_many_files", "list_files", "find_files", "search_files"],
]);

/** Agents that have tools of their own under such names. */
const agentsOwn: ReadonlySet<string> = new Set(["gemini", "codex", "qwen"]);

const holdfast = /^(?:mcp(?:__|[_./:]))?holdfast$/;

/** Codex keeps the name of a server beside that of its tool, and so it is kept with the call, to be given back. */
function fullName(name: string, call: ToolCall | "ambiguous" | undefined): string {
  const signature = call === undefined || call === "ambiguous" ? undefined : call.signature;
  const kept = signature?.startsWith("{") === true ? parsed(signature) : undefined;
  const namespace = kept && textOf(kept.value, "namespace");
  return namespace === undefined ? name : `${namespace}__${name}`;
}

/** Which tool a name means, and of whose group: the name before it, "" for a plain one. */
function ownName(name: string): { readonly tool: string; readonly group: string } | undefined {
  const tool = ownToolNames.find((one) => name === one || name.endsWith(one));
  if (tool === undefined) return undefined;
  if (name === tool) return { tool, group: "" };
  const [, group] = /^(.*?[^_./:])(?:__|[_./:])$/.exec(name.slice(0, name.length - tool.length)) ?? [];
  return group === undefined ? undefined : { tool, group };
}
