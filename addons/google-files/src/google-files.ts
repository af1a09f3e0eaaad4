import type { GoogleFiles, OfferedFile } from "@holdfast/agent";
import { withinTime } from "@holdfast/agent/host";
import type { FileApiState } from "@holdfast/core/conversation/values";
import { defined, isObject, recordIn, textIn } from "@holdfast/core/text";

/** Where records of one account outlast the process, for all processes: `openUploadFolder` is one. */
export interface UploadStore {
  read(sha256: string): unknown;
  write(sha256: string, record: UploadRecord, untilMs: number): void;
  remove(sha256: string): void;
  /** The right to upload these bytes; undefined while another process has it. */
  claim(sha256: string): Promise<(() => Promise<void>) | undefined>;
}

/** The calls of the File API that are needed: `GoogleGenAI.files` has them. */
export interface FilesClient {
  upload(request: {
    readonly file: Blob;
    readonly config: { readonly mimeType: string; readonly abortSignal: AbortSignal };
  }): Promise<UploadedFile>;
  get(request: {
    readonly name: string;
    readonly config: { readonly abortSignal: AbortSignal };
  }): Promise<UploadedFile>;
}

/** A file as the API tells of it. */
interface UploadedFile {
  readonly name?: string;
  readonly uri?: string;
  readonly state?: string;
  /** RFC 3339. */
  readonly expirationTime?: string;
  readonly sha256Hash?: string;
}

/** How uploads are made. */
export interface GoogleFilesOptions {
  /** Asked for when the first upload begins: the SDK is loaded then. The signal ends its requests. */
  readonly client: (signal: AbortSignal) => Promise<FilesClient>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits so many milliseconds, or rejects when the signal ends it. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Of the same account, since an address is of no use to another; without it, what is known ends with the process. */
  readonly store?: UploadStore;
  /** Milliseconds between two questions about a file that is being processed; 1,000 unless given. */
  readonly pollMs?: number;
  /** How often it is asked at most; 120 unless given. */
  readonly polls?: number;
}

/** How long before its end an address is not handed out any more; as the renderer has it. */
const marginMs = 10 * 60_000;
/** How long the API keeps a file, where it does not say. */
const lifetimeMs = 48 * 3_600_000;
/** No record is kept for longer, whatever the API says. */
const longestMs = 30 * 24 * 3_600_000;
/** Uploads at the same time: they must not take the line from a turn. */
const mostAtOnce = 2;

/** Opens the registry of one account. */
export function openGoogleFiles(options: GoogleFilesOptions): GoogleFiles {
  return new Uploads(options);
}

/** A file in the queue. */
interface Wanted extends OfferedFile {
  /** An address of it that is of no use. */
  readonly refusedUri?: string;
}

class Uploads implements GoogleFiles {
  readonly #records = new Map<string, UploadRecord>();
  readonly #waiting: Wanted[] = [];
  readonly #ending = new AbortController();
  readonly #options: GoogleFilesOptions;
  #client: Promise<FilesClient> | undefined;
  #underWay = 0;
  #whenIdle: (() => void)[] = [];

  constructor(options: GoogleFilesOptions) {
    this.#options = options;
  }

  find(sha256: string): FileApiState | undefined {
    return this.#known(sha256)?.fileApi;
  }

  offer(file: OfferedFile): FileApiState {
    // An address is for one type; the same bytes as another type are the exception, and are not worth a second upload.
    return this.find(file.sha256) ?? this.#enqueue(file, 0);
  }

  refused(uri: string, file: OfferedFile): void {
    const kept = this.#kept(file.sha256);
    const isReplaced = kept?.fileApi.state === "ACTIVE" && kept.fileApi.uri !== uri;
    // Another process was refused before this one, and has uploaded them again.
    if (isReplaced) this.#records.set(file.sha256, kept);
    const known = this.#known(file.sha256);
    if (known === undefined) this.#again(uri, file, 1);
    if (known?.fileApi.uri !== uri || known.fileApi.state !== "ACTIVE") return;
    if (known.refusals === 0) this.#again(uri, file, 1);
    else this.#keep({ ...known, refusals: 2, fileApi: { ...known.fileApi, state: "FAILED" } });
  }

