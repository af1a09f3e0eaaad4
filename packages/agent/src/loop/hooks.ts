import { type ContextManager, driftedFiles, upwards } from "@holdfast/core/conversation";
import {
  type ConversationRefusal,
  effectsOf,
  type FileContent,
  fileContentOf,
  type JsonObject,
  type ToolCall,
  type TurnPayload,
} from "@holdfast/core/conversation/values";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { clip, defined, escapeForDisplay, jsonOf } from "@holdfast/core/text";
import type { AgentSettings } from "../config/schema.js";
import type { Commands } from "../host/commands.js";
import type { CommandInput } from "../host/running-command.js";
import { barredBy, type FilteredCall } from "./judged-call.js";
import type { AgentEvent, EndedCall, TurnEnd } from "./turn.js";

/** What hooks work on: those of the settings, and how one is run. */
interface HooksContext extends Pick<AgentSettings, "hooks" | "diagnostics" | "shell"> {
  readonly run: RunHook;
  readonly workspace: Workspace;
  readonly conversation: { readonly session: { readonly id: string } };
  /** Instructions that stand nearer to these files than those of the whole project. */
  readonly nested?: (paths: readonly string[]) => Promise<readonly string[]>;
}

/** The turn in which hooks run: who is told, and what ends them. */
type Scope = { readonly onEvent: (event: AgentEvent) => void; readonly signal: AbortSignal | undefined };

/** A file without the lines that the prompt shows already. */
type AsShown = (payload: FileContent) => FileContent;

/** The head at which the calls were made: of the conversation, or of a sub-agent's. */
interface Head {
  readonly manager: ContextManager;
  readonly asShown: AsShown;
}

/** A hook of calls, as the settings have it. */
type CallHook = NonNullable<NonNullable<AgentSettings["hooks"]>["beforeTool"]>[number];

/**
 * Runs the hooks. One that hangs or fails costs a sentence to the person; the turn goes on without it. What hooks change
 * of the files that the conversation knows is put before the model as their state now, so that its next edit is of that.
 */
export class Hooks {
  /** What the check said last, by line without its numbers: an edit above moves every line below it. */
  #found = new Map<string, number>();
  /** How often a hook may have changed files, and up to where each head has looked at them. */
  #runs = 0;
  readonly #looked = new WeakMap<ContextManager, number>();

  constructor(private readonly context: HooksContext) {}

  /** Why a call may not be made: what a hook says that ends with exit code 2. */
  async before({ name, args }: ToolCall, call: FilteredCall, scope: Scope): Promise<string | undefined> {
    const input = { hook_event_name: "PreToolUse", tool_name: name, tool_input: args };
    for (const hook of this.context.hooks?.beforeTool ?? []) {
      const denied = await this.#ofCall(hook, call, input, scope);
      if (denied === undefined) continue;
      scope.onEvent({ kind: "noticed", text: `${hookName(hook)} denies ${name}: ${clip(denied, 300)}` });
      return denied;
    }
    return undefined;
  }

