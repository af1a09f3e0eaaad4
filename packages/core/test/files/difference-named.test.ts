import fc from "fast-check";
import { expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { runTool } from "../../src/tools/index.js";
import { memoryWith, sha } from "../support.js";

const hexOf = (char: string) => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** What nobody sees, or takes for something else: controls, blanks, ends of lines, characters without width. */
const unseen = [
  ...Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)),
  ..."\u00a0\u00ad\u2002\u2009\u200b\u200d\u2028\u2029\u202f\u2060\u3000\ufeff",
].filter((char) => /[\p{Cc}\p{Z}\p{Cf}]/u.test(char) && !["\0", "\n", " "].includes(char));

it("a text that differs in one character that nobody sees is refused by that character's name", async () => {
  const word = fc.stringMatching(/^[a-z]{3,6}$/);
  const law = fc.asyncProperty(
    fc.constantFrom(...unseen),
    fc.constantFrom("", " ", "\n"),
    word,
    word,
    fc.nat({ max: 3 }),
    fc.boolean(),
    async (char, between, before, after, above, endsLine) => {
      if (endsLine && char === "\r") return;
      const [end, instead] = endsLine ? ["\n", "\n"] : ["", between];
      const inFile = `${"other\n".repeat(above)}head ${before}${char}${end}${after} tail\nlast\n`;
      const asked = `head ${before}${instead}${after} tail`;
      const ports = memoryWith();
      ports.disk.poke("a.txt", Buffer.from(inFile));
      const edits = [{ old_string: asked, new_string: "new" }];
      const args = { file_path: "a.txt", base_content_sha256: sha(inFile), edits };
      const workspace = new Workspace(ports);
      await runTool("read_file", { file_path: "a.txt" }, { workspace });
      const { code, text } = await runTool("edit_file", args, { workspace });
      if (code === "applied") return;
      expect(text).toContain(hexOf(char));
    },
  );
  await fc.assert(law, { numRuns: 400 });
});
