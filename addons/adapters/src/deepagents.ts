import { outcomeOfOneFile, type Workspace } from "@holdfast/core/files";
import type { CallKnowledge, ShownLines } from "@holdfast/core/files/seen";
import type { OutcomeCode } from "@holdfast/core/files/values";
import {
  type ApplyChangesOutcome,
  type ChangeRequest,
  displacedNoteOf,
  type FileState,
  isRefusal,
  type ListedEntry,
  type ReadOutcome,
  type ReadRequest,
  type WriteOutcome,
  type WriteRefusal,
} from "@holdfast/core/files/values";
import { answerBudgetChars, renderResult, type ToolName, type ToolWorkspace } from "@holdfast/core/tools";
import { deepagentsWords } from "./framework-words.js";
import { contentToShow, fitContent, fitItems, phraseRefusal } from "./hashless.js";
import { type OfferOptions, textTools } from "./text-tools.js";

/** What the backend needs of a `Workspace`. */
export type BackendWorkspace = Pick<Workspace, "roots" | "run" | "begin" | "list" | "find" | "search">;

/**
 * A deepagents backend (`BackendProtocolV2`) on a workspace: `createDeepAgent({ backend })`. The workspace's
 * session knows what was shown: a file that was not, or that is not as it was shown, is neither edited nor
 * replaced, and the refusal shows it as it is. One workspace is for one conversation. Paths are virtual, as
 * deepagents has them: `/` is the workspace's root.
 */
export function holdfastBackend(workspace: BackendWorkspace): HoldfastBackend {
  return new HoldfastBackend(workspace);
}

/**
 * The methods of `BackendProtocolV2`. None rejects for an expected refusal: it is the `error` of the answer, one
 * sentence for the model, with the file as it is now where that is news.
 */
export class HoldfastBackend {
  private readonly root: string;

  constructor(private readonly workspace: BackendWorkspace) {
    this.root = workspace.roots[0] ?? "";
  }

  async ls(path: string): Promise<{ files?: BackendFile[]; error?: string }> {
    const outcome = await this.workspace.list({ path: this.inside(path), limit: mostFiles });
    if (outcome.kind === "refusal") return { error: phraseRefusal(path, outcome, deepagentsWords) };
    const { items, isCut } = fitItems(outcome.entries.map(toFile));
    // The protocol has no other place for it.
    const more = { path: "(there are more: list a folder below)", is_dir: false };
    return { files: outcome.more || isCut ? [...items, more] : items };
  }

  /** @param offset 0-based first line; `limit` the most lines. */
  async read(filePath: string, offset = 0, limit = 500): Promise<BackendRead> {
    const path = this.inside(filePath);
    return this.asCall(async (knowledge) => {
      const read = (window: Pick<ReadRequest, "offset" | "limit">) =>
        this.workspace.run({ kind: "read", path, ...window }, { knowledge, isSilent: true });
      const first = await read({ offset: offset + 1, limit });
      // An empty file has no first line for a window to begin at.
      const isEmpty = first.kind === "refusal" && first.code === "out_of_range" && offset === 0;
      return readAnswer(filePath, isEmpty ? await read({}) : first);
    });
  }

  /** Of files up to the limit of a full read. The dates are not known here. */
  async readRaw(filePath: string): Promise<BackendRaw> {
    return this.asCall<BackendRaw>(async (knowledge) => {
      const request = { kind: "read", path: this.inside(filePath) } as const;
      const outcome = await this.workspace.run(request, { knowledge, isSilent: true });
      if (outcome.kind === "refusal")
        return { answer: { error: phraseRefusal(filePath, outcome, deepagentsWords) } };
      const data = { content: outcome.state.content, mimeType, created_at: "", modified_at: "" };
      // It goes to the host, not into the prompt.
      return { answer: { data } };
    });
  }

  async write(filePath: string, content: string): Promise<BackendWritten> {
    const request = { kind: "write", path: this.inside(filePath), content } as const;
    return this.change(filePath, { ...request, tool: "write_file", hashless: true });
  }

