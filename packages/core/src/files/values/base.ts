import { type Refusal, refuse } from "./refusal.js";

/** SHA-256 of no bytes: as a base it says "I believe that there is no content". */
export const emptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * The base for callers that hold no state (`--atomic`): whatever stands there once the lock is held. A
 * symbol, so that nothing that comes over a wire can be it.
 */
export const currentBase: unique symbol = Symbol("whatever stands there now");

/**
 * The base for tools that have no argument for a hash and need no read: the state that the caller was shown
 * last; where none was shown, whatever stands there.
 */
export const shownBase: unique symbol = Symbol("the state that was shown last");

/** A hash or the beginning of one as the caller wrote it, or a word for the state that is meant. */
export type GivenBase = string | typeof currentBase | typeof shownBase;

/** What a caller's base turned out to be. */
export type Base =
  | { readonly kind: "none" }
  | { readonly kind: "current" }
  /** The bytes on disk, or "no file" for a base of no content. */
  | { readonly kind: "matches" }
  /** Another state of this path, which is known by hash. */
  | { readonly kind: "stale"; readonly sha256: string }
  /** Never a state of this path, as far as anybody here knows. */
  | { readonly kind: "unknown"; readonly given: string };

/**
 * Holds a base against the disk: the full hash, or a prefix of at least 12 digits that fits exactly one state, the
 * disk's among them (docs/files.md).
 *
 * @param given for `shownBase`, what the caller's knowledge makes of it.
 * @param disk the hash of the bytes on disk, `null` where there is no file.
 * @param known hashes of other states of this path; not asked where the base is all of the disk's hash.
 * @returns `invalid_hash` for what is no hash, or a prefix of several states.
 */
export function resolveBase(
  given: Exclude<GivenBase, typeof shownBase> | undefined,
  disk: string | null,
  known: () => readonly string[],
): Base | Refusal {
  if (given === undefined) return { kind: "none" };
  if (given === currentBase) return { kind: "current" };
  const hash = parseHash(given);
  if (typeof hash !== "string") return hash;
  const present = disk ?? emptySha256;
  if (present === hash) return { kind: "matches" };
  // Whoever can write both can make two states that begin alike in seconds, of twelve digits: all are asked.
  const fitting = [...new Set([present, ...known(), emptySha256])].filter((sha256) =>
    sha256.startsWith(hash),
  );
  if (fitting.length > 1) {
    return refuse(
      "invalid_hash",
      `The hash ${given} is ambiguous: ${fitting.length} known states of this file begin with it. Give all 64 digits.`,
    );
  }
  const [sha256] = fitting;
  if (sha256 === present) return { kind: "matches" };
  return sha256 === undefined ? { kind: "unknown", given: hash } : { kind: "stale", sha256 };
}

/** A hash with all that may stand around it; a longer text is none. */
const mostHashUnits = 200;

/**
 * The lower-case digits of a hash or prefix, or `invalid_hash`. What stands around it where callers copy it is taken
 * away: blanks, quotes, `sha256:` or `sha256=` before it, and the ellipsis of a hash that was shown cut.
 */
export function parseHash(given: string): string | Refusal {
  const digits = given
    .slice(0, mostHashUnits)
    .toLowerCase()
    .replace(/^[\s"'`]*(?:sha-?256[:=])?[\s"'`]*/, "")
    .replace(/[\s"'`]*(?:…|\.{2,3})?[\s"'`]*$/, "");
  if (/^[0-9a-f]{12,64}$/.test(digits)) return digits;
  return refuse(
    "invalid_hash",
    "The base hash must be the sha256 that came with the file: 64 hexadecimal digits, or at least the first 12.",
  );
}
