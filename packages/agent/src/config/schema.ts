import { efforts } from "@holdfast/core/context";
import * as z from "zod";
import { faultOfRule } from "../shell/rules.js";
import { approvalModes } from "./approval.js";

const count = z.int().min(1).max(1_000_000_000);
const usd = z.number().min(0).max(1_000_000);
const name = z.string().regex(/^[A-Za-z][\w.:/-]{0,127}$/, "must be a name of letters, digits and . : / _ -");
const variable = z.string().regex(/^[A-Za-z_]\w{0,127}$/, "must be the name of an environment variable");
const httpUrl = z.url({ protocol: /^https?$/ });
const words = z.array(z.string().min(1).max(4_096)).max(1_000);

/** What cannot be sent is refused here, in words that do not show the value. */
const headers = z.record(
  z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/, "must be the name of a header"),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "must be one line of Latin-1 characters"),
);

const provider = z
  .strictObject({
    kind: z
      .enum(["chat", "responses", "anthropic", "google"])
      .describe("the protocol that it speaks; a vendor's own, else chat, unless set"),
    baseUrl: httpUrl.describe("where it answers"),
    keyEnv: variable.describe("the environment variable that holds its key"),
    key: z.string().min(1).describe("the key itself: in user settings only"),
    headers: headers.describe("headers of every request; their values are shown nowhere"),
  })
  .partial();

const override = z
  .strictObject({
    contextTokens: count.describe("its context window, in tokens"),
    outputTokens: count.describe("the longest answer, in tokens"),
    inputUsd: usd.describe("price of a million tokens in, in US dollars"),
    outputUsd: usd.describe("price of a million tokens out, in US dollars"),
    cachedInputUsd: usd.describe("price of a million cached tokens in, in US dollars"),
  })
  .partial();

const ratio = z.strictObject({
  write: z.number().min(0.000_001).max(1_000).describe("of a token that is written to the cache"),
  read: z.number().min(0.000_001).max(1_000).describe("of a token that is read of the cache"),
  lifetimeMs: count
    .optional()
    .describe("how long it is kept after its last use; as in our list unless set, else five minutes"),
  bindsThinking: z
    .boolean()
    .optional()
    .describe("a thought is void once a byte before it has changed; as in our list unless set"),
});

/** The name of a key, as `KeyReader` gives it: modifiers in this order, and a sign in small letters. */
const chord =
  /^(?=.*-|\w\w)(ctrl-)?(alt-)?(shift-)?(enter|tab|escape|backspace|delete|up|down|left|right|home|end|pageup|pagedown|[^\s\p{Cc}\p{Lu}])$/u;

/** A key that no terminal sends would be passed over without a word; without Ctrl-C work could not be ended, nor left. */
function refuseKeys(keys: Readonly<Record<string, string>>, { addIssue }: z.RefinementCtx): void {
  for (const [key, by] of Object.entries(keys)) {
    const wrong = (by === "" ? [key] : [key, by]).find((one) => !chord.test(one));
    const flaw =
      wrong === undefined
        ? ""
        : `${JSON.stringify(wrong)} is no key; write it as "ctrl-alt-x" or "shift-tab"`;
    const message = key === "ctrl-c" ? "Ctrl-C stays what it is: it ends work, and leaves" : flaw;
    if (message !== "") addIssue({ code: "custom", path: [key], message });
  }
}

const rule = z.strictObject({
  tool: z.string().min(1).describe("the tool's name; * stands for any characters, | between names"),
  path: z.string().min(1).optional().describe("a glob that all files of the call fit"),
  command: z
    .string()
    .min(1)
    .superRefine((words, { addIssue }) => {
      const message = faultOfRule(words);
      if (message !== undefined) addIssue({ code: "custom", message });
    })
    .optional()
    .describe("of the shell: the words that the command begins with"),
  decision: z.enum(["allow", "ask", "deny"]),
});

const serverTimes = {
  startTimeoutMs: count
    .optional()
    .describe("how long it may take to start, in milliseconds; 30,000 unless set"),
  timeoutMs: count
    .optional()
    .describe("how long a call may go on without a sign of progress, in milliseconds; 600,000 unless set"),
};

const server = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: z.record(variable, z.string()).optional(),
    ...serverTimes,
  }),
  z.strictObject({ url: httpUrl, headers: headers.optional(), ...serverTimes }),
]);

