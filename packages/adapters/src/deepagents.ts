import {
  type FileChange,
  jsonSchema,
  type ListedEntry,
  type OutcomeCode,
  renderResult,
  runTool,
  type ToolName,
  type ToolWorkspace,
  tools,
  type WriteOutcome,
} from "@holdfast/core";
import { contentToShow, SeenStates, type ToolWords, tellRefusal } from "./hashless.js";

/** What the backend needs of a `Workspace`. */
export interface BackendWorkspace extends ToolWorkspace {
  readonly roots: readonly string[];
}

/**
 * A deepagents backend (`BackendProtocolV2`) on a workspace: `createDeepAgent({ backend })`. It keeps a
 * ledger of what was read: a file that was not, or that is not as it was read, is neither edited nor
 * replaced, and the refusal shows it as it is. One backend is for one conversation. Paths are virtual, as
 * deepagents has them: `/` is the workspace's root.
 */
export function holdfastBackend(workspace: BackendWorkspace): HoldfastBackend {
  return new HoldfastBackend(workspace);
}

export class HoldfastBackend {
  private readonly seen: SeenStates;
  private readonly root: string;

  constructor(private readonly workspace: BackendWorkspace) {
    this.root = workspace.roots[0] ?? "";
    this.seen = new SeenStates(this.root);
  }

  async ls(path: string): Promise<{ files?: BackendFile[]; error?: string }> {
    const outcome = await this.workspace.list({ path: this.inside(path), limit: mostFiles });
    if (outcome.kind === "refusal") return { error: tellRefusal(path, outcome, words) };
    return { files: outcome.entries.map(toFile) };
  }

  /** @param offset 0-based first line; `limit` the most lines. */
  async read(filePath: string, offset = 0, limit = 500): Promise<BackendRead> {
    const path = this.inside(filePath);
    return this.seen.inTurn(path, async () => {
      const window = await this.workspace.read({ path, offset: offset + 1, limit });
      // An empty file has no first line for a window to begin at.
      const empty = window.kind === "refusal" && window.code === "out_of_range" && offset === 0;
      const outcome = empty ? await this.workspace.read({ path }) : window;
      if (outcome.kind === "refusal") return { error: tellRefusal(filePath, outcome, words) };
      const { state } = outcome;
      this.seen.note(path, state);
      const totalLines = state.facts?.totalLines ?? 0;
      const read = { content: state.content, mimeType, totalLines };
      if (state.lines === undefined) return read;
      const { from, to } = state.lines;
      return { ...read, startLine: from, endLine: to, ...(to < totalLines ? { nextOffset: to } : {}) };
    });
  }

  /** Of files up to the limit of a full read. The dates are not known here. */
  async readRaw(filePath: string): Promise<{ data?: BackendData; error?: string }> {
    const outcome = await this.workspace.read({ path: this.inside(filePath) });
    if (outcome.kind === "refusal") return { error: tellRefusal(filePath, outcome, words) };
    return { data: { content: outcome.state.content, mimeType, created_at: "", modified_at: "" } };
  }

  async write(filePath: string, content: string): Promise<BackendWritten> {
    return this.change(filePath, (path, base) =>
      this.workspace.write({ path, content, tool: "write_file", ...base }),
    );
  }

