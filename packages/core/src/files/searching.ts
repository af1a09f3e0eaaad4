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
import type { Place } from "./ports.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "./refusal.js";
import type { Asked, FindRequest, SearchRequest } from "./requests.js";
import type { Session } from "./session.js";
import { walkTree } from "./tree-walk.js";

/** Finds files by their names. Nothing is opened: what is found is no read. */
export async function findFiles(
  session: Session,
  place: Place,
  name: string,
  request: Asked<FindRequest>,
): Promise<FindOutcome> {
  const { glob, exclude = [], limit = 1_000, all = false } = request;
  if (!isCount(limit)) return refuseIn("invalid_arguments", "{limit} is a whole number of at least 1.");
  if (glob === "") return refuse("invalid_arguments", "The glob is empty.");
  const filter = await pathFilter([glob], exclude);
  if (isRefusal(filter)) return filter;
  const flaw = await notAFolder(place, name);
  if (flaw !== undefined) return flaw;
  const { disk, clock } = session.ports;
  const until = clock.now() + session.limits.searchMs;
  const files: ListedEntry[] = [];
  let more: FindEnd;
  const walked = await walkTree(disk, place, name, { depth: maxDepth, all }, ({ path, below, entry }) => {
    if (clock.now() > until) more = "time";
    else if (entry.kind !== "directory" && filter.accepts(below)) {
      if (files.length >= limit) more = "limit";
      else files.push(listedEntry(path, entry));
    }
    return more === undefined;
  });
  if (isRefusal(walked)) return walked;
  if (walked.more) more ??= "limit";
  return { kind: "found", path: name, files, ...(more === undefined ? {} : { more }) };
}

type FindEnd = "limit" | "time" | undefined;

/** Searches the lines of text files. What is shown is no read: it gives no version and no hash. */
export async function searchFiles(
  session: Session,
  place: Place,
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
  const filter = await pathFilter(request.globs ?? [], request.exclude ?? []);
  if (isRefusal(filter)) return filter;
  const search = new Search(session, pattern, filter, { context, limit });
  const refusal = await search.run(place, name, request.all === true);
  return refusal ?? search.outcome(name);
}

interface SearchBounds {
  readonly context: number;
  readonly limit: number;
}

class Search {
  private readonly matches: SearchMatch[] = [];
  private readonly skips = { binary: 0, secret: 0, unreadable: 0, longLines: 0 };
  private readonly until: number;
  private searchedFiles = 0;
  private searchedBytes = 0;
  private shownUnits = 0;
  private end: "limit" | "answer" | "time" | undefined;

  constructor(
    private readonly session: Session,
    private readonly pattern: LinePattern,
    private readonly filter: PathFilter,
    private readonly bounds: SearchBounds,
  ) {
    this.until = session.ports.clock.now() + session.limits.searchMs;
  }

  async run(place: Place, name: string, all: boolean): Promise<Refusal | undefined> {
    const entry = await place.look();
    if (entry.kind === "file") return this.named(place, name);
    if (entry.kind === "other") return refuse("not_a_file", `${escapeForDisplay(name)} is ${entry.what}.`);
    const flaw = await notAFolder(place, name);
    if (flaw !== undefined) return flaw;
    const { disk } = this.session.ports;
    const walked = await walkTree(disk, place, name, { depth: maxDepth, all }, async (found) => {
      this.watch();
      if (found.entry.kind !== "file" || !found.entry.openable || !this.filter.accepts(found.below))
        return this.end === undefined;
      await this.child(found.folder, found.entry.name, found.path);
      return this.end === undefined;
    });
    if (isRefusal(walked)) return walked;
    if (walked.more) this.end ??= "limit";
    return undefined;
  }

  outcome(path: string): SearchOutcome {
    const { matches, searchedFiles, searchedBytes, skips, end } = this;
    const more = end === undefined ? {} : { more: end };
    return { kind: "searched", path, matches, searchedFiles, searchedBytes, skips, ...more };
  }

  /** A file that the caller named itself: what is wrong with it is said. */
  private async named(place: Place, name: string): Promise<Refusal | undefined> {
    const excluded = await excludedByOwner(this.session.ports.disk, place);
    if (excluded !== undefined) return excluded;
    const refusal = await this.file(place, name);
    if (refusal === undefined && this.skips.binary > 0)
      return refuse("binary", `${escapeForDisplay(name)} is not text.`);
    return refusal;
  }

  private async child(folder: Place, entry: string, path: string): Promise<void> {
    const place = await folder.child(entry);
    if (isRefusal(place)) {
      this.skips.unreadable += 1;
      return;
    }
    try {
      if (isSecret(place.relativePath)) this.skips.secret += 1;
      else if (isRefusal((await this.file(place, path)) ?? fine)) this.skips.unreadable += 1;
    } finally {
      await place.close();
    }
  }

  private async file(place: Place, path: string): Promise<Refusal | undefined> {
    const before = this.matches.length;
    const shownBefore = this.shownUnits;
    const lines = new LineSearch(path, this.pattern, this.bounds.context, (match) => this.take(match));
    const refusal = await this.scan(place, lines);
    this.skips.longLines += lines.longLines;
    if (this.matches.length === before) return refusal;
    // Whoever has the rules of another root: looked at only where something would be shown.
    const excluded = await excludedByOwner(this.session.ports.disk, place);
    if (refusal === undefined && excluded === undefined) return undefined;
    this.matches.length = before;
    this.shownUnits = shownBefore;
    return refusal;
  }

  /** A small file in one piece, in whatever encoding it has; a large one line by line, as UTF-8. */
  private async scan(place: Place, lines: LineSearch): Promise<Refusal | undefined> {
    let stream: LineStream | undefined;
    const outcome = await place.stream((chunk, whole) => {
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
    if (this.session.ports.clock.now() > this.until) this.end ??= "time";
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
