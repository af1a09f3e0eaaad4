import { readSync, writeSync } from "node:fs";
import { codeOf } from "./platform.js";

/** `read` that goes on after an interruption by a signal. */
export function readAt(fd: number, buffer: Buffer, offset: number, length: number, position: number): number {
  for (;;) {
    try {
      return readSync(fd, buffer, offset, length, position);
    } catch (error) {
      if (codeOf(error) !== "EINTR") throw error;
    }
  }
}

/** `write` until everything is written: one call may write less than it was given. */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    const count = writeSync(fd, bytes, written, bytes.length - written, position + written);
    if (count === 0) throw shortWrite("");
    written += count;
  }
}

/** The error of a write that wrote less than it was given. */
export function shortWrite(path: string): Error {
  return Object.assign(new Error(`the file ${path} is shorter than what was written`), {
    code: "EIO",
    syscall: "write",
  });
}
