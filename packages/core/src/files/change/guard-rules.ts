import type { Current } from "../access/kept-states.js";
import { type Site, subjectOf } from "../access/landing.js";
import { isSeen, latestSeen } from "../values/knowledge.js";
import { type Refusal, refuseIn } from "../values/refusal.js";
import { unshownLines } from "./unseen.js";

/** What is to become of a change that names no base. */
type Ruling = Allowed | OtherStateShown | Refusal<"not_read" | "missing_base">;

/** The change may be made without a base, on these conditions. */
interface Allowed {
  readonly kind: "allowed";
  /** The lines it touches must have been shown, where that is asked for. */
  readonly isSeen: boolean;
  /** A replacement of the whole needs that the whole was shown. */
  readonly isWhole: boolean;
  readonly warning?: string;
}

/** The caller knows the file, but in another state. */
interface OtherStateShown {
  readonly kind: "changed";
  readonly sha256: string;
}

/** Rules on a change without a base (docs/edits.md, guards). */
export function ruleWithoutBase(site: Site, current: Current): Ruling {
  const { guards } = site.call.session;
  const { needsBase, options } = site.change;
  const { hashless, atomic } = options;
  switch (needsBase) {
    case "never":
      return free;
    case "edit":
      if (atomic === true || guards.editGuard === "atomic" || guards.isMemory(site.target.relativePath))
        return free;
      return askForRead(site, current);
    case "over_files":
      if (current.kind === "absent") return free;
      if (guards.overwriteGuard === "warn") return warn(site, current);
      if (guards.overwriteGuard === "hash" && hashless !== true) return missingBase(site, current);
      return askForRead(site, current);
    case "always":
      return hashless === true ? askForRead(site, current) : missingBase(site, current);
    default:
      return needsBase satisfies never;
  }
}

const free: Allowed = { kind: "allowed", isSeen: false, isWhole: false };

/** The state on disk must have been shown. That another state was shown is answered as what it is. */
function askForRead({ call, change, target }: Site, current: Current): Ruling {
  // A link itself has no content that could be lost unseen.
  if (current.kind === "absent" || current.isLink === true) return free;
  const file = { path: change.path, realPath: target.realPath };
  const known = call.knowledge.find(file, current.sha256);
  // A read that was sent together with a replacement of the whole was not seen by who wrote that.
  const isTooLate = change.replacesWhole === true && known?.beforeCall.length === 0 && known.total !== 0;
  if (isSeen(known) && isTooLate) return refuseIn("not_read", notRead + readIt);
  if (isSeen(known)) return { kind: "allowed", isSeen: true, isWhole: true };
  const latest = latestSeen(call.knowledge, file);
  if (latest !== undefined) return { kind: "changed", sha256: latest.sha256 };
  // Whoever replaces all of a file has to have seen it.
  return change.replacesWhole === true
    ? refuseIn("not_read", notRead + readIt)
    : refuseIn("not_read", notRead + hashIsEnough + readIt);
}

/** Nothing is refused; what was not shown is said. */
function warn(site: Site, current: Current): Ruling {
  const ruling = askForRead(site, current);
  if (ruling.kind !== "allowed") return { ...free, warning: overwrittenUnread };
  const lines = unshownLines(subjectOf(site), current);
  return lines === undefined ? free : { ...free, warning: overwrittenUnseen(lines) };
}

function missingBase({ change }: Site, current: Current): Refusal<"missing_base"> {
  if (current.kind === "absent") return refuseIn("missing_base", noFile);
  const { act } = change;
  // What needs no read is no other way to delete a file.
  return act === undefined
    ? refuseIn("missing_base", fileExists + needNoRead, { act: "replaced" })
    : refuseIn("missing_base", fileExists, { act });
}

const noFile =
  "There is no file of this name. To create it, [give the SHA-256 of no content as {base} and a creation diff, or ]write it.";
const fileExists =
  "The file exists: {base} must name the state that is to be $act[ ({anyState} takes whatever is there)]. The state on disk comes with this answer; " +
  "if you have not seen its content, read the file first, then repeat the call with its sha256.";
const needNoRead = "[ {append,prepend,section:need} no read.]";
const notRead =
  "This session has not read the file: [name its state with {base}, as {read} prints it, or take whatever is there with {anyState}|";
const hashIsEnough =
  "give the sha256 in this answer as {base} if you mean that state, or read it with {read}|";
const readIt =
  "read it with {read}|it has to be read], then repeat the call." +
  "[ {append,prepend,section:need} no read.] Nothing was written.";
const overwrittenUnseen = (lines: string) =>
  ` Warning: the file existed, and lines ${lines} of it were not shown in this session. To change a part, the ` +
  "smaller tools are safer; an undo takes this write back.";
const overwrittenUnread =
  " Warning: the file existed, and its last content was not read in this session. To change a part, the " +
  "smaller tools are safer; an undo takes this write back.";
