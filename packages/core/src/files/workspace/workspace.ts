import { defined } from "../../text/index.js";
import { outcomeOfOneFile } from "../access/answers.js";
import { atTurn, type Call, inside, type RunScope } from "../access/call.js";
import { callerWrites, lastWrite } from "../access/caller-writes.js";
import { withoutState } from "../access/change.js";
import { fileState, mayHoldSecrets, recoveredState } from "../access/file-states.js";
import { recordStaleInodeWrite } from "../access/landing.js";
import { writesOf } from "../access/logged-writes.js";
import { namesOf, type PathNames, plainPath } from "../access/path-names.js";
import type { PreviewOutcome } from "../access/preview.js";
import { ReplacedFiles } from "../access/replaced-files.js";
import {
  Arrivals,
  defaultKeepSecrets,
  defaultLimits,
  KeyedMutex,
  type Session,
  SessionStateService,
  type Ticket,
} from "../access/session.js";
import type { WorkspaceOptions } from "../access/workspace-options.js";
import { mergedState } from "../change/merged-state.js";
import { describeEntry, makeFolder, readBytes } from "../reading/folders.js";
import { type CallKnowledge, SessionKnowledge, shownBy } from "../seen/session-knowledge.js";
import { emptySha256 } from "../values/base.js";
import { defaultGuards } from "../values/guards.js";
import type { Knowledge } from "../values/knowledge.js";
import type {
  ApplyChangesOutcome,
  BytesOutcome,
  CallerWrite,
  FileOutcome,
  FileStatus,
  FindOutcome,
  FolderOutcome,
  InfoOutcome,
  ListOutcome,
  LogOutcome,
  MergeAsked,
  OutcomeOf,
  ReadManyOutcome,
  ReadOutcome,
  RecordedWrite,
  SearchOutcome,
  WriteOutcome,
} from "../values/outcomes.js";
import { tidyPath } from "../values/path-policy.js";
import type { WorkspacePorts } from "../values/ports.js";
import { isRefusal } from "../values/refusal.js";
import type {
  AddTextRequest,
  ApplyChangesRequest,
  ApplyEditRequest,
  Asked,
  ChangeRequest,
  DeleteRequest,
  EditFileRequest,
  FileRequest,
  FindRequest,
  InsertLinesRequest,
  ListRequest,
  MoveRequest,
  OneChange,
  PatchFileRequest,
  ReadManyRequest,
  ReadRequest,
  ReplaceRequest,
  RestoreRequest,
  SearchRequest,
  UndoRequest,
  UpdateSectionRequest,
  WriteFileRequest,
} from "../values/requests.js";
import { TimeBudget } from "../values/time-budget.js";
import { malformedAnswer, outcomeOf, pathOf, previewOf, refuseMalformed, textsOf } from "./run-request.js";

/**
 * The files of one session: the one way to read and change them. Behind each request stand the path policy,
 * the confined walk, the lock, the hash check, strict applying and the commit, so that nobody who calls
 * can forget one. Expected refusals are values; it throws only for bugs and broken disks.
 *
 * `run` takes any request as a value; the named methods are the same with the kind in their names. What the
 * caller was shown enters with each request (`RunScope.knowledge`); without it, the workspace keeps its own.
 */
export class Workspace {
  readonly session: string;
  private readonly shared: Session;

  constructor(ports: WorkspacePorts, options: WorkspaceOptions = {}) {
    this.session = options.session ?? ports.newId();
    const { remembered, rereadStub } = options;
    this.shared = {
      id: this.session,
      ports,
      limits: { ...defaultLimits, ...options.limits },
      knowledge: new SessionKnowledge({
        ...defined({ limit: remembered, keepsPrompt: rereadStub }),
      }),
      versions: new SessionStateService(options.resumedVersion),
      encodings: new Map(),
      mutex: new KeyedMutex(),
      arrivals: new Arrivals(),
      replacedFiles: new ReplacedFiles(ports, (found) => recordStaleInodeWrite(this.shared, found)),
      guards: { ...defaultGuards, ...options.guards },
      models: { match: options.match ?? "exact", corrector: options.corrector, applier: options.applier },
      keepSecrets: options.keepSecrets ?? defaultKeepSecrets,
      readOnly: options.readOnly ?? false,
      allowsProtected: options.allowsProtected ?? (() => false),
    };
    ports.disk.whenReplaced?.((realRoot) => this.shared.knowledge.forgetBelow(realRoot));
  }