const hook = {
  command: z.string().min(1).describe("run in a shell, with JSON at its input and files as its arguments"),
  timeoutMs: count.optional().describe("how long it may run, in milliseconds; 60,000 unless set"),
};
const callHook = z.strictObject({
  event: z
    .enum(["PostToolUse", "PostToolUseFailure"])
    .optional()
    .describe("of hooks after a call: only where it succeeded, or only where it failed"),
  tool: z.string().min(1).optional().describe("the tool's name; * stands for any characters; any unless set"),
  path: z.string().min(1).optional().describe("a glob that a file of the call fits"),
  ...hook,
});

const folders = z
  .array(z.string().regex(/^(\/|~\/)/, "must be an absolute path, or begin with ~/"))
  .max(1_000);

/** Which files are uploaded to a provider, from the fewest. */
export const uploadModes = ["off", "auto", "always"] as const;

/** Whether commands run in a sandbox, from the strictest. */
export const sandboxSettings = ["on", "auto", "off"] as const;

/** See `shell.sandbox`. */
export type SandboxSetting = (typeof sandboxSettings)[number];

/** A part of the settings, every key of which may be left out. */
const section = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).partial().optional();

/** The one definition of the settings: what a file, the environment and flags are checked against. */
export const settingsSchema = z.strictObject({
  $schema: z.string().optional().describe("where an editor finds the schema of this file"),
  model: section({
    name: name.describe("the model to work with, as provider/name"),
    summariser: name.describe("the model that writes summaries"),
    effort: z.enum(efforts).describe("how much it is to think; medium unless set, where it can be asked"),
    providers: z.record(name, provider).describe("how providers are reached, by their names"),
    overrides: z.record(name, override).describe("windows, limits and prices, by model"),
  }),
  approval: section({
    mode: z.enum(approvalModes).describe("how much is done without asking"),
    rules: z.array(rule).max(1_000).describe("rules by tool and path; the first that fits decides"),
  }),
  tools: section({
    offered: words.describe("only these tools"),
    excluded: words.describe("never these tools; lists of all sources count together"),
    onMismatch: z.enum(["refuse", "rebase-own", "rebase"]).describe("a change of an older state"),
    overwriteGuard: z.enum(["hash", "read", "warn"]).describe("what overwriting a file needs"),
    editGuard: z.enum(["read", "atomic"]).describe("what an edit without a hash needs"),
    strictView: z.boolean().describe("a change may only touch lines that were shown"),
    memoryPaths: words.describe("globs of files that are edited without a read"),
    inPlace: words.describe("globs of files that are written in place; auto: those that cannot be replaced"),
  }),
  shell: section({
    enabled: z.boolean().describe("whether commands can be run at all"),
    timeoutMs: count.describe("how long a command may run, in milliseconds"),
    environment: z.array(variable).max(1_000).describe("variables that a command is given"),
    sandbox: z
      .enum(sandboxSettings)
      .describe(
        "auto: commands of the model run in a sandbox, where one starts; on: in it, or not at all; off: never",
      ),
    outside: words.describe("beginnings of commands that always run outside of it, as git push"),
    network: z
      .union([z.boolean(), words])
      .describe("what a command in the sandbox reaches of the network: all, nothing, or these hosts"),
    writable: folders.describe("folders that a command may write in the sandbox, beside the workspace"),
    caches: folders.describe(
      "folders of which it has a copy of its own: what runs outside finds nothing of it",
    ),
    sockets: words.describe("sockets that it reaches: their paths, or the variables that name them"),
  }),
  fetch: section({
    allowedHosts: words.describe("hosts that may be fetched from; none unless set"),
    search: z
      .string()
      .max(4_096)
      .regex(
        /^(?:provider|off|https?:\/\/\S*\{query\}\S*)$/,
        "must be provider, off or an address with {query}",
      )
      .describe(
        "who searches the web: provider (the model's own, where it has one), off, or the address of a page in which {query} stands",
      ),
  }),
  mcpServers: z.record(name, server).optional().describe("servers of the Model Context Protocol, by name"),
  context: section({
    triggerTokens: count.describe("old results are cleared from so many tokens on; 100,000 unless set"),
    keep: count.describe("so many of the last tool uses stay; 5 unless set"),
    clearAtLeast: count.describe("clearing has to win so many tokens; 20,000 unless set"),
    excludeTools: words.describe("tools whose results stay, beside lists of tasks and plans"),
    clearToolInputs: z.boolean().describe("what a tool was called with goes with its result"),
    compaction: z.boolean().describe("a summary takes the place of what came before"),
    compactAtTokens: count.describe("from so many tokens on; 0.8 of the window unless set"),
    cacheLifetime: z
      .enum(["5m", "1h"])
      .describe("how long Anthropic's cache is to keep a prompt; an hour costs more to write"),
    ratios: z
      .record(name, ratio)
      .describe(
        "what a provider's cache costs, as shares of its price of plain input; with an hour's cache its name is anthropic/1h",
      ),
  }),
  memory: section({
    enabled: z.boolean().describe("a file of notes that outlast a conversation"),
    file: z
      .string()
      .min(1)
      .describe("where it lies, from the project's folder on; in the state folder unless set"),
  }),
  instructions: section({
    files: z
      .array(z.string().regex(/^(?!\.{1,2}$)[^/\\\0]+$/, "must be a file name without a folder"))
      .max(20)
      .describe("names of instruction files"),
  }),
  hooks: section({
    beforeTool: z.array(callHook).max(100).describe("commands before a call; code 2 denies it"),
    afterTool: z.array(callHook).max(100).describe("commands after a call, as a formatter"),
    turnEnd: z.array(z.strictObject(hook)).max(100).describe("commands at a turn's end"),
  }),
  diagnostics: section({
    command: z.string().min(1).describe("a check after edits; the model is told its new lines"),
  }),
  limits: section({
    maxTurns: count.describe("requests of one turn"),
    maxCostUsd: usd.describe("cost of one run, in US dollars: all its turns, sub-agents and summaries"),
  }),
  subAgents: section({
    models: z.array(name).max(100).describe("models that a sub-agent may have beside the one that asks"),
  }),
  sessions: section({
    store: z.string().min(1).describe("a folder, or postgres://…"),
    tenant: z.string().min(1).describe("whose sessions, in PostgreSQL"),
  }),
  files: section({
    include: words.describe("further folders to work in"),
    api: z
      .enum(uploadModes)
      .describe("whether files before a model of Google are uploaded to its File API: large ones, or all"),
  }),
  ui: section({
    theme: z
      .enum(["dark", "light", "ansi", "contrast", "mono", "plain"])
      .describe("the colours of the screen; those of the terminal unless set, none with NO_COLOR"),
    reading: z.boolean().describe("lines only, none of which is drawn anew: for those who hear the terminal"),
    editing: z.enum(["emacs", "vi"]).describe("how the input is edited; emacs unless set"),
    statusLine: z
      .string()
      .max(4_096)
      .describe("a command that reads the state of things as JSON and prints the status line"),
    keys: z
      .record(z.string(), z.string())
      .superRefine(refuseKeys)
      .describe(
        'keys by the names of those that they stand for, such as "ctrl-t": "ctrl-r"; "" takes one away',
      ),
    notify: z
      .enum(["off", "bell", "osc9"])
      .describe(
        "how a person who pressed no key for 20 s is called where a turn ends or asks; bell unless set",
      ),
  }),
});

