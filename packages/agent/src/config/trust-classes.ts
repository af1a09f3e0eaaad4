import { approvalModes } from "./approval.js";
import { type AgentSettings, sandboxSettings, settingsSchema, uploadModes } from "./schema.js";

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

/** A class for every key: a key of the schema without one does not compile. */
type TrustTable = {
  readonly [S in keyof AgentSettings]-?: S extends Leaf
    ? TrustClass
    : { readonly [K in keyof NonNullable<AgentSettings[S]>]-?: TrustClass };
};

const never: TrustClass = { widens: "never" };
const always = (why: string): TrustClass => ({ widens: "always", why });

/** Every key of a section, alike. */
function each<S extends "context" | "hooks" | "sessions">(section: S, why: string) {
  const keys = Object.keys(settingsSchema.shape[section].unwrap().shape);
  // A cast: the compiler cannot follow a loop over names.
  return Object.fromEntries(keys.map((key) => [key, always(why)])) as Required<TrustTable>[S];
}

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

const ofEconomy = "it decides what the model still sees, and what that costs";

const choosesModel = always("it chooses who gets the conversation, and what it costs");

/** What project settings may say of each key before their folder is trusted. */
export const trustClasses: TrustTable = {
  $schema: never,
  model: {
    name: choosesModel,
    summariser: choosesModel,
    effort: always("it chooses what an answer costs"),
    providers: always("it names addresses, headers and variables of keys"),
    overrides: always("prices and windows decide when a limit stops the work"),
  },
  approval: {
    mode: looser("it asks less often", approvalModes),
    rules: {
      widens: "when",
      why: "a rule that does not deny may let through what the mode would not",
      // An `ask` too: where the mode is `plan`, a change would be asked about instead of refused.
      test: (value) => !Array.isArray(value) || value.some((one) => one.decision !== "deny"),
    },
  },
  tools: {
    offered: always("it may offer more tools"),
    excluded: never,
    onMismatch: looser("it accepts changes of older states", ["refuse", "rebase-own", "rebase"]),
    overwriteGuard: looser("it guards overwriting less", ["hash", "read", "warn"]),
    editGuard: looser("it guards edits less", ["read", "atomic"]),
    strictView: becomes(false, "it lets changes touch lines that were not shown"),
    memoryPaths: always("it opens files to edits without a read"),
    inPlace: always("it gives up that a kill leaves a file old or new"),
  },
  shell: {
    enabled: becomes(true, "it lets commands run"),
    timeoutMs: larger("it lets commands run longer"),
    environment: always("it hands variables to commands"),
    sandbox: looser("it lets commands run outside a sandbox", sandboxSettings),
    outside: { widens: "own", why: "it lets commands run outside a sandbox: your own settings alone may" },
    network: { widens: "when", why: "it opens the network", test: reachesMore },
    writable: always("it opens folders to commands"),
    caches: always("it opens folders to commands"),
    sockets: { widens: "own", why: "it opens sockets to commands: your own settings alone may" },
  },
  context: {
    ...each("context", ofEconomy),
    cacheLifetime: always("it decides what the cache costs"),
  },
  memory: {
    enabled: becomes(true, "it opens a file to edits without a read"),
    file: always("it opens a file to edits without a read"),
  },
  fetch: { allowedHosts: always("it opens the network") },
  mcpServers: always("it starts a program or calls a server"),
  hooks: each("hooks", "it runs commands"),
  diagnostics: { command: always("it runs a command") },
  instructions: { files: always("it puts other files into the prompt") },
  limits: {
    maxTurns: larger("it raises a limit"),
    maxCostUsd: larger("it raises a limit"),
  },
  ui: {
    theme: never,
    reading: never,
    notify: never,
    editing: never,
    keys: always("it may put a yes where a no is meant"),
  },
  subAgents: { models: choosesModel },
  sessions: each("sessions", "it moves where conversations are kept"),
  files: {
    include: always("it names folders outside"),
    api: looser("it lets more files be uploaded", uploadModes),
  },
};

/** The class of a key, by its words: `["approval", "mode"]`. A key that is not in the table widens. */
export function trustClassOf([section = "", name = ""]: readonly string[]): TrustClass {
  const found = memberOf(trustClasses, section);
  const row = isClass(found) ? found : memberOf(found, name);
  return isClass(row) ? row : always("it is not known");
}

function memberOf(table: unknown, name: string): unknown {
  return Object.entries(Object(table)).find(([known]) => known === name)?.[1];
}

function isClass(row: unknown): row is TrustClass {
  return typeof memberOf(row, "widens") === "string";
}
