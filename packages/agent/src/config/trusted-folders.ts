import { createHash, randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readForeignText } from "@holdfast/core/node";
import { approvalModes } from "./approval.js";
import { type AgentSettings, sandboxSettings, uploadModes } from "./schema.js";

/** What a person said when they were asked whether they trust a folder. */
type TrustAnswer = "trusted" | "declined";

/**
 * The folders that a person trusts, each with the hash of the project settings that were there then: settings that
 * changed since are asked about anew.
 */
export class TrustedFolders {
  /** @param stateDir the person's state folder, outside of every project. */
  constructor(private readonly stateDir: string) {}

  /** Whether this folder is trusted with exactly these settings. What cannot be read is not trusted. */
  async isTrusted(folder: string, settings: Uint8Array): Promise<boolean> {
    return (await this.answer(folder, settings)) === "trusted";
  }

  /** What a person said of this folder with exactly these settings; undefined where they were not asked. */
  async answer(folder: string, settings: Uint8Array): Promise<TrustAnswer | undefined> {
    try {
      const real = await realpath(folder);
      const own = { below: this.stateDir, isOwn: true, limitBytes: 16 * 1024 };
      const record = readForeignText(this.#fileOf(real), own);
      const said = record.kind === "read" ? record.text : "";
      return (["trusted", "declined"] as const).find((one) => said === recordOf(real, settings, one));
    } catch {
      return undefined;
    }
  }

  /** Trusts the folder with these settings, or not; what was said before is forgotten. Throws the system's error. */
  async trust(folder: string, settings: Uint8Array, answer: TrustAnswer = "trusted"): Promise<void> {
    const real = await realpath(folder);
    await mkdir(join(this.stateDir, room), { recursive: true, mode: 0o700 });
    const unfinished = join(this.stateDir, room, `new-${randomUUID()}`);
    try {
      await writeFile(unfinished, recordOf(real, settings, answer), { mode: 0o600, flag: "wx", flush: true });
      await rename(unfinished, this.#fileOf(real));
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  /** Trusts the folder no more. Throws the system's error. */
  async untrust(folder: string): Promise<void> {
    await rm(this.#fileOf(await realpath(folder)), { force: true });
  }

  #fileOf(real: string): string {
    return join(this.stateDir, room, hashOf(real));
  }
}

const room = "trusted-folders";

function recordOf(real: string, settings: Uint8Array, answer: TrustAnswer): string {
  const isDeclined = answer === "declined" ? { isDeclined: true } : {};
  return `${JSON.stringify({ folder: real, settingsSha256: hashOf(settings), ...isDeclined })}\n`;
}

function hashOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** What a key of project settings may do before a person has trusted the folder. */
type TrustClass =
  /** It only narrows, or changes how things look. */
  | { readonly widens: "never" }
  /** It is ignored until the folder is trusted. */
  | { readonly widens: "always"; readonly why: string }
  /** It is ignored, whether the folder is trusted or not: only the person's own settings say it. */
  | { readonly widens: "own"; readonly why: string }
  /** It is ignored where `test` says so of its value and of the one below it. */
  | {
      readonly widens: "when";
      readonly why: string;
      readonly test: (value: unknown, below: unknown) => boolean;
    };

type Leaf = "$schema" | "mcpServers";

/** A section and a member of it, as `approval.mode`; what has no members stands alone. */
type SettingKey = {
  readonly [S in keyof AgentSettings]-?: S extends Leaf
    ? S
    : `${S}.${keyof NonNullable<AgentSettings[S]> & string}`;
}[keyof AgentSettings];

const never: TrustClass = { widens: "never" };
const always = (why: string): TrustClass => ({ widens: "always", why });

/** Of values in an order, from the strictest: one behind that which holds so far. */
function looser(why: string, order: readonly string[]): TrustClass {
  const rank = (value: unknown) => order.indexOf(String(value));
  return { widens: "when", why, test: (value, below) => rank(value) > rank(below) };
}

/** A number above the one that holds so far. Where none holds, any is a new limit. */
function larger(why: string): TrustClass {
  return {
    widens: "when",
    why,
    test: (value, below) => below !== undefined && Number(value) > Number(below),
  };
}

function becomes(wide: boolean, why: string): TrustClass {
  return { widens: "when", why, test: (value, below) => value === wide && below !== wide };
}

/** Hosts are fewer than all, and more than none. */
function reachesMore(value: unknown, below: unknown): boolean {
  const isPart = Array.isArray(value) && Array.isArray(below) && value.every((host) => below.includes(host));
  return value !== false && below !== true && !isPart;
}

const savesTokens = always("it decides what the model still sees, and what that costs");
const runsCommands = always("it runs commands");
const opensFolders = always("it opens folders to commands");
const movesSessions = always("it moves where conversations are kept");
const choosesModel = always("it chooses who gets the conversation, and what it costs");

/** What project settings may say of each key before their folder is trusted. A key of the schema without a row does not compile. */
export const trustClasses: Readonly<Record<SettingKey, TrustClass>> = {
  $schema: never,
  "model.name": choosesModel,
  "model.summariser": choosesModel,
  "model.effort": always("it chooses what an answer costs"),
  "model.providers": always("it names addresses, headers and variables of keys"),
  "model.overrides": always("prices and windows decide when a limit stops the work"),
  "approval.mode": looser("it asks less often", approvalModes),
  "approval.rules": {
    widens: "when",
    why: "a rule that does not deny may let through what the mode would not",
    // An `ask` too: where the mode is `plan`, a change would be asked about instead of refused.
    test: (value) => !Array.isArray(value) || value.some((one) => one.decision !== "deny"),
  },
  "tools.offered": always("it may offer more tools"),
  "tools.excluded": never,
  "tools.onMismatch": looser("it accepts changes of older states", ["refuse", "rebase-own", "rebase"]),
  "tools.overwriteGuard": looser("it guards overwriting less", ["hash", "read", "warn"]),
  "tools.editGuard": looser("it guards edits less", ["read", "atomic"]),
  "tools.strictView": becomes(false, "it lets changes touch lines that were not shown"),
  "tools.memoryPaths": always("it opens files to edits without a read"),
  "tools.inPlace": always("it gives up that a kill leaves a file old or new"),
  "shell.enabled": becomes(true, "it lets commands run"),
  "shell.timeoutMs": larger("it lets commands run longer"),
  "shell.environment": always("it hands variables to commands"),
  "shell.sandbox": looser("it lets commands run outside a sandbox", sandboxSettings),
  "shell.outside": {
    widens: "own",
    why: "it lets commands run outside a sandbox: your own settings alone may",
  },
  "shell.network": { widens: "when", why: "it opens the network", test: reachesMore },
  "shell.writable": opensFolders,
  "shell.caches": opensFolders,
  "shell.sockets": { widens: "own", why: "it opens sockets to commands: your own settings alone may" },
  "context.triggerTokens": savesTokens,
  "context.keep": savesTokens,
  "context.clearAtLeast": savesTokens,
  "context.excludeTools": savesTokens,
  "context.clearToolInputs": savesTokens,
  "context.compaction": savesTokens,
  "context.compactAtTokens": savesTokens,
  "context.cacheLifetime": always("it decides what the cache costs"),
  "context.ratios": savesTokens,
  "memory.enabled": becomes(true, "it opens a file to edits without a read"),
  "memory.file": always("it opens a file to edits without a read"),
  "fetch.allowedHosts": always("it opens the network"),
  "fetch.search": always("it says to whom queries go"),
  mcpServers: always("it starts a program or calls a server"),
  "hooks.beforeTool": runsCommands,
  "hooks.afterTool": runsCommands,
  "hooks.turnEnd": runsCommands,
  "diagnostics.command": always("it runs a command"),
  "instructions.files": always("it puts other files into the prompt"),
  "limits.maxTurns": larger("it raises a limit"),
  "limits.maxCostUsd": larger("it raises a limit"),
  "ui.theme": never,
  "ui.reading": never,
  "ui.notify": never,
  "ui.editing": never,
  "ui.statusLine": { widens: "own", why: "it runs a command: your own settings alone may" },
  "ui.keys": always("it may put a yes where a no is meant"),
  "subAgents.models": choosesModel,
  "sessions.store": movesSessions,
  "sessions.tenant": movesSessions,
  "files.include": always("it names folders outside"),
  "files.api": looser("it lets more files be uploaded", uploadModes),
};

/** The class of a key, by its words: `["approval", "mode"]`. A key that is not in the table widens. */
export function trustClassOf([section = "", name = ""]: readonly string[]): TrustClass {
  const named = [section, `${section}.${name}`];
  return Object.entries(trustClasses).find(([key]) => named.includes(key))?.[1] ?? always("it is not known");
}