  async edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll = false,
  ): Promise<BackendWritten & { occurrences?: number }> {
    const edits = [{ oldString, newString, replaceAll }];
    const request = { kind: "edit", path: this.inside(filePath), edits, tool: "edit_file" } as const;
    let occurrences = 0;
    const written = await this.change(filePath, request, (outcome) => {
      occurrences = replaceAll ? count(outcome, oldString) : 1;
    });
    return written.error === undefined ? { ...written, occurrences } : written;
  }

  /** Files only: a folder is refused. What was deleted can be brought back by `holdfast undo`. */
  async delete(filePath: string): Promise<BackendWritten> {
    const content = { kind: "delete" } as const;
    const change = { path: this.inside(filePath), hashless: true, content } as const;
    return this.change(filePath, { kind: "apply_changes", changes: [change], tool: "delete" });
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
    if (outcome.kind === "refusal") return { error: phraseRefusal(path ?? "/", outcome, deepagentsWords) };
    const { items, isCut } = fitItems(
      outcome.matches.map(({ path: name, line, text }) => ({ path: virtual(name), line, text })),
    );
    return { matches: items, ...(outcome.more === undefined && !isCut ? {} : { truncated: true }) };
  }

  async glob(
    pattern: string,
    path = "/",
  ): Promise<{ files?: BackendFile[]; truncated?: boolean; error?: string }> {
    const outcome = await this.workspace.find({ glob: pattern, path: this.inside(path), limit: mostFiles });
    if (outcome.kind === "refusal") return { error: phraseRefusal(path, outcome, deepagentsWords) };
    const { items, isCut } = fitItems(outcome.files.map(toFile));
    return { files: items, ...(outcome.more === undefined && !isCut ? {} : { truncated: true }) };
  }

  /** @param onDone told of a success. */
  private async change(
    filePath: string,
    request: ChangeRequest,
    onDone: (outcome: WriteOutcome) => void = () => {},
  ): Promise<BackendWritten> {
    return this.asCall(async (knowledge) => {
      const done = await this.workspace.run(request, { knowledge });
      const outcome = "files" in done ? onlyFile(done) : done;
      if (isRefusal(outcome)) return refusalAnswer(filePath, outcome);
      onDone(outcome);
      const { state, code } = outcome;
      const { sha256 = null, version = 0 } = state;
      const note = displacedNoteOf(outcome).trim();
      const metadata = { code, sha256, version, ...(note === "" ? {} : { displacedNote: note }) };
      return { answer: { path: filePath, filesUpdate: null, metadata } };
    });
  }

  /** One call, from its arrival to what its answer showed. */
  private async asCall<Answer>(
    work: (knowledge: CallKnowledge) => Promise<Answered<Answer>>,
  ): Promise<Answer> {
    const knowledge = this.workspace.begin();
    let shown: readonly ShownLines[] = [];
    try {
      const answered = await work(knowledge);
      shown = answered.shown ?? [];
      return answered.answer;
    } finally {
      knowledge.end(shown);
    }
  }

  /** The workspace's name for a virtual path; the true absolute path inside the root is taken, too. */
  private inside(path: string): string {
    if (path === this.root || path.startsWith(`${this.root}/`)) return path;
    const relative = path.replace(/^\/+/, "");
    return relative === "" ? "." : relative;
  }
}

/** An answer, and the lines of files that it shows. */
interface Answered<Answer> {
  readonly answer: Answer;
  readonly shown?: readonly ShownLines[];
}

/** The tools of the catalogue for LangChain agents without deepagents; `tool` is LangChain's own. */
export function holdfastTools<Made>(
  workspace: ToolWorkspace,
  tool: (run: (args: unknown) => Promise<string>, fields: ToolFields) => Made,
  options: OfferOptions = {},
): Made[] {
  return textTools(workspace, options).map(({ name, description, parameters: schema, run }) =>
    tool(run, { name, description, schema }),
  );
}

/**
 * What LangChain's `tool` takes beside the function: the name, the prompt, and the JSON Schema of the arguments.
 */
export interface ToolFields {
  readonly name: ToolName;
  readonly description: string;
  readonly schema: Record<string, unknown>;
}

/**
 * An entry of a folder, or a file that a glob found, as deepagents' `FileInfo`. The path of a folder ends with
 * `/`;
 * `size` is in bytes.
 */
