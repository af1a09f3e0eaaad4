import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type AgentSettings,
  hookRunner,
  type LaterLook,
  type NamedResources,
  type RunHook,
  userFile,
} from "@holdfast/agent";
import {
  type CommandPlace,
  Commands,
  type CommandToolsContext,
  commandEnvironment,
  commandPlaces,
  type FileCheck,
  judgedShell,
  killTool,
  LaterFiles,
  type McpServerState,
  type McpServers,
  type McpServersGround,
  planTool,
  readOutputTool,
  type Sandbox,
  SpillFiles,
  searchTool,
  shellTool,
  todosTool,
  type WatchFiles,
  withoutSecrets,
} from "@holdfast/agent/host";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { homeFolder, openWorkspace, readForeign, sha256 } from "@holdfast/core/node";
import { clip, defined, escapeForPeople } from "@holdfast/core/text";
import { failedCall, type HostTool } from "@holdfast/core/tools";
import { absentAddon, loadAddon, type WebPages } from "../addons.js";
import { version } from "../shell/version.js";

/** What an agent has beside files and conversation. */
export interface RunHost {
  readonly tools: () => readonly HostTool[];
  /** The commands of the model. */
  readonly commands: Pick<Commands, "inBackground" | "textOf" | "isInside" | "folder" | "note">;
  /** Runs a command of the person; absent where the settings allow none. */
  readonly shell: HostTool | undefined;
  /** Fetches the page that `@https://…` names, where its host is allowed. */
  readonly fetch: WebPages["fetch"];
  readonly commandPlace: () => Promise<CommandPlace>;
  readonly later: LaterLook;
  /** Those that need nobody's approval. */
  readonly harmless: readonly string[];
  readonly servers: ReturnType<McpServers["states"]>;
  /** How they stand now; those that failed are started once more where that is wanted. */
  readonly askServers: (isRetry: boolean) => Promise<ReturnType<McpServers["states"]>>;
  /** What `@server:uri` names. */
  readonly resources: NamedResources;
  /** What did not start, a sentence each. */
  readonly problems: readonly string[];
  /** What the servers say of themselves, for the system text. */
  readonly instructions: () => readonly { readonly server: string; readonly text: string }[];
  /** The hooks that take long, with their seconds until now, for a person. */
  readonly waitsFor: () => readonly string[];
  /** Runs the hooks of the settings. */
  readonly runHook: RunHook;
  close(): Promise<void>;
}

type SearchByProvider = Parameters<typeof searchTool>[0];

/** What the tools of a host need. */
interface HostPlace {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly checkFiles: FileCheck;
  readonly watchFiles?: WatchFiles;
  /** Has the provider of the model search the web; undefined where the model that is asked now has no search. */
  readonly search?: () => SearchByProvider | undefined;
  /** Told what a person should know while commands run, and of servers that are late. */
  readonly told?: (line: string) => void;
  /** How long the servers are waited for, in milliseconds; each for its own time unless given. Later ones join when they stand. */
  readonly serversMs?: number;
}

/** The sandbox that the settings describe. @returns undefined without the add-on that has one. */
export async function sandboxOf(
  { shell = {} }: AgentSettings,
  { roots, stateDir, told }: Omit<HostPlace, "checkFiles">,
  later = new LaterFiles(roots),
): Promise<Sandbox | undefined> {
  const home = homeFolder();
  const file = userFile({ home, environment: process.env });
  const { network = true, writable = [], caches = [], sockets = [] } = shell;
  const atHome = (paths: readonly string[]) => paths.map((path) => path.replace(/^~(?=\/)/, home));
  return (await loadAddon("sandbox"))?.openSandbox({
    ...{ roots, later, stateDir, home, network },
    writable: atHome(writable),
    caches: atHome(caches),
    sockets: atHome(sockets),
    // It shows no command the person's own settings, which may hold keys.
    readOnly: [stateDir, file.folder],
    hidden: [file.path, join(file.folder, "credentials.json")],
    ...defined({ path: process.env.PATH, told }),
  });
}

/** Why no command runs in this sandbox; undefined where they do. */
export async function sandboxFault(sandbox: Sandbox | undefined): Promise<string | undefined> {
  return sandbox === undefined ? absentAddon("sandbox") : sandbox.fault();
}

