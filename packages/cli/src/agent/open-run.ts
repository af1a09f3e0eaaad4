import { relative, resolve } from "node:path";
import {
  type AgentSettings,
  type ApprovalRule,
  type AskPerson,
  agentExitCodes,
  CostMeter,
  dayTools,
  fileCheckOf,
  Hooks,
  type ModelRefusal,
  openAgent,
  type SubAgents,
  searchedBy,
  summariserOf,
  systemText,
  workOf,
} from "@holdfast/agent";
import { endLeftCommands, watchFiles } from "@holdfast/agent/host";
import type { TalkRun } from "@holdfast/agent/ui";
import type { ModelEvent, ModelPort, OfferedTool } from "@holdfast/core/context";
import { memorySessionStore, type StoredConversation } from "@holdfast/core/conversation";
import type {
  ConversationContext,
  ConversationRefusal,
  SessionStore,
} from "@holdfast/core/conversation/values";
import { type EconomySettings, isEconomyRefusal } from "@holdfast/core/economy";
import { isRefusal, type Refusal } from "@holdfast/core/files/values";
import type { OpenedWorkspace } from "@holdfast/core/node";
import { defined, escapeText } from "@holdfast/core/text";
import {
  allTools,
  conversationName,
  conversationTools,
  dialectTools,
  moreToolsName,
} from "@holdfast/core/tools";
import { openSettings } from "../answers/open.js";
import { newIds, openStoreAt } from "../sessions/open-store.js";
import { exitCodeOf } from "../shell/exit-code-of.js";
import { exitCodes as shellCodes } from "../shell/exit-codes.js";
import type { Flags, Invocation } from "../shell/invocation.js";
import { openHost, type RunHost } from "./host.js";
import { modelOf, namedModel, type RunModel, withModel } from "./model.js";
import { asBefore, earlierSession, folderId, type MemoryPlace, memoryPlace, sessionOf } from "./session.js";
import { deniedFiles, economyOf, type RunSettings, ruleOf, settingsOf } from "./settings.js";
import { type RunUploads, runUploads } from "./uploads.js";
import { skillFolders, skillRules, type Written, writtenFor } from "./written.js";