  /** The folders that this workspace may touch, absolute; relative paths count from the first. */
  get roots(): readonly string[] {
    return this.shared.ports.disk.roots;
  }

  /**
   * A conversation is gone on with: versions count on from the last one that its turns were given, so that
   * the highest is still the newest. Where they have come further already, nothing changes.
   *
   * @param version as `lastVersion` tells it.
   */
  countOn(version: number): void {
    this.shared.versions.countOn(version);
  }

  /**
   * A call arrives whose caller is known by this session: to be handed to `run`, and ended with what its
   * reply showed. The named methods do this themselves.
   */
  begin(): CallKnowledge {
    return this.shared.knowledge.begin();
  }

  /**
   * Carries a request out. Requests about one file pass in the order of their arrival; reads side by side.
   *
   * @param scope without `knowledge`, what the outcome holds counts as shown to this workspace's session.
   */
  async run<Request extends FileRequest>(
    request: Request,
    scope: RunScope = {},
  ): Promise<OutcomeOf<Request>> {
    const malformed = refuseMalformed(request);
    // A cast, as below; a request of no kind is answered as a change.
    if (malformed !== undefined) return malformedAnswer(request, malformed) as OutcomeOf<Request>;
    // A cast: `outcomeOf` answers each kind with the outcome of its kind, which a generic return cannot follow.
    return this.asCall(scope, request, (call, ticket) => outcomeOf(call, request, ticket)) as Promise<
      OutcomeOf<Request>
    >;
  }

  /**
   * What a change comes to now, without the step: it learns nothing, keeps nothing, takes no version and
   * holds nothing afterwards. Its files' `agreed` facts, handed to `run`, bind the step to what was shown.
   */
  preview(request: ChangeRequest, scope: Omit<RunScope, "agreed"> = {}): Promise<PreviewOutcome> {
    const malformed = refuseMalformed(request);
    if (malformed !== undefined) return Promise.resolve(withoutState(malformed));
    const ticket = this.shared.arrivals.take();
    const { knowledge, end } = this.knowledgeOf(scope);
    const call: Call = { ...scope, ...this.arriving(), knowledge, isPreview: true };
    return previewOf(call, request, ticket).finally(() => {
      ticket.done();
      end?.([]);
    });
  }

  /** Reads a file, whole or a window of its lines; seed 1, section 4.1, and seed 2. */
  read(request: Asked<ReadRequest>, scope?: RunScope): Promise<ReadOutcome> {
    return this.run({ ...request, kind: "read" }, scope);
  }

  /** Reads several files; one that cannot be read does not fail the rest. */
  readMany(request: Asked<ReadManyRequest>, scope?: RunScope): Promise<ReadManyOutcome> {
    return this.run({ ...request, kind: "read_many" }, scope);
  }

  /** Lists a folder. Names only: a listing is no licence to write. */
  list(request: Asked<ListRequest> = {}, scope?: RunScope): Promise<ListOutcome> {
    return this.run({ ...request, kind: "list" }, scope);
  }

  /** Finds files by a glob. Names only, as a listing. */
  find(request: Asked<FindRequest>, scope?: RunScope): Promise<FindOutcome> {
    return this.run({ ...request, kind: "find" }, scope);
  }

  /** Searches the lines of files for a pattern, in bounded time. Snippets only: no licence to write. */
  search(request: Asked<SearchRequest>, scope?: RunScope): Promise<SearchOutcome> {
    return this.run({ ...request, kind: "search" }, scope);
  }

