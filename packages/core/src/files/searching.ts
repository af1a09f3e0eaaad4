import { escapeForDisplay, splitLines } from "../text/index.js";
import { decodeFile } from "./file-text.js";
import { excludedByOwner } from "./ignore-rules.js";
import type { LinePattern } from "./line-pattern.js";
import { LineSearch } from "./line-search.js";
import { LineStream } from "./line-stream.js";
import { listedEntry, notAFolder } from "./listing.js";
import type { FindOutcome, ListedEntry, SearchMatch, SearchOutcome } from "./outcomes.js";
import { type PathFilter, pathFilter } from "./path-filter.js";
import { isSecret } from "./path-policy.js";
import type { Target } from "./ports.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "./refusal.js";
import type { Asked, FindRequest, SearchRequest } from "./requests.js";
import type { Session } from "./session.js";
import { TimeBudget } from "./time-budget.js";
import { walkTree } from "./tree-walk.js";

/** Finds files by their names. Nothing is opened: what is found is no read. */
export async function findFiles(
  session: Session,
  target: Target,
  name: string,
  request: Asked<FindRequest>,
): Promise<FindOutcome> {
  const { glob, exclude = [], limit = 1_000, all = false } = request;
  if (!isCount(limit)) return refuseIn("invalid_arguments", "{limit} is a whole number of at least 1.");
  if (glob === "") return refuse("invalid_arguments", "The glob is empty.");
  const budget = new TimeBudget(session.ports, session.limits.searchMs);
  const filter = await pathFilter([glob], exclude, budget);
  if (isRefusal(filter)) return filter;
  const flaw = await notAFolder(target, name);
  if (flaw !== undefined) return flaw;
  const { disk } = session.ports;
  const files: ListedEntry[] = [];
  let more: FindEnd;
  const walked = await walkTree(
    disk,
    target,
    name,
    { depth: maxDepth, all, budget },
    async ({ path, below, entry }) => {
      if (entry.kind === "directory") return true;
      const accepted = await filter.accepts(below);
      if (budget.isSpent()) more = "time";
      else if (accepted) {
        if (files.length >= limit) more = "limit";
        else files.push(listedEntry(path, entry));
      }
      return more === undefined;
    },
  );
  if (isRefusal(walked)) return walked;
  more ??= walked.more;
  return { kind: "found", path: name, files, ...(more === undefined ? {} : { more }) };
}

type FindEnd = "limit" | "time" | undefined;

/** Searches the lines of text files. What is shown is no read: it gives no version and no hash. */
export async function searchFiles(
  session: Session,
  target: Target,
  name: string,
  request: Asked<SearchRequest>,
): Promise<SearchOutcome> {
  const { context = 0, limit = 100 } = request;
  if (!isCount(limit) || !Number.isSafeInteger(context) || context < 0 || context > maxContext)
    return refuseIn("invalid_arguments", "{limit} is at least 1, {context} is from 0 to $most lines.", {
      most: maxContext,
    });
  // Loaded here: the engine is larger than all that those need who never search.
  const { compilePattern } = await import("./line-pattern.js");
  const pattern = compilePattern(request.pattern, request);
  if (isRefusal(pattern)) return pattern;
  const budget = new TimeBudget(session.ports, session.limits.searchMs);
  const filter = await pathFilter(request.globs ?? [], request.exclude ?? [], budget);
  if (isRefusal(filter)) return filter;
  const search = new Search(session, pattern, filter, { context, limit, budget });
  const refusal = await search.run(target, name, request.all === true);
  return refusal ?? search.outcome(name);
}

interface SearchBounds {
  readonly context: number;
  readonly limit: number;
  readonly budget: TimeBudget;
}

class Search {
  private readonly matches: SearchMatch[] = [];
  private readonly skips = { binary: 0, secret: 0, unreadable: 0, longLines: 0 };
  private searchedFiles = 0;
  private searchedBytes = 0;
  private shownUnits = 0;
  private end: "limit" | "answer" | "time" | undefined;

  constructor(
    private readonly session: Session,
    private readonly pattern: LinePattern,
    private readonly filter: PathFilter,
    private readonly bounds: SearchBounds,
  ) {}

