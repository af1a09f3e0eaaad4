import { applyDiff, describeChange, type PatchOutcome, splitByFile } from "@holdfast/core/patch";
import { splitLines } from "@holdfast/core/text";
import { ensure, partsOf, type Target } from "../target.js";

type Applied = Extract<PatchOutcome, { kind: "success" }>;

/** The largest message of a refusal, in UTF-8 (docs of `PatchRefusal`). */
const messageBytes = 8 * 1024;

/**
 * A file and a diff for it, parted by `%%`; a third part is another text of the file. Held against: nothing outside
 * the changes moves, a refusal changes nothing and is short, the same diff comes to the same, and our own description
 * of a change applies to what it describes.
 */
export const diff: Target = {
  name: "diff",
  words: [
    ...[
      "@@",
      "@@ -1,2 +1,2 @@\n",
      "--- a/f\n",
      "+++ b/f\n",
      "\n-",
      "\n+",
      "\n ",
      "\\ No newline at end of file\n",
    ],
    ...[
      "*** Begin Patch\n",
      "*** Update File: f\n",
      "*** End Patch\n",
      "*** Add File: f\n",
      "*** Delete File: f\n",
    ],
    ...[
      "*** Move to: g\n",
      "*** End of File\n",
      "<<<<<<< SEARCH\n",
      "=======\n",
      ">>>>>>> REPLACE\n",
      "```diff\n",
    ],
    ...[
      "```\n",
      "diff --git a/f b/f\n",
      "new file mode 100644\n",
      "deleted file mode 100644\n",
      "rename from f\n",
    ],
    ...[
      "rename to g\n",
      "/dev/null",
      "index 000..111\n",
      "Binary files differ\n",
      "... existing code ...\n",
      "\r\n",
    ],
    ...[
      "\n%%\n",
      "&lt;",
      "&amp;",
      "\\n",
      "\\t",
      "12|",
      "  3\t",
      "\ufeff",
      "…\n",
      "@@ function a() {\n",
      "GIT binary patch",
    ],
  ],
  run(input) {
    const [base, text, other] = partsOf(input);
    checkSplit(text);
    const present = base === "/dev/null" ? null : base;
    const request = { base: present, diff: text, path: "f" };
    const outcome = applyDiff(request);
    ensure(same(outcome, applyDiff(request)), "the same diff comes to the same");
    if (outcome.kind === "refusal")
      ensure(
        Buffer.byteLength(outcome.message) <= messageBytes,
        "a refusal is short",
        outcome.message.length,
      );
    else if (outcome.code === "applied") checkOutside(base === "/dev/null" ? "" : base, outcome);
    else ensure(outcome.text === (present ?? ""), "nothing was applied, nothing changed", outcome.code);
    if (other !== "") checkOwn(base, other);
  },
};

/** Lines that the answer does not call changed are byte for byte those of the file. */
function checkOutside(base: string, { text, changes }: Applied): void {
  const [before, after] = [linesOf(base), linesOf(text)];
  let [oldAt, newAt] = [0, 0];
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    ensure(oldFrom >= oldAt && newFrom >= newAt, "changes come in order", changes);
    const kept = before.slice(oldAt, oldFrom).join("");
    ensure(kept === after.slice(newAt, newFrom).join(""), "lines outside the changes stay", {
      base,
      text,
      changes,
    });
    [oldAt, newAt] = [oldTo, newTo];
  }
  const [oldRest, newRest] = [before.slice(oldAt).join(""), after.slice(newAt).join("")];
  ensure(oldRest === newRest, "lines behind the changes stay", { base, text, changes });
}

/** What we show of a change is a diff that makes it. */
function checkOwn(base: string, other: string): void {
  const shown = describeChange(base, other);
  // What was left out and a final newline that is missing are told in words, which no diff has.
  // Characters that cannot be seen are shown as others.
  if (!/^[\n -~]*$/.test(base + other)) return;
  if (shown === "" || shown.includes("…") || shown.includes("(no newline at the end)")) return;
  const outcome = applyDiff({ base, diff: shown });
  const made = outcome.kind === "refusal" ? undefined : outcome.text;
  ensure(
    made === undefined || made === other || differInEndings(made, other),
    "our own diff makes the change it shows",
    {
      base,
      other,
      shown,
      made,
    },
  );
}

/** A diff of lines says nothing of their endings. */
function differInEndings(one: string, other: string): boolean {
  return one.replace(/\r\n?|\n/g, "\n").trimEnd() === other.replace(/\r\n?|\n/g, "\n").trimEnd();
}

function checkSplit(text: string): void {
  const split = splitByFile(text);
  if (split.kind === "refusal") {
    ensure(Buffer.byteLength(split.message) <= messageBytes, "a refusal is short", split.message.length);
    return;
  }
  const paths = split.files.map(({ path }) => path);
  ensure(new Set(paths).size === paths.length, "each file is named once", paths);
  for (const file of split.files)
    ensure((file.to !== undefined) === (file.action === "rename"), "a rename has a name", file);
}

function linesOf(text: string): readonly string[] {
  const { contents, endings } = splitLines(text);
  return contents.map((content, at) => content + (endings[at] ?? ""));
}

function same(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
