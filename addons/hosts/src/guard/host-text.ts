import { splitLines } from "@holdfast/core/text";
import type { TextEdit } from "./hook-event.js";

/** The text of a file as a host takes it. A file that is not there is an empty text; undefined where it is no UTF-8. */
export function decode(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Hosts find their old text whatever ends its lines. */
export function withLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** The edit with plain ends of lines. */
export function lfEdit({ oldText, newText, all }: TextEdit): TextEdit {
  return { oldText: withLf(oldText), newText: withLf(newText), all };
}

/** How many lines a text has. */
export function countLines(text: string): number {
  return splitLines(text).contents.length;
}
