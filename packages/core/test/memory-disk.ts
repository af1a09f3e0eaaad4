import { compareAsBytes } from "../src/files/reading/tree-walk.js";
import type {
  Committed,
  DirectoryEntry,
  DirectoryListing,
  Disk,
  Entry,
  Expected,
  FileBytes,
  FileIdentity,
  FileWindow,
  Target,
} from "../src/files/values/disk.js";
import type { HistoryEntry } from "../src/files/values/operation.js";
import type { WorkspacePorts } from "../src/files/values/ports.js";
import { type Refusal, refuse } from "../src/files/values/refusal.js";
import type { SetCommitted, SetStep, SetStopped } from "../src/files/values/stores.js";

/**
 * A disk in memory, for tests: one root, no links, no permissions. It keeps the
 * same promises about expectations as the real one, so that a workspace cannot tell them apart.
 */
export class MemoryDisk implements Disk {
  readonly roots: readonly string[];
  readonly realRoots: readonly string[];
  private readonly files = new Map<string, MemoryFile>();
  private clock = 0n;

  constructor(
    private readonly digest: (bytes: Uint8Array) => string,
    root = "/workspace",
  ) {
    this.roots = [root];
    this.realRoots = [root];
  }

  /** What stands at a path relative to the root, for tests and hosts; undefined where nothing does. */
  peek(path: string): Uint8Array | undefined {
    return this.files.get(this.resolve(path) ?? "")?.bytes;
  }

  /** Changes a file behind everybody's back. */
  poke(path: string, bytes: Uint8Array | undefined): void {
    const key = this.resolve(path);
    if (key === undefined) return;
    if (bytes === undefined) this.files.delete(key);
    else this.files.set(key, this.fresh(bytes, this.files.get(key)));
  }

  async enter(path: string, missing: "refuse" | "allow" | "create"): Promise<Target | Refusal> {
    const key = this.resolve(path);
    if (key === undefined) return refuse("outside_workspace", "The path lies outside the workspace.");
    if (this.isBelowFile(key)) return refuse("not_a_file", "A parent of the path is a file, not a folder.");
    const parent = key.slice(0, Math.max(key.lastIndexOf("/"), 0));
    if (missing === "refuse" && !this.isFolder(parent))
      return refuse("file_missing", "The folder of this path does not exist.");
    return this.target(key);
  }

  private resolve(path: string): string | undefined {
    const [root = ""] = this.roots;
    if (!path.startsWith("/")) return path;
    if (path === root) return "";
    return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
  }

  private isFolder(key: string): boolean {
    return key === "" || [...this.files.keys()].some((name) => name.startsWith(`${key}/`));
  }

  private isBelowFile(key: string): boolean {
    const parts = key.split("/");
    return parts.some((_, at) => at > 0 && this.files.has(parts.slice(0, at).join("/")));
  }

  private fresh(bytes: Uint8Array, replaced: MemoryFile | undefined): MemoryFile {
    this.clock += 1n;
    const inode = replaced?.identity.inode ?? this.clock;
    return {
      bytes: bytes.slice(),
      identity: {
        device: 1n,
        inode,
        size: BigInt(bytes.length),
        mtimeNs: this.clock,
        ctimeNs: this.clock,
        // Each write has a stamp of its own.
        isFirm: true,
      },
    };
  }

  private target(key: string): Target {
    const [root = ""] = this.roots;
    return {
      kind: "target",
      realPath: key === "" ? root : `${root}/${key}`,
      relativePath: key,
      look: async () => this.look(key),
      facts: async () => {
        const entry = this.look(key);
        if (entry.kind === "missing") return refuse("file_missing", "There is no such file.");
        const sizeBytes = entry.kind === "file" ? entry.size : 0;
        const what = entry.kind === "directory" ? "directory" : "file";
        const ms = Number(this.clock);
        return { kind: "facts", what, sizeBytes, createdMs: ms, modifiedMs: ms, accessedMs: ms, mode: 0o644 };
      },
      access: async () => (this.files.has(key) ? { mode: 0o644 } : undefined),
      read: async (limitBytes) => this.read(key, limitBytes),
      window: async (first, count, limitBytes) => this.window(key, first, count, limitBytes),
      stream: async (take) => {
        const file = this.read(key, Number.MAX_SAFE_INTEGER);
        if (file.kind === "refusal") return file;
        take(file.bytes, true);
        return { kind: "streamed" };
      },
      entries: async (limit) => this.entries(key, limit),
      child: async (name) => this.target(key === "" ? name : `${key}/${name}`),
      close: async () => {},
    };
  }

  private look(key: string): Entry {
    const file = this.files.get(key);
    if (file !== undefined)
      return { kind: "file", size: file.bytes.length, links: 1, identity: file.identity };
    return this.isFolder(key) ? { kind: "directory" } : { kind: "missing" };
  }

  private read(key: string, limitBytes: number): FileBytes | Refusal {
    const file = this.files.get(key);
    if (file === undefined) return refuse("file_missing", "There is no such file.");
    if (file.bytes.length > limitBytes)
      return refuse("too_large", `The file has ${file.bytes.length} bytes.`);
    return { kind: "bytes", bytes: file.bytes.slice(), identity: file.identity };
  }

  private window(key: string, first: number, count: number, limitBytes: number): FileWindow | Refusal {
    const file = this.files.get(key);
    if (file === undefined) return refuse("file_missing", "There is no such file.");
    const starts = lineStarts(file.bytes);
    const from = starts[first - 1] ?? file.bytes.length;
    const last = Math.min(starts.length, first - 1 + count);
    const to = starts[last] ?? file.bytes.length;
    return {
      kind: "window",
      bytes: file.bytes.slice(from, Math.min(to, from + limitBytes)),
      firstLine: first,
      lineCount: Math.max(0, last - first + 1),
      totalLines: starts.length,
      totalBytes: file.bytes.length,
      sha256: this.digest(file.bytes),
      head: file.bytes.slice(0, 4),
      finalNewline: file.bytes.at(-1) === 10,
      clipped: to - from > limitBytes,
    };
  }

