import { expect, test } from "vitest";
import { ground } from "../support.js";

const files = {
  ".gitignore": "ignored.txt\n",
  "ignored.txt": "i\n",
  "crlf.txt": "c\n",
  "sub/\u00e9t\u00e9.md": "e\n",
  "sub/notes.md": "n\n",
  "kept/away.txt": "a\n",
  ".holdfastignore": "away.txt\n",
};

const cases: readonly (readonly [string, string])[] = [
  ["CRLF.TXT", "There is no file CRLF.TXT. Did you mean crlf.txt?"],
  ["sub/e\u0301te\u0301.md", "Did you mean sub/\u00e9t\u00e9.md?"],
  ["sub/note.md", "Did you mean sub/notes.md?"],
  ["sub/noets.md", "Did you mean sub/notes.md?"],
  ["./sub//nctes.md", "Did you mean sub/notes.md?"],
  ["ignored.tx", "There is no file ignored.tx. write creates it."],
  ["kept/awey.txt", "There is no file kept/awey.txt. write creates it."],
  ["other.txt", "There is no file other.txt. write creates it."],
];

test.each(cases)("a read of %j names what is near and shown, and nothing else", async (path, said) => {
  const { workspace } = await ground(files);
  for (const window of [{}, { offset: 1 }]) {
    const read = await workspace.read({ path, ...window });
    expect(read).toMatchObject({ kind: "refusal", code: "file_missing" });
    if (read.kind === "refusal") expect(read.message).toContain(said);
  }
});