/** Starts what the settings name: commands, pages, MCP servers. A server that does not start costs only itself. */
export async function openHost(
  settings: AgentSettings,
  { roots, stateDir, checkFiles, watchFiles, search: byProvider, told, serversMs }: HostPlace,
): Promise<RunHost> {
  const tempDir = join(stateDir, "tmp");
  const { shell = {}, fetch = {}, mcpServers = {} } = settings;
  const pass = shell.environment ?? [];
  const secret = Object.values(settings.model?.providers ?? {}).flatMap(({ keyEnv }) => keyEnv ?? []);
  const later = new LaterFiles(roots);
  const sandbox = await sandboxOf(settings, { roots, stateDir, ...defined({ told }) }, later);
  const place = { roots, tempDir, environment: commandEnvironment({ own: process.env, pass, secret }) };
  // Their outputs are nobody's to read later, and push no output of the model's commands out.
  const ofHooks = { tempDir: join(tempDir, "hooks"), limits: { shownBytes: 16_000, fileBytes: 0 } };
  const hooks = new Commands({ ...place, ...ofHooks });
  const commands = new Commands({
    ...{ ...place, ...defined({ sandbox, shell: judgedShell(process.env.SHELL) }), lasts: true },
    limits: shell.timeoutMs === undefined ? {} : { defaultSeconds: Math.ceil(shell.timeoutMs / 1_000) },
  });
  const spilled = new SpillFiles(tempDir, undefined, "read_output");
  const context: CommandToolsContext = {
    ...{ commands, checkFiles, spilled, ...defined({ watchFiles }) },
    onBackgroundEnd: (words) => told?.(`In the background: ${words}.`),
  };
  const run = shell.enabled === false ? undefined : shellTool(context);
  const allowedHosts = fetch.allowedHosts ?? [];
  const openPages = async () => (await loadAddon("web"))?.fetchTool({ allowedHosts, spilled });
  const mayFetch = allowedHosts.length > 0;
  const pages = mayFetch ? await openPages() : undefined;
  // Pages and results of servers may be too long to be shown, without the shell too.
  const canSpill = mayFetch || Object.keys(mcpServers).length > 0;
  const read = run !== undefined || canSpill ? readOutputTool(context) : undefined;
  const kill = run === undefined ? undefined : killTool(context);
  const own = [run, read, kill, pages?.tool, todosTool, planTool].filter((tool) => tool !== undefined);
  // Without a host that is allowed, the add-on says so of the page that a person names.
  const fetchPage: RunHost["fetch"] = async (url, signal) =>
    (await (pages ?? openPages()))?.fetch(url, signal) ?? refuse("not_found", absentAddon("web"));
  const search = searchIn(fetch.search ?? "provider", byProvider, fetchPage);
  const servers = await serversFor({
    roots,
    environment: withoutSecrets({ own: process.env, secret }),
    servers: mcpServers,
    client: { name: "holdfast", version },
    spilled,
    checkFiles,
  });
  // A server that is ended with the session has not failed.
  let isOver = false;
  const states = await statesWithin(servers, serversMs, (line) => void (isOver || told?.(line)));
  const removeSpilled = () => spilled.close();
  process.on("exit", removeSpilled);
  return {
    tools: () => [...own, ...search(), ...servers.tools()],
    shell: run,
    commands,
    commandPlace: commandPlaces(shell.sandbox ?? "auto", () => sandboxFault(sandbox), told),
    later: laterLook(later, commands, { roots, stateDir, ...defined({ told }) }),
    servers: states,
    askServers: async (isRetry) => (isRetry ? servers.start() : servers.states()),
    resources: {
      servers: Object.keys(mcpServers),
      states: () => servers.states(),
      read: (server, uri, signal) => servers.readResource(server, uri, signal),
    },
    fetch: fetchPage,
    harmless: ["read_output", todosTool.name, planTool.name],
    problems: [
      ...(mayFetch && pages === undefined ? [`fetch.allowedHosts: ${absentAddon("web")}`] : []),
      ...serverWords(states),
    ],
    instructions: () => servers.instructions(),
    waitsFor: () => slowWords(hooks),
    runHook: hookRunner(hooks),
    close: async () => {
      isOver = true;
      await Promise.all([commands.close(), hooks.close()]);
      await servers.close();
      removeSpilled();
      process.off("exit", removeSpilled);
    },
  };
}

/** The tool that searches the web, as long as there is a search. @param wanted `fetch.search` of the settings. */
function searchIn(wanted: string, byProvider: HostPlace["search"], fetchPage: RunHost["fetch"]) {
  const byPage: SearchByProvider = async (query, signal) => {
    const found = await fetchPage(wanted.replaceAll("{query}", encodeURIComponent(query)), signal);
    return isRefusal(found) ? failedCall(found.code, found.message) : found;
  };
  const isPage = wanted.includes("{query}");
  const now = () => (isPage ? byPage : wanted === "provider" ? byProvider?.() : undefined);
  // One for all turns: what is offered is compared.
  const tool = searchTool(async (query, signal) => now()?.(query, signal) ?? failedCall("failed", noSearch));
  return () => (now() === undefined ? [] : [tool]);
}

