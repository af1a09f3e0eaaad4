import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

/** A file as the server has it. */
export interface ServedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** An upload that was begun. */
interface Begun {
  readonly mimeType: string;
  readonly sizeBytes: number;
  bytes: Buffer;
}

const start = z.strictObject({
  file: z.strictObject({ mimeType: z.string().min(1), sizeBytes: z.string().regex(/^[1-9]\d*$/u) }),
});

/**
 * Google's File API: a resumable upload (start, pieces, finalize), files that are processed for a while, that fail, expire
 * and can be forbidden. What is badly made is refused and noted. Alone, or beside a server of the model's API.
 */
export class FileApi {
  readonly files: ServedFile[] = [];
  /** The names that were asked about. */
  readonly polls: string[] = [];
  /** What was badly made, a sentence each. */
  readonly refused: string[] = [];
  /** How often a file is told to be PROCESSING before it is ready. */
  processing = 0;
  ends: "ACTIVE" | "FAILED" = "ACTIVE";
  /** The status of every answer, where it is not 200. */
  status = 200;
  otherBytes = false;
  saysStatus = true;
  expires = "2030-01-01T00:00:00Z";
  /** Names of files that may not be used any more. */
  readonly forbidden = new Set<string>();
  /** What an answer waits for. */
  hang: Promise<void> = Promise.resolve();
  /** Requests that came, and connections that the client ended while it waited for an answer. */
  begun = 0;
  dropped = 0;
  readonly #begun: Begun[] = [];
  #server: Server | undefined;

  constructor(readonly key = "sk-loopback-1") {}

  /** Listens by itself. @returns its address. */
  async open(): Promise<string> {
    this.#server = createServer((request, response) => void this.#alone(request, response));
    await new Promise<void>((resolve) => this.#server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** Whether a request is one of this API. */
  takes({ url = "" }: IncomingMessage): boolean {
    return /^\/(?:upload\/|upload-to\/|v1beta\/files\/)/u.test(url);
  }

  /** Answers a request of this API. */
  async serve(request: IncomingMessage, response: ServerResponse, bytes: Buffer): Promise<void> {
    this.begun += 1;
    response.on("close", () => {
      if (!response.writableEnded) this.dropped += 1;
    });
    await this.hang;
    if (this.status !== 200) return refuse(response, this.status, "no");
    if (request.headers["x-goog-api-key"] !== this.key) return refuse(response, 403, "no key");
    const { url = "", method } = request;
    const [, to] = /^\/upload-to\/(\d+)$/u.exec(url) ?? [];
    const [, name] = /^\/v1beta\/(files\/f\d+)$/u.exec(url) ?? [];
    const wrong =
      to !== undefined
        ? this.#piece(request, response, bytes, Number(to))
        : name !== undefined && method === "GET"
          ? this.#tell(response, name)
          : this.#start(request, response, bytes);
    if (wrong === undefined) return;
    this.refused.push(wrong);
    refuse(response, 400, wrong);
  }

  /** Why a request to the model is refused for a file that it names; undefined where it may have them all. */
  forbids(body: unknown): string | undefined {
    for (const [, id = ""] of JSON.stringify(body).matchAll(/"fileUri":"[^"]*\/files\/([^"]*)"/gu)) {
      const isThere = this.files.some(({ name }) => name === `files/${id}`);
      if (!isThere || this.forbidden.has(`files/${id}`))
        return `You do not have permission to access the File ${id} or it may not exist.`;
    }
    return undefined;
  }

  async #alone(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    await this.serve(request, response, Buffer.concat(parts));
  }

  #start({ url, method, headers }: IncomingMessage, response: ServerResponse, bytes: Buffer) {
    if (url !== "/upload/v1beta/files" || method !== "POST") return `no ${method} ${url}`;
    const parsed = start.safeParse(JSON.parse(bytes.toString() || "null"));
    if (!parsed.success) return `a start of ${bytes}`;
    const { mimeType, sizeBytes } = parsed.data.file;
    if (headers["x-goog-upload-protocol"] !== "resumable") return "an upload that is not resumable";
    if (headers["x-goog-upload-command"] !== "start") return "no start";
    if (headers["x-goog-upload-header-content-length"] !== sizeBytes) return "another length";
    if (headers["x-goog-upload-header-content-type"] !== mimeType) return "another type";
    this.#begun.push({ mimeType, sizeBytes: Number(sizeBytes), bytes: Buffer.alloc(0) });
    const at = `http://${headers.host}/upload-to/${this.#begun.length - 1}`;
    response.writeHead(200, { "x-goog-upload-url": at, "x-goog-upload-status": "active" }).end("{}");
    return undefined;
  }

  #piece({ headers }: IncomingMessage, response: ServerResponse, bytes: Buffer, at: number) {
    const begun = this.#begun[at];
    if (begun === undefined) return "an upload that nobody began";
    if (headers["x-goog-upload-offset"] !== String(begun.bytes.length)) return "a piece out of its place";
    begun.bytes = Buffer.concat([begun.bytes, bytes]);
    const command = headers["x-goog-upload-command"];
    if (command === "upload") {
      response.writeHead(200, { "x-goog-upload-status": "active" }).end();
      return undefined;
    }
    if (command !== "upload, finalize") return `the command ${command}`;
    if (begun.bytes.length !== begun.sizeBytes) return "fewer bytes than were told";
    const name = `files/f${this.files.length}`;
    this.files.push({ name, mimeType: begun.mimeType, bytes: begun.bytes });
    const status = this.saysStatus ? { "x-goog-upload-status": "final" } : {};
    response.writeHead(200, { ...status, "content-type": "application/json" });
    response.end(JSON.stringify({ file: this.#fileOf(name) }));
    return undefined;
  }

  #tell(response: ServerResponse, name: string) {
    if (!this.files.some((file) => file.name === name)) return `no ${name}`;
    this.polls.push(name);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.#fileOf(name)));
    return undefined;
  }

  /** Base64 of the hash, as is documented, or of its hex digits, as is seen. */
  #hashOf(name: string, digest: Buffer): string {
    const isEven = Number(name.slice("files/f".length)) % 2 === 0;
    return (isEven ? Buffer.from(digest.toString("hex")) : digest).toString("base64");
  }

  #fileOf(name: string): object {
    const file = this.files.find((one) => one.name === name);
    const isReady = this.polls.filter((one) => one === name).length >= this.processing;
    const digest = createHash("sha256").update(this.otherBytes ? "other" : (file?.bytes ?? ""));
    return {
      name,
      uri: `https://generativelanguage.example/v1beta/${name}`,
      mimeType: file?.mimeType,
      sizeBytes: String(file?.bytes.length),
      state: isReady ? this.ends : "PROCESSING",
      expirationTime: this.expires,
      sha256Hash: this.#hashOf(name, digest.digest()),
    };
  }
}

function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code, message, status: "PERMISSION_DENIED" } }));
}
