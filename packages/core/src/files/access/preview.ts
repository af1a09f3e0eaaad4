import type { ApplyChangesOutcome, ChangeReport, Unchanged, WriteRefusal } from "../values/outcomes.js";
import type { PathNames } from "./path-names.js";

/**
 * What a request comes to now, without the step: nothing was learnt, kept or counted by it. Where there is
 * nothing to write, the outcome that the request would have.
 */
export type PreviewOutcome = Preview | Unchanged | WriteRefusal | ApplyChangesOutcome;

/**
 * What a change would do. It holds for the state on disk now: hand `agreed` back with the request to refuse any
 * other.
 */
export interface Preview {
  readonly kind: "preview";
  /** What the answer would say after the step. */
  readonly message: string;
  /** The files that would change. */
  readonly files: readonly PreviewedFile[];
}

/** One file as it is and as it would be. */
export interface PreviewedFile {
  /** As the caller named it, lexically tidied. */
  readonly path: string;
  /** As of `FileState`. */
  readonly leadsTo?: string;
  /** All of its names: what a rule about paths is held against. */
  readonly names: PathNames;
  /** The decoded texts; `null` where there is no file, or none that is text. */
  readonly before: string | null;
  readonly after: string | null;
  /** In bytes; `null` where there is no file. */
  readonly sizes: { readonly before: number | null; readonly after: number | null };
  readonly change: ChangeReport;
  /** The caller was not shown this file, which may hold secrets: the texts are for the person who decides, not for it. */
  readonly isUnshown?: true;
  /** To be handed back as part of `RunScope.agreed`. */
  readonly agreed: AgreedFile;
}

/** The fact about one file that a person agrees to: these bytes in the place of those, at this real path. */
export interface AgreedFile {
  readonly realPath: string;
  /** `null`: there is no file. */
  readonly before: string | null;
  /** `null`: the file is deleted. */
  readonly after: string | null;
  readonly inPlace: boolean;
}

/** How a plan differs from what was agreed; both are sets. */
type Disagreement = "none" | "moved" | "other";

/** `moved`: the same files, but the disk is in another state than it was; `other`: it comes to something else. */
export function compareAgreed(agreed: readonly AgreedFile[], planned: readonly AgreedFile[]): Disagreement {
  const byPath = new Map(agreed.map((file) => [file.realPath, file] as const));
  if (byPath.size !== agreed.length || planned.length !== agreed.length) return "other";
  let moved = false;
  for (const file of planned) {
    const wanted = byPath.get(file.realPath);
    if (wanted === undefined || wanted.inPlace !== file.inPlace) return "other";
    if (wanted.before !== file.before) moved = true;
    else if (wanted.after !== file.after) return "other";
  }
  return moved ? "moved" : "none";
}
