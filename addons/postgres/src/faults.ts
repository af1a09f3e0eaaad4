import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { refuse } from "@holdfast/core/files/values";
import pg from "pg";

/** SQLSTATEs (PostgreSQL, appendix A) that the closed list has a word for. */
const codes: Readonly<Record<string, "disk_full" | "permission_denied">> = {
  "53100": "disk_full",
  "28000": "permission_denied",
  "28P01": "permission_denied",
  "42501": "permission_denied",
};

/**
 * What a person is told of an error of the server or of the way to it. Throws nothing.
 *
 * @returns undefined where it is no such error: a bug, which the caller throws.
 */
export function refusalFrom(error: unknown): ConversationRefusal | undefined {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError)
    return undefined;
  const code = error instanceof pg.DatabaseError ? codes[error.code ?? ""] : undefined;
  const message = messageOf(error);
  switch (code) {
    case "disk_full":
      return refuse(code, `The disk of the PostgreSQL server is full: ${message}. Make room, then go on.`);
    case "permission_denied":
      return refuse(code, `PostgreSQL does not allow this: ${message}.`);
    case undefined:
      return refuse("store_failed", `PostgreSQL failed: ${message}. ${adviceFor(error)}`);
    default:
      return code satisfies never;
  }
}

/** A database that there is none of (3D000) does not come back. */
function adviceFor(error: Error): string {
  return error instanceof pg.DatabaseError && error.code === "3D000"
    ? "Make it, or name another one."
    : "Try again when it is back.";
}

/**
 * Whether the server has said that nothing happened. Otherwise the way to it broke, perhaps while its
 * answer was under way, and only a look can tell.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(?:08|57P|58)/u.test(error.code ?? "");
}

/**
 * Whether two changes got in each other's way, and the same again may well succeed. A blob that was collected
 * between its look and its naming breaks a foreign key (23503): the next try writes it anew.
 */
export function isClash(error: unknown): boolean {
  return error instanceof pg.DatabaseError && clashes.has(error.code ?? "");
}

const clashes: ReadonlySet<string> = new Set(["40001", "40P01", "23503"]);

/** Whether the server is not there now, or takes nobody in: it starts, ends, or has too many connections. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === "53300" || !isRolledBack(error);
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

/** A connection to several addresses fails with several errors and no message of its own. */
function messageOf(error: Error): string {
  const inner = error instanceof AggregateError ? error.errors : [];
  const messages = inner.map((one: unknown) => (one instanceof Error ? one.message : String(one)));
  return (messages.length > 0 ? messages.join(", ") : error.message).replace(/[.\s]+$/u, "");
}
