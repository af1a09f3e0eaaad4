import { createHash } from "node:crypto";
import { parseEnvelope, renderResult, type ToolResult } from "@holdfast/core/tools";
import { ensure, partsOf, type Target } from "../target.js";

/**
 * A text, a name and a message, parted by `%%`. Held against: whatever a file holds or is called, our answer has exactly
 * its frame, and gives name and content back; whatever a text says, what is read from it stands where it says.
 */
export const envelope: Target = {
  name: "envelope",
  words: [
    ...[
      "</file>",
      "</file-1>",
      "<file ",
      '<file path="a" version="1" sha256="none">\n',
      "<lines",
      "</lines>",
      "/>",
      '">\n',
    ],
    ...[
      "OK (read): done.\n",
      "FAILED (state_mismatch): ",
      '<lines from="1" to="2">\n',
      "What changed since your base:\n",
    ],
    ...[
      "\n+",
      "\n-",
      "\n%%\n",
      "\\u202e",
      '\\"',
      "-2",
      'shown="no"',
      'lines="1-2"',
      'total_lines="1"',
      "\u2028",
      "]]>",
    ],
  ],
  run(input) {
    checkRead(input);
    const [content, path, message] = partsOf(input);
    const name = path === "" ? "a" : path;
    for (const result of [reading(content, name), refused(content, name, message)]) {
      const { text } = renderResult(result, { wire: "text", resultContent: "full" });
      checkRead(text);
      const files = parseEnvelope(text)?.files ?? [];
      ensure(files.length === 1, "an answer has one frame", { text, files });
      const [file] = files;
      ensure(file?.path === name.toWellFormed() || file?.path === name, "the name comes back", {
        name,
        file,
      });
      ensure(file.content === content, "the content comes back", { content, file });
      ensure(file.version === 7 && file.sha256 === shaOf(content), "version and hash come back", file);
    }
  },
};

/** What was read stands in the text, at the places that are given. */
function checkRead(text: string): void {
  const read = parseEnvelope(text);
  for (const file of read?.files ?? []) {
    const shown = file.content === null ? [] : [{ text: file.content, start: file.start }];
    for (const { text: body, start } of [...shown, ...file.windows])
      ensure(text.startsWith(body, start), "a frame's text stands where it says", { body, start });
  }
}

function reading(content: string, path: string): ToolResult {
  return { kind: "read", outcome: { kind: "read", state: stateOf(content, path) } };
}

function refused(content: string, path: string, message: string): ToolResult {
  const state = stateOf(content, path);
  return {
    kind: "write",
    outcome: {
      kind: "refusal",
      success: false,
      code: "state_mismatch",
      message: message.replaceAll("\n", " "),
      state,
      shownBefore: false,
    },
  };
}

function stateOf(content: string, path: string) {
  return {
    path,
    version: 7,
    sha256: shaOf(content),
    content,
    facts: {
      encoding: "utf-8",
      bom: false,
      guessed: false,
      endings: "lf",
      totalLines: content.split("\n").length,
      finalNewline: content.endsWith("\n"),
      totalBytes: Buffer.byteLength(content),
    },
  } as const;
}

function shaOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
