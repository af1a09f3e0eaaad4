import { readFileSync } from "node:fs";
import { jsonOf } from "../../text/index.js";
import { ifThere, withDescriptor } from "../disk/platform.js";

/**
 * A state that only added to another one, as it is kept: what it begins with is kept in full under `root`, and only
 * the bytes behind lie here. So a small append costs the bytes that it adds, and not the file.
 */
export interface Tail {
  /** SHA-256 of the state that it begins with. */
  readonly root: string;
  /** Bytes of that state. */
  readonly rootLength: number;
  /** The states between, each with its bytes, the shortest first: they are folded together with this one. */
  readonly between: readonly StateLength[];
}

/** A state, and how many bytes it has. */
export interface StateLength {
  readonly sha256: string;
  readonly length: number;
}

/** What ends the name of a state that is kept as a tail. */
export const tailSuffix = ".tail";

/** After so many the state is kept in full again, and those before as its beginnings. */
const mostBetween = 31;

/** What fits a block of the file system, beside the names of the states between. */
const mostTailBytes = 2_048;

/** The tail that keeps a state which adds to `before`; undefined where it is time to keep one in full. */
export function continued(
  tail: Tail | undefined,
  before: StateLength,
  longer: { readonly length: number },
): Tail | undefined {
  const next =
    tail === undefined
      ? { root: before.sha256, rootLength: before.length, between: [] }
      : { ...tail, between: [...tail.between, before] };
  const fits = next.between.length <= mostBetween && longer.length - next.rootLength <= mostTailBytes;
  return fits ? next : undefined;
}

/** @param bytes of the whole state. */
export function formatTail({ root, rootLength, between }: Tail, bytes: Uint8Array): Uint8Array {
  const names = between.flatMap(({ sha256, length }) => [sha256, length]);
  const head = `${JSON.stringify([root, rootLength, ...names])}\n`;
  return Buffer.concat([Buffer.from(head), bytes.subarray(rootLength)]);
}

/** A tail and its bytes, or undefined where none lies there, or none that can be read. Throws the system's error. */
export function readTail(path: string): (Tail & { readonly bytes: Uint8Array }) | undefined {
  const file = ifThere(() => withDescriptor(() => readFileSync(path)));
  const end = file?.indexOf("\n") ?? -1;
  if (file === undefined || end < 0) return undefined;
  const tail = parseHead(file.toString("latin1", 0, end));
  return tail && { ...tail, bytes: file.subarray(end + 1) };
}

function parseHead(head: string): Tail | undefined {
  const json = jsonOf(head);
  const values: readonly unknown[] = Array.isArray(json) ? json : [];
  const states: StateLength[] = [];
  for (let at = 0; at + 1 < values.length; at += 2) {
    const [sha256, length] = [values[at], values[at + 1]];
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    if (typeof length !== "number" || !Number.isSafeInteger(length) || length < 0) return undefined;
    states.push({ sha256, length });
  }
  const [root, ...between] = states;
  return root && { root: root.sha256, rootLength: root.length, between };
}
