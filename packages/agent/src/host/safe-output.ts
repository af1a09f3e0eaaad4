import { escapeUnseen } from "@holdfast/core/text";

/**
 * What a program printed, for a model: bytes that are no UTF-8 are U+FFFD, colours and other commands to a terminal are
 * left out, of a line that was printed over itself (`\r`) the last form stays, and whatever else is not seen stands
 * there escaped.
 */
export function safeOutput(bytes: Uint8Array): string {
  return safeText(new TextDecoder().decode(bytes));
}

/** The same for a text. */
export function safeText(text: string): string {
  const plain = text.replace(terminalCommand, "").replace(/\r+\n/g, "\n");
  const lines = plain.includes("\r") ? plain.split("\n").map(lastForm).join("\n") : plain;
  return escapeUnseen(lines);
}

/** CSI, OSC with its end, and the short escapes; each takes time in proportion to its length. */
const terminalCommand =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|[()][0-9A-Za-z]|[=>78cDEHMNOZ])/g;

function lastForm(line: string): string {
  const end = line.endsWith("\r") ? line.length - 1 : line.length;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}
