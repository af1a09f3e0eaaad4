import { isBlank } from "../lines.mjs";
import { printDiff, writeHeader } from "../true-diff.mjs";
import { oneRight } from "./outcome.mjs";

/**
 * Hunks that ask for nothing, and what models write around a diff. The hunks of the change are whole and their
 * numbers true, so the right text is the truth.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../random.mjs").Random} Random
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 * @typedef {import("../true-diff.mjs").Change} Change
 */

/** @type {readonly ErrorClass[]} */
export const extras = [
  extraHunk("noop_hunk", (change, at) => {
    const text = change.lines[at]?.text ?? "";
    return [
      { sign: "-", text, at },
      { sign: "+", text },
    ];
  }),
  extraHunk("context_only_hunk", (change, at) => [{ sign: " ", text: change.lines[at]?.text ?? "", at }]),
  {
    name: "nothing_to_do",
    // Every line that is removed is added again: the right text is the base.
    make: (random, world) => {
      const change = world.change({ context: [1, 5] });
      if (change === undefined) return undefined;
      const lines = linesAround(change, random.below(change.lines.length), 2, (at) => {
        const text = change.lines[at]?.text ?? "";
        return [
          { sign: "-", text, at },
          { sign: "+", text },
        ];
      });
      const hunk = { oldStart: lines[0]?.at ?? 0, newStart: lines[0]?.at ?? 0, lines };
      return oneRight({ ...change, truth: change.base }, printDiff(change, [hunk]));
    },
  },
  around("timestamps", (_random, diff, { path }) => {
    const stamp = "2024-03-01 10:20:30.000000000 +0100";
    return diff
      .replace(`--- a/${path}`, `--- a/${path}\t${stamp}`)
      .replace(`+++ b/${path}`, `+++ b/${path}\t${stamp}`);
  }),
  around("fenced", (random, diff) => `\`\`\`${random.pick(["diff", "", "patch"])}\n${diff}\`\`\`\n`),
  around("prose_around", (random, diff) => {
    const before = random.pick([
      "Here is the patch:",
      "I changed the lines as you asked.\n\nThe diff:",
      "Sure!",
    ]);
    const after = random.pick(["This keeps the rest as it is.", "Let me know if the tests pass.", ""]);
    return `${before}\n\n\`\`\`diff\n${diff}\`\`\`\n${after === "" ? "" : `\n${after}\n`}`;
  }),
  around("heredoc", (random, diff) => {
    const [open, end] = random.pick([
      ["patch -p1 <<'EOF'", "EOF"],
      ["cat <<'PATCH' | git apply", "PATCH"],
      ["<<EOF", "EOF"],
    ]);
    return `${open}\n${diff}${end}\n`;
  }),
  around("git_headers", (random, diff, { path }) => {
    const index = `index ${random.between(1_000_000, 9_999_999)}..${random.between(1_000_000, 9_999_999)} 100644`;
    return `diff --git a/${path} b/${path}\n${index}\n${diff}`;
  }),
  around("no_file_header", (_random, diff) => diff.split("\n").slice(2).join("\n")),
  // The caller names the file; what the header says is advice.
  around("wrong_path", (random, diff, { path }) => {
    const other = random.pick([`/home/user/project/${path}`, "lib/other-name.ts", `./${path}`, "file"]);
    return diff.replace(`--- a/${path}`, `--- ${other}`).replace(`+++ b/${path}`, `+++ ${other}`);
  }),
  {
    name: "several_files",
    // A second file's hunks in a request for one file: they cannot be meant for it, and half a diff is none.
    make: (_random, world) => {
      const change = world.change({ context: [1, 4] });
      const other = world.change({ context: [1, 4], edits: [1, 2] });
      if (change === undefined || other === undefined || other.path === change.path) return undefined;
      return {
        base: change.base,
        diff: printDiff(change) + printDiff(other),
        expect: { kind: "must_refuse" },
      };
    },
  },
  {
    name: "lines_like_headers",
    // Removed and added lines that look like headers or marks. Counts are true, so nothing is in doubt.
    make: (random, world) => {
      const change = world.change({
        context: [1, 4],
        edits: [2, 5],
        shape: (text) => sprinkle(random, text),
      });
      if (change === undefined) return undefined;
      const diff = printDiff(change);
      const tricky = change.hunks.some(({ lines }) =>
        lines.some(({ sign, text }) => sign !== " " && looksLikeHeader.test(text)),
      );
      return tricky ? oneRight(change, diff) : undefined;
    },
  },
];

/** @param {string} name @param {(random: Random, diff: string, change: Change) => string} wrap @returns {ErrorClass} */
function around(name, wrap) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 6] });
      if (
        change === undefined ||
        change.hunks.some(({ lines }) => lines.some(({ text }) => fenceLike.test(text)))
      )
        return undefined;
      return oneRight(change, wrap(random, printDiff(change), change));
    },
  };
}

/**
 * One more hunk, at a place of its own.
 * @param {string} name @param {(change: Change, at: number) => HunkLine[]} middle @returns {ErrorClass}
 */
function extraHunk(name, middle) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 5] });
      if (change === undefined) return undefined;
      const at = random.below(change.lines.length);
      if (isBlank(change.lines[at]?.text ?? "") || change.hunks.some((hunk) => isNear(hunk, at)))
        return undefined;
      const lines = linesAround(change, at, 2, (line) => middle(change, line));
      const count = lines.filter(({ sign }) => sign !== "+").length;
      const oldStart = lines[0]?.at ?? 0;
      const header = writeHeader(oldStart, count, oldStart, count);
      const hunk = { oldStart, newStart: oldStart, lines, header };
      const hunks = [...change.hunks, hunk].sort((one, other) => one.oldStart - other.oldStart);
      return oneRight(change, printDiff(change, hunks));
    },
  };
}

/** @param {Change} change @param {number} at @param {number} width @param {(at: number) => HunkLine[]} middle @returns {HunkLine[]} */
function linesAround(change, at, width, middle) {
  const keep = (/** @type {number} */ from, /** @type {number} */ to) =>
    change.lines.slice(from, to).map(({ text, eol }, n) => ({
      sign: /** @type {const} */ (" "),
      text,
      at: from + n,
      ...(eol === "" ? { unended: true } : {}),
    }));
  return [
    ...keep(Math.max(0, at - width), at),
    ...middle(at),
    ...keep(at + 1, Math.min(change.lines.length, at + width + 1)),
  ];
}

/** @param {Hunk} hunk @param {number} at */
function isNear(hunk, at) {
  const count = hunk.lines.filter(({ sign }) => sign !== "+").length;
  return at >= hunk.oldStart - 3 && at <= hunk.oldStart + count + 3;
}

/** Puts lines that look like parts of a diff between the lines of a text. @param {Random} random @param {string} text */
function sprinkle(random, text) {
  // Lines with other endings than their neighbours would leave those of added lines in doubt.
  return text
    .replace(/\r/g, "")
    .replace(/\n/g, (end) => (random.chance(0.25) ? `\n${random.pick(headerLines)}${end}` : end));
}

const headerLines = [
  "-- x",
  "++ y",
  "- item",
  "+ item",
  "-- a/file.txt",
  "++ b/file.txt",
  "@@ -1,2 +1,2 @@",
  "--- x",
  "+++ y",
];
const looksLikeHeader = /^(--|\+\+|@@)/;
const fenceLike = /^\s*(```|~~~|EOF$|PATCH$)/;