/** A run that is ready: an agent over an open session, an open workspace, and what it was opened with. */
export interface OpenedRun extends Pick<RunHost, "shell">, TalkRun {
  readonly kind: "run";
  readonly conversation: StoredConversation;
  readonly workspace: OpenedWorkspace;
  readonly model: RunModel;
  readonly store: SessionStore;
  readonly stateDir: string;
  /** The first folder of the workspace, absolute. */
  readonly root: string;
  /** What people have written down for the model. */
  readonly written: Pick<Written, "prompts" | "git" | "instructions">;
  readonly askServers: RunHost["askServers"];
  /** A rule that stands before all others from now on. */
  readonly addRule: (rule: ApprovalRule) => void;
  readonly uploads: Pick<RunUploads, "idle">;
  /** Opens another model by name, with the same settings. */
  readonly openModel: (name: string) => Promise<RunModel | ModelRefusal>;
  /** What a person should know before it begins. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

/** Why there is no run, and what the shell is told. */
export interface NoRun {
  readonly kind: "no_run";
  readonly exitCode: number;
  readonly lines: readonly string[];
  /** The session that another program writes, where that is why. */
  readonly held?: HeldSession;
}

/** A session that can be read, as another program writes it. */
export interface HeldSession {
  readonly id: string;
  readonly openStore: () => Promise<SessionStore | ConversationRefusal>;
}

/**
 * Opens everything that the flags and settings mean, one after the other; what was opened is closed where a later part fails.
 *
 * @param more `meter` counts for the limit of cost: one for all sessions that one run of the program opens. `mayLackModel`
 * opens a run also where there is no model. `isTalk`: a person sees it begin, beside MCP servers that start.
 */
export async function openRun(
  call: Invocation,
  prompt: string,
  ask: AskPerson,
  { meter = new CostMeter(), mayLackModel = false, isTalk = false } = {},
): Promise<OpenedRun | NoRun> {
  const found = await settingsOf(call);
  if (found.kind === "problems")
    return { kind: "no_run", exitCode: agentExitCodes.config, lines: found.lines };
  const { settings } = found;
  const opened = await modelOf(settings, call.flags);
  const opening = { call, prompt, ask, found, meter, mayLackModel, isTalk };
  if (opened.kind === "model") return openRunWith({ ...opening, model: opened });
  // The session may have worked with a model that can be opened.
  const mayBeOther = mayLackModel || call.flags.continue === true || call.flags.resume !== undefined;
  if (!mayBeOther || namesFileOfModel(call.flags)) return withoutModel(opened);
  return openRunWith({ ...opening, model: absentModel(opened) });
}

/** Why there is no run without a model. */
export function withoutModel({ reason, message }: ModelRefusal): NoRun {
  return { kind: "no_run", exitCode: exitCodes[reason], lines: [message] };
}

/**
 * What stands in for a model that could not be opened, for a slash command: most contact none, and only one that asks it
 * after all is told why there is none.
 */
function absentModel(refusal: ModelRefusal): RunModel {
  let isAsked = false;
  const { reason, message } = refusal;
  const failure = {
    kind: "model_failure",
    reason: reason === "unpriced" || reason === "effort" ? "invalid_request" : reason,
    message,
  } as const;
  async function* ask(): AsyncIterable<ModelEvent> {
    isAsked = true;
    yield { kind: "failed", failure };
  }
  return {
    kind: "model",
    name: "none",
    port: { name: "none", target: { provider: "none", model: "none" }, ask },
    absent: { refusal, isAsked: () => isAsked },
  };
}

/** Files of these flags take the place of a model, or write down what it is asked: one that fails is told at once. */
function namesFileOfModel({ script, replay, record, debug }: Flags): boolean {
  return [script, replay, record, debug].some((file) => file !== undefined);
}

const exitCodes: Readonly<Record<ModelRefusal["reason"], number>> = {
  auth: agentExitCodes.auth,
  unknown_model: agentExitCodes.config,
  unpriced: agentExitCodes.usage,
  effort: agentExitCodes.config,
};

/** The same, with settings and a model that are there already. */
export async function openRunWith(given: Omit<Opening, "economy">): Promise<OpenedRun | NoRun> {
  const economy = economyOf(given.found.settings);
  if (isEconomyRefusal(economy))
    return { kind: "no_run", exitCode: agentExitCodes.config, lines: [economy.message] };
  const parts = new Opened();
  const run = await openParts({ ...given, economy }, parts);
  if (run.kind === "no_run") await parts.close();
  return run;
}

/** What is to be closed, the last first. */
class Opened {
  readonly #closing: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.#closing.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0)) await close();
  }
}

interface Opening {
  readonly call: Invocation;
  readonly prompt: string;
  readonly ask: AskPerson;
  readonly found: Extract<RunSettings, { kind: "settings" }>;
  readonly model: RunModel;
  readonly meter?: CostMeter;
  readonly mayLackModel?: boolean;
  readonly isTalk?: boolean;
  readonly economy: EconomySettings;
}

interface RootSettings extends Pick<Opening, "call"> {
  readonly found: Pick<Opening["found"], "settings">;
}

