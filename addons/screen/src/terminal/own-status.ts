import { spawn } from "node:child_process";
import type { CommandHost } from "@holdfast/agent";
import { killFamily, markerName, safeText, withoutSecrets } from "@holdfast/agent/host";
import { defined } from "@holdfast/core/text";
import type { StatusFacts } from "../screen/status.js";

/**
 * The words that the person's own command has for the status line (`ui.statusLine`). The command reads the state of
 * things as JSON, with the names that such commands of Claude Code read, and prints a line.
 */
export class OwnStatus {
  #words: string | undefined;
  #isRunning = false;
  readonly #ending = new AbortController();
  /** What the command is to be told once it has ended. */
  #next: string | undefined;

  /** @param changed other words are there. */
  constructor(
    private readonly command: string,
    private readonly changed: () => void,
  ) {}

  /** Undefined until the command has printed any. */
  get words(): string | undefined {
    return this.#words;
  }

  /** Has the command look at the state of things; one at a time, and of those that wait the last. */
  async look(host: CommandHost, facts: StatusFacts): Promise<void> {
    this.#next = JSON.stringify(toldOf(host, facts));
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#next !== undefined) {
      const told = this.#next;
      this.#next = undefined;
      const words = await firstLine(this.command, told, this.#ending.signal);
      if (words === this.#words || this.#ending.signal.aborted) continue;
      this.#words = words;
      this.changed();
    }
    this.#isRunning = false;
  }

  /** Ends the command that runs, at once. */
  close(): void {
    this.#next = undefined;
    this.#ending.abort();
  }
}

function toldOf({ manager, agent }: CommandHost, facts: StatusFacts): object {
  const { model, mode, effort, task, contextShare, cacheShare, costUsd } = facts;
  const percent = (share: number | undefined) => (share === undefined ? undefined : Math.round(share * 100));
  return defined({
    hook_event_name: "Status",
    session_id: manager.context.sessionId,
    cwd: process.cwd(),
    workspace: { current_dir: process.cwd() },
    model: { id: agent.model.target.model, display_name: model },
    cost: { total_cost_usd: costUsd },
    context_window: { used_percentage: percent(contextShare), cached_percentage: percent(cacheShare) },
    ...{ mode, effort, task },
  });
}

/** What the command prints first; undefined where it prints nothing, fails or takes too long. */
async function firstLine(command: string, told: string, signal: AbortSignal): Promise<string | undefined> {
  const marker = `status-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const env = { ...withoutSecrets({ own: process.env }), [markerName]: marker };
  const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "ignore"], detached: true, env });
  // Who does not read its input is not waited for.
  child.stdin.on("error", () => {}).end(told);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (printed.length < mostChars) printed += text;
  });
  const end = () => killFamily({ marker, ...defined({ group: child.pid }) });
  const timer = setTimeout(end, mostMs);
  signal.addEventListener("abort", end, { once: true });
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null)).once("close", resolve);
  });
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  const [line = ""] = safeText(printed).trimStart().split("\n");
  return code === 0 && line !== "" ? line.slice(0, mostChars) : undefined;
}

const mostMs = 5_000;
const mostChars = 1_000;
