import { defined, escapeForDisplay } from "../../text/index.js";
import type { Session } from "../access/session.js";
import { excludedByOwner } from "../ignore/ignore-rules.js";
import type { Target } from "../values/disk.js";
import { fileTypes } from "../values/file-types.js";
import type { FileFindings } from "../values/findings.js";
import type {
  FindOutcome,
  ListedEntry,
  MatchedFile,
  SearchMatch,
  SearchOutcome,
} from "../values/outcomes.js";
import { isSecret } from "../values/path-policy.js";
import type { ContentJob, ContentSearch } from "../values/ports.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { Asked, FindRequest, SearchRequest } from "../values/requests.js";
import { TimeBudget } from "../values/time-budget.js";
import { FileBatches, type MergedFile } from "./file-batches.js";
import { FileScan, unitsOf, unreadableFile } from "./file-scan.js";
import type { LinePattern } from "./line-pattern.js";
import { listedEntry, namesBelow, notAFolder, withSize } from "./listing.js";
import { type PathFilter, pathFilter } from "./path-filter.js";
import { walkTree } from "./tree-walk.js";

/** Finds files by their names. Nothing is opened: what is found is no read. */
export async function findFiles(
  session: Session,
  target: Target,
  name: string,
  request: Asked<FindRequest>,
): Promise<FindOutcome> {
  const { glob, exclude = [], limit = 1_000, all = false, sized = true } = request;
  if (!isCount(limit)) return refuseIn("invalid_arguments", "{limit} is a whole number of at least 1.");
  if (glob === "") return refuse("invalid_arguments", "The glob is empty.");
  const budget = new TimeBudget(session.ports, session.limits.searchMs);
  const notNow = await session.ports.load?.("globs");
  if (notNow !== undefined) return notNow;
  const filter = await pathFilter([glob], exclude, budget);
  if (isRefusal(filter)) return filter;
  const flaw = await notAFolder(target, name);
  if (flaw !== undefined) return flaw;
  const behind = namesBelow(name, request.after);
  if (isRefusal(behind)) return behind;
  const { disk } = session.ports;
  const files: ListedEntry[] = [];
  let more: "limit" | "time" | undefined;
  const walked = await walkTree(
    disk,
    target,
    name,
    {
      behind,
      all,
      budget,
      ...(sized && limit > mostSizedApart ? {} : ({ sizes: "none" } as const)),
    },
    async ({ path, below, entry, folder }) => {
      if (entry.kind === "directory") return true;
      const accepted = await filter.accepts(below);
      if (budget.isSpent()) more = "time";
      else if (accepted) {
        if (files.length >= limit) more = "limit";
        else {
          const found = sized ? await withSize(folder, entry) : entry;
          if (found !== undefined) files.push(listedEntry(path, found));
        }
      }
      return more === undefined;
    },
  );
  if (isRefusal(walked)) return walked;
  more ??= walked.more;
  const [closedFolders, ignored] = [walked.closed.length || undefined, walked.ignored || undefined];
  const cut = more === undefined ? {} : { more, ...defined({ after: walked.reached }) };
  return { kind: "found", path: name, files, ...cut, ...defined({ closedFolders, ignored }) };
}

/** Up to so many files are looked at one by one, once they are found; of more, folders tell all sizes at once. */
const mostSizedApart = 5_000;

/** Searches the lines of text files. What is shown is no read: it gives no version and no hash. */
export async function searchFiles(
  session: Session,
  target: Target,
  name: string,
  request: Asked<SearchRequest>,
): Promise<SearchOutcome> {
  const { context = 0, limit = 100, output = "lines" } = request;
  if (!isCount(limit) || !Number.isSafeInteger(context) || context < 0 || context > maxContext)
    return refuseIn("invalid_arguments", "{limit} is at least 1, {context} is from 0 to $most lines.", {
      most: maxContext,
    });
  const notNow = await session.ports.load?.("search");
  if (notNow !== undefined) return notNow;
  const { compilePattern } = await loadLinePattern();
  const pattern = compilePattern(request.pattern, request);
  if (isRefusal(pattern)) return pattern;
  const budget = new TimeBudget(session.ports, session.limits.searchMs);
  const filter = await filterOf(request, budget);
  if (isRefusal(filter)) return filter;
  const { pattern: text, literal = false, ignoreCase = false } = request;
  const units = session.limits.searchUnits;
  const job = { pattern: text, literal, ignoreCase, context, output, limit, units };
  const search = new Search(session, pattern, filter, { ...job, budget });
  const refusal = await search.run(target, name, { all: request.all === true, ...placeOf(request) });
  return refusal ?? search.outcome(name);
}

/** Loaded when it is needed: the engine is larger than all that those need who never search. */
export const loadLinePattern = () => import("./line-pattern.js");

