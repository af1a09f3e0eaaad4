import type { FileApiState } from "@holdfast/core";
import { hashInWords } from "./uploaded-hash.js";

/** Bytes that may be uploaded. */
export interface OfferedFile {
  /** SHA-256 of the bytes, 64 hex digits. */
  readonly sha256: string;
  readonly mimeType: string;
  /** Asked for when it is their turn; undefined where they are gone by then. */
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** What is known of an upload; JSON, so that a host can keep it. */
export interface UploadRecord {
  readonly sha256: string;
  /** The provider's name of it, to ask how it is; absent until it was uploaded. */
  readonly name?: string;
  readonly fileApi: FileApiState;
  /** How often a request was refused that named it. */
  readonly refusals: number;
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
export interface UploadedFile {
  readonly name?: string;
  readonly uri?: string;
  readonly state?: string;
  /** RFC 3339. */
  readonly expirationTime?: string;
  readonly sha256Hash?: string;
}

/** How uploads are made. */
export interface GoogleFilesOptions {
  /** Asked for when the first upload begins: the SDK is loaded then. */
  readonly client: () => Promise<FilesClient>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits so many milliseconds, or rejects when the signal ends it. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** What is known from before: of the same account, since an address is another account's business. */
  readonly records?: readonly UploadRecord[];
  /** Told of each change, to be kept. Must not throw. */
  readonly onChange?: (record: UploadRecord) => void;
  /** Milliseconds between two questions about a file that is being processed; 1,000 unless given. */
  readonly pollMs?: number;
  /** How often it is asked at most; 120 unless given. */
  readonly polls?: number;
}

/**
 * Files at the Gemini File API by their content (seed 4, "File API"; page 4): the same bytes are uploaded once, in the
 * background, and no turn waits for it. A file whose address is not ACTIVE stands in the prompt by its text.
 */
export interface GoogleFiles {
  /** Uploads the bytes unless they are there or on their way. @returns how they stand now; it never waits. */
  offer(file: OfferedFile): FileApiState;
  /** How the bytes stand now; undefined where they were never offered or are about to expire. */
  find(sha256: string): FileApiState | undefined;
  /** A request that named this address was refused (403): it is uploaded once more, and the next time given up. */
  refused(uri: string, file?: OfferedFile): void;
  /** Resolves when no upload is under way. */
  idle(): Promise<void>;
  /** Ends what is under way. */
  close(): void;
}

/** How long before its end an address is not handed out any more; as the renderer has it. */
const marginMs = 10 * 60_000;
/** How long the API keeps a file, where it does not say. */
const lifetimeMs = 48 * 3_600_000;
/** Uploads at the same time: they must not take the line from a turn. */
const mostAtOnce = 2;

/** Opens the registry of one account. */
export function openGoogleFiles(options: GoogleFilesOptions): GoogleFiles {
  return new Uploads(options);
}

class Uploads implements GoogleFiles {
  readonly #records = new Map<string, UploadRecord>();
  readonly #waiting: OfferedFile[] = [];
  readonly #ending = new AbortController();
  readonly #options: GoogleFilesOptions;
  #underWay = 0;
  #whenIdle: (() => void)[] = [];

  constructor(options: GoogleFilesOptions) {
    this.#options = options;
    for (const record of options.records ?? [])
      if (record.fileApi.state === "ACTIVE") this.#records.set(record.sha256, record);
  }

  find(sha256: string): FileApiState | undefined {
    const known = this.#records.get(sha256);
    return known === undefined || this.#isOver(known) ? undefined : known.fileApi;
  }

  offer(file: OfferedFile): FileApiState {
    const found = this.find(file.sha256);
    // An address is for one type; the same bytes as another type are the exception, and are not worth a second upload.
    if (found !== undefined) return found;
    return this.#enqueue(file, 0);
  }

  refused(uri: string, file?: OfferedFile): void {
    const record = [...this.#records.values()].find(({ fileApi }) => fileApi.uri === uri);
    if (record === undefined) return;
    const refusals = record.refusals + 1;
    if (file === undefined || refusals > 1)
      this.#keep({ ...record, refusals, fileApi: failed(record.fileApi) });
    else this.#enqueue(file, refusals);
  }

  async idle(): Promise<void> {
    if (this.#underWay === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  close(): void {
    this.#waiting.length = 0;
    this.#ending.abort();
  }

  #isOver({ fileApi: { state, expiresAt } }: UploadRecord): boolean {
    return state === "ACTIVE" && this.#options.now() >= expiresAt - marginMs;
  }

  #enqueue(file: OfferedFile, refusals: number): FileApiState {
    const { mimeType, sha256 } = file;
    const expiresAt = this.#options.now() + lifetimeMs;
    const fileApi: FileApiState = { uri: "", mimeType, state: "PENDING", expiresAt };
    this.#keep({ sha256, fileApi, refusals });
    this.#waiting.push(file);
    this.#next();
    return fileApi;
  }

  #next(): void {
    while (this.#underWay < mostAtOnce) {
      const file = this.#waiting.shift();
      if (file === undefined) break;
      this.#underWay += 1;
      void this.#upload(file).finally(() => {
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
  async #upload(file: OfferedFile): Promise<void> {
    try {
      const bytes = await file.bytes();
      if (bytes === undefined) return this.#become(file, "FAILED", {});
      const client = await this.#options.client();
      const { mimeType } = file;
      const config = { mimeType, abortSignal: this.#ending.signal };
      const uploading = client.upload({ file: new Blob([bytes], { type: mimeType }), config });
      await this.#follow(file, await beforeEnd(uploading, this.#ending.signal), client);
    } catch {
      this.#become(file, "FAILED", {});
    }
  }

  /** Asks until the file is ready to be named. */
  async #follow(file: OfferedFile, uploaded: UploadedFile, client: FilesClient): Promise<void> {
    const { sleep, pollMs = 1_000, polls = 120 } = this.#options;
    const abortSignal = this.#ending.signal;
    let seen = uploaded;
    for (let asked = 0; seen.state === "PROCESSING" && seen.name !== undefined; asked += 1) {
      if (asked === polls) return this.#become(file, "FAILED", seen);
      this.#become(file, "PROCESSING", seen);
      await sleep(pollMs, abortSignal);
      seen = await client.get({ name: seen.name, config: { abortSignal } });
    }
    // Other bytes than were meant: the address would show the model a state that is not real.
    const isOther = seen.sha256Hash !== undefined && hashInWords(seen.sha256Hash) !== file.sha256;
    this.#become(file, seen.state === "ACTIVE" && !isOther ? "ACTIVE" : "FAILED", seen);
  }

  #become({ sha256, mimeType }: OfferedFile, state: FileApiState["state"], seen: UploadedFile): void {
    const before = this.#records.get(sha256);
    const said = Date.parse(seen.expirationTime ?? "");
    const expiresAt = Number.isNaN(said) ? (before?.fileApi.expiresAt ?? 0) : said;
    const fileApi = {
      uri: seen.uri ?? "",
      mimeType,
      state: seen.uri === undefined ? "FAILED" : state,
      expiresAt,
    };
    const named = seen.name === undefined ? {} : { name: seen.name };
    this.#keep({ sha256, ...named, fileApi, refusals: before?.refusals ?? 0 });
  }

  #keep(record: UploadRecord): void {
    this.#records.set(record.sha256, record);
    this.#options.onChange?.(record);
  }
}

/** The SDK does not end an upload when its signal says so; nobody waits for it any longer then. */
function beforeEnd<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error("closed"));
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}

function failed(fileApi: FileApiState): FileApiState {
  return { ...fileApi, state: "FAILED" };
}