async function openParts(given: Opening, parts: Opened): Promise<OpenedRun | NoRun> {
  const { call } = given;
  const memory = memoryOf(given);
  const workspace = await workspaceOf(given, memory);
  if (isRefusal(workspace)) return refused(workspace);
  parts.add(() => workspace.close());
  const store = await storeOf(given);
  if (isRefusal(store)) return refused(store);
  parts.add(() => store.close());
  const [root = process.cwd()] = rootsOf(given);
  const begun = await sessionFor(given, { store, workspace, root });
  if (begun.kind === "no_run") return begun;
  const { conversation, opening } = begun;
  parts.add(() => conversation.close());
  const { manager } = conversation;
  const { found, model } = opening;
  const { settings, stateDir, notices } = found;
  if (model.absent !== undefined && opening.mayLackModel !== true) return withoutModel(model.absent.refusal);
  let asked = () => model.port;
  const host = await openHost(settings, {
    search: () => (asked().searches === true ? (query, signal) => search(query, signal) : undefined),
    roots: rootsOf(opening),
    stateDir,
    checkFiles: fileCheckOf(manager, workspace),
    watchFiles: watchFiles({ roots: rootsOf(opening), list: (folder) => filesIn(workspace, folder) }),
    told: (line) => call.terminal.err(escapeText(`${line}\n`)),
    serversMs: given.isTalk === true ? 200 : 5_000,
  });
  parts.add(() => host.close());
  for (const words of begun.left) host.commands.note(manager, words);
  const written = await writtenFor(found, root, workspace);
  const summarising = await summariserModel(opening);
  const uploads = await uploadsOf(opening);
  parts.add(() => uploads.close());
  const set = agentSettings(opening, host, summarising.port);
  const search = (query: string, signal?: AbortSignal) => searchedBy(asked(), query, { ...set, signal });
  const agent = openAgent({
    ...set,
    subAgents: subAgentsOf(settings, written, call.flags.debug),
    ...defined({ folderId: folderId(root), folder: root }),
    system: systemOf(opening, host, written, { memory, context: manager.context }),
    hooks: new Hooks({ ...settings, run: host.runHook, workspace, conversation, nested: written.nested }),
    ...defined({ memoryPath: memory?.path, uploads: uploads.uploads }),
    manager,
    workspace,
    readBlob: (sha256) => conversation.session.readBlob(sha256),
  });
  asked = () => agent.model;
  // Notes in the state folder are nobody's files: they need no approval.
  if (memory?.folder !== undefined) agent.allow({ kind: "file", path: memory.path });
  const said = [...notices, ...begun.notices, ...written.notices, ...summarising.notices, ...uploads.notices];
  const told = [...said, ...host.problems, ...apartWords(conversation)];
  return {
    kind: "run",
    agent,
    conversation,
    workspace,
    model,
    store,
    stateDir,
    root,
    shell: host.shell,
    commands: host.commands,
    waitsFor: host.waitsFor,
    resources: host.resources,
    written,
    fetch: host.fetch,
    askServers: host.askServers,
    addRule: (rule) => void set.rules.unshift(rule),
    uploads,
    openModel: (name) => modelOf(withModel(settings, name), { debug: call.flags.debug }),
    notices: told,
    close: () => parts.close(),
  };
}

/** Where a session is opened. */
interface SessionGround {
  readonly store: SessionStore;
  readonly workspace: OpenedWorkspace;
  /** The first folder of the workspace, absolute. */
  readonly root: string;
}

/** The session that the flags mean, opened to be written, and the run as that session had it. */
async function sessionFor(given: Opening, { store, workspace, root }: SessionGround) {
  const { prompt, call } = given;
  const { flags } = call;
  const earlier = await earlierSession(store, { flags, root });
  if (earlier !== undefined && "code" in earlier) return refused(earlier);
  const wanted = { earlier: earlier?.id, flags, root, prompt, files: workspace };
  const conversation = await sessionOf(store, wanted);
  if (isRefusal(conversation)) {
    if (conversation.code !== "busy" || earlier === undefined) return refused(conversation);
    return { ...refused(conversation), held: { id: earlier.id, openStore: () => storeOf(given) } };
  }
  const work = earlier === undefined ? {} : workOf(conversation.manager.context);
  const { found, model } = given;
  const { settings, ...before } = await asBefore(
    { flags, settings: found.settings, model, isTalk: given.isTalk === true },
    work,
  );
  const opening = { ...given, found: { ...found, settings }, model: before.model };
  // Said once: a session that went on here before has it in its work.
  const isKnown = workOf(conversation.manager.context).folder === root;
  const commands = earlier === undefined ? [] : await endLeftCommands(root, 500);
  const left = commands.map((words) => `The run before was killed; what it left running was ended: ${words}`);
  const notices = [...(isKnown ? [] : (earlier?.notices ?? [])), ...before.differs, ...left];
  return { kind: "session", conversation, opening, notices, left } as const;
}

