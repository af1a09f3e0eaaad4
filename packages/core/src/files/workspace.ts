import { planAppend, planInsert, planPrepend } from "./added-text.js";
import { applyByModel } from "./applied-edit.js";
import { emptySha256 } from "./base.js";
import { type Change, withoutState } from "./change.js";
import { carryOutSet } from "./change-set.js";
import { refusedSet } from "./change-set-answers.js";
import { membersOf } from "./change-set-members.js";
import { setToUndo, undoSet } from "./change-set-undo.js";
import { readCurrent } from "./current.js";
import type { Corrector, EditApplier } from "./edit-models.js";
import { planEdits, rebaseEdits } from "./edit-plan.js";
import { fileState, settledState } from "./file-states.js";
import { describeEntry, makeFolder, readBytes } from "./folders.js";
import { defaultGuards, type Guards } from "./guards.js";
import { HeldFiles } from "./held-files.js";
import { excludedByOwner } from "./ignore-rules.js";
import { tellFound } from "./landing.js";
import { Ledger, type LedgerEvent } from "./ledger.js";
import { listFolder } from "./listing.js";
import { isRefusal, type Refusal, refuse } from "./outcome.js";
import { planRestore, planUndo } from "./past.js";
import { outsideFolder, tidyPath } from "./path-policy.js";
import { planPatch, planWrite } from "./plans.js";
import type { HistoryEntry, Place, WorkspacePorts } from "./ports.js";
import { readMany } from "./read-many.js";
import { readPlace } from "./reading.js";
import { rebasePatch } from "./rebase-patch.js";
import { replaceText } from "./replace.js";
import type { IsVisible } from "./rereads.js";
import { findFiles, searchFiles } from "./searching.js";
import { planSection, rebaseSection } from "./section-plan.js";
import { defaultLimits, type Limits, type Session } from "./session.js";
import { SessionStateService } from "./session-state.js";
import { Turnstile } from "./turnstile.js";
import type {
  AddTextRequest,
  ApplyChangesOutcome,
  ApplyChangesRequest,
  ApplyEditRequest,
  BytesOutcome,
  EditFileRequest,
  FileStanding,
  FindOutcome,
  FindRequest,
  FolderOutcome,
  InfoOutcome,
  InsertLinesRequest,
  ListOutcome,
  ListRequest,
  LoggedWrite,
  LogOutcome,
  PatchFileRequest,
  ReadManyOutcome,
  ReadManyRequest,
  ReadOutcome,
  ReadRequest,
  ReplaceRequest,
  RestoreRequest,
  SearchOutcome,
  SearchRequest,
  UndoRequest,
  UpdateSectionRequest,
  WriteFileRequest,
  WriteOutcome,
} from "./workspace-types.js";
import { carryOut } from "./writing.js";

export interface WorkspaceOptions {
  /** The id of this session, for the history; a fresh one unless given. */
  readonly session?: string;
  readonly limits?: Partial<Limits>;
  readonly readOnly?: boolean;
  /** Which protected paths (relative to their root) a person has explicitly opened for writing. */
  readonly allowsProtected?: (relativePath: string) => boolean;
  /** Absolute folders that nobody may write in, whatever is allowed: our own state. */
  readonly ownFolders?: readonly string[];
  /** What a change needs that names no state; `defaultGuards` unless given. */
  readonly guards?: Partial<Guards>;
  /**
   * How many files, and states of each, the session remembers; the oldest go first and count as never read.
   * No limit unless given: it is for hosts that keep no conversation.
   */
  readonly remembered?: number;
  /** Whether lines that were read before are still in the model's prompt: then a read may say so in a stub. */
  readonly isVisible?: IsVisible;
  /** Takes everything that was read for visible, for hosts whose prompt never loses anything. */
  readonly rereadStub?: boolean;
  /** `flexible` lets `replace` take a match that is exact but for blanks, if there is only one. */
  readonly match?: "exact" | "flexible";
  /** Asked by `replace` for a better old text where its own is not found; none unless given. */
  readonly corrector?: Corrector;
  /** Makes the new text for `applyEdit`; without it that is refused. */
  readonly applier?: EditApplier;
  /** What an earlier run of the same session knew, and the last version it gave out. */
  readonly resumed?: { readonly ledger: readonly LedgerEvent[]; readonly version: number };
}

