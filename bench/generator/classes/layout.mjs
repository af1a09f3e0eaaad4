import { isBlank } from "../lines.mjs";
import { standOnceLoosely } from "../proof.mjs";
import { printDiff } from "../true-diff.mjs";
import { oneRight } from "./outcome.mjs";

/**
 * How lines are set: the sign in front of them, blank lines behind them. Removed and added lines are whole.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 */

/** @type {readonly ErrorClass[]} */
export const layout = [
  {
    name: "blank_context_bare",
    // A blank line between signed ones can only be blank context; numbers are true.
    make: (_random, world) => {
      const change = world.change({ context: [2, 8] });
      const hunks = change?.hunks.map((hunk) => strip(hunk, (line) => line.text === ""));
      if (change === undefined || hunks === undefined || !hunks.some(hasBare)) return undefined;
      return oneRight(change, printDiff(change, hunks));
    },
  },
  // A line without a sign can only be context, and what it says stands in one way even when blanks are not
  // counted. A text that itself begins with a sign would be another diff by its letters: such cases are dropped.
  bareContext("space_missing_some", (random) => () => random.chance(0.4)),
  bareContext("space_missing_all", () => () => true),
  {
    name: "trailing_blank_lines",
    // Blank lines behind a hunk whose numbers are true: they are context that stands there, or nothing.
    make: (random, world) => {
      const change = world.change({ context: [1, 6] });
      if (change === undefined || change.hunks.some(endsInAddition)) return undefined;
      const many = () => "\n".repeat(random.between(1, 3));
      const parts = change.hunks.map((hunk, at) => printDiff(change, [hunk], at === 0 ? undefined : []));
      const diff = parts.map(
        (part, at) => part + (at === parts.length - 1 || random.chance(0.5) ? many() : ""),
      );
      return oneRight(change, diff.join(""));
    },
  },
  {
    name: "last_newline_of_diff_missing",
    // The diff's last line has no terminator: the commonest thing of all, and never a statement.
    make: (_random, world) => {
      const change = world.change({ context: [0, 6] });
      if (change === undefined || change.hunks.at(-1)?.lines.at(-1)?.text === "") return undefined;
      return oneRight(change, printDiff(change).slice(0, -1));
    },
  },
];

/** @param {string} name @param {(random: import("../random.mjs").Random) => () => boolean} chooser @returns {ErrorClass} */
function bareContext(name, chooser) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 8] });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const choose = chooser(random);
      const hunks = change.hunks.map((hunk) => strip(hunk, ({ text }) => !isBlank(text) && choose()));
      if (!hunks.some(hasBare) || hunks.some(isMisread) || hunks.some(mayBeShifted)) return undefined;
      return oneRight(change, printDiff(change, hunks));
    },
  };
}

/** @param {Hunk} hunk @param {(line: import("../true-diff.mjs").HunkLine) => boolean} choose @returns {Hunk} */
function strip(hunk, choose) {
  const lines = hunk.lines.map((line) =>
    line.sign === " " && choose(line) ? { ...line, bare: true } : line,
  );
  return { ...hunk, lines };
}

/** @param {Hunk} hunk */
function hasBare({ lines }) {
  return lines.some(({ bare }) => bare);
}

/** @param {Hunk} hunk */
function isMisread({ lines }) {
  return lines.some(({ bare, text }) => bare && /^([-+\\@]|```|diff |index |\*\*\* )/.test(text));
}

/**
 * Where every context line begins with a blank and no line is removed, the hunk may also be read as moved left
 * by one column, added lines and all.
 * @param {Hunk} hunk
 */
function mayBeShifted({ lines }) {
  const removes = lines.some(({ sign }) => sign === "-");
  return (
    !removes &&
    lines.every(({ sign, bare, text }) => sign === "+" || isBlank(text) || (bare && /^\s/.test(text)))
  );
}

/** @param {Hunk} hunk */
function endsInAddition({ lines }) {
  return lines.at(-1)?.sign !== " ";
}
