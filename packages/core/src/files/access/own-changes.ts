import type { LineEdit } from "../lines/line-spans.js";
import { areStillInPlace } from "../lines/moved-lines.js";
import { emptySha256 } from "../values/base.js";
import type { OwnChange, OwnWrite } from "../values/knowledge.js";
import type { Site } from "./site.js";
import { subjectOf } from "./site.js";

/** How the caller's own calls made one state of another. */
type OwnWay =
  /** Line by line: what each of them changed, oldest first. */
  | { readonly kind: "lines"; readonly steps: readonly (readonly LineEdit[])[] }
  /** A whole write, an undo, a restore or a move was among them. */
  | { readonly kind: "whole" };

/**
 * The way from one state of the file to another by calls of this caller alone; undefined where there is none that is
 * known. States are told by their bytes: who brings an earlier one back has changed nothing.
 */
export function ownChangesBetween(site: Site, from: string, to: string): OwnWay | undefined {
  const found = wayBetween(ownChanges(site), from, to);
  if (found === undefined) return undefined;
  const steps = found.flatMap(({ byLines, changes }) =>
    byLines === true && changes !== undefined ? [changes] : [],
  );
  return steps.length === found.length ? { kind: "lines", steps } : { kind: "whole" };
}

/**
 * What is left of the same request that was carried out from this base before; undefined where it never was, or
 * where what it comes to tells.
 */
export function doneBefore(site: Site, base: string, present: string): "stands" | "gone" | undefined {
  const request = requestDigest(site);
  if (request === "") return undefined;
  const known = ownChanges(site);
  const done = known.find((change) => change.request === request && change.base === base);
  if (done === undefined) return undefined;
  const since = wayBetween(known, done.after, present)?.map(({ changes }) => changes);
  if (done.changes === undefined || since === undefined) return "gone";
  const steps = since.filter((changes) => changes !== undefined);
  return steps.length === since.length && areStillInPlace(done.changes, steps) ? "stands" : "gone";
}

/**
 * What is recorded of a call that writes.
 *
 * @param base the hash of the state that it was made for.
 */
export function ownWrite(site: Site, base: string | null): OwnWrite {
  const named = base ?? emptySha256;
  const request = requestDigest(site);
  return request === "" ? { base: named, request } : { base: named, request, byLines: true };
}

/** Tool, path and arguments, without the base; empty for a change that is not one of single lines. */
function requestDigest({ call, change }: Site): string {
  if (change.lines === undefined) return "";
  const { tool, path, lines } = change;
  const asked = JSON.stringify([tool, path, lines.asked], (key, value: unknown) =>
    key === "base" || key === "path" ? undefined : value,
  );
  return call.session.ports.digest(new TextEncoder().encode(asked)).slice(0, digestDigits);
}

/** As much as tells the requests of one file apart. */
const digestDigits = 32;

function ownChanges(site: Site): readonly OwnChange[] {
  return site.call.knowledge.ownChanges?.(subjectOf(site).file) ?? [];
}

/** Backwards by the change that led to each state last; oldest first. */
function wayBetween(known: readonly OwnChange[], from: string, to: string): readonly OwnChange[] | undefined {
  const last = new Map<string, OwnChange>();
  for (const change of known) if (!last.has(change.after)) last.set(change.after, change);
  const way: OwnChange[] = [];
  for (let at = to; at !== from; ) {
    const change = last.get(at);
    if (change === undefined) return undefined;
    last.delete(at);
    way.push(change);
    at = change.before;
  }
  return way.reverse();
}