  /** Applies a unified diff to the state that `base` names (seed 1, section 4.2; docs/patch.md). */
  patch(request: Asked<PatchFileRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "patch" }, scope);
  }

  /** Creates a file, or overwrites the state that `base` names (seed 1, section 4.3). */
  write(request: Asked<WriteFileRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "write" }, scope);
  }

  /**
   * Replaces exact texts (seed 2, `edit_file`): one after the other, all or none. Without a base the state
   * must have been shown to the caller, unless the edit guard says otherwise (docs/edits.md).
   */
  edit(request: Asked<EditFileRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "edit" }, scope);
  }

  /** Adds to the end of a file, or makes it; needs no base and no read (seed 3). */
  append(request: Asked<AddTextRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "append" }, scope);
  }

  /** Adds to the beginning of a file, or makes it; needs no base and no read (seed 3). */
  prepend(request: Asked<AddTextRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "prepend" }, scope);
  }

  /** Inserts lines after a line of the state that `base` names: a number counts in one state only. */
  insertLines(request: Asked<InsertLinesRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "insert_lines" }, scope);
  }

  /** Replaces the content of one section of a Markdown file; needs no base and no read (seed 3). */
  updateSection(request: Asked<UpdateSectionRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "update_section" }, scope);
  }

  /** Gemini CLI's `replace`: one exact text, or a new file where the old text is empty. */
  replace(request: Asked<ReplaceRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "replace" }, scope);
  }

  /** Lets the host's applier make the new text of a file, and looks it over before it is written. */
  applyEdit(request: Asked<ApplyEditRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "apply_edit" }, scope);
  }

  /**
   * Changes several files, all or none (docs/change-sets.md). Whoever reads between the single steps
   * sees some files new and some old; no kill and no failure leaves them so.
   */
  applyChanges(request: Asked<ApplyChangesRequest>, scope?: RunScope): Promise<ApplyChangesOutcome> {
    return this.run({ ...request, kind: "apply_changes" }, scope);
  }

  /**
   * Gives a file another name, in the state that `base` names; folders are made on the way. A change set of
   * one file: what stands at the new name is never overwritten (`exists`).
   */
  async move(request: MoveRequest, scope?: RunScope): Promise<WriteOutcome> {
    // An untyped caller may give nothing at all.
    const { to, ...file } = { ...request };
    return this.changeOne({ ...file, renameTo: to, content: { kind: "same" } }, scope);
  }

  /** Gives the bytes and the mode of a file to a new one, in the state that `base` names; of a link, of its target. */
  async copy(request: MoveRequest, scope?: RunScope): Promise<WriteOutcome> {
    const { to, ...file } = { ...request };
    return this.changeOne({ ...file, renameTo: to, isCopy: true, content: { kind: "same" } }, scope);
  }

  /** Deletes a file, in the state that `base` names; its bytes are kept for `undo`. */
  async delete(request: DeleteRequest, scope?: RunScope): Promise<WriteOutcome> {
    return this.changeOne({ ...request, content: { kind: "delete" } }, scope);
  }

  /**
   * Takes the last write back, one step further each time; undoing a creation deletes, and a write that
   * was part of a change set is taken back with all the others of the set or not at all.
   */
  undo(request: Asked<UndoRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "undo" }, scope);
  }

  /** Brings an earlier state back, byte for byte; what stands there now is kept and can be undone to. */
  restore(request: Asked<RestoreRequest>, scope?: RunScope): Promise<WriteOutcome> {
    return this.run({ ...request, kind: "restore" }, scope);
  }

  /** Makes a folder and those above it. */
  async makeFolder(request: { readonly path: string }): Promise<FolderOutcome> {
    const tidy = await plainPath(this.shared, pathOf(request));
    return isRefusal(tidy) ? tidy : makeFolder(this.shared, tidy.path);
  }

  /** What the system tells of a file or folder, without opening it. */
  async info(request: { readonly path: string }): Promise<InfoOutcome> {
    return inside(this.shared, pathOf(request), (target, name) => describeEntry(target, name));
  }

  /** The bytes of a file of any kind, as a whole: for images. No licence to write. */
  async readBytes(request: { readonly path: string }): Promise<BytesOutcome> {
    const tidy = await plainPath(this.shared, pathOf(request));
    if (isRefusal(tidy)) return tidy;
    return atTurn(this.shared, tidy.path, (target) => readBytes(this.shared, target, tidy.path));
  }

  /**
   * In what state files are now, in the order of the paths; hashes only.
   *
   * @param wanted for each path a state that may be put there: the status then says whether its bytes are kept.
   */
  async fileStates(
    paths: readonly string[],
    wanted: readonly (string | null | undefined)[] = [],
  ): Promise<readonly FileStatus[]> {
    const statuses: FileStatus[] = [];
    for (const [at, path] of (textsOf(paths) ?? [""]).entries())
      statuses.push(await fileState(this.shared, path, wanted?.[at]));
    return statuses;
  }

  /** All names of the file that a path means now, for rules about paths; nothing is read. */
  async namesOf(path: string): Promise<PathNames> {
    return namesOf(this.shared, path);
  }

  /** The same as `fileStates` under each file's lock, so that what a kill interrupted there is made good before. */
  async recoveredStates(paths: readonly string[]): Promise<readonly FileStatus[]> {
    const statuses: FileStatus[] = [];
    for (const path of textsOf(paths) ?? [""]) statuses.push(await recoveredState(this.shared, path));
    return statuses;
  }

  /**
   * Whether this state of a file is to go nowhere but into the answer to who asks for it: the file may hold secrets by its
   * name or its past, or is kept away from the tools. Where that cannot be looked up, it counts as one that may.
   */
  async mayHoldSecrets(path: string, sha256: string): Promise<boolean> {
    return mayHoldSecrets(this.shared, path, sha256);
  }

  /**
   * Those of these states whose bytes are kept, so that they can be brought back. States of files that may hold
   * secrets are not found by their hashes: `fileStates` tells of them.
   */
  async keptStates(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const { blobs } = this.shared.ports;
    const kept = new Set<string>();
    for (const sha256 of textsOf(hashes) ?? []) {
      if (sha256 === emptySha256 || (await blobs.has(sha256))) kept.add(sha256);
    }
    return kept;
  }

  /** The state of a file without one change of it, where others changed other lines since: see `mergedState`. */
  async mergedState(asked: MergeAsked): Promise<string | null> {
    const { path, left, wanted, present } = Object(asked) as Partial<MergeAsked>;
    const isWhole = textsOf([path, left, wanted, present]) !== undefined;
    return isWhole ? mergedState(this.shared, asked) : null;
  }

  /** The recorded writes of a file, newest first; of a link's name with those to what it leads to. */
  async log(request: { readonly path: string }): Promise<LogOutcome> {
    const tidy = tidyPath(pathOf(request));
    return isRefusal(tidy) ? tidy : writesOf(this.shared, tidy.path);
  }

  /** The recorded writes that were made for a conversation to files of this workspace: of each file in their order. */
  async callerWrites(conversation: string): Promise<readonly CallerWrite[]> {
    return typeof conversation === "string" ? callerWrites(this.shared, conversation) : [];
  }

  /** The newest recorded write to each of these files, in the order of the paths; undefined where there is none. */
  async lastWrites(paths: readonly string[]): Promise<readonly (RecordedWrite | undefined)[]> {
    const writes: (RecordedWrite | undefined)[] = [];
    for (const path of textsOf(paths) ?? []) writes.push(await lastWrite(this.shared, path));
    return writes;
  }

  /**
   * Looks for the last time at the files that were replaced, and lets them go; what is found now is only
   * in the log. To be called when nothing more is asked of this workspace.
   */
  async letGo(): Promise<void> {
    await this.shared.replacedFiles.end();
  }

  /** Ends the call's knowledge with what its outcome shows, unless the caller keeps its own. */
  private async asCall<Outcome extends FileOutcome>(
    scope: RunScope,
    request: FileRequest,
    work: (call: Call, ticket: Ticket) => Promise<Outcome>,
  ): Promise<Outcome> {
    // Before anything is awaited: the order of arrival is the order of these two.
    const ticket = this.shared.arrivals.take();
    const { knowledge, end } = this.knowledgeOf(scope);
    let outcome: Outcome | undefined;
    try {
      outcome = await work({ ...scope, ...this.arriving(), knowledge, isPreview: false }, ticket);
      return outcome;
    } finally {
      ticket.done();
      end?.(outcome === undefined ? [] : shownBy(request, outcome, this.shared.limits.fullReadBytes));
    }
  }

  private async changeOne(request: OneChange, scope?: RunScope): Promise<WriteOutcome> {
    const { tool, ...change } = { ...request };
    const named = tool === undefined ? {} : { tool };
    return outcomeOfOneFile(await this.applyChanges({ changes: [change], ...named }, scope));
  }

  private arriving(): Pick<Call, "session" | "budget" | "replacements"> {
    const { ports, limits } = this.shared;
    const budget = new TimeBudget(ports, limits.editMs);
    return { session: this.shared, budget, replacements: ports.disk.replacements };
  }

  /** The caller's own, which it ends itself, or that of a call of this workspace's session. */
  private knowledgeOf(scope: RunScope | null): Partial<Pick<CallKnowledge, "end">> & {
    readonly knowledge: Knowledge;
  } {
    // An untyped caller's "nothing" may be null.
    const knowledge = scope?.knowledge ?? undefined;
    if (knowledge !== undefined) return { knowledge };
    const own = this.shared.knowledge.begin();
    return { knowledge: own, end: (shown) => own.end(shown) };
  }
}