/** The globs and the types: a file has to be meant by both. */
async function filterOf(request: Asked<SearchRequest>, budget: TimeBudget): Promise<PathFilter | Refusal> {
  const { globs = [], exclude = [], types = [] } = request;
  const unknown = types.find((type) => !fileTypes.has(type));
  if (unknown !== undefined) {
    const names = [...fileTypes.keys()].join(", ");
    return refuse(
      "invalid_arguments",
      `There is no file type ${escapeForDisplay(unknown)}. Known: ${names}.`,
    );
  }
  const byGlob = await pathFilter(globs, exclude, budget);
  if (types.length === 0 || isRefusal(byGlob)) return byGlob;
  const byType = await pathFilter(
    types.flatMap((type) => fileTypes.get(type) ?? []),
    [],
    budget,
  );
  if (isRefusal(byType)) return byType;
  return {
    kind: "filter",
    accepts: async (below) => (await byType.accepts(below)) && (await byGlob.accepts(below)),
  };
}

/** Where a search goes on: behind a file, or where lines are wanted behind one of its lines, as in `src/a.ts:12`. */
function placeOf({ after, output = "lines" }: Asked<SearchRequest>): { path?: string; line?: number } {
  const [, path, line] = (output === "lines" && /^(.+):(\d+)$/s.exec(after ?? "")) || [];
  return path === undefined ? defined({ path: after }) : { path, line: Number(line) };
}

type SearchPlace = ReturnType<typeof placeOf>;

interface SearchBounds extends Omit<ContentJob, "limitMs"> {
  readonly budget: TimeBudget;
}

