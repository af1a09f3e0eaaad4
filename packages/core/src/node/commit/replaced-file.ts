import { fstatSync } from "node:fs";
import type { ReplacedFile } from "../../files/index.js";
import { finish } from "../../text/index.js";
import { sha256 } from "../disk/digest.js";
import {
  closeQuietly,
  codeOf,
  type DescriptorHolder,
  dropDescriptor,
  holdDescriptor,
} from "../disk/platform.js";
import { hashOpenedSlices, readUpTo } from "../disk/reading.js";
import { type Slices, takeSlices } from "../disk/slices.js";

/** A larger file is not read again. */
const limitBytes = 256 * 1024 * 1024;

/** The content of an open file when it was last proved. */
interface KnownContent {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  /** Of the first look: before it the name was lost, which moves it. */
  readonly ctimeNs?: bigint;
  readonly sha256: string;
}

/** A file without a name, kept open for as long as another program may still write into it. */
export class OpenReplacedFile implements ReplacedFile, DescriptorHolder {
  readonly bytes: number;
  private isClosed = false;
  /** Bytes that were found when the descriptor was let go, for the next look. */
  private found: Uint8Array | undefined;

  /** @param known its content when it was last proved. The descriptor is ours from here on. */
  constructor(
    private readonly fd: number,
    private known: KnownContent,
  ) {
    this.bytes = Number(known.size);
  }

  /** It is held open from here on, by nobody else, until it is closed or the descriptor is needed. */
  hold(): this {
    holdDescriptor(this);
    return this;
  }

  changed(): Uint8Array | undefined {
    if (this.isClosed) return this.takeFound();
    try {
      return this.readIfMoved();
    } catch (error) {
      return ignored(error);
    }
  }

  async changedByHash(): Promise<Uint8Array | undefined> {
    if (this.isClosed) return this.takeFound();
    return await takeSlices(this.compare()).catch(ignored);
  }

  /** The same in one go, for who cannot wait. */
  changedAtOnce(): Uint8Array | undefined {
    try {
      return finish(this.compare());
    } catch (error) {
      return ignored(error);
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    dropDescriptor(this);
    closeQuietly(this.fd);
  }

  letGo(): void {
    const found = this.changedAtOnce();
    this.close();
    this.found = found;
  }

  private takeFound(): Uint8Array | undefined {
    const { found } = this;
    this.found = undefined;
    return found;
  }

  private readIfMoved(): Uint8Array | undefined {
    const { size, mtimeNs, ctimeNs } = fstatSync(this.fd, { bigint: true });
    const { known } = this;
    const isSame = (known.ctimeNs ?? ctimeNs) === ctimeNs && size === known.size && mtimeNs === known.mtimeNs;
    if (!isSame) return this.read();
    this.known = { ...known, ctimeNs };
    return undefined;
  }

  /** By its bytes alone: no stamp tells of a write through a mapping, nor of the second one within a tick of the clock. */
  private *compare(): Slices<Uint8Array | undefined> {
    const { size } = fstatSync(this.fd, { bigint: true });
    const hashing = hashOpenedSlices(this.fd, Math.min(Number(size), limitBytes));
    for (;;) {
      const slice = hashing.next();
      if (slice.done === true) return slice.value === this.known.sha256 ? undefined : this.read();
      yield;
      // By now the number of the descriptor may be another file's.
      if (this.isClosed) return this.takeFound();
    }
  }

  private read(): Uint8Array | undefined {
    const { size, mtimeNs, ctimeNs } = fstatSync(this.fd, { bigint: true });
    const bytes = readUpTo(this.fd, Number(size), limitBytes);
    if (bytes === undefined) return undefined;
    const hash = sha256(bytes);
    const same = hash === this.known.sha256;
    this.known = { size, mtimeNs, ctimeNs, sha256: hash };
    return same ? undefined : bytes;
  }
}

/** No call asked for this file: a disk that cannot read it fails none. */
function ignored(error: unknown): undefined {
  if (codeOf(error) === "") throw error;
  return undefined;
}
