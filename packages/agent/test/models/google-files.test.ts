import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { GoogleGenAI } from "@google/genai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GoogleFiles, openGoogleFiles, type UploadRecord } from "../../src/models/index.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The File API on loopback: a resumable upload, files that are processed for a while, and what can go wrong. */
class FileApi {
  readonly uploaded: { readonly bytes: string; readonly mimeType: string }[] = [];
  readonly polls: string[] = [];
  /** How often a file is told to be PROCESSING before it is ready. */
  processing = 0;
  ends: "ACTIVE" | "FAILED" = "ACTIVE";
  status = 200;
  otherBytes = false;
  expires = "2030-01-01T00:00:00Z";
  hang: Promise<void> = Promise.resolve();
  private server: Server | undefined;
  private readonly types = new Map<string, string>();

  async open(): Promise<string> {
    this.server = createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((resolve) => this.server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    const { url = "", headers } = request;
    await this.hang;
    if (this.status !== 200)
      return void response.writeHead(this.status).end('{"error":{"code":403,"message":"no"}}');
    if (headers["x-goog-upload-command"] === "start") {
      const id = String(this.types.size);
      this.types.set(id, String(headers["x-goog-upload-header-content-type"]));
      response.writeHead(200, { "x-goog-upload-url": `http://${headers.host}/to/${id}` }).end("{}");
      return;
    }
    const [, to] = /^\/to\/(\d+)/.exec(url) ?? [];
    if (to !== undefined) {
      this.uploaded.push({ bytes: bytes.toString(), mimeType: this.types.get(to) ?? "" });
      const body = JSON.stringify({ file: this.fileOf(this.uploaded.length - 1) });
      response
        .writeHead(200, { "x-goog-upload-status": "final", "content-type": "application/json" })
        .end(body);
      return;
    }
    const [, name = ""] = /\/(files\/f\d+)/.exec(url) ?? [];
    this.polls.push(name);
    const body = JSON.stringify(this.fileOf(Number(name.slice("files/f".length))));
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  }

  private fileOf(at: number): object {
    const isReady = this.polls.filter((name) => name === `files/f${at}`).length >= this.processing;
    const digest = createHash("sha256").update(this.otherBytes ? "other" : (this.uploaded[at]?.bytes ?? ""));
    return {
      name: `files/f${at}`,
      uri: `https://files.example/f${at}`,
      state: isReady ? this.ends : "PROCESSING",
      expirationTime: this.expires,
      sha256Hash: digest.digest("base64"),
    };
  }
}

let api = new FileApi();
let url = "";
let now = Date.parse("2026-11-23T00:00:00Z");
const opened: GoogleFiles[] = [];

beforeEach(async () => {
  api = new FileApi();
  url = await api.open();
  now = Date.parse("2026-11-23T00:00:00Z");
});

afterEach(() => {
  for (const files of opened.splice(0)) files.close();
  api.close();
});

function registry(records: readonly UploadRecord[] = [], kept: UploadRecord[] = []): GoogleFiles {
  const files = openGoogleFiles({
    client: async () => new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } }).files,
    now: () => now,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    records,
    onChange: (record) => kept.push(record),
    pollMs: 1,
    polls: 5,
  });
  opened.push(files);
  return files;
}

const offered = (text: string) => ({
  sha256: sha256(text),
  mimeType: "text/plain",
  bytes: async () => new TextEncoder().encode(text),
});

describe("files at the File API", () => {
  it("uploads the same bytes once, and never waits", async () => {
    let letGo = () => {};
    api.hang = new Promise((resolve) => {
      letGo = resolve;
    });
    const files = registry();
    expect(files.offer(offered("one")).state).toBe("PENDING");
    expect(files.offer(offered("one")).state).toBe("PENDING");
    letGo();
    await files.idle();
    expect(files.offer(offered("one"))).toEqual({
      uri: "https://files.example/f0",
      mimeType: "text/plain",
      state: "ACTIVE",
      expiresAt: Date.parse("2030-01-01T00:00:00Z"),
    });
    await files.idle();
    expect(api.uploaded).toEqual([{ bytes: "one", mimeType: "text/plain" }]);
  });

  it("asks until a file is processed, and gives up after so many times", async () => {
    api.processing = 3;
    const files = registry();
    files.offer(offered("slow"));
    await files.idle();
    expect(files.find(sha256("slow"))?.state).toBe("ACTIVE");
    expect(api.polls).toHaveLength(3);
    api.processing = 100;
    files.offer(offered("never"));
    await files.idle();
    expect(files.find(sha256("never"))?.state).toBe("FAILED");
    expect(api.polls).toHaveLength(8);
  });

  it("says FAILED where the API does, where it refuses, where bytes are gone, and never asks twice for it", async () => {
    const files = registry();
    api.ends = "FAILED";
    files.offer(offered("bad"));
    await files.idle();
    expect(files.offer(offered("bad")).state).toBe("FAILED");
    api.status = 403;
    files.offer(offered("refused"));
    await files.idle();
    expect(files.find(sha256("refused"))?.state).toBe("FAILED");
    files.offer({ ...offered("gone"), bytes: async () => undefined });
    await files.idle();
    expect(files.find(sha256("gone"))?.state).toBe("FAILED");
    expect(api.uploaded.map(({ bytes }) => bytes)).toEqual(["bad"]);
  });

  it("does not name an address under which other bytes are", async () => {
    api.otherBytes = true;
    const files = registry();
    files.offer(offered("meant"));
    await files.idle();
    expect(files.find(sha256("meant"))?.state).toBe("FAILED");
  });

  it("uploads again ten minutes before the end, not earlier", async () => {
    api.expires = new Date(now + 48 * 3_600_000).toISOString();
    const files = registry();
    files.offer(offered("kept"));
    await files.idle();
    now += 48 * 3_600_000 - 10 * 60_000 - 1;
    expect(files.offer(offered("kept")).state).toBe("ACTIVE");
    now += 1;
    expect(files.find(sha256("kept"))).toBeUndefined();
    expect(files.offer(offered("kept")).state).toBe("PENDING");
    await files.idle();
    expect(api.uploaded).toHaveLength(2);
  });

  it("uploads once more after a refusal of its address, and the second time gives up", async () => {
    const files = registry();
    files.offer(offered("mine"));
    await files.idle();
    files.refused("https://files.example/f0", offered("mine"));
    await files.idle();
    expect(files.find(sha256("mine"))).toMatchObject({ uri: "https://files.example/f1", state: "ACTIVE" });
    files.refused("https://files.example/f1", offered("mine"));
    await files.idle();
    expect(files.find(sha256("mine"))?.state).toBe("FAILED");
    expect(api.uploaded).toHaveLength(2);
  });

  it("knows from its records what an earlier session uploaded", async () => {
    const kept: UploadRecord[] = [];
    const first = registry([], kept);
    first.offer(offered("before"));
    await first.idle();
    const second = registry(JSON.parse(JSON.stringify(kept.slice(-1))));
    expect(second.offer(offered("before")).state).toBe("ACTIVE");
    await second.idle();
    expect(api.uploaded).toHaveLength(1);
  });

  it("has at most two uploads under way, and ends them when it is closed", async () => {
    api.hang = new Promise(() => {});
    let asked = 0;
    const files = registry();
    for (const text of ["a", "b", "c"]) {
      const file = offered(text);
      files.offer({
        ...file,
        bytes: () => {
          asked += 1;
          return file.bytes();
        },
      });
    }
    await wait(50);
    expect(asked).toBe(2);
    files.close();
    await files.idle();
    expect(files.find(sha256("a"))?.state).toBe("FAILED");
  });
});
