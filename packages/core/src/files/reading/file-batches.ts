import type { Target } from "../values/disk.js";
import type { FileFindings } from "../values/findings.js";
import type { ContentSearch } from "../values/ports.js";

/** A file that was searched, as its findings are merged. */
export interface MergedFile {
  /** As the caller names it. */
  readonly path: string;
  readonly realPath: string;
}

/**
 * The files of a walk, in batches of one folder each. Several are searched side by side; their findings are merged
 * in the order of the walk, and the walk waits where it is too far ahead.
 */
export class FileBatches {
  private folder: Target | undefined;
  private files: { readonly name: string; readonly path: string }[] = [];
  private readonly pending: PendingBatch[] = [];
  private wants = true;

  /** @param merge takes what was found in one file; `false` wants no more. */
  constructor(
    private readonly content: ContentSearch,
    private readonly merge: (file: MergedFile, found: FileFindings | undefined) => Promise<boolean> | boolean,
  ) {}

  /** A file of a folder that is held open until `dispatch`. */
  async add(folder: Target, file: { readonly name: string; readonly path: string }): Promise<void> {
    if (this.folder !== folder) await this.dispatch();
    this.folder = folder;
    this.files.push(file);
    if (this.files.length >= filesPerBatch) await this.dispatch();
  }

  /** Hands on what is gathered: the folder may be let go. */
  async dispatch(): Promise<void> {
    const { folder, files } = this;
    if (folder === undefined) return;
    this.folder = undefined;
    this.files = [];
    const names = files.map(({ name }) => name);
    const found = this.content.search(folder, names);
    // A search that fails is met when its turn comes; until then nobody listens.
    found.catch(() => {});
    const merged = files.map(({ name, path }) => ({ path, realPath: `${folder.realPath}/${name}` }));
    this.pending.push({ files: merged, found });
    while (this.pending.length > mostPending) await this.mergeFirst();
  }

  /** Merges all that is still searched. */
  async finish(): Promise<void> {
    await this.dispatch();
    this.content.flush();
    while (this.pending.length > 0 && this.wants) await this.mergeFirst();
  }

  private async mergeFirst(): Promise<void> {
    const first = this.pending.shift();
    if (first === undefined || !this.wants) return;
    const found = await first.found;
    for (const [at, file] of first.files.entries()) {
      if (!this.wants) return;
      const wants = this.merge(file, found[at]);
      this.wants = typeof wants === "boolean" ? wants : await wants;
    }
  }
}

interface PendingBatch {
  readonly files: readonly MergedFile[];
  readonly found: Promise<readonly (FileFindings | undefined)[]>;
}

const filesPerBatch = 64;
const mostPending = 128;
