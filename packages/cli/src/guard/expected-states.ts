import { createHash } from "node:crypto";
import type { TextEdit, ToolCall } from "./hook-event.js";

/**
 * The states that a host's tool can leave if it does exactly what it was asked to: hashes, to be compared
 * with what stands there afterwards. Hosts differ in what they do about byte order marks and line endings, so
 * there are several. What is none of them (a match that was not exact, a formatter) was not seen by anybody.
 */
export function expectedStates(call: ToolCall, before: Uint8Array | undefined): readonly string[] {
  switch (call.kind) {
    case "overwrite":
      return hashes(variants(call.content, before));
    case "edit": {
      const text = before === undefined ? "" : decode(before);
      return text === undefined ? [] : hashes(editedTexts(text, call.edits));
    }
    case "read":
    case "own":
    case "other":
      return [];
    default:
      return call satisfies never;
  }
}

function editedTexts(text: string, edits: readonly TextEdit[]): readonly string[] {
  const exact = applyAll(text, edits);
  const plain = applyAll(withLf(text), edits.map(lfEdit));
  return [...(exact === undefined ? [] : [exact]), ...(plain === undefined ? [] : [plain, withCrlf(plain)])];
}

function applyAll(text: string, edits: readonly TextEdit[]): string | undefined {
  let edited = text;
  for (const { oldText, newText, all } of edits) {
    if (oldText === "") {
      if (edited !== "") return undefined;
      edited = newText;
      continue;
    }
    const parts = edited.split(oldText);
    if (parts.length === 1) return undefined;
    edited = all ? parts.join(newText) : `${parts[0]}${newText}${parts.slice(1).join(oldText)}`;
  }
  return edits.length === 0 ? undefined : edited;
}

function lfEdit({ oldText, newText, all }: TextEdit): TextEdit {
  return { oldText: withLf(oldText), newText: withLf(newText), all };
}

function variants(content: string, before: Uint8Array | undefined): readonly string[] {
  const endings = [content, withLf(content), withCrlf(content)];
  const marked = before?.[0] === 0xef && before[1] === 0xbb && before[2] === 0xbf;
  return marked ? [...endings, ...endings.map((text) => `\ufeff${text}`)] : endings;
}

function withLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function withCrlf(text: string): string {
  return withLf(text).replaceAll("\n", "\r\n");
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function hashes(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].map((text) => createHash("sha256").update(text).digest("hex"));
}