/**
 * The files of one session: the one way to read and change them. Behind each call stand the path policy,
 * the confined walk, the lock, the hash check, strict applying and the commit, so that nobody who calls
 * can forget one. Expected refusals are values; it throws only for bugs and broken disks.
 */
export class Workspace {
  readonly session: string;
  private readonly shared: Session;

  constructor(ports: WorkspacePorts, options: WorkspaceOptions = {}) {
    this.session = options.session ?? ports.newId();
    this.shared = {
      id: this.session,
      ports,
      limits: { ...defaultLimits, ...options.limits },
      ledger: new Ledger(options.resumed?.ledger, options.remembered),
      versions: new SessionStateService(options.resumed?.version),
      turnstile: new Turnstile(),
      heldFiles: new HeldFiles(ports, (found) => tellFound(this.shared, found)),
      guards: { ...defaultGuards, ...options.guards },
      rereads: { isVisible: options.isVisible, stub: options.rereadStub },
      models: { match: options.match ?? "exact", corrector: options.corrector, applier: options.applier },
      readOnly: options.readOnly ?? false,
      ownFolders: options.ownFolders ?? [],
      allowsProtected: options.allowsProtected ?? (() => false),
    };
  }

  /** The folders that this workspace may touch, absolute; relative paths count from the first. */
  get roots(): readonly string[] {
    return this.shared.ports.disk.roots;
  }

  /** Reads a file, whole or a window of its lines; seed 1, section 4.1, and seed 2. */
  async read(request: ReadRequest): Promise<ReadOutcome> {
    const tidy = tidyPath(request.path);
    if (isRefusal(tidy)) return { ...tidy, path: request.path };
    const { heldFiles } = this.shared;
    await heldFiles.look("soon");
    const outcome = await this.at(tidy.path, async (place) => {
      return (
        outsideFolder(place.relativePath, request.within) ?? readPlace(this.shared, place, tidy.path, request)
      );
    });
    if (outcome.kind === "refusal") return { ...outcome, path: tidy.path };
    const notice = heldFiles.takeWords();
    return notice === "" ? outcome : { ...outcome, notice };
  }

  /** Reads several files; one that cannot be read does not fail the rest. */
  async readMany(request: ReadManyRequest): Promise<ReadManyOutcome> {
    return readMany(this, this.shared, request);
  }

  /** Lists a folder. Names only: a listing is no licence to write. */
  async list(request: ListRequest = {}): Promise<ListOutcome> {
    const { depth = 1, limit = 1000, all = false } = request;
    const whole = Number.isSafeInteger(depth) && Number.isSafeInteger(limit);
    if (!whole || depth < 1 || limit < 1) {
      return refuse("invalid_arguments", "depth and limit are whole numbers of at least 1.");
    }
    return this.inside(request.path, async (place, name) => {
      const listing = await listFolder(this.shared.ports.disk, place, name, { depth, limit, all });
      return isRefusal(listing)
        ? listing
        : { kind: "listed", path: name, entries: listing.entries, more: listing.more };
    });
  }

  /** Finds files by a glob. Names only, as a listing. */
  async find(request: FindRequest): Promise<FindOutcome> {
    return this.inside(request.path, (place, name) => findFiles(this.shared, place, name, request));
  }

  /** Searches the lines of files for a pattern, in bounded time. Snippets only: no licence to write. */
  async search(request: SearchRequest): Promise<SearchOutcome> {
    return this.inside(request.path, (place, name) => searchFiles(this.shared, place, name, request));
  }

  /** Makes a folder and those above it. */
  async makeFolder(request: { readonly path: string }): Promise<FolderOutcome> {
    const tidy = tidyPath(request.path);
    return isRefusal(tidy) ? tidy : makeFolder(this.shared, tidy.path);
  }

  /** What the system tells of a file or folder, without opening it. */
  async info(request: { readonly path: string }): Promise<InfoOutcome> {
    return this.inside(request.path, (place, name) => describeEntry(place, name));
  }

  /** The bytes of a file of any kind, as a whole: for images. No licence to write. */
  async readBytes(request: { readonly path: string }): Promise<BytesOutcome> {
    const tidy = tidyPath(request.path);
    if (isRefusal(tidy)) return tidy;
    return this.at(tidy.path, (place) => readBytes(this.shared, place, tidy.path));
  }

