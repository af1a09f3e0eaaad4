import type { ContentJob } from "../../files/index.js";
import type { FileFindings } from "../../files/values/index.js";

/** What a thread of a search is told. */
export type WorkerMessage =
  | { readonly kind: "begin"; readonly job: ContentJob; readonly until: number }
  | { readonly kind: "scan"; readonly id: number; readonly folders: readonly FolderToScan[] };

/** Files of a folder that is held open until the answer. */
export interface FolderToScan {
  /** The path of its entries, up to their names. */
  readonly path: string;
  readonly names: readonly string[];
}

/** What it tells. */
export type WorkerAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "found"; readonly id: number; readonly found: readonly FoundInFile[] };

/** A number where nothing was found: that of the bytes. Most files are such, and what is sent is copied. */
export type FoundInFile = FileFindings | number | undefined;
