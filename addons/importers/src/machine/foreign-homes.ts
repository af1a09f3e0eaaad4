import { join } from "node:path";
import { homeFolder } from "@holdfast/core/node";

/** The programs whose sessions are looked for on a machine. */
export const agents = [
  "claude",
  "codex",
  "copilot",
  "cline",
  "gemini",
  "opencode",
  "pi",
  "qwen",
  "roo",
] as const;

/** One of these programs. */
export type Agent = (typeof agents)[number];

/** Whether a word names one of them. */
export function isAgent(word: string): word is Agent {
  return agents.some((agent) => agent === word);
}

/**
 * Where each program keeps its sessions: in the user's home, unless its own variable names another folder.
 * Sources: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`, `COPILOT_HOME`, `GEMINI_CLI_HOME`, `XDG_DATA_HOME` (opencode),
 * `PI_CODING_AGENT_DIR`. Cline and Roo Code are extensions of VS Code, which keeps their files with its own.
 */
export function foreignHomes(env: NodeJS.ProcessEnv = process.env): Readonly<Record<Agent, string>> {
  const home = homeFolder();
  const named = (name: string, otherwise: string) => env[name] || otherwise;
  return {
    claude: join(named("CLAUDE_CONFIG_DIR", join(home, ".claude")), "projects"),
    codex: join(named("CODEX_HOME", join(home, ".codex")), "sessions"),
    copilot: join(named("COPILOT_HOME", join(home, ".copilot")), "session-state"),
    cline: join(codeStorage(home), "saoudrizwan.claude-dev", "tasks"),
    roo: join(codeStorage(home), "rooveterinaryinc.roo-cline", "tasks"),
    qwen: join(home, ".qwen", "projects"),
    gemini: join(named("GEMINI_CLI_HOME", home), ".gemini", "tmp"),
    opencode: join(named("XDG_DATA_HOME", join(home, ".local", "share")), "opencode"),
    pi: join(named("PI_CODING_AGENT_DIR", join(home, ".pi", "agent")), "sessions"),
  };
}

/** Where VS Code keeps what its extensions store, by system. */
function codeStorage(home: string): string {
  const folders = { darwin: ["Library", "Application Support"], win32: ["AppData", "Roaming"] } as const;
  const system = process.platform === "darwin" || process.platform === "win32" ? process.platform : undefined;
  const base = system === undefined ? [".config"] : folders[system];
  return join(home, ...base, "Code", "User", "globalStorage");
}