function agentSettings(
  { call, ask, found: { settings, own }, model, economy, meter = new CostMeter(), isTalk = false }: Opening,
  host: RunHost,
  summarising: ModelPort,
) {
  const newId = newIds();
  const { approval = {}, limits = {} } = settings;
  const { terminal, flags } = call;
  const rules: ApprovalRule[] = [...skillRules(skillFolders(own)), ...(approval.rules ?? []).map(ruleOf)];
  return {
    model: model.port,
    ...toolsOf(settings),
    economy,
    hostTools: () => host.tools().filter(({ name }) => isOffered(name, settings)),
    harmless: host.harmless,
    commandPlace: host.commandPlace,
    outside: settings.shell?.outside ?? [],
    isInside: (path: string) => host.commands.isInside(path),
    commandFolder: (agent?: object) => host.commands.folder(agent),
    later: host.later,
    endsWithPlan: !isTalk,
    ...defined({ effort: settings.model?.effort }),
    mode: approval.mode ?? "ask",
    rules,
    ask,
    limits: defined({ maxSteps: limits.maxTurns, maxCostUsd: limits.maxCostUsd }),
    summariser: summariserOf(summarising, newId, meter),
    meter,
    newId,
    now: Date.now,
    wire: defined({ wire: flags.wire, resultContent: flags.resultContent }),
    onError: (error: unknown, tool: string) =>
      terminal.err(
        escapeText(`holdfast: ${tool}: ${error instanceof Error ? error.message : String(error)}\n`),
      ),
  } as const;
}

/** Who may work on tasks of their own. */
function subAgentsOf(settings: AgentSettings, { agents }: Written, debug: string | undefined): SubAgents {
  const { models = [] } = settings.subAgents ?? {};
  const open: SubAgents["open"] = (name) => {
    const opened = namedModel(name, settings, { debug });
    return opened.kind === "model" ? opened : opened.message;
  };
  return { models, agents, open };
}

/** The model that writes summaries: the one of the settings where it can be opened, else the one that works. */
async function summariserModel({ call, found: { settings }, model }: Opening) {
  const { summariser: name } = settings.model ?? {};
  if (name === undefined || call.flags.script !== undefined || call.flags.replay !== undefined)
    return { port: model.port, notices: [] };
  const opened = await modelOf(withModel(settings, name), { debug: call.flags.debug });
  if (opened.kind === "model") return { port: opened.port, notices: [] };
  if (model.absent !== undefined) return { port: model.port, notices: [] };
  return { port: model.port, notices: [`Summaries are written by ${model.name}: ${opened.message}`] };
}

/** Made once for each set of tools, and the same in each run of a session: so the provider's cache is kept. */
function systemOf(
  opening: Opening,
  host: RunHost,
  { instructions, prompts }: Written,
  { memory, context }: { readonly memory: MemoryPlace | undefined; readonly context: ConversationContext },
) {
  const date = dayOf(context.nodes.get(context.sessionId)?.timestamp);
  const roots = rootsOf(opening);
  return (offered: readonly OfferedTool[]) =>
    systemText({
      tools: new Set(offered.map(({ name }) => name)),
      roots,
      platform: process.platform,
      date,
      instructions,
      skills: prompts.filter(({ kind }) => kind === "skill"),
      servers: host.instructions(),
      ...defined({ memoryPath: memory?.path }),
    });
}

/** A day in UTC; today where a journal holds no time that is one. */
function dayOf(ms = Number.NaN): string {
  const time = new Date(ms);
  const [day = ""] = (Number.isNaN(time.getTime()) ? new Date() : time).toISOString().split("T");
  return day;
}

/** Of tools that the settings name, each is listed, and beside them only other vendors' names are accepted. */
function toolsOf(settings: AgentSettings) {
  const isNamed = settings.tools?.offered !== undefined;
  const isExcluded = (name: string) => settings.tools?.excluded?.includes(name) === true;
  const isKept = ({ name }: { readonly name: string }) => isOffered(name, settings);
  const hasAll = isOffered(conversationName, settings);
  return {
    fileTools: (isNamed ? allTools : dayTools).filter(isKept),
    moreFileTools: (isNamed ? dialectTools : allTools).filter(({ name }) => !isExcluded(name)),
    findsTools: isOffered(moreToolsName, settings),
    conversationTools: conversationTools.filter(
      ({ name }) => !isExcluded(name) && (hasAll || (isNamed && isKept({ name }))),
    ),
  };
}

