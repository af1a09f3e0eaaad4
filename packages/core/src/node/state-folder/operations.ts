import { closeSync, constants, symlinkSync, writeSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type HistoryEntry, type HistoryStore, type Operation, operationOf } from "../../files/index.js";
import { jsonOf } from "../../text/index.js";
import { appendFlags, ifPossible, ifThere, openDescriptor, quietly, shortWrite } from "../disk/platform.js";
import { namesIn, readLink, readText, removeQuietly } from "../disk/reading.js";
import { type FolderMark, isBelow, isSameMark, markOf } from "../disk/walk.js";
import { keyOf } from "./locks.js";
import { formatOperation, LogSegment, lineKey, type ParsedLine } from "./operation-segment.js";
import type { Presence } from "./sessions.js";
import type { StateFolder } from "./state-folder.js";

/** What undo, log and restore are answered from: the operation log, by path. */
export function openHistory(state: StateFolder, presence: Pick<Presence, "show">): HistoryStore {
  const log = logOf(state);
  return {
    record: async (write) => {
      presence.show();
      quietly(() => log.append(operationOf([write])));
    },
    entries: async (realPath) => log.entries(realPath),
    noteRead: async (read) => {
      quietly(() => {
        const known = log.entries(read.realPath).findLast(({ after }) => after === read.after);
        if (known === undefined || !isDeepStrictEqual(known.access, read.access))
          log.append(operationOf([read]));
      });
    },
    ofConversation: async (conversation) => log.pathsOf(conversation),
    together: async (changeSet) => log.together(changeSet),
    since: async (time) => log.since(time),
  };
}

/** The log of a state folder: one for all who ask with the same value. */
export function logOf(state: StateFolder): OperationLog {
  const log = logs.get(state) ?? new OperationLog(state);
  logs.set(state, log);
  return log;
}

const logs = new WeakMap<StateFolder, OperationLog>();

/**
 * What was done to the files of all projects, in the order in which it was recorded: a line an operation, so it is in the log
 * whole or not at all. A file of lines a week; what earlier releases recorded path by path comes before it.
 */
class OperationLog {
  /** The oldest first. */
  private segments: readonly LogSegment[] = [];
  /** What earlier releases recorded of the paths that were asked for. */
  private readonly older = new Map<string, LogSegment>();

  constructor(private readonly state: StateFolder) {}

  /**
   * Adds a line by one call: whole, or with its check wrong. It begins and ends with a line break, so that the half line of a kill
   * or a full disk spoils no other. Throws the system's error.
   */
  append(operation: Operation): void {
    const bytes = Buffer.from(`\n${formatOperation(operation)}\n`);
    if (this.newest !== this.segments.at(-1)?.path) this.list();
    const path = this.newest;
    const open = () => openDescriptor(path, appendFlags | constants.O_CREAT, 0o600);
    const fd = this.state.within(this.state.at("operations"), open);
    try {
      if (writeSync(fd, bytes) < bytes.length) throw shortWrite(path);
    } finally {
      closeSync(fd);
    }
  }

  /** What was done to a file, the oldest first; damaged lines are left out. */
  entries(realPath: string): readonly HistoryEntry[] {
    const entriesIn = (lines: readonly ParsedLine[]) =>
      lines.flatMap(({ entries }) => entries.get(realPath) ?? []);
    const [older, newer] = [entriesIn(this.olderLines(realPath)), entriesIn(this.lines(realPath))];
    const all = [...older, ...newer];
    if (older.length === 0 || newer.length === 0) return all;
    // An earlier release may be at work beside this one.
    return all.toSorted((one, other) => one.time - other.time);
  }

  /** Whether what was done to a file is in the log, be it that an earlier release put it there. */
  has({ id, realPath, changeSet }: HistoryEntry): boolean {
    return this.entries(realPath).some((entry) => entry.id === id || entry.id === changeSet);
  }

  /** The real paths of the files of a change set; undefined where that is not known any more. */
  together(changeSet: string): readonly string[] | undefined {
    const path = this.state.at("history", `${keyOf(changeSet)}.set`);
    const value = jsonOf(ifThere(() => readText(path)) ?? "");
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
    const line = this.lines(changeSet).find(({ operation }) => operation?.changeSet === changeSet);
    return line?.operation?.files.map(({ realPath }) => realPath);
  }

  /** The real paths of the files that were written for a conversation. */
  pathsOf(conversation: string): readonly string[] {
    const lines = this.lines(conversation).flatMap(({ operation }) => operation ?? []);
    const own = lines.filter(({ caller }) => caller?.conversation === conversation);
    const paths = own.flatMap(({ files }) => files.map(({ realPath }) => realPath));
    return [...new Set([...paths, ...this.olderPathsOf(conversation)])];
  }

  /** All operations from a moment on. */
  since(time: number): readonly Operation[] {
    const lines = this.read().flatMap((segment) => segment.said());
    return lines.flatMap(({ operation }) =>
      operation === undefined || operation.time < time ? [] : operation,
    );
  }

  /** The files of lines that nobody adds to any more. */
  ended(): readonly string[] {
    const today = this.pathOf(Date.now());
    return this.list().flatMap(({ path }) => (path < today ? path : []));
  }

