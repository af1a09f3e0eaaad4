import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { refuse } from "@holdfast/core/files/values";
import type { EncodedEvent } from "./rows.js";

/**
 * Of one text, medium or event. The server sends bytes as two digits each, and no text of V8 has more than
 * 536,870,888 units: what is larger than half of that cannot be read back by anybody, however it was written.
 */
export const mostReadableBytes = 256_000_000;

/** What is taken where nothing is said: half of what can be read back. */
export const usualTextBytes = 128_000_000;

/** @returns `too_large` where one of these could not be given back. Asked before anything is written. */
export function refuseTooLarge(
  id: string,
  events: readonly EncodedEvent[],
  limitBytes: number,
): ConversationRefusal<"too_large"> | undefined {
  for (const { seq, body, blobs } of events) {
    const sizes = [...[...blobs.values()].map(({ length }) => length), largeBytes(body, limitBytes)];
    const most = Math.max(...sizes);
    if (most > limitBytes)
      return refuse(
        "too_large",
        `Event ${seq} of session ${id} holds ${most} bytes in one piece; the store takes ${limitBytes} (textBytes). Nothing of it was kept: leave it out, or cut it.`,
      );
  }
  return undefined;
}

/** Counted only where it may be too much. */
function largeBytes(body: string, limitBytes: number): number {
  return body.length * 3 <= limitBytes ? 0 : Buffer.byteLength(body);
}

/** @param what of the session cannot be read, and how many bytes it has. */
export function refuseUnreadable(id: string, what: string, bytes: number): ConversationRefusal<"too_large"> {
  return refuse(
    "too_large",
    `Session ${id} cannot be read: ${what} has ${bytes} bytes, and no client reads more than ${mostReadableBytes} in one piece. The rows are as they were; docs/postgres.md says what can be done.`,
  );
}