export interface BackendFile {
  path: string;
  is_dir: boolean;
  size?: number;
}

/** The answer to `read`: a window of a text, or `error`. `nextOffset` is set only where lines follow the window. */
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

/** The answer to `readRaw`: the whole file for the host, or `error`. */
export interface BackendRaw {
  data?: BackendData;
  error?: string;
}

/** A whole text file as deepagents keeps it. The dates are empty: the workspace does not know them. */
export interface BackendData {
  content: string;
  mimeType: string;
  created_at: string;
  modified_at: string;
}

/** The answer to `write`, `edit` and `delete`: the path that was changed, or `error` where nothing was written. */
export interface BackendWritten {
  path?: string;
  filesUpdate?: null;
  /** For the host: the code, the state that the file is in, and what other programs wrote into replaced files. */
  metadata?: {
    readonly code: OutcomeCode;
    readonly sha256: string | null;
    readonly version: number;
    readonly displacedNote?: string;
  };
  error?: string;
}

/** A line that `grep` found; `line` is counted from 1. */
export interface BackendMatch {
  path: string;
  line: number;
  text: string;
}

const asText = { wire: "text", resultContent: "full" } as const;
const mimeType = "text/plain";
const mostFiles = 1_000;

function readAnswer(filePath: string, outcome: ReadOutcome): Answered<BackendRead> {
  if (outcome.kind === "refusal")
    return { answer: { error: phraseRefusal(filePath, outcome, deepagentsWords) } };
  const totalLines = outcome.state.facts?.totalLines ?? 0;
  const bare = (_: FileState, content: string) => content;
  const page = fitContent(outcome.state, outcome.state.content, bare, deepagentsWords);
  if ("omission" in page) return { answer: { error: `Error (too_large): ${page.omission}` } };
  const { state, shown } = page;
  const read = { content: state.content ?? "", mimeType, totalLines };
  if (state.lines === undefined) return { answer: read, shown };
  const { from, to } = state.lines;
  const more = to < totalLines ? { nextOffset: to } : {};
  return { answer: { ...read, startLine: from, endLine: to, ...more }, shown };
}

/** A refusal that brings the state on disk has shown it: the next call may build on it. */
function refusalAnswer(filePath: string, outcome: WriteRefusal): Answered<BackendWritten> {
  const phrase = phraseRefusal(filePath, outcome, deepagentsWords);
  const sentence = phrase + displacedNoteOf(outcome, phrase);
  const { state } = outcome;
  const content = contentToShow(outcome);
  if (state === null || state.sha256 === null || content === undefined)
    return { answer: { error: sentence } };
  const lead = `${sentence}\nThe file is now:\n`;
  const budgetChars = Math.max(0, answerBudgetChars - lead.length);
  const named = { ...state, path: filePath, sha256: state.sha256, content };
  const read = { kind: "read", outcome: { kind: "read", state: named } } as const;
  const { text, shown } = renderResult(read, { ...asText, budgetChars, vocabulary: deepagentsWords });
  // The workspace knows the file by another name than the agent.
  return { answer: { error: lead + text }, shown: shown.map((lines) => ({ ...lines, path: state.path })) };
}

function onlyFile(set: ApplyChangesOutcome): WriteOutcome {
  if (set.files.length === 0 && !isRefusal(set))
    throw new Error("a change set without a file was carried out");
  return outcomeOfOneFile(set);
}

function toFile({ path, isDirectory, sizeBytes }: ListedEntry): BackendFile {
  const size = sizeBytes === undefined ? {} : { size: sizeBytes };
  return { path: virtual(path) + (isDirectory ? "/" : ""), is_dir: isDirectory, ...size };
}

function virtual(path: string): string {
  return `/${path.replace(/^\/+/, "")}`;
}

/** How often the text stood there, in the line ending of the file. */
function count(outcome: WriteOutcome, text: string): number {
  const before = (outcome.kind === "written" ? outcome.change.beforeText : null) ?? "";
  const exact = before.split(text).length - 1;
  return exact > 0 ? exact : before.split(text.replace(/\r?\n/g, "\r\n")).length - 1;
}
