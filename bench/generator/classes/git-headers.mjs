import { diffTrees, diffWorking } from "../git.mjs";

/**
 * Diffs as the real git writes them: reversed, with other prefixes or none, with names in quotes; and what is
 * said in the header alone: renames, copies, deletions, modes, new empty files.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../contract.mjs").Draft} Draft
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../random.mjs").Random} Random
 */

/** @type {readonly ErrorClass[]} */
export const gitHeaders = [
  applied("git_reversed", (random, { base, truth }, name) =>
    random.chance(0.5)
      ? diffTrees([{ name, text: truth }], [{ name, text: base }], ["-R"])
      : diffWorking(name, truth, base, random.pick([[], mnemonic]), ["-R"]),
  ),
  applied("git_mnemonic_prefix", (_random, { base, truth }, name) =>
    diffWorking(name, base, truth, mnemonic),
  ),
  applied("git_no_prefix", (random, { base, truth }, name) =>
    diffTrees([{ name, text: base }], [{ name, text: truth }], ["--no-prefix", `-U${random.between(1, 4)}`]),
  ),
  applied(
    "git_quoted_name",
    (_random, { base, truth }, name) => diffTrees([{ name, text: base }], [{ name, text: truth }]),
    ['say "x".ts', "tab\there.ts", "Übersicht.md", "back\\slash.ts", "two words.ts", "日本.txt"],
  ),
  {
    ...applied("git_mode_with_change", (_random, { base, truth }, name) =>
      diffTrees([{ name, text: base }], [{ name, text: truth, mode: "100755" }]),
    ),
    refusal: "the diff also changes the mode of the file",
  },
  refused("git_rename", "a rename is not a change of one file's text", (random, { base, truth }, name) =>
    diffTrees(
      [{ name, text: base }],
      [{ name: `new-${name}`, text: random.chance(0.5) ? truth : base }],
      ["-M"],
    ),
  ),
  refused("git_copy", "a copy makes another file", (random, { base, truth }, name) =>
    diffTrees(
      [{ name, text: base }],
      [
        { name, text: base },
        { name: `zcopy-${name}`, text: random.chance(0.5) ? truth : base },
      ],
      ["-C", "--find-copies-harder"],
    ),
  ),
  refused("git_deletion", "a deletion is not a change of a file's text", (_random, { base }, name) =>
    diffTrees([{ name, text: base }], []),
  ),
  refused("git_mode_only", "the diff has no hunk", (_random, { base }, name) =>
    diffTrees([{ name, text: base }], [{ name, text: base, mode: "100755" }]),
  ),
  refused("git_new_empty_file", "the file is there, and not empty", (_random, _change, name) =>
    diffTrees([], [{ name, text: "" }]),
  ),
];

/**
 * @typedef {(random: Random, change: Change, name: string) => string | undefined} Write
 * @param {string} name @param {Write} write @param {readonly string[]} [names]
 * @returns {ErrorClass}
 */
function applied(name, write, names) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 4] });
      if (change === undefined) return undefined;
      const path = names === undefined ? flatName(change) : random.pick(names);
      const diff = write(random, change, path);
      const kind = name === "git_mode_with_change" ? "right_text_or_refusal" : "one_right_text";
      return diff?.includes("\n@@")
        ? { base: change.base, diff, path, expect: { kind, text: change.truth } }
        : undefined;
    },
  };
}

/** @param {string} name @param {string} refusal @param {Write} write @returns {ErrorClass} */
function refused(name, refusal, write) {
  return {
    name,
    refusal,
    make: (random, world) => {
      const change = world.change({ context: [1, 4] });
      if (change === undefined) return undefined;
      const path = flatName(change);
      const diff = write(random, change, path);
      return diff ? { base: change.base, diff, path, expect: { kind: "must_refuse" } } : undefined;
    },
  };
}

/** @param {Change} change */
function flatName({ path }) {
  return path.split("/").at(-1) ?? "file";
}

const mnemonic = ["-c", "diff.mnemonicPrefix=true"];