  async run(target: Target, name: string, all: boolean): Promise<Refusal | undefined> {
    const entry = await target.look();
    if (entry.kind === "file") return this.named(target, name);
    if (entry.kind === "other") return refuse("not_a_file", `${escapeForDisplay(name)} is ${entry.what}.`);
    const flaw = await notAFolder(target, name);
    if (flaw !== undefined) return flaw;
    const { disk } = this.session.ports;
    const { budget } = this.bounds;
    const walked = await walkTree(disk, target, name, { depth: maxDepth, all, budget }, async (found) => {
      const { entry, below } = found;
      const isMeant = entry.kind === "file" && entry.openable && (await this.filter.accepts(below));
      this.watch();
      if (!isMeant) return this.end === undefined;
      await this.child(found.folder, found.entry.name, found.path);
      return this.end === undefined;
    });
    if (isRefusal(walked)) return walked;
    this.end ??= walked.more;
    return undefined;
  }

  outcome(path: string): SearchOutcome {
    const { matches, searchedFiles, searchedBytes, skips, end } = this;
    const more = end === undefined ? {} : { more: end };
    return { kind: "searched", path, matches, searchedFiles, searchedBytes, skips, ...more };
  }

  /** A file that the caller named itself: what is wrong with it is said. */
  private async named(target: Target, name: string): Promise<Refusal | undefined> {
    const excluded = await excludedByOwner(this.session.ports.disk, target);
    if (excluded !== undefined) return excluded;
    const refusal = await this.file(target, name);
    if (refusal === undefined && this.skips.binary > 0)
      return refuse("binary", `${escapeForDisplay(name)} is not text.`);
    return refusal;
  }

  private async child(folder: Target, entry: string, path: string): Promise<void> {
    const target = await folder.child(entry);
    if (isRefusal(target)) {
      this.skips.unreadable += 1;
      return;
    }
    try {
      if (isSecret(target.relativePath)) this.skips.secret += 1;
      else if (isRefusal((await this.file(target, path)) ?? fine)) this.skips.unreadable += 1;
    } finally {
      await target.close();
    }
  }

  private async file(target: Target, path: string): Promise<Refusal | undefined> {
    const before = this.matches.length;
    const shownBefore = this.shownUnits;
    const lines = new LineSearch(path, this.pattern, this.bounds.context, (match) => this.take(match));
    const refusal = await this.scan(target, lines);
    this.skips.longLines += lines.longLines;
    if (this.matches.length === before) return refusal;
    // Whoever has the rules of another root: looked at only where something would be shown.
    const excluded = await excludedByOwner(this.session.ports.disk, target);
    if (refusal === undefined && excluded === undefined) return undefined;
    this.matches.length = before;
    this.shownUnits = shownBefore;
    return refusal;
  }

  /** A small file in one piece, in whatever encoding it has; a large one line by line, as UTF-8. */
  private async scan(target: Target, lines: LineSearch): Promise<Refusal | undefined> {
    let stream: LineStream | undefined;
    const outcome = await target.stream((chunk, whole) => {
      this.searchedBytes += chunk.length;
      if (whole) return this.wholeText(chunk, lines);
      stream ??= isText(chunk) ? new LineStream((text) => lines.line(text) && this.watch()) : undefined;
      if (stream === undefined) this.skips.binary += 1;
      return stream?.push(chunk) ?? false;
    });
    if (isRefusal(outcome)) return outcome;
    if (this.end === undefined) stream?.end();
    this.searchedFiles += 1;
    return undefined;
  }

  private wholeText(bytes: Uint8Array, lines: LineSearch): boolean {
    const decoded = decodeFile(bytes, this.session.ports.codec);
    if (isRefusal(decoded)) {
      this.skips.binary += 1;
      return false;
    }
    for (const text of splitLines(decoded.text).contents)
      if (!lines.line(text) || !this.watch()) return false;
    return true;
  }

  private take(match: SearchMatch): boolean {
    this.shownUnits += match.text.length + match.path.length + 16;
    for (const line of match.before) this.shownUnits += line.length;
    if (this.matches.length >= this.bounds.limit) this.end = "limit";
    else if (this.shownUnits > this.session.limits.searchUnits) this.end = "answer";
    else this.matches.push(match);
    return this.end === undefined;
  }

  /** @returns whether there is time left. */
  private watch(): boolean {
    if (this.bounds.budget.isSpent()) this.end ??= "time";
    return this.end === undefined;
  }
}

const fine = { kind: "fine" } as const;
const maxDepth = 64;
const maxContext = 20;

/** Whether the first bytes of a large file look like text in UTF-8 or a charset that contains ASCII. */
function isText(chunk: Uint8Array): boolean {
  return !chunk.includes(0);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