  async edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll = false,
  ): Promise<BackendWritten & { occurrences?: number }> {
    const edits = [{ oldString, newString, replaceAll }];
    let occurrences = 0;
    const written = await this.change(filePath, async (path, base) => {
      const outcome = await this.changeOne({ path, content: { kind: "edits", edits }, ...base }, "edit_file");
      if (outcome.success) occurrences = replaceAll ? count(outcome, oldString) : 1;
      return outcome;
    });
    return written.error === undefined ? { ...written, occurrences } : written;
  }

  /** Files only: a folder is refused. What was deleted can be brought back by `holdfast undo`. */
  async delete(filePath: string): Promise<BackendWritten> {
    return this.change(filePath, (path, base) =>
      this.changeOne({ path, content: { kind: "delete" }, ...base }, "delete"),
    );
  }

  /** Plain text, not a pattern. What is shown is no licence to write. */
  async grep(
    pattern: string,
    path?: string | null,
    glob?: string | null,
    maxCount?: number | null,
  ): Promise<{ matches?: BackendMatch[]; truncated?: boolean; error?: string }> {
    const outcome = await this.workspace.search({
      pattern,
      literal: true,
      path: this.inside(path ?? "/"),
      limit: maxCount ?? mostFiles,
      ...(glob == null ? {} : { globs: [glob] }),
    });
    if (outcome.kind === "refusal") return { error: tellRefusal(path ?? "/", outcome, words) };
    const matches = outcome.matches.map((match) => ({ ...match, path: virtual(match.path) }));
    return {
      matches: matches.map(({ path: name, line, text }) => ({ path: name, line, text })),
      ...(outcome.more === undefined ? {} : { truncated: true }),
    };
  }

  async glob(
    pattern: string,
    path = "/",
  ): Promise<{ files?: BackendFile[]; truncated?: boolean; error?: string }> {
    const outcome = await this.workspace.find({ glob: pattern, path: this.inside(path), limit: mostFiles });
    if (outcome.kind === "refusal") return { error: tellRefusal(path, outcome, words) };
    const files = outcome.files.map(toFile);
    return { files, ...(outcome.more === undefined ? {} : { truncated: true }) };
  }

  private async change(
    filePath: string,
    work: (path: string, base: { readonly base?: string }) => Promise<WriteOutcome>,
  ): Promise<BackendWritten> {
    const path = this.inside(filePath);
    return this.seen.inTurn(path, async () => {
      const outcome = await work(path, this.seen.baseOf(path));
      const { state, code } = outcome;
      const { sha256 = null, version = 0 } = state ?? {};
      if (outcome.success || code === "file_missing") {
        if (sha256 === null) this.seen.forget(path);
        else this.seen.note(path, { sha256, version });
      }
      if (outcome.success) return { path: filePath, filesUpdate: null, metadata: { code, sha256, version } };
      return { error: this.refusal(filePath, path, outcome) };
    });
  }

  private refusal(filePath: string, path: string, outcome: WriteOutcome): string {
    const sentence = tellRefusal(filePath, outcome, words);
    const { state } = outcome;
    const content = contentToShow(outcome);
    if (state === null || state.sha256 === null || content === undefined) return sentence;
    this.seen.note(path, { sha256: state.sha256, version: state.version });
    const shown = { ...state, path: filePath, sha256: state.sha256, content };
    const { text } = renderResult({ kind: "read", outcome: { kind: "read", state: shown } }, asText);
    return `${sentence}\nThe file is now:\n${text}`;
  }

  private async changeOne(change: FileChange, tool: string): Promise<WriteOutcome> {
    const { files, success, code, message } = await this.workspace.applyChanges({ changes: [change], tool });
    return files[0]?.outcome ?? { kind: "write", success, code, message, state: null, shownBefore: false };
  }

  /** The workspace's name for a virtual path; the true absolute path inside the root is taken, too. */
  private inside(path: string): string {
    if (path === this.root || path.startsWith(`${this.root}/`)) return path;
    const relative = path.replace(/^\/+/, "");
    return relative === "" ? "." : relative;
  }
}

/** The tools of the catalogue for LangChain agents without deepagents; `tool` is LangChain's own. */
export function holdfastTools<Made>(
  workspace: ToolWorkspace,
  tool: (run: (args: unknown) => Promise<string>, fields: ToolFields) => Made,
): Made[] {
  const context = { workspace, ...asText, resultContent: "auto" } as const;
  return tools.map(({ name, description, parameters }) =>
    tool(async (args) => (await runTool(name, args, context)).text, {
      name,
      description,
      schema: jsonSchema(parameters),
    }),
  );
}

export interface ToolFields {
  readonly name: ToolName;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

export interface BackendFile {
  path: string;
  is_dir: boolean;
  size?: number;
}

export interface BackendRead {
  content?: string;
  mimeType?: string;
  totalLines?: number;
  /** 1-based. */
  startLine?: number;
  endLine?: number;
  /** 0-based. */
  nextOffset?: number;
  error?: string;
}

export interface BackendData {
  content: string;
  mimeType: string;
  created_at: string;
  modified_at: string;
}

export interface BackendWritten {
  path?: string;
  filesUpdate?: null;
  /** For the host: the code, and the state that the file is in. */
  metadata?: { readonly code: OutcomeCode; readonly sha256: string | null; readonly version: number };
  error?: string;
}

export interface BackendMatch {
  path: string;
  line: number;
  text: string;
}

const words: ToolWords = {
  read: "read_file",
  write: "write_file",
  oldString: "old_string",
  newString: "new_string",
  replaceAll: "replace_all",
};

const asText = { wire: "text", resultContent: "full" } as const;
const mimeType = "text/plain";
const mostFiles = 1_000;

function toFile({ path, isDirectory, sizeBytes }: ListedEntry): BackendFile {
  const size = sizeBytes === undefined ? {} : { size: sizeBytes };
  return { path: virtual(path) + (isDirectory ? "/" : ""), is_dir: isDirectory, ...size };
}

function virtual(path: string): string {
  return `/${path.replace(/^\/+/, "")}`;
}

/** How often the text stood there, in the line ending of the file. */
function count({ change }: WriteOutcome, text: string): number {
  const before = change?.beforeText ?? "";
  const exact = before.split(text).length - 1;
  return exact > 0 ? exact : before.split(text.replace(/\r?\n/g, "\r\n")).length - 1;
}