function isOffered(name: string, { tools = {} }: AgentSettings): boolean {
  const { offered, excluded = [] } = tools;
  return (offered === undefined || offered.includes(name)) && !excluded.includes(name);
}

function rootsOf({ call, found: { settings } }: RootSettings): readonly string[] {
  return [...call.settings.roots, ...(settings.files?.include ?? [])].map((root) => resolve(root));
}

function memoryOf({ call, found: { settings, stateDir } }: Opening): MemoryPlace | undefined {
  const [root = process.cwd()] = rootsOf({ call, found: { settings } });
  return memoryPlace(settings.memory, { root, stateDir, isEphemeral: call.flags.ephemeral === true });
}

async function workspaceOf(
  opening: Opening,
  memory: MemoryPlace | undefined,
): Promise<OpenedWorkspace | Refusal> {
  const { call, found } = opening;
  const { tools = {} } = found.settings;
  const { onMismatch, overwriteGuard, editGuard, strictView, memoryPaths, inPlace = [] } = tools;
  const further = [...(memory?.folder === undefined ? [] : [memory.folder]), ...skillFolders(found.own)];
  const roots = [...rootsOf(opening), ...further];
  const editedFreely = memory === undefined ? memoryPaths : [...(memoryPaths ?? []), memory.glob];
  const settings = { ...call.settings, roots, inPlace: [...call.settings.inPlace, ...inPlace] };
  const denied = await deniedFiles(found.settings, roots);
  return openSettings(settings, call.terminal, {
    // Who did not name the folder may stand in a home folder by chance.
    allowWideRoot: call.flags.root !== undefined,
    guards: defined({ onMismatch, overwriteGuard, editGuard, strictView, ...replacementIn(call.flags.wire) }),
    limits: {},
    hostRules: () => denied,
    ...defined({ memoryPaths: editedFreely, memoryFolder: memory?.folder }),
  });
}

/** In JSON no line stands to the letter, so that none would ever count as shown: the hash alone has to do. */
function replacementIn(wire: "text" | "json" | undefined): { readonly wholeReplacement?: "hash" } {
  return wire === "json" ? { wholeReplacement: "hash" } : {};
}

async function storeOf({ call, found: { settings } }: Opening): Promise<SessionStore | ConversationRefusal> {
  if (call.flags.ephemeral === true) return memorySessionStore();
  const { store: place = "", tenant } = settings.sessions ?? {};
  return openStoreAt({ place, tenant }, call);
}

function uploadsOf({ call: { flags }, found: { settings, stateDir } }: Opening): Promise<RunUploads> {
  const { script, replay, record, ephemeral } = flags;
  const isPlayed = script !== undefined || replay !== undefined || record !== undefined;
  return runUploads(settings, { stateDir, isEphemeral: ephemeral === true, isPlayed });
}

/** The files of a folder; undefined where there are more than are looked at for a command. */
async function filesIn(workspace: OpenedWorkspace, path: string): Promise<readonly string[] | undefined> {
  const listing = await workspace.list({ path, depth: 64, limit: 20_000 });
  if (listing.kind === "refusal" || listing.more) return undefined;
  return listing.entries.flatMap((entry) =>
    entry.isDirectory ? [] : [relative(path, resolve(path, entry.path))],
  );
}

/** What a resumed session found of its files, each a sentence. */
function apartWords({ files }: StoredConversation): readonly string[] {
  return (files?.apart ?? []).map(({ path, message }) => `${path}: ${message}`);
}

function refused({ code, message }: Refusal | ConversationRefusal): NoRun {
  const isMissing = code === "unknown_session" || code === "invalid_arguments";
  const failed = exitCodeOf[code] === shellCodes.machine ? agentExitCodes.machine : agentExitCodes.error;
  return {
    kind: "no_run",
    exitCode: isMissing ? agentExitCodes.input : failed,
    lines: [`${code}: ${message}`],
  };
}
