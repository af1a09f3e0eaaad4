// Facts about files in the metadata of Genkit's answers, and the knowledge that is folded from them.
import type {
  FileName,
  Knowledge,
  KnowledgeEvent,
  KnownState,
  LineSpan,
  ShownLines,
  StateChanged,
} from "@holdfast/core/files/seen";

/** What an answer shows of a file, in the metadata of its part, where no text of a file can forge it. */
export interface AnswerFacts {
  readonly path: string;
  readonly sha256: string;
  /** For a read: which lines, "" for all. */
  readonly read?: string;
  /** What the call found out and its answer shows, oldest first; answers of earlier versions have none. */
  readonly facts?: readonly AnswerFact[];
  /** The hash of a read's answer: a text with another one does not show what the answer showed. */
  readonly envelope?: string;
}

/** A fact without the file, which `AnswerFacts` names. */
type AnswerFact = KnowledgeEvent extends infer Event
  ? Event extends KnowledgeEvent
    ? Omit<Event, "file" | "from">
    : never
  : never;

/** The knowledge of a turn for one of its calls, which keeps what that call finds out. */
export class FactRecorder implements Knowledge {
  private readonly facts: KnowledgeEvent[] = [];

  constructor(private readonly turn: Knowledge) {}

  find(file: FileName, hash: string): KnownState | undefined {
    return this.turn.find(file, hash);
  }

  latest(file: FileName): KnownState | undefined {
    return this.turn.latest(file);
  }

  states(file: FileName): readonly string[] {
    return this.turn.states(file);
  }

  learn(event: KnowledgeEvent): void {
    this.facts.push(event);
    this.turn.learn(event);
  }

  /** For the metadata: what was found out, and the lines that the answer shows in place of those read. */
  factsWith(shown: readonly ShownLines[]): readonly AnswerFact[] {
    const found = this.facts.flatMap(({ file: _, ...fact }) =>
      fact.kind === "shown" ? [] : [withoutFile(fact)],
    );
    return [...found, ...shown.map(({ path: _, ...lines }): AnswerFact => ({ kind: "shown", ...lines }))];
  }
}

/** Where all lines stood in the call, nothing has to be carried over. */
function withoutFile(fact: Exclude<AnswerFact, { readonly kind: "shown" }>): AnswerFact {
  if (fact.kind !== "changed") return fact;
  const [only, more] = fact.authored ?? [];
  const isAll = more === undefined && only?.from === 1 && only.to === fact.total;
  if (!isAll) return fact;
  const { changes: _, ...rest } = fact;
  return rest;
}

/** The facts that answers told, oldest first; the states in the order of the answers. */
export function factsOf(told: readonly AnswerFacts[]): readonly KnowledgeEvent[] {
  return told.flatMap((one, at): readonly KnowledgeEvent[] => {
    const file = { path: one.path, realPath: one.path };
    const version = at + 1;
    const facts = one.facts === undefined ? earlierFacts(one) : one.facts.filter(isFact);
    return [...facts.map((fact) => eventOf(fact, file)), { kind: "met", file, sha256: one.sha256, version }];
  });
}

/** The versions of an earlier run say nothing beside those of this one. */
function eventOf(fact: AnswerFact, file: FileName): KnowledgeEvent {
  return fact.kind === "shown" ? { ...fact, file } : { ...fact, file, version: 0 };
}

/** What answers of earlier versions said: the lines of a read; of a write that something is known. */
function earlierFacts({ sha256: hash, read }: AnswerFacts): readonly AnswerFact[] {
  const shown = { kind: "shown", sha256: hash } as const;
  if (read === undefined) return [{ ...shown, lines: [], someText: true }];
  if (read === "") return [{ ...shown, lines: [{ from: 1, to: mostLines }] }];
  const [from = 0, to = 0] = read.split("-").map(Number);
  return [{ ...shown, lines: [{ from, to }] }];
}

/** More than any file has whose state is held against these. */
const mostLines = 2 ** 40;

/** Whether the metadata of a part was written by this adapter. Its facts are checked one by one in `factsOf`. */
export function isAnswerFacts(value: unknown): value is AnswerFacts {
  if (!isRecord(value) || typeof value.path !== "string" || typeof value.sha256 !== "string") return false;
  return value.facts === undefined || Array.isArray(value.facts);
}

/** Metadata comes from the host: what is not as we wrote it says nothing. */
function isFact(value: unknown): value is AnswerFact {
  if (!isRecord(value)) return false;
  switch (value.kind) {
    case "met":
      return typeof value.sha256 === "string";
    case "shown":
      return (
        typeof value.sha256 === "string" &&
        hasNumbers(value.lines, ["from", "to"]) &&
        value.parts === undefined
      );
    case "changed":
      return isHash(value.before) && isHash(value.after) && isEdits(value.changes) && isSpans(value.authored);
    default:
      return false;
  }
}

function isHash(value: unknown): value is StateChanged["before"] {
  return value === undefined || value === null || typeof value === "string";
}

function isSpans(value: unknown): value is readonly LineSpan[] | undefined {
  return value === undefined || hasNumbers(value, ["from", "to"]);
}

function isEdits(value: unknown): value is StateChanged["changes"] {
  return value === undefined || hasNumbers(value, ["at", "removed", "added"]);
}

function hasNumbers(list: unknown, keys: readonly string[]): boolean {
  if (!Array.isArray(list)) return false;
  return list.every((value) => isRecord(value) && keys.every((key) => Number.isSafeInteger(value[key])));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
