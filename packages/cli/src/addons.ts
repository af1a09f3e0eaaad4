import type {
  Agent,
  AskPerson,
  CommandHost,
  ForeignReader,
  GoogleFiles,
  googleFilesClient,
  SettingsSources,
  TurnInput,
} from "@holdfast/agent";
import type { McpServers, McpServersGround, Sandbox, SandboxOptions, SpillFiles } from "@holdfast/agent/host";
import type { TalkOptions, TalkTerminal } from "@holdfast/agent/ui";
import type { ModelPort } from "@holdfast/core/context";
import type { LoadedSession } from "@holdfast/core/conversation";
import type {
  ImportedSession,
  ImportOptions,
  ImportProblem,
  SourceSession,
} from "@holdfast/core/conversation/import";
import type { ConversationRefusal, SessionStore, TurnUsage } from "@holdfast/core/conversation/values";
import type { HostRule, Workspace } from "@holdfast/core/files";
import type { OnMismatch, OutcomeCode, Refusal } from "@holdfast/core/files/values";
import type { UploadFolder } from "@holdfast/core/node";
import type { Advancing, Pace } from "@holdfast/core/text";
import type { HostTool, HostToolResult } from "@holdfast/core/tools";
import type { McpOptions } from "@holdfast/mcp";
import { addonsWithin } from "./addons-within.js";
import type { ChangedSettings, Setting } from "./config/change-settings.js";
import type { hostNames } from "./flags.js";
import type { exitCodes } from "./shell/exit-codes.js";
import type { InputLines, LineLimits } from "./shell/input.js";
import type { Invocation } from "./shell/invocation.js";
import type { Terminal } from "./shell/terminal.js";

/**
 * The add-ons that this program uses if they are there, and what it asks of each. The program imports none of them:
 * each can be taken out of the repository, and only its own commands then say that it is missing.
 */
export interface Addons {
  readonly importers: { openImporters(readLines: ReadLines): Importers };
  readonly page: {
    htmlPage(session: LoadedSession, options: PageOptions): Promise<readonly string[]>;
    serveSession(
      store: SessionStore,
      id: string,
      options: Omit<PageOptions, "now"> & { readonly port?: number },
    ): Promise<LiveServer | ConversationRefusal>;
    /** @returns what cleans up behind it. */
    openInBrowser(url: string, onFailure: () => void): () => void;
  };
  readonly postgres: {
    openPostgresStore(options: PostgresOptions): Promise<SessionStore | ConversationRefusal>;
  };
  readonly "mcp-client": { openMcpServers(ground: McpServersGround): McpServers };
  readonly sandbox: { openSandbox(options: SandboxOptions): Sandbox };
  readonly screen: { openTalk(options: TalkOptions): TalkTerminal };
  readonly "google-files": { openGoogleFiles(options: GoogleFilesOptions): GoogleFiles };
  readonly web: { fetchTool(options: WebOptions): WebPages };
  readonly tour: { playTour(shell: TourShell): Promise<number> };
  readonly "hosts/foreign": {
    readonly foreignFiles: readonly string[];
    foreignSettings(
      texts: ReadonlyMap<string, string>,
      place: Pick<SettingsSources, "folder" | "home"> & Partial<Pick<SettingsSources, "environment">>,
    ): ReturnType<ForeignReader["read"]>;
  };
  readonly hosts: {
    setupCommand(call: Invocation & { readonly shell: SetupShell }): Promise<number>;
    openHostRules(client: HostName, roots: readonly string[]): Promise<() => HostRules>;
    runGuard(options: GuardOptions): Promise<number>;
    readonly createCompatServer: NonNullable<McpOptions["createServer"]>;
  };
}

/** Reads sessions of other programs, and finds them on this machine. */
export interface Importers {
  readonly agents: readonly string[];
  readonly formatNames: Readonly<Record<string, string>>;
  offer(wanted: WantedSessions, pace: Pace): Promise<Offer | "interrupted">;
  named(name: string): Promise<SessionSource | ConversationRefusal | undefined>;
  read(
    text: string,
    options: ImportOptions,
  ): Promise<{
    readonly work: Advancing<ImportedSession | ConversationRefusal>;
    readonly problems: readonly ImportProblem[];
  }>;
  importIdOf(source: SourceSession): string;
}

/** How this program reads a file of lines. */
type ReadLines = (place: string, limits: LineLimits) => Promise<InputLines | Refusal>;

interface WantedSessions {
  readonly agent?: string | undefined;
  readonly isMeant: (cwd: string | undefined) => boolean;
  readonly most: number;
  readonly counts: (importId: string) => boolean;
}