/** What runs for so long that a word on it does not only flicker. */
function slowWords(hooks: Commands): readonly string[] {
  const slow = hooks.running().filter(({ seconds }) => seconds >= 0.5);
  return slow.map(
    ({ command, seconds }) => `hook ${clip(escapeForPeople(command), 40)}: ${seconds.toFixed(0)} s`,
  );
}

const noSearch = "The model that is asked now has no search of the web.";

/** How the servers stand after this time at most. Of those that are late a person is told how they stand in the end. */
async function statesWithin(servers: McpServers, mostMs: number | undefined, told: (line: string) => void) {
  const all = servers.start();
  if (mostMs === undefined) return all;
  const timer = new AbortController();
  const inTime = await Promise.race([all, wait(mostMs, undefined, { ref: false, signal: timer.signal })]);
  timer.abort();
  if (inTime !== undefined) return inTime;
  const now = servers.states();
  const late = now.filter(({ kind }) => kind === "idle").map(({ name }) => name);
  void all.then((then) => {
    const ended = then.filter(({ name, kind }) => late.includes(name) && kind !== "closed");
    for (const words of serverWords(ended)) told(words);
  });
  const messages = ["It has not answered yet; its tools join as soon as it does."];
  return now.map((state) => (state.kind === "idle" ? { ...state, messages } : state));
}

function serverWords(states: readonly McpServerState[]): readonly string[] {
  return states.flatMap(({ name, messages }) => messages.map((message) => `MCP server ${name}: ${message}`));
}

/** The servers that the settings name, if there are any. Without the add-on that speaks to them each has failed. */
async function serversFor(ground: McpServersGround): Promise<McpServers> {
  const names = Object.keys(ground.servers);
  const addon = names.length === 0 ? undefined : await loadAddon("mcp-client");
  if (addon !== undefined) return addon.openMcpServers(ground);
  const why = absentAddon("mcp-client");
  const states = names.map((name) => ({ name, kind: "failed", tools: 0, messages: [why] }) as const);
  const refused = async () => refuse("not_found", why);
  return {
    ...{ start: async () => states, states: () => states, tools: () => [], instructions: () => [] },
    ...{ listResources: refused, readResource: refused, close: async () => {} },
  };
}

/** What a command in the background changes before the next one begins is not taken for somebody else's. */
function laterLook(
  later: LaterFiles,
  commands: Commands,
  { roots, stateDir, told }: Omit<HostPlace, "checkFiles">,
): LaterLook {
  let isTold = false;
  const takeBack = backTaker({ roots, stateDir });
  return {
    begin: async () => {
      const isBusy = commands.inBackground().some(({ end }) => end === undefined);
      if (!isBusy || !later.isBegun) await later.look();
      if (later.isCut && !isTold)
        told?.(
          "The workspace has so many folders that files that run later are looked for near its root only.",
        );
      isTold = later.isCut;
    },
    end: () => later.look(),
    takeBack: async (files) => {
      const left = await takeBack(files);
      await later.look();
      return left;
    },
  };
}

/**
 * Gives files of the workspace the content that they had, or takes them away where there were none. What they hold now is kept
 * in the history, as of every write. Left are those of which nobody knows what they were, or that are changed again meanwhile.
 */
function backTaker(place: Pick<HostPlace, "roots" | "stateDir">): LaterLook["takeBack"] {
  // Who took away the approval of what a command wrote there approves of this; nobody has to have read it.
  const guards = { wholeReplacement: "hash", onMismatch: "refuse" } as const;
  return async (files) => {
    const workspace = await openWorkspace({ ...place, guards, allowProtected: ["**"] });
    if (isRefusal(workspace)) return files;
    try {
      const left = [];
      for (const file of files) {
        const { path, before } = file;
        const base = stateAt(path);
        const content =
          before === undefined
            ? ({ kind: "delete" } as const)
            : ({ kind: "text", text: before ?? "" } as const);
        const done =
          before === null || base === undefined
            ? undefined
            : await workspace.applyChanges({ changes: [{ path, base, content }] });
        if (done?.kind !== "change_set") left.push(file);
      }
      return left;
    } finally {
      await workspace.close();
    }
  };
}

/** The hash of a file, or of a link's text. */
function stateAt(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return sha256(readlinkSync(path));
  const read = readForeign(path, { limitBytes: mostBytes });
  return read.kind === "read" ? sha256(read.bytes) : undefined;
}

const mostBytes = 1 << 29;
