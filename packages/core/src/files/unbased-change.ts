import type { Change } from "./change.js";
import type { Current } from "./current.js";
import { wasSeen } from "./ledger.js";
import { type Refusal, refuse } from "./outcome.js";
import type { Place } from "./ports.js";
import type { Session } from "./session.js";

/** What is to become of a change that names no base. */
export type Ruling =
  /** `viewed`: the lines it touches must have been shown, where that is asked for. */
  | { readonly kind: "allowed"; readonly viewed: boolean; readonly warning?: string }
  /** The session knows the file, but in another state. */
  | { readonly kind: "changed"; readonly sha256: string }
  | Refusal<"not_read" | "missing_base">;

/** Rules on a change without a base (docs/edits.md, guards). */
export function ruleWithoutBase(session: Session, place: Place, change: Change, current: Current): Ruling {
  const { guards } = session;
  const { hashless, atomic } = change.options;
  switch (change.needsBase) {
    case "never":
      return { kind: "allowed", viewed: false };
    case "edit":
      if (atomic === true || guards.editGuard === "atomic" || guards.isMemory(place.relativePath))
        return { kind: "allowed", viewed: false };
      return askForRead(session, place, current);
    case "over_files":
      if (current.kind === "absent") return { kind: "allowed", viewed: false };
      if (guards.overwriteGuard === "warn") return warn(session, place, current);
      if (guards.overwriteGuard === "hash" && hashless !== true) return missingBase(current);
      return askForRead(session, place, current);
    case "always":
      return hashless === true ? askForRead(session, place, current) : missingBase(current);
    default:
      return change.needsBase satisfies never;
  }
}

/** A read of the state on disk, in this session. That another state was read is told as what it is. */
function askForRead(session: Session, place: Place, current: Current): Ruling {
  if (current.kind === "absent") return { kind: "allowed", viewed: false };
  const record = session.ledger.find(place.realPath, current.sha256);
  if (wasSeen(record)) return { kind: "allowed", viewed: true };
  const known = session.ledger.statesOf(place.realPath).filter(wasSeen);
  const latest = known.toSorted((one, other) => other.version - one.version)[0];
  if (latest !== undefined) return { kind: "changed", sha256: latest.sha256 };
  return refuse("not_read", notRead);
}

function warn(session: Session, place: Place, current: Current): Ruling {
  const ruling = askForRead(session, place, current);
  if (ruling.kind === "allowed") return { ...ruling, viewed: false };
  return { kind: "allowed", viewed: false, warning: overwrittenUnread };
}

function missingBase(current: Current): Refusal<"missing_base"> {
  return refuse("missing_base", current.kind === "absent" ? noFile : fileExists);
}

const noFile =
  "There is no file of this name. To create it, give the SHA-256 of no content as base_content_sha256 and a creation diff, or write it.";
const fileExists =
  "The file exists: base_content_sha256 must name the state that is to be replaced. The state on disk comes with " +
  "this answer; if you have not seen its content, read the file first, then repeat the call with its sha256.";
const notRead =
  "This session has not read the file: read it with read_file, then repeat the call. append_to_file, " +
  "prepend_to_file and update_section need no read. Nothing was written.";
const overwrittenUnread =
  " Warning: the file existed, and its last content was not read in this session. To change a part, edit_file, " +
  "append_to_file or update_section are safer; undo_edit takes this write back.";