  /** In what state files are now, in the order of the paths; hashes only. */
  async fileStates(paths: readonly string[]): Promise<readonly FileStanding[]> {
    const standings: FileStanding[] = [];
    for (const path of paths) standings.push(await fileState(this.shared, path));
    return standings;
  }

  /** The same under each file's lock, so that what a kill interrupted there is made good before. */
  async settledStates(paths: readonly string[]): Promise<readonly FileStanding[]> {
    const standings: FileStanding[] = [];
    for (const path of paths) standings.push(await settledState(this.shared, path));
    return standings;
  }

  /** Those of these states whose bytes are kept, so that they can be brought back. */
  async keptStates(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const { blobs } = this.shared.ports;
    const kept = new Set<string>();
    for (const sha256 of hashes) {
      if (sha256 === emptySha256 || (await blobs.has(sha256))) kept.add(sha256);
    }
    return kept;
  }

  /** Applies a unified diff to the state that `base` names (seed 1, section 4.2; docs/patch.md). */
  async patch(request: PatchFileRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "safe_patch", {
      options: request,
      needsBase: "always",
      plan: (current) => planPatch(this.shared, request, current),
      rebase: (then, now) => rebasePatch(this.shared, request, then, now),
    });
  }

  /** Creates a file, or overwrites the state that `base` names (seed 1, section 4.3). */
  async write(request: WriteFileRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "write_file", {
      options: request,
      needsBase: "over_files",
      plan: (current) => planWrite(this.shared, request, current),
    });
  }

  /**
   * Replaces exact texts (seed 2, `edit_file`): one after the other, all or none. Without a base the state
   * must have been read in this session, unless the edit guard says otherwise (docs/edits.md).
   */
  async edit(request: EditFileRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "edit_file", {
      options: request,
      needsBase: "edit",
      plan: (current) => planEdits(this.shared, request, current),
      rebase: (then, now) => rebaseEdits(this.shared, request, then, now),
    });
  }

  /** Adds to the end of a file, or makes it; needs no base and no read (seed 3). */
  async append(request: AddTextRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "append_to_file", {
      options: request,
      needsBase: "never",
      plan: (current) => planAppend(this.shared, request, current),
      rebase: (_, now) => planAppend(this.shared, request, now),
    });
  }

  /** Adds to the beginning of a file, or makes it; needs no base and no read (seed 3). */
  async prepend(request: AddTextRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "prepend_to_file", {
      options: request,
      needsBase: "never",
      plan: (current) => planPrepend(this.shared, request, current),
      rebase: (_, now) => planPrepend(this.shared, request, now),
    });
  }

  /** Inserts lines after a line of the state that `base` names: a number counts in one state only. */
  async insertLines(request: InsertLinesRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "insert_lines", {
      options: request,
      needsBase: "always",
      plan: (current) => planInsert(this.shared, request, current),
    });
  }

  /** Replaces the content of one section of a Markdown file; needs no base and no read (seed 3). */
  async updateSection(request: UpdateSectionRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "update_section", {
      options: request,
      needsBase: "never",
      plan: (current) => planSection(this.shared, request, current),
      rebase: (then, now) => rebaseSection(this.shared, request, then, now),
    });
  }

  /** Gemini CLI's `replace`: one exact text, or a new file where the old text is empty. */
  async replace(request: ReplaceRequest): Promise<WriteOutcome> {
    const tool = request.tool ?? "replace";
    return replaceText(this.shared, request, (change) => this.change(request.path, tool, change));
  }

  /** Lets the host's applier make the new text of a file, and looks it over before it is written. */
  async applyEdit(request: ApplyEditRequest): Promise<WriteOutcome> {
    const change = (wanted: Omit<Change, "path" | "tool">) =>
      this.change(request.path, request.tool ?? "apply_edit", wanted);
    return applyByModel(this.shared, request, change);
  }

  /**
   * Changes several files, all or none (docs/change-sets.md). Whoever reads between the single steps
   * sees some files new and some old; no kill and no failure leaves them so.
   */
  async applyChanges(request: ApplyChangesRequest): Promise<ApplyChangesOutcome> {
    const members = membersOf(this.shared, request);
    if ("kind" in members) return refusedSet(members);
    return this.telling(() => carryOutSet(this.shared, members));
  }

  /**
   * Takes the last write back, one step further each time; undoing a creation deletes, and a write that
   * was part of a change set is taken back with all the others of the set or not at all.
   */
  async undo(request: UndoRequest): Promise<WriteOutcome> {
    const changeSet = await setToUndo(this.shared, request.path);
    if (changeSet !== undefined) return this.telling(() => undoSet(this.shared, changeSet, request));
    return this.change(request.path, request.tool ?? "undo_edit", {
      options: {},
      needsBase: "never",
      plan: async (current, past) => planUndo(this.shared, await past(), current),
    });
  }

  /** Brings an earlier state back, byte for byte; what stands there now is kept and can be undone to. */
  async restore(request: RestoreRequest): Promise<WriteOutcome> {
    return this.change(request.path, request.tool ?? "restore", {
      options: request,
      needsBase: "never",
      plan: async (current, past) => planRestore(this.shared, await past(), request.sha256, current),
    });
  }

  /** The recorded writes of a file, newest first. */
  async log(request: { readonly path: string }): Promise<LogOutcome> {
    const tidy = tidyPath(request.path);
    if (isRefusal(tidy)) return tidy;
    const entries = await this.at(tidy.path, async (place) => this.logged(place), "allow");
    return "kind" in entries ? entries : { kind: "log", path: tidy.path, entries };
  }

  /**
   * Looks for the last time at the files that were replaced, and lets them go; what is found now is only
   * in the log. To be called when nothing more is asked of this workspace.
   */
  async letGo(): Promise<void> {
    await this.shared.heldFiles.end();
  }

  private async logged(place: Place): Promise<readonly LoggedWrite[] | Refusal> {
    const { history, blobs } = this.shared.ports;
    const current = await readCurrent(place, this.shared, this.shared.limits.changeBytes);
    const disk = current.kind === "file" ? current.sha256 : null;
    const withFacts = async (entry: HistoryEntry): Promise<LoggedWrite> => ({
      ...entry,
      kept: entry.after !== null && (await blobs.has(entry.after)),
      current: entry.after === disk,
    });
    const entries = await history.entries(place.realPath);
    return Promise.all(entries.toReversed().map(withFacts));
  }

  private async change(
    path: string,
    tool: string,
    change: Omit<Change, "path" | "tool">,
  ): Promise<WriteOutcome> {
    const tidy = tidyPath(path);
    if (isRefusal(tidy)) return withoutState(tidy);
    return this.telling(() => carryOut(this.shared, { ...change, path: tidy.path, tool }));
  }

  /** With the answer it is said what other programs wrote into files that were replaced. */
  private async telling<Outcome extends { readonly message: string }>(
    work: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const { heldFiles } = this.shared;
    await heldFiles.look("soon");
    const outcome = await work();
    const words = heldFiles.takeWords();
    return words === "" ? outcome : { ...outcome, message: `${outcome.message}\n${words}` };
  }

  /** Walks to a folder (or file) that is only looked at, without its turnstile. */
  private async inside<Result>(
    path: string | undefined,
    look: (place: Place, name: string) => Promise<Result>,
  ): Promise<Result | Refusal> {
    const tidy = tidyPath(path ?? ".");
    if (isRefusal(tidy)) return tidy;
    const place = await this.shared.ports.disk.enter(tidy.path, "refuse");
    if (isRefusal(place)) return place;
    try {
      return await look(place, tidy.path === "" ? "." : tidy.path);
    } finally {
      await place.close();
    }
  }

  /** Walks to a path, passes its turnstile and lets the place go again. */
  private async at<Result>(
    path: string,
    work: (place: Place) => Promise<Result>,
    missing: "refuse" | "allow" = "refuse",
  ): Promise<Result | Refusal> {
    const { disk } = this.shared.ports;
    const place = await disk.enter(path, missing);
    if (isRefusal(place)) return place;
    try {
      // Straight on to the turnstile: calls about one path pass in the order of their arrival.
      return await this.shared.turnstile.pass(place.realPath, async () => {
        return (await excludedByOwner(disk, place)) ?? work(place);
      });
    } finally {
      await place.close();
    }
  }
}
