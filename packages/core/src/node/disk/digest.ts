import { createHash, hash, randomBytes } from "node:crypto";
import { inflateSync } from "node:zlib";
import { ifPossible } from "./platform.js";

/** SHA-256 of the bytes, or of a text as UTF-8, as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array | string): string {
  return hash("sha256", bytes, "hex");
}

/** The same over parts that come one after the other. */
export function sha256Stream(): { update(bytes: Uint8Array): void; digest(): string } {
  const state = createHash("sha256");
  return {
    update: (bytes) => {
      state.update(bytes);
    },
    digest: () => state.digest("hex"),
  };
}

/** Whether git's name of a content begins so. Git may keep a text with other line endings than the disk, or the diff. */
export function isGitBlob(bytes: Uint8Array, id: string): boolean {
  const plain = Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n");
  const others = [plain, plain.replaceAll("\n", "\r\n")].map((text) => Buffer.from(text, "latin1"));
  const isNamed = (content: Uint8Array, by: string) =>
    createHash(by).update(`blob ${content.length}\0`).update(content).digest("hex").startsWith(id);
  return [bytes, ...others].some((content) => isNamed(content, "sha1") || isNamed(content, "sha256"));
}

/** Undoes zlib's packing; undefined of damaged bytes, and of those that come to more than `size`. */
export function inflate(bytes: Uint8Array, size: number): Uint8Array | undefined {
  return ifPossible(() => inflateSync(bytes, { maxOutputLength: Math.max(1, size) }), undefined);
}

/** 128 random bits as 26 characters from [a-z2-7]: unguessable, and safe in any file name. */
export function newId(): string {
  if (poolAt + idBytes > pool.length) {
    pool = randomBytes(64 * idBytes);
    poolAt = 0;
  }
  const bits = pool.subarray(poolAt, poolAt + idBytes);
  poolAt += idBytes;
  let id = "";
  for (let at = 0; at < 26; at++) {
    const bit = at * 5;
    const pair = ((bits[bit >> 3] ?? 0) << 8) | (bits[(bit >> 3) + 1] ?? 0);
    id += alphabet[(pair >> (11 - (bit & 7))) & 31];
  }
  return id;
}

const idBytes = 17;
/** Asking the system for bytes costs more than making ten ids of them. */
let pool: Uint8Array = new Uint8Array();
let poolAt = 0;

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Bytes as base64, for doors that hand media on. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