  async idle(): Promise<void> {
    if (this.#underWay === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  async close(): Promise<void> {
    this.#waiting.length = 0;
    this.#ending.abort();
    await this.idle();
  }

  #again(refusedUri: string, file: OfferedFile, refusals: number): void {
    this.#options.store?.remove(file.sha256);
    this.#enqueue({ ...file, refusedUri }, refusals);
  }

  /** What this process knows, or another one has written; nothing that is over. */
  #known(sha256: string): UploadRecord | undefined {
    const own = this.#records.get(sha256);
    if (own !== undefined && !this.#isOver(own)) return own;
    const kept = this.#kept(sha256);
    // One that is being processed is nobody's any more: it is asked about when it is offered.
    if (kept === undefined || kept.fileApi.state === "PROCESSING") return undefined;
    this.#records.set(sha256, kept);
    return kept;
  }

  #kept(sha256: string): UploadRecord | undefined {
    const record = uploadRecordOf(this.#options.store?.read(sha256));
    return record === undefined || record.sha256 !== sha256 || this.#isOver(record) ? undefined : record;
  }

  #isOver({ fileApi: { state, expiresAt } }: UploadRecord): boolean {
    const now = this.#options.now();
    return state === "ACTIVE" ? now >= expiresAt - marginMs : state === "FAILED" && now >= expiresAt;
  }

  #enqueue(file: Wanted, refusals: number): FileApiState {
    const { mimeType, sha256 } = file;
    const expiresAt = this.#options.now() + lifetimeMs;
    const fileApi: FileApiState = { uri: "", mimeType, state: "PENDING", expiresAt };
    this.#records.set(sha256, { sha256, fileApi, refusals });
    if (this.#ending.signal.aborted) return fileApi;
    this.#waiting.push(file);
    this.#next();
    return fileApi;
  }

  #next(): void {
    while (this.#underWay < mostAtOnce) {
      const file = this.#waiting.shift();
      if (file === undefined) break;
      this.#underWay += 1;
      void this.#work(file).finally(() => {
        this.#underWay -= 1;
        this.#next();
      });
    }
    if (this.#underWay > 0) return;
    const told = this.#whenIdle;
    this.#whenIdle = [];
    for (const tell of told) tell();
  }

  /** Never rejects: what goes wrong is a state, and the text stands in the prompt. */
  async #work(file: Wanted): Promise<void> {
    let release: (() => Promise<void>) | undefined;
    try {
      release = await this.#claim(file);
      if (release !== undefined) await withinTime(this.#upload(file), this.#ending.signal);
    } catch {
      // Of this process only: the next one may have a better line.
      this.#records.set(file.sha256, this.#recordOf(file, "FAILED", {}));
    } finally {
      await release?.().catch(() => {});
    }
  }

  /** Waits while another process uploads the same bytes. @returns undefined where it is known how they stand by now. */
  async #claim({ sha256, refusedUri }: Wanted): Promise<(() => Promise<void>) | undefined> {
    const { store, sleep, pollMs = 1_000, polls = 120 } = this.#options;
    if (store === undefined) return async () => {};
    for (let asked = 0; asked < polls; asked += 1) {
      const release = await store.claim(sha256);
      const kept = this.#kept(sha256);
      const { state, uri } = kept?.fileApi ?? {};
      if (kept !== undefined && (state === "FAILED" || (state === "ACTIVE" && uri !== refusedUri))) {
        this.#records.set(sha256, kept);
        await release?.();
        return undefined;
      }
      if (release !== undefined) return release;
      await sleep(pollMs, this.#ending.signal);
    }
    throw new Error("another process has the upload");
  }

  async #upload(file: Wanted): Promise<void> {
    this.#client ??= this.#options.client(this.#ending.signal);
    const client = await this.#client;
    const before = await this.#begunBefore(file, client);
    if (before !== undefined) return this.#follow(file, before, client);
    const bytes = await file.bytes();
    if (bytes === undefined) throw new Error("the bytes are gone");
    const { mimeType } = file;
    const config = { mimeType, abortSignal: this.#ending.signal };
    const uploaded = await client.upload({ file: new Blob([bytes], { type: mimeType }), config });
    await this.#follow(file, uploaded, client);
  }

  /** What a process uploaded that ended before it was processed. */
  async #begunBefore({ sha256, refusedUri }: Wanted, client: FilesClient): Promise<UploadedFile | undefined> {
    const kept = this.#kept(sha256);
    if (kept?.fileApi.state !== "PROCESSING" || kept.name === undefined) return undefined;
    if (kept.fileApi.uri === refusedUri) return undefined;
    return client
      .get({ name: kept.name, config: { abortSignal: this.#ending.signal } })
      .catch(() => undefined);
  }

  /** Asks until the file is ready to be named. */
  async #follow(file: Wanted, uploaded: UploadedFile, client: FilesClient): Promise<void> {
    const { sleep, pollMs = 1_000, polls = 120 } = this.#options;
    const abortSignal = this.#ending.signal;
    let seen = uploaded;
    for (let asked = 0; seen.state === "PROCESSING" && seen.name !== undefined; asked += 1) {
      if (asked === 0) this.#keep(this.#recordOf(file, "PROCESSING", seen));
      if (asked === polls) throw new Error("it is processed for too long");
      await sleep(pollMs, abortSignal);
      seen = await client.get({ name: seen.name, config: { abortSignal } });
    }
    // Other bytes than were meant: the address would show the model a state that is not real.
    const isOther = seen.sha256Hash !== undefined && hashInWords(seen.sha256Hash) !== file.sha256;
    const record = this.#recordOf(file, "ACTIVE", seen);
    // An address that is over when it comes would have the bytes uploaded again with each request.
    const isGood = seen.state === "ACTIVE" && record.fileApi.uri !== "" && !isOther && !this.#isOver(record);
    this.#keep(isGood ? record : this.#recordOf(file, "FAILED", {}));
  }

  #recordOf({ sha256, mimeType }: Wanted, state: FileApiState["state"], seen: UploadedFile): UploadRecord {
    const before = this.#records.get(sha256);
    const said = Date.parse(seen.expirationTime ?? "");
    const expiresAt = Number.isNaN(said) ? this.#options.now() + lifetimeMs : said;
    const { name, uri = "" } = seen;
    const fileApi = { uri, mimeType, state, expiresAt };
    return { sha256, ...defined({ name }), fileApi, refusals: before?.refusals ?? 0 };
  }

  /** For this process and the next. */
  #keep(record: UploadRecord): void {
    this.#records.set(record.sha256, record);
    const untilMs = Math.min(record.fileApi.expiresAt, this.#options.now() + longestMs);
    this.#options.store?.write(record.sha256, record, untilMs);
  }
}

