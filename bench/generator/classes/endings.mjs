import { isBlank, joinLines, splitLines } from "../lines.mjs";
import { makeChange, printDiff } from "../true-diff.mjs";
import { oneRight } from "./outcome.mjs";

/**
 * Line endings and the last newline. Numbers are true, and no line's text is touched: the file keeps what it
 * has. A diff on the way through a model says nothing about line endings, it has those of the channel.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Change} Change
 */

/** @type {readonly ErrorClass[]} */
export const endings = [
  plain("crlf_file_lf_diff", { shape: toCrlf }),
  plain("lf_file_crlf_diff", { rewrite: toCrlf }),
  plain("crlf_both", { shape: toCrlf, rewrite: toCrlf }),
  {
    name: "mixed_endings",
    // Each line keeps its own; an added one takes those of the lines it replaces or stands between. Dropped
    // where these differ from each other.
    make: (random, world) => {
      const shape = (/** @type {string} */ text) =>
        joinLines(
          splitLines(text.replace(/\r/g, "")).map((line) =>
            random.chance(0.2) ? { ...line, eol: "\r\n" } : line,
          ),
        );
      const change = world.change({ context: [1, 5], shape });
      return change?.edits.every((edit) => endsAreSure(change, edit))
        ? oneRight(change, printDiff(change))
        : undefined;
    },
  },
  // The file ends without a newline and the diff says nothing about it.
  {
    name: "newline_marker_missing",
    make: (random, world) => {
      const change = world.change({ context: [1, 5], shape: (text) => text.trimEnd() });
      if (change === undefined) return undefined;
      const lines = splitLines(change.base);
      const last = {
        at: lines.length - 1,
        del: 1,
        add: [`${lines.at(-1)?.text ?? ""} ${random.pick(["x", "1", "end"])}`],
      };
      const edits = [...change.edits.filter(({ at, del }) => at + del < lines.length - 1), last];
      const whole = makeChange({ path: change.path, base: change.base, edits, context: change.context });
      if (whole === undefined) return undefined;
      return oneRight(whole, printDiff(whole).replaceAll("\\ No newline at end of file\n", ""));
    },
  },
  // The mark stands behind a hunk in the middle of the file, where it cannot be true.
  {
    name: "newline_marker_wrong",
    make: (_random, world) => {
      const change = world.change({ context: [1, 4] });
      const last = change?.hunks.at(-1);
      const end = last?.lines.at(-1);
      if (
        change === undefined ||
        end?.sign !== " " ||
        end.at === undefined ||
        end.at + 3 > change.lines.length
      )
        return undefined;
      if (change.lines.slice(end.at + 1).every(({ text }) => isBlank(text))) return undefined;
      return oneRight(change, `${printDiff(change)}\\ No newline at end of file\n`);
    },
  },
];

/** @param {string} name @param {{ shape?: (text: string) => string, rewrite?: (diff: string) => string }} how @returns {ErrorClass} */
function plain(name, { shape, rewrite = (diff) => diff }) {
  return {
    name,
    make: (_random, world) => {
      const change = world.change({ context: [1, 6], ...(shape ? { shape } : {}) });
      if (change === undefined || (shape === undefined && change.base.includes("\r"))) return undefined;
      return oneRight(change, rewrite(printDiff(change)));
    },
  };
}

/** @param {string} text */
function toCrlf(text) {
  return text.replace(/\r?\n/g, "\r\n");
}

/** @param {Change} change @param {import("../texts.mjs").Edit} edit */
function endsAreSure({ lines }, { at, del, add }) {
  if (add.length === 0 || del === add.length) return true;
  return new Set(lines.slice(Math.max(0, at - 1), at + del + 1).map(({ eol }) => eol)).size === 1;
}
