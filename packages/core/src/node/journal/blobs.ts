import { dirname } from "node:path";
import { type Advancing, finish } from "../../text/index.js";
import { sha256 } from "../disk/digest.js";
import { ifPossible, syncFolder } from "../disk/platform.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { isThere, type JournalPaths, publishFile, readWhole } from "./paths.js";

/** The large texts and the media of one session, each in a file named by its SHA-256. */
export class JournalBlobs {
  /** Of which it is known that they are there, whole and durable. */
  private readonly kept = new Set<string>();
  private readonly waiting = new Map<string, Uint8Array>();

  constructor(
    private readonly state: StateFolder,
    private readonly paths: JournalPaths,
  ) {}

  /** Takes a text to be kept with the next `write`. @returns its name. */
  readonly put = (bytes: Uint8Array): string => {
    const name = sha256(bytes);
    if (!this.kept.has(name)) this.waiting.set(name, bytes);
    return name;
  };

  /** The bytes of this name, proved by it; undefined where they are missing or damaged. */
  readonly read = (name: string): Uint8Array | undefined => {
    // A journal may name anything.
    if (!/^[0-9a-f]{64}$/.test(name)) return undefined;
    const waits = this.waiting.get(name);
    if (waits !== undefined) return waits;
    // A blob that cannot be read is as good as gone, and reported so.
    const bytes = ifPossible(() => readWhole(`${this.paths.blobs}/${name}`), undefined);
    if (bytes === undefined || sha256(bytes) !== name) return undefined;
    this.kept.add(name);
    return bytes;
  };

  /** Makes all that waits durable, before a line names it. Throws the system's error. */
  write(): void {
    finish(this.writing());
  }

  /** The same in steps, counted in files. Where it is ended, some are there, and no line names them. */
  *writing(): Advancing<void> {
    const of = this.waiting.size;
    if (of === 0) return;
    const { blobs } = this.paths;
    const isNew = !isThere(blobs);
    let done = 0;
    for (const [name, bytes] of this.waiting) {
      publishFile(this.state, `${blobs}/${name}`, bytes);
      done += 1;
      yield { done, of };
    }
    syncFolder(blobs);
    if (isNew) syncFolder(dirname(blobs));
    for (const name of this.waiting.keys()) this.kept.add(name);
    this.waiting.clear();
  }

  /** The lines that name what waits were dropped. */
  drop(): void {
    this.waiting.clear();
  }
}