/**
 * The SHA-256 that the File API names, as hex. Its documentation says Base64 of the hash; seen are the 32 bytes of it
 * and its 64 hex digits.
 *
 * @returns undefined for what is neither.
 */
function hashInWords(sha256Hash: string): string | undefined {
  const raw = decoded(sha256Hash);
  if (raw === undefined) return undefined;
  if (/^[0-9a-f]{64}$/i.test(raw)) return raw.toLowerCase();
  if (raw.length !== 32) return undefined;
  return Array.from(raw, (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

function decoded(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}

/** What is known of an upload; JSON, so that it can be kept. */
export interface UploadRecord {
  readonly sha256: string;
  /** The provider's name of it, to ask how it is; absent until it was uploaded. */
  readonly name?: string;
  readonly fileApi: FileApiState;
  /** How often a request was refused that named it. */
  readonly refusals: number;
}

/** What was read as JSON, as a record; undefined where it is none. */
export function uploadRecordOf(value: unknown): UploadRecord | undefined {
  const { sha256, refusals } = isObject(value) ? value : {};
  const { uri, mimeType, state, expiresAt } = recordIn(value, "fileApi");
  if (typeof sha256 !== "string" || typeof refusals !== "number") return undefined;
  if (typeof uri !== "string" || typeof mimeType !== "string" || typeof expiresAt !== "number")
    return undefined;
  const known = states.find((one) => one === state);
  if (known === undefined) return undefined;
  const fileApi = { uri, mimeType, state: known, expiresAt };
  return { sha256, ...defined({ name: textIn(value, "name") }), fileApi, refusals };
}

const states: readonly FileApiState["state"][] = ["PENDING", "PROCESSING", "ACTIVE", "FAILED"];