/** Settings of one source, or of all together. */
export type AgentSettings = z.infer<typeof settingsSchema>;

/** Where package managers and compilers keep what they have fetched and built, from the home folder on. */
const caches =
  ".cache/go-build .cache/node .cache/node-gyp .cache/pip .cache/pnpm .cache/pre-commit .cache/pypoetry .cache/uv " +
  ".cache/yarn .npm .yarn .local/share/pnpm .bun/install/cache .cargo/registry .cargo/git go/pkg .gradle .m2 .nuget Library/Caches";

/** What holds where no source says anything. */
export const defaultSettings: AgentSettings = {
  approval: { mode: "ask" },
  tools: {
    onMismatch: "rebase",
    overwriteGuard: "hash",
    editGuard: "read",
    strictView: false,
  },
  shell: {
    enabled: true,
    timeoutMs: 120_000,
    environment: [],
    sandbox: "auto",
    outside: [],
    network: true,
    writable: [],
    caches: caches.split(" ").map((name) => `~/${name}`),
    sockets: [],
  },
  fetch: { allowedHosts: [], search: "provider" },
  memory: { enabled: true },
  instructions: { files: ["AGENTS.md", "GEMINI.md", "CLAUDE.md"] },
  files: { api: "auto" },
};

/** The schema for editors, as JSON Schema. */
export function settingsJsonSchema(): unknown {
  return z.toJSONSchema(settingsSchema);
}