  private entries(key: string, limit: number): DirectoryListing | Refusal {
    const prefix = key === "" ? "" : `${key}/`;
    const found = new Map<string, DirectoryEntry>();
    for (const [path, file] of this.files) {
      if (!path.startsWith(prefix)) continue;
      const [name = "", ...deeper] = path.slice(prefix.length).split("/");
      const entry: DirectoryEntry =
        deeper.length > 0
          ? { name, kind: "directory", openable: true }
          : { name, kind: "file", sizeBytes: file.bytes.length, openable: true };
      found.set(name, entry);
    }
    const sorted = [...found.values()].sort((left, right) => compareAsBytes(left.name, right.name));
    return { kind: "listing", entries: sorted.slice(0, limit), more: sorted.length > limit };
  }

  /** All steps in one tick: nobody can see or interrupt the middle. */
  takeAll(steps: readonly SetStep[]): SetCommitted | SetStopped {
    const keys = steps.map(({ entry }) => this.resolve(entry.realPath) ?? "");
    for (const [at, step] of steps.entries()) {
      const key = keys[at] ?? "";
      // Of two new names one of which lies in the other, only one can be.
      const isFolderToo = steps.some(
        (other, where) => other.bytes !== null && keys[where]?.startsWith(`${key}/`) === true,
      );
      if (!this.stands(key, step.expected) || (step.bytes !== null && isFolderToo))
        return { kind: "set_stopped", at, reason: { kind: "changed" }, leftAlone: [] };
    }
    const files = steps.map(({ bytes }, at): Committed => {
      const key = keys[at] ?? "";
      if (bytes === null) {
        this.files.delete(key);
        return { kind: "committed" };
      }
      const next = this.fresh(bytes, this.files.get(key));
      this.files.set(key, next);
      return { kind: "committed" };
    });
    return { kind: "set_committed", files };
  }

  private stands(key: string, expected: Expected): boolean {
    const file = this.files.get(key);
    if (expected.kind === "absent") return file === undefined && !this.isFolder(key);
    return file !== undefined && this.digest(file.bytes) === expected.sha256;
  }
}

/**
 * Everything a workspace needs, in memory.
 *
 * @param world what memory cannot make by itself: a digest, ids, and the charsets beyond Unicode.
 */
export function memoryPorts(
  world: Pick<WorkspacePorts, "digest" | "newId" | "codec" | "clock">,
): WorkspacePorts & { readonly disk: MemoryDisk } {
  const blobs = new Map<string, Uint8Array>();
  const secrets = new Map<string, { readonly bytes: Uint8Array; readonly until: number }>();
  const marks = new Set<string>();
  const secret = (realPath: string, sha256: string) => {
    const kept = secrets.get(`${sha256} ${realPath}`);
    return kept === undefined || kept.until <= world.clock.now() ? undefined : kept.bytes;
  };
  const history: HistoryEntry[] = [];
  const disk = new MemoryDisk(world.digest);
  return {
    ...world,
    disk,
    changeSets: {
      commit: async (_, steps, guard) => {
        const held = await guard();
        if (!held) return refuse("busy", "A lock was lost; nothing was written.");
        const done = disk.takeAll(steps);
        if (done.kind === "set_committed") history.push(...steps.map(({ entry }) => entry));
        return done;
      },
    },
    // One process has one turnstile; there is nobody else to lock out.
    locks: { acquire: async () => ({ kind: "lock", held: async () => true, release: async () => {} }) },
    blobs: {
      put: async (sha256, bytes) => blobs.set(sha256, bytes.slice()).has(sha256),
      has: async (sha256) => blobs.has(sha256),
      get: async (sha256) => blobs.get(sha256),
      putLonger: async (sha256, bytes) => blobs.set(sha256, bytes.slice()).has(sha256),
    },
    secrets: {
      put: async (realPath, { sha256, bytes, days }) => {
        secrets.set(`${sha256} ${realPath}`, {
          bytes: bytes.slice(),
          until: world.clock.now() + days * 24 * 60 * 60 * 1_000,
        });
        return true;
      },
      has: async (realPath, sha256) => secret(realPath, sha256) !== undefined,
      get: async (realPath, sha256) => secret(realPath, sha256),
      mark: async (realPath, sha256) => marks.add(`${sha256} ${realPath}`).size > 0,
      belongs: async (realPath, sha256) =>
        marks.has(`${sha256} ${realPath}`) || secret(realPath, sha256) !== undefined,
    },
    history: {
      together: async (changeSet) => {
        const paths = history
          .filter((entry) => entry.changeSet === changeSet)
          .map(({ realPath }) => realPath);
        return paths.length === 0 ? undefined : paths;
      },
      entries: async (realPath) => history.filter((entry) => entry.realPath === realPath),
      ofConversation: async (conversation) => [
        ...new Set(
          history
            .filter(({ caller }) => caller?.conversation === conversation)
            .map(({ realPath }) => realPath),
        ),
      ],
      record: async (entry) => void history.push(entry),
    },
  };
}

interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly identity: FileIdentity;
}

function lineStarts(bytes: Uint8Array): readonly number[] {
  if (bytes.length === 0) return [];
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(10, at + 1))
    starts.push(at + 1);
  return starts;
}
