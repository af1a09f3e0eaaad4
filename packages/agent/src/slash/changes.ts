import { pathTo } from "@holdfast/core/conversation";
import {
  type ConversationContext,
  effectsOf,
  type FileEffect,
  type FileTouch,
  type TurnNode,
} from "@holdfast/core/conversation/values";
import { escapeForDisplay, shortHash } from "@holdfast/core/text";
import type { CommandHost, CommandOutcome, CommandSpec } from "./command.js";
import { kept, refused, told } from "./results.js";

/** A file of a conversation, and the states that it had on the way to the head, the first known one first. */
export interface FileStates {
  readonly path: string;
  readonly states: readonly FileStateThen[];
  /** How many of them the tools of this conversation made. */
  readonly made: number;
}

/** A state of a file, and the turn that first tells of it. `by: "seen"`: others made it, or it was only read. */
export interface FileStateThen {
  readonly nodeId: string;
  readonly sha256: string | null;
  readonly by: FileEffect["by"];
  /** The permission bits, where a command changed them. With no hash: the content was not read by then. */
  readonly mode?: number;
}

/** Every file that changed on the way to the head, sorted by path. Pure. */
export function changedFiles(context: ConversationContext): readonly FileStates[] {
  const files = new Map<string, FileStateThen[]>();
  for (const node of pathTo(context, context.currentNodeId)) {
    const { payload } = node;
    for (const effect of effectsOf(payload)) addState(files, node, effect);
    const touched = payload.kind === "tool_result" || payload.kind === "note" ? payload.touched : undefined;
    for (const touch of touched?.files ?? []) addMode(files, node, touch);
  }
  return [...files]
    .filter(([, states]) => states.length > 1)
    .map(([path, states]) => ({ path, states, made: states.filter(({ by }) => by === "tool").length }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

function addState(
  files: Map<string, FileStateThen[]>,
  { id: nodeId, parentId }: TurnNode,
  { path, before, after, by }: FileEffect,
): void {
  const states = (files.get(path) ?? []).map((one) =>
    one.sha256 === null && one.mode !== undefined ? { ...one, sha256: before ?? after } : one,
  );
  files.set(path, states);
  if (states.length === 0 && before !== undefined && before !== after)
    states.push({ nodeId: parentId ?? nodeId, sha256: before, by: "seen" });
  if (states.at(-1)?.sha256 !== after || states.length === 0) states.push({ nodeId, sha256: after, by });
}

/** A mode is a part of a state: where a command changed it alone, there is another state of the same content. */
function addMode(
  files: Map<string, FileStateThen[]>,
  { id: nodeId, parentId }: TurnNode,
  { path, before, after }: FileTouch,
): void {
  if (before?.mode === undefined || after?.mode === undefined || before.mode === after.mode) return;
  const states = files.get(path) ?? [];
  files.set(path, states);
  const last = states.pop() ?? { nodeId: parentId ?? nodeId, sha256: null, by: "seen" };
  states.push({ ...last, mode: before.mode }, { nodeId, sha256: last.sha256, by: "seen", mode: after.mode });
}

/** A state as a person names it; `none` where there was no file. */
export function stateWords(sha256: string | null, mode?: number): string {
  if (mode === undefined) return sha256 === null ? "none" : shortHash(sha256);
  return `${sha256 === null ? "unread" : shortHash(sha256)}, mode ${mode.toString(8)}`;
}

/** Lists the files of a conversation with their states, and puts one file back to one of them. */
export const changesCommand: CommandSpec = {
  name: "changes",
  usage: "[PATH] [--to STATE]",
  says: "Lists the files that changed here, or each state of one; puts that file back to one of its states.",
  options: { to: "value" },
  operands: { least: 0, most: 1 },
  operand: "path",
  run: async (given, host) => {
    const files = changedFiles(host.manager.context);
    if (given.text === "") return listed(files);
    const file = files.find(({ path }) => path === given.text);
    if (file === undefined) return refused("not_found", `${given.text} did not change in this conversation.`);
    const wanted = given.value("to");
    if (wanted === undefined) return statesOf(file);
    const states = file.states.filter(
      ({ sha256, mode }) => stateWords(sha256, mode).startsWith(wanted) || sha256?.startsWith(wanted),
    );
    const hashes = new Set(states.map(({ sha256 }) => sha256));
    const [state] = states;
    if (state === undefined || hashes.size > 1)
      return refused(
        "invalid_arguments",
        `${hashes.size === 0 ? "No state" : "More than one state"} of ${file.path} is called ${wanted}.`,
      );
    return putBack(file, state, host);
  },
};

function listed(files: readonly FileStates[]): CommandOutcome {
  if (files.length === 0) return told("No file has changed in this conversation.");
  const rows = files.map(({ path, states, made }) => {
    const last = states.at(-1);
    const now = stateWords(last?.sha256 ?? null, last?.mode);
    return `${path}: ${states.length} states, ${made} made here; now ${now}`;
  });
  const count = files.length === 1 ? "1 file has" : `${files.length} files have`;
  const data = {
    files: files.map(({ path, states }) => ({ path, states: states.map((one) => ({ ...one })) })),
  };
  return told(`${count} changed:`, { data, text: rows.join("\n") });
}

function statesOf({ path, states }: FileStates): CommandOutcome {
  const rows = states.map(
    ({ nodeId, sha256, by, mode }) =>
      `${stateWords(sha256, mode)}  ${by === "tool" ? "made here" : "found"}, turn ${nodeId.slice(-8)}`,
  );
  return told(`The states of ${path}, the first one first:`, { text: rows.join("\n") });
}

/** Only from the state that the conversation knows: what others did since is theirs. */
async function putBack(
  { path, states }: FileStates,
  { sha256, mode }: FileStateThen,
  host: CommandHost,
): Promise<CommandOutcome> {
  const { manager, workspace } = host;
  const last = states.at(-1);
  const now = last?.sha256 ?? null;
  const unlike = mode === last?.mode ? "" : ", but for its mode, which is not put back";
  if (sha256 === now) return told(`${path} is in this state now${unlike}.`);
  const change = { path, content: { kind: "state", from: now, sha256 } } as const;
  const done = await workspace.applyChanges({ changes: [change], tool: "changes" });
  const [file] = done.kind === "change_set" ? done.files : [];
  const outcome = file?.outcome ?? done;
  if (outcome.kind === "refusal") return refused(outcome.code, outcome.message);
  const text = `The user put ${escapeForDisplay(path)} back to ${stateWords(sha256)}.`;
  const files = [{ path, before: now, after: sha256, by: "tool" as const }];
  const node = manager.addNode({ kind: "note", text, audience: "model", files });
  const words = `${path} is back to ${stateWords(sha256)}; before it was ${stateWords(now)}.`;
  return kept(node, manager, told(words));
}