  private lines(name: string): readonly ParsedLine[] {
    const key = lineKey(name);
    return this.read().flatMap((segment) => segment.said(key));
  }

  /** Somebody may still add to the last but one, who asked for the time before a week was over. */
  private read(): readonly LogSegment[] {
    if (this.newest !== this.segments.at(-1)?.path) return this.list();
    for (const segment of this.segments.slice(-2)) segment.refresh();
    return this.segments;
  }

  /** Where the next line goes, as far as is known: never before one that is there, whatever the clock says. */
  private get newest(): string {
    const today = this.pathOf(Date.now());
    return [today, this.segments.at(-1)?.path ?? today].sort().at(-1) ?? today;
  }

  private list(): readonly LogSegment[] {
    const known = new Map(this.segments.map((segment) => [segment.path, segment]));
    const names = ifPossible(() => namesIn(this.state.at("operations")), []);
    const weeks = names.filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name)).toSorted();
    const paths = weeks.map((name) => this.state.at("operations", name));
    this.segments = paths.map((path) => (known.get(path) ?? new LogSegment(path)).refresh());
    return this.segments;
  }

  private pathOf(time: number): string {
    const week = new Date(time - (time % weekMs));
    return this.state.at("operations", `${week.toISOString().slice(0, 10)}.jsonl`);
  }

  private olderLines(realPath: string): readonly ParsedLine[] {
    const path = this.state.at("history", `${keyOf(realPath)}.jsonl`);
    const segment = (this.older.get(path) ?? new LogSegment(path)).refresh();
    const lines = segment.said();
    if (lines.length > 0) this.older.set(path, segment);
    return lines;
  }

  /** Links, or files, whose names are the keys of their texts. */
  private olderPathsOf(conversation: string): readonly string[] {
    const folder = this.state.at("callers", keyOf(conversation));
    return namesIn(folder).flatMap((name) => {
      const path = `${folder}/${name}`;
      const realPath = readLink(path) || ifPossible(() => readText(path), undefined);
      return realPath !== undefined && keyOf(realPath) === name ? realPath : [];
    });
  }
}

const weekMs = 7 * 24 * 60 * 60 * 1_000;

/**
 * Which folder each root was when something was written below it. Histories go by paths, so a folder that was deleted
 * and made anew would take over those of the old one.
 */
export interface RootRecords {
  /**
   * Since when the folder that holds this path is the one that it is now, in milliseconds since the epoch: what was
   * recorded before is about another folder. Undefined where none is known.
   */
  since(realPath: string): number | undefined;
  /** Something is about to be written, or was: the records are made or made complete. Never throws for the disk. */
  note(): void;
  /** The same at the end, if anything was noted. */
  finish(): void;
}

/** @param moment of which nothing is recorded, for a folder that is found to be another one. */
export function openRootRecords(
  state: StateFolder,
  realRoots: readonly string[],
  replacedAt: (realPath: string) => number | undefined,
  moment: () => number,
): RootRecords {
  const records = new Map<string, RootRecord>();
  const keep = (root: string, record: RootRecord) => {
    records.set(root, record);
    writeRecord(state, root, record);
  };
  // Where the older `stat` answers, no folder tells when it was made: then its place alone counts.
  const isTold = () => [state.path, state.at("roots")].some((path) => markOf(path)?.isBornSure === true);
  for (const root of realRoots) {
    const [record, mark] = [readRecord(state, root), markOf(root)];
    if (record === undefined || mark === undefined) continue;
    if (isSameMark(record, mark) || (record.place === mark.place && !isTold())) records.set(root, record);
    else keep(root, { ...mark, since: moment() });
  }
  let isNoted = false;
  const note = () => {
    isNoted = true;
    for (const root of realRoots) {
      const record = records.get(root);
      const since = replacedAt(root) ?? record?.since ?? 0;
      if (record?.isBornSure === true && record.since === since) continue;
      const mark = markOf(root);
      const isNews = record === undefined || record.since !== since || mark?.isBornSure === true;
      if (mark !== undefined && isNews) keep(root, { ...mark, since });
    }
  };
  return {
    since: (realPath) => {
      const times = [...records].filter(([root]) => isBelow(root, realPath)).map(([, { since }]) => since);
      return times.length === 0 ? undefined : Math.max(...times);
    },
    note,
    finish: () => {
      if (isNoted) note();
    },
  };
}

interface RootRecord extends FolderMark {
  readonly since: number;
}

function readRecord(state: StateFolder, root: string): RootRecord | undefined {
  const value = jsonOf(ifPossible(() => readLink(state.at("roots", keyOf(root))), undefined) ?? "");
  if (typeof value !== "object" || value === null) return undefined;
  const { place, born, isBornSure, since }: Partial<Record<keyof RootRecord, unknown>> = value;
  const isRight = typeof place === "string" && typeof born === "string" && typeof since === "number";
  return isRight ? { place, born, isBornSure: isBornSure === true, since } : undefined;
}

/** Without it the next process takes the folder for the one that it finds. */
function writeRecord(state: StateFolder, root: string, record: RootRecord): void {
  const path = state.at("roots", keyOf(root));
  removeQuietly(path);
  // The text of a link, as of an intent: whole or not there.
  quietly(() => state.within(state.at("roots"), () => symlinkSync(JSON.stringify(record), path)));
}
