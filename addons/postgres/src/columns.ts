import type { SessionSums } from "./rows.js";

/** How the sums of a session stand in its row. */
interface SumColumns {
  readonly title: string | null;
  readonly title_key: string | null;
  readonly cwd: string | null;
  readonly head: string;
  readonly created_ms: number;
  readonly modified_ms: number;
  readonly size_bytes: number;
}

/** What changes with every turn; a session is created once. */
export function columnsOf({
  title,
  cwd,
  head,
  modifiedMs,
  sizeBytes,
}: SessionSums): Omit<SumColumns, "created_ms"> {
  return {
    title: asJson(title),
    title_key: asJson(title?.toLowerCase()),
    cwd: asJson(cwd),
    head: JSON.stringify(head),
    modified_ms: modifiedMs,
    size_bytes: sizeBytes,
  };
}

/** The sums of a session, as its row keeps them. */
export function sumsOf(row: Omit<SumColumns, "title_key">): SessionSums {
  return {
    title: fromJson(row.title),
    cwd: fromJson(row.cwd),
    head: fromJson(row.head) ?? "",
    createdMs: row.created_ms,
    modifiedMs: row.modified_ms,
    sizeBytes: row.size_bytes,
  };
}

function asJson(text: string | undefined): string | null {
  return text === undefined ? null : JSON.stringify(text);
}

function fromJson(text: string | null): string | undefined {
  // What `asJson` wrote.
  return text === null ? undefined : (JSON.parse(text) as string);
}