/** A note for who finds nothing: what such a pattern was to match may stand in two lines. */
function mayCrossLines({ pattern, literal }: Pick<SearchBounds, "pattern" | "literal">): boolean {
  return !literal && /\\[nrsSDWPC]|\\x|\[\^|\(\?\w*s/.test(pattern);
}

class Search {
  private readonly matches: SearchMatch[] = [];
  private readonly files: MatchedFile[] = [];
  private readonly skips = { binary: 0, secret: 0, unreadable: 0, longLines: 0 };
  private closedFolders = 0;
  private ignored = 0;
  private searchedFiles = 0;
  private searchedBytes = 0;
  private shownUnits = 0;
  /** As of `SearchOutcome.after`. */
  private reached: string | undefined;
  private end: "limit" | "answer" | "time" | undefined;
  /** Why nobody can say whether something that was found may be shown. */
  private refusal: Refusal | undefined;

  constructor(
    private readonly session: Session,
    private readonly pattern: LinePattern,
    private readonly filter: PathFilter,
    private readonly bounds: SearchBounds,
  ) {}

  async run(
    target: Target,
    name: string,
    from: SearchPlace & { readonly all: boolean },
  ): Promise<Refusal | undefined> {
    const entry = await target.look();
    if (entry.kind === "file") return this.named(target, name, from);
    if (entry.kind === "other") return refuse("not_a_file", `${escapeForDisplay(name)} is a ${entry.what}.`);
    const flaw = await notAFolder(target, name);
    if (flaw !== undefined) return flaw;
    const { budget } = this.bounds;
    const { budget: _, ...job } = this.bounds;
    const threads = this.session.ports.searchContent?.({ ...job, limitMs: budget.leftMs() });
    const content = (await threads) ?? this.oneByOne();
    try {
      return await this.walk(target, name, { ...from, content });
    } finally {
      content.close();
    }
  }

  outcome(path: string): SearchOutcome {
    const { matches, searchedFiles, searchedBytes, end } = this;
    const isNothing = matches.length + this.files.length === 0;
    const acrossLines = isNothing && mayCrossLines(this.bounds) ? (true as const) : undefined;
    const [closedFolders, ignored] = [this.closedFolders || undefined, this.ignored || undefined];
    const skips = { ...this.skips, ...defined({ closedFolders, ignored, acrossLines }) };
    const more = end === undefined ? {} : { more: end, ...defined({ after: this.reached }) };
    const files = this.bounds.output === "lines" ? {} : { files: this.files };
    return { kind: "searched", path, matches, ...files, searchedFiles, searchedBytes, skips, ...more };
  }

  private async walk(
    target: Target,
    name: string,
    { all, content, path: after, line }: SearchPlace & { all: boolean; content: ContentSearch },
  ): Promise<Refusal | undefined> {
    const { budget } = this.bounds;
    const behind = namesBelow(name, after);
    if (isRefusal(behind)) return behind;
    const batches = new FileBatches(content, (file, found) => this.merge(file, found));
    const leave = () => batches.dispatch();
    const options = { behind, isAgain: line !== undefined, all, budget, sizes: "none", leave } as const;
    const walked = await walkTree(this.session.ports.disk, target, name, options, async (found) => {
      const { entry, below, folder, path } = found;
      if (entry.kind === "directory") await batches.dispatch();
      const accepted = entry.kind === "file" && this.filter.accepts(below);
      const isMeant = typeof accepted === "boolean" ? accepted : await accepted;
      this.watch();
      if (!isMeant || this.isOver) return !this.isOver;
      const relative = folder.relativePath === "" ? entry.name : `${folder.relativePath}/${entry.name}`;
      if (!entry.openable) this.skips.unreadable += 1;
      else if (isSecret(relative)) this.skips.secret += 1;
      else if (line !== undefined && below === behind.join("/")) {
        const [rest] = await this.oneByOne(line).search(folder, [entry.name]);
        await this.merge({ path, realPath: `${folder.realPath}/${entry.name}` }, rest);
      } else await batches.add(folder, { name: entry.name, path });
      return !this.isOver;
    });
    if (isRefusal(walked)) return walked;
    await batches.finish();
    if (this.refusal !== undefined) return this.refusal;
    if (this.end === undefined && walked.more !== undefined) this.reached = walked.reached;
    this.end ??= walked.more;
    this.closedFolders = walked.closed.length;
    this.ignored = walked.ignored;
    return undefined;
  }

  /** A file that the caller named itself: what is wrong with it is said. */
  private async named(target: Target, name: string, from: SearchPlace): Promise<Refusal | undefined> {
    if ((from.path ?? name) !== name)
      return refuse("invalid_arguments", "after names another file than path.");
    const { disk } = this.session.ports;
    const excluded = await excludedByOwner(disk, target);
    if (excluded !== undefined) return excluded;
    const found = await this.scan(target, from.line ?? (from.path === undefined ? 0 : Infinity));
    if (isRefusal(found)) return found;
    if (found.skipped === "binary") return refuse("binary", `${escapeForDisplay(name)} is not text.`);
    await this.merge({ path: name, realPath: target.realPath }, found);
    this.watch();
    return this.refusal;
  }

  /** Without threads, and without what they would need: each file by a target of its own. */
  private oneByOne(behind?: number): ContentSearch {
    const search = async (folder: Target, names: readonly string[]) => {
      const found: (FileFindings | undefined)[] = [];
      for (const name of names) {
        const target = this.bounds.budget.isSpent() ? undefined : await folder.child(name);
        if (target === undefined || isRefusal(target)) {
          found.push(target === undefined ? undefined : unreadableFile);
          continue;
        }
        try {
          const scanned = await this.scan(target, behind);
          found.push(isRefusal(scanned) ? unreadableFile : scanned);
        } finally {
          await target.close();
        }
      }
      return found;
    };
    return { search, flush: () => {}, close: () => {} };
  }

  private async scan(target: Target, behind?: number): Promise<FileFindings | Refusal> {
    const { bounds, pattern, session } = this;
    const isGoingOn = () => !bounds.budget.isSpent();
    const scan = new FileScan({ ...bounds, pattern, codec: session.ports.codec, isGoingOn, behind });
    const outcome = await target.stream((piece, whole) => scan.take(piece, whole));
    return isRefusal(outcome) ? outcome : scan.end();
  }

  /** @returns whether more is wanted. */
  private merge(file: MergedFile, found: FileFindings | undefined): Promise<boolean> | boolean {
    if (this.isOver) return false;
    if (found === undefined) this.end = "time";
    else if (found.skipped === "unreadable") this.skips.unreadable += 1;
    else {
      this.searchedFiles += 1;
      this.searchedBytes += found.bytes;
      this.skips.longLines += found.longLines;
      if (found.skipped === "binary") this.skips.binary += 1;
      if (found.lines > 0) return this.showAllowed(file, found);
      if (found.isCut === true) this.end = "time";
    }
    // What would be read as a line of another file is searched again.
    if (this.end === undefined && !/:\d+$/.test(file.path)) this.reached = file.path;
    return this.end === undefined;
  }

  /** Whoever has the rules of another root: looked at only where something would be shown. */
  private async showAllowed(file: MergedFile, found: FileFindings): Promise<boolean> {
    const excluded = await excludedByOwner(this.session.ports.disk, file);
    if (excluded === undefined) this.show(file.path, found);
    else if (excluded.code !== "ignored_path") {
      this.refusal = excluded;
      return false;
    }
    if (found.isCut === true) this.end ??= "time";
    return this.end === undefined;
  }

  private show(path: string, found: FileFindings): void {
    const { output, limit } = this.bounds;
    if (output === "lines") for (const match of found.matches) this.take({ path, ...match });
    else if (this.files.length >= limit) this.end = "limit";
    else {
      this.files.push({ path, ...(output === "counts" ? { lines: found.lines } : {}) });
      this.reached = path;
    }
    this.shownUnits += output === "lines" ? 0 : path.length + 8;
    if (this.shownUnits > this.bounds.units) this.end ??= "answer";
  }

  private take(match: SearchMatch): void {
    if (this.end !== undefined) return;
    this.shownUnits += unitsOf(match) + match.path.length + 16;
    if (this.matches.length >= this.bounds.limit) this.end = "limit";
    else if (this.shownUnits > this.bounds.units) this.end = "answer";
    else {
      this.matches.push(match);
      this.reached = `${match.path}:${match.line}`;
    }
  }

  private get isOver(): boolean {
    return this.end !== undefined || this.refusal !== undefined;
  }

  private watch(): void {
    if (this.bounds.budget.isSpent()) this.end ??= "time";
  }
}

const maxContext = 20;

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
