/**
 * What differs from run to run and says nothing of the program's behaviour, by name. Hashes of content, counts and
 * versions of files stay: they are what the golden files are for.
 */
const day = String.raw`20\d\d-\d\d-\d\d`;
const week = String.raw`\b(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) \w{3} \d\d 20\d\d`;
/** @type {readonly { readonly what: string, readonly pattern: RegExp, readonly to: string }[]} */
const replacements = [
  // Of the example's own session, which says when it was held, nothing is replaced.
  {
    what: "a moment, as commands print it",
    pattern: RegExp(String.raw`\b${day} \d\d:\d\d(:\d\d)?\b`, "g"),
    to: "{moment}",
  },
  {
    what: "a moment of get_file_info",
    pattern: RegExp(String.raw`${week} [\d:]+ GMT\+0000 \([\w ]+\)`, "g"),
    to: "{moment}",
  },
  {
    what: "the size of states that name the checkout and the Node they were made with",
    pattern: /(Kept \d+ states) \([\d.]+ \w+\)/g,
    to: "$1 ({size})",
  },
  { what: "a change set in a log", pattern: /\(set [a-z0-9]{8}\)/g, to: "(set {set})" },
  {
    what: "a run in a log",
    pattern: /( {2}holdfast [a-z]+(?: \(set \{set\}\))? {2})[a-z0-9]{12}\b/g,
    to: "$1{run}",
  },
];

/** @param {string} text @param {import("./run.mjs").Ground} ground @returns {string} */
export function normalise(text, { folder, house }) {
  const placed = [folder, house, process.execPath].reduce(
    (said, place, at) => said.replaceAll(place, ["{folder}", "{house}", "{node}"][at] ?? ""),
    text,
  );
  return replacements.reduce((said, { pattern, to }) => said.replace(pattern, to), placed);
}

/** Ids of sessions and nodes that a scene does not make itself, numbered as they come. @param {string} text */
export function withoutIds(text) {
  /** @type {string[]} */
  const known = [];
  return text.replaceAll(/\b01[0-9a-hjkmnp-tv-z]{24}\b/g, (id) => {
    if (!known.includes(id)) known.push(id);
    return `{id ${known.indexOf(id) + 1}}`;
  });
}