/** What there is to import. */
export interface Offer {
  readonly sessions: readonly OfferedSession[];
  /** How many files were not looked at, since so many were not asked for. */
  readonly more: number;
  readonly problems: readonly string[];
  /** All files that were found. */
  readonly places: ReadonlySet<string>;
}

/** Where a session is read from. */
export interface SessionSource {
  /** The file, for a person. */
  readonly place: string;
  readonly read: () => Promise<InputLines | Refusal>;
}

/** A session of another program on this machine. */
export interface OfferedSession extends SessionSource {
  readonly agent: string;
  readonly modifiedMs: number;
  /** Of all its records. */
  readonly sizeBytes: number;
  /** Its id there; of a file that names none the file's name. */
  readonly id: string;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  /** The id that it has here once it is imported. */
  readonly importId: string;
  /** How a person names it to `holdfast sessions import`. */
  readonly reference: string;
}

interface GoogleFilesOptions {
  readonly client: (signal: AbortSignal) => ReturnType<typeof googleFilesClient>;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly store?: UploadFolder;
}

interface WebOptions {
  readonly allowedHosts: readonly string[];
  /** Where pages are kept that are too long to be shown. */
  readonly spilled: SpillFiles;
}

/** Pages of the web: a tool for the model, and the same for the person. */
export interface WebPages {
  readonly tool: HostTool;
  fetch(url: string, signal?: AbortSignal): Promise<HostToolResult | Refusal>;
}

interface PageOptions {
  readonly stateDir: string | undefined;
  readonly now: number;
  readonly version: string;
  readonly costOf?: (model: string, usage: TurnUsage) => number | undefined;
}

/** The page of a session while it is served. */
interface LiveServer {
  readonly kind: "live";
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

interface PostgresOptions {
  readonly connection: string;
  readonly retryMs: number;
  readonly tenant?: string;
}

type HostName = (typeof hostNames)[number];

/** What a person has denied to the file tools of a client. */
interface HostRules {
  readonly rules: readonly HostRule[];
  /** Rules that do not count for our tools, each with the reason. */
  readonly left: readonly string[];
  readonly readOnly: boolean;
}

interface GuardOptions {
  readonly stateDir?: string | undefined;
  readonly acceptEdits?: boolean | undefined;
  readonly onMismatch?: OnMismatch | undefined;
}

/** What `holdfast setup` lends its add-on. */
interface SetupShell {
  askPerson(question: string): Promise<string>;
  withWorkspace(
    place: { readonly roots: readonly string[]; readonly allowProtected: readonly string[] },
    work: (workspace: Workspace) => Promise<number>,
  ): Promise<number>;
  reportRefusal(refusal: Refusal): number;
  finishOnceBegun<Result>(work: () => Promise<Result>): Promise<Result>;
  exitCodeOf(code: OutcomeCode): number;
  changeJson(text: string, settings: readonly Setting[]): ChangedSettings;
}

/** What `holdfast tour` lends its add-on. */
export interface TourShell {
  readonly terminal: Terminal;
  readonly exitCodes: typeof exitCodes;
  open(parts: TourParts): Promise<TourRun | { readonly kind: "no_run"; readonly lines: readonly string[] }>;
}

/** What the agent of a tour is opened with. */
export interface TourParts {
  readonly folder: string;
  readonly stateDir: string;
  readonly model: ModelPort;
  readonly ask: AskPerson;
}

/** The agent of a tour. */
export interface TourRun {
  readonly kind: "run";
  readonly agent: Agent;
  readonly commands: CommandHost;
  input(words: string, told: (sentence: string) => void): Promise<TurnInput>;
  close(): Promise<void>;
}

/** Loads an add-on. @returns undefined if this build of the program does not have it. */
export async function loadAddon<Name extends keyof Addons>(name: Name): Promise<Addons[Name] | undefined> {
  const within = addonsWithin[name];
  // A cast: the bundler puts the add-on of this name there.
  if (within !== undefined) return (await within()) as Addons[Name];
  const specifier = `@holdfast/${name}`;
  try {
    // A cast: the compiler cannot follow a specifier that is computed; the add-on's own test holds it to this type.
    return (await import(specifier)) as Addons[Name];
  } catch (error) {
    if (isAbsent(error, specifier)) return undefined;
    throw error;
  }
}

/** The add-on, or the end of the command as a usage error. */
export async function addonFor<Name extends keyof Addons>(
  name: Name,
  misuse: (message: string) => never,
): Promise<Addons[Name]> {
  return (await loadAddon(name)) ?? misuse(absentAddon(name));
}

/** The sentence on an add-on that is not there. */
export function absentAddon(name: keyof Addons): string {
  return `this build has no add-on "${name}"; install the published @holdfast/cli, or build it with the folder addons/${name}`;
}

function isAbsent(error: unknown, specifier: string): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(String(code)) && String(error).includes(specifier);
}