  /** After the calls of one answer; of several that changed the same files, the last. */
  async after(
    carried: readonly { readonly ended: EndedCall; readonly call: ToolCall }[],
    scope: Scope,
    head: Head,
  ): Promise<ConversationRefusal | undefined> {
    if (scope.signal?.aborted === true) return undefined;
    const made = carried.map((one) => ({ ...one, files: changedBy(one) }));
    const last = made.filter(({ files }, at) => {
      const later = new Set(made.slice(at + 1).flatMap((one) => one.files));
      return files.length === 0 || files.some((path) => !later.has(path));
    });
    const words: string[] = [];
    for (const hook of this.context.hooks?.afterTool ?? [])
      for (const { ended, call, files } of last) {
        const { name: tool, args } = call;
        const hook_event_name = ended.isError ? "PostToolUseFailure" : "PostToolUse";
        if (hook.event !== undefined && hook.event !== hook_event_name) continue;
        const tool_response = { code: ended.code, text: clip(ended.text, mostChars) };
        const input = { hook_event_name, tool_name: tool, tool_input: args, tool_response };
        const said = await this.#ofCall(hook, { tool, also: [], paths: async () => files }, input, scope);
        // The call is done: what is said of it takes nothing back.
        if (said !== undefined) words.push(`${hookName(hook)} says, after ${tool} was done:\n${said}`);
      }
    words.push(...(await this.#diagnosed([...new Set(made.flatMap(({ files }) => files))], scope)));
    words.push(...(await this.#instructionsFor(carried, head)));
    return this.#tell(words, head);
  }

  /** What is written down for the files that the calls were about, and does not stand before the model yet. */
  async #instructionsFor(carried: readonly { readonly ended: EndedCall }[], { manager }: Head) {
    const paths = carried.flatMap(({ ended: { node } }) =>
      node === undefined ? [] : effectsOf(node.payload).map(({ path }) => path),
    );
    const blocks = (await this.context.nested?.([...new Set(paths)])) ?? [];
    if (blocks.length === 0) return blocks;
    const { context } = manager;
    const told = [...upwards(context, context.currentNodeId)].flatMap(({ payload }) =>
      payload.kind === "note" ? [payload.text] : [],
    );
    return blocks.filter((block) => !told.includes(block));
  }

  /** After a turn that was not cancelled. */
  async turnEnded({ reason, text }: TurnEnd, scope: Scope, head: Head): Promise<void> {
    if (reason === "cancelled" || reason === "conversation") return;
    const input = { hook_event_name: "Stop", reason, text: clip(text, mostChars) };
    for (const hook of this.context.hooks?.turnEnd ?? []) await this.#run(hook, input, [], scope, [0]);
    await this.#tell([], head);
  }

  /** @returns what the hook says with exit code 2, where it is one for such calls. */
  async #ofCall(hook: CallHook, call: FilteredCall, input: JsonObject, scope: Scope) {
    const rule = { tool: hook.tool ?? "*", decision: "deny", ...defined({ path: hook.path }) } as const;
    if ((await barredBy([rule], this.context.workspace, call)) === undefined) return undefined;
    const end = await this.#run(hook, input, await call.paths(), scope, [0, 2]);
    if (end === undefined) return undefined;
    return end.exitCode === 2 ? end.output || "exit code 2, without a word" : saidInJson(end.output);
  }

  /** What the check of the project says after edits that it did not say after those before. */
  async #diagnosed(files: readonly string[], scope: Scope): Promise<readonly string[]> {
    const { diagnostics, shell } = this.context;
    const { command } = diagnostics ?? {};
    if (command === undefined || files.length === 0) return [];
    const timeoutMs = shell?.timeoutMs;
    const end = await this.#run({ command, timeoutMs }, { hook_event_name: "Diagnostics" }, files, scope);
    if (end === undefined) return [];
    const [before, now] = [this.#found, new Map<string, number>()];
    const news = end.output.split("\n").filter((line) => {
      const key = line.replace(/\d+/g, "#").trim();
      if (key !== "") now.set(key, (now.get(key) ?? 0) + 1);
      return (now.get(key) ?? 0) > (before.get(key) ?? 0);
    });
    this.#found = now;
    if (before.size > 0 && now.size === 0) return ["The check of the project has nothing to say any more."];
    const shown = news.slice(0, mostLines).map((line) => clip(line, 300));
    const more = news.length > mostLines ? [`(${news.length - mostLines} further new lines)`] : [];
    const head = "The check of the project says, new since your last edits:";
    return news.length === 0 ? [] : [[head, ...shown, ...more].join("\n")];
  }

  /** @param usual exit codes that are no failure; any but those of the shell itself unless given. */
  async #run(hook: Hook, input: JsonObject, paths: readonly string[], scope: Scope, usual?: number[]) {
    const { conversation, workspace } = this.context;
    const [cwd = "."] = workspace.roots;
    const files = paths.map((path) => (path.startsWith("/") ? path : `${cwd}/${path}`));
    const told = JSON.stringify({ session_id: conversation.session.id, cwd, ...input, files });
    if (input.hook_event_name !== "PreToolUse") this.#runs += 1;
    const end = await this.context.run(hook, { input: `${told}\n`, args: files }, scope.signal);
    if (typeof end === "object" && (usual?.includes(end.exitCode) ?? end.exitCode < 126)) return end;
    const said =
      typeof end === "string" ? end : `ended with exit code ${end.exitCode}: ${clip(end.output, 300)}`;
    scope.onEvent({ kind: "noticed", text: `${hookName(hook)} ${said}` });
    return undefined;
  }

  /** Puts before the model what has become of its files, and what hooks say. */
  async #tell(
    words: readonly string[],
    { manager, asShown }: Head,
  ): Promise<ConversationRefusal | undefined> {
    const { workspace } = this.context;
    const isNew = (this.#looked.get(manager) ?? 0) < this.#runs;
    this.#looked.set(manager, this.#runs);
    const apart = isNew ? await driftedFiles(manager.context, workspace, manager.manifests) : [];
    const payloads: TurnPayload[] = [];
    for (const { path, expected, found } of apart)
      if (found !== undefined) payloads.push(await this.#stateNow(path, expected, found, asShown));
    for (const text of words) payloads.push({ kind: "note", text, audience: "model" });
    for (const payload of payloads) {
      const node = manager.addNode(payload);
      if (isRefusal(node)) return node;
    }
    const flushed = payloads.length === 0 ? undefined : await manager.flush();
    return flushed !== undefined && isRefusal(flushed) ? flushed : undefined;
  }

  async #stateNow(path: string, before: string | null, after: string | null, asShown: AsShown) {
    const read = await this.context.workspace.read({ path }, { isSilent: true });
    if (read.kind === "read" && read.state.lines === undefined) {
      const payload = asShown(fileContentOf(read, { path }));
      const repeated = (payload.repeats ?? []).reduce((sum, { start, end }) => sum + end - start, 0);
      if (payload.text.length - repeated <= mostChars) return payload;
    }
    const state = after === null ? "is not there any more" : `has another state, sha256 ${after}`;
    const text = `${escapeForDisplay(path)} ${state}: it was changed after your calls. Read what you need of it.`;
    return { kind: "note", text, audience: "model", files: [{ path, before, after, by: "seen" }] } as const;
  }
}

/** Of one file, or of an answer, what is shown without being asked for, in characters. */
const mostChars = 16_000;
/** Of one check. */
const mostLines = 40;

/** The files that a call changed and left there, by itself or by the command that it ran. */
function changedBy({ ended: { node } }: { readonly ended: EndedCall }): readonly string[] {
  if (node?.payload.kind !== "tool_result") return [];
  const { files = [], touched } = node.payload;
  const own = files.filter(({ by, before, after }) => by === "tool" && after !== null && before !== after);
  const ofCommand = (touched?.files ?? []).filter(({ after }) => after !== null);
  return [...new Set([...own, ...ofCommand].map(({ path }) => path))];
}

/** A command of the settings that is run beside the work of the model. */
interface Hook {
  readonly command: string;
  /** 60,000 unless set. */
  readonly timeoutMs?: number | undefined;
}

/** How a hook ended; where it could not be run or did not end in time, the end of a sentence that begins with it. */
type HookEnd = { readonly exitCode: number; readonly output: string } | string;

/** Runs a hook to its end, with everything that it started. Never rejects. */
export type RunHook = (hook: Hook, given: CommandInput, signal?: AbortSignal) => Promise<HookEnd>;

/** Runs hooks as commands of their own, whose outputs nobody reads later. */
export function hookRunner(commands: Commands): RunHook {
  return async ({ command, timeoutMs = 60_000 }, given, signal) => {
    if (signal?.aborted === true) return "was not run, since the turn was cancelled.";
    const started = commands.start(command, ".", false, given);
    if (isRefusal(started)) return `was not run: ${started.message}`;
    const { exitCode, stopped, failure } = await started.endWithin(timeoutMs, signal);
    if (stopped === "timeout") return `was ended after ${timeoutMs} ms, with all that it had started.`;
    if (exitCode === null || stopped !== undefined)
      return `was ended: ${failure ?? stopped ?? "killed by a signal"}.`;
    return { exitCode, output: started.log.text().trimEnd() };
  };
}

/** What a hook has against a call, or adds to it, in the JSON that Claude Code reads of its hooks. */
function saidInJson(output: string): string | undefined {
  const said = output.startsWith("{") ? Object(jsonOf(output)) : {};
  const { permissionDecision, permissionDecisionReason, additionalContext } = Object(said.hookSpecificOutput);
  const isDenied = said.decision === "block" || permissionDecision === "deny";
  const words: unknown = isDenied ? (said.reason ?? permissionDecisionReason ?? "no") : undefined;
  return typeof words === "string"
    ? words
    : typeof additionalContext === "string"
      ? additionalContext
      : undefined;
}

/** A hook as sentences name it. */
function hookName({ command }: Hook): string {
  return `The hook "${clip(escapeForDisplay(command), 80)}"`;
}
