import { expect } from "vitest";
import { Project } from "../../../packages/cli/test/process.js";

export type Input = Readonly<Record<string, unknown>>;

/** The hooks of one host around its tools, as each documents its JSON. */
export const hosts = {
  claude: {
    events: ["PreToolUse", "PostToolUse"],
    read: (path: string, more: Input = {}) => ({
      tool_name: "Read",
      tool_input: { file_path: path, ...more },
    }),
    edit: (path: string, old: string, next: string) => ({
      tool_name: "Edit",
      tool_input: { file_path: path, old_string: old, new_string: next },
    }),
    write: (path: string, content: string) => ({
      tool_name: "Write",
      tool_input: { file_path: path, content },
    }),
    own: (path: string) => ({ tool_name: "mcp__holdfast__read_file", tool_input: { file_path: path } }),
    command: (command: string) => ({ tool_name: "Bash", tool_input: { command, description: "so" } }),
    search: { tool_name: "Grep", tool_input: { pattern: "3" } },
    failed: { hook_event_name: "PostToolUseFailure", tool_response: undefined, error: "Exit code 1" },
    part: { offset: 1, limit: 1 },
    lines: (from: number, to: number) => ({ offset: from, limit: to - from + 1 }),
    reasonOf: (answer: string) => {
      const { hookSpecificOutput: output } = JSON.parse(answer);
      expect(output).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
      return output.permissionDecisionReason as string;
    },
  },
  gemini: {
    events: ["BeforeTool", "AfterTool"],
    read: (path: string, more: Input = {}) => ({
      tool_name: "read_file",
      tool_input: { file_path: path, ...more },
    }),
    edit: (path: string, old: string, next: string) => ({
      tool_name: "replace",
      tool_input: { file_path: path, old_string: old, new_string: next, instruction: "so" },
    }),
    write: (path: string, content: string) => ({
      tool_name: "write_file",
      tool_input: { file_path: path, content },
    }),
    own: (path: string) => ({ tool_name: "mcp_holdfast_read_file", tool_input: { file_path: path } }),
    command: (command: string) => ({ tool_name: "run_shell_command", tool_input: { command } }),
    search: { tool_name: "grep_search", tool_input: { pattern: "3" } },
    failed: { tool_response: { error: "Exit code 1" } },
    part: { start_line: 1, end_line: 1 },
    lines: (from: number, to: number) => ({ start_line: from, end_line: to }),
    reasonOf: (answer: string) => {
      const { decision, reason } = JSON.parse(answer);
      expect(decision).toBe("deny");
      return reason as string;
    },
  },
} as const;

export interface SessionOptions {
  readonly id?: string;
  readonly onMismatch?: "rebase-own" | "rebase" | "refuse" | undefined;
  readonly stateDir?: string;
}

/** The state folder of the hooks. */
export const memories = new Project().folder;

export const start = "const wait = 2000;\nconst tries = 3;\n";

/** The hooks of one session of the host. */
export function sessionOf(
  host: (typeof hosts)[keyof typeof hosts],
  project: Project,
  { id = "one", onMismatch, stateDir = memories }: SessionOptions = {},
) {
  const send = async (event: string | undefined, call: Input, more: Input = {}) => {
    const input = JSON.stringify({
      session_id: id,
      cwd: project.folder,
      hook_event_name: event,
      ...call,
      ...more,
    });
    const flags = onMismatch === undefined ? [] : ["--on-mismatch", onMismatch];
    const done = await project.run(["guard", "--state-dir", stateDir, ...flags], { input });
    expect(done).toMatchObject({ code: 0, stderr: "" });
    return done.stdout;
  };
  const [pre, post] = host.events;
  /** The reason of a denial, "" where the call may run. */
  const before = async (call: Input, more: Input = {}) => {
    const answer = await send(pre, call, more);
    return answer === "" ? "" : host.reasonOf(answer);
  };
  let last = "";
  /** The call has run; what the model is told beside its answer is `said`. */
  const after = async (call: Input, more: Input = {}) => {
    const answer = await send(post, call, { tool_response: {}, ...more });
    const output = answer === "" ? undefined : JSON.parse(answer).hookSpecificOutput;
    if (output !== undefined) expect(output.hookEventName).toBe(more.hook_event_name ?? post);
    last = output?.additionalContext ?? "";
  };
  const said = () => last;
  /** A call that the host carries out: `work` is what its tool does. */
  const run = async (call: Input, work: () => void = () => {}, response: unknown = {}) => {
    const reason = await before(call);
    if (reason !== "") return reason;
    work();
    await after(call, { tool_response: response });
    return "";
  };
  return { before, after, run, said };
}
