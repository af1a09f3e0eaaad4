/**
 * A unified diff as the V4A envelope, as a caller would write it: the numbers go, `@@ name` keeps its name,
 * marks of a missing newline go, everything else stays to the letter. Nothing where a caller could not do it
 * without repairing the diff first: text around it, several files, no line breaks.
 *
 * @param {{ readonly diff: string, readonly class: string }} made
 * @param {string} path
 * @returns {string | undefined}
 */
export function toEnvelope({ diff, class: name }, path) {
  if (notConvertible.has(name)) return undefined;
  const lines = diff.replace(/\n$/, "").split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  if (first < 0) return undefined;
  const body = lines.slice(first).flatMap((line) => {
    if (line.startsWith("\\ No newline")) return [];
    return line.startsWith("@@") ? [convertHeader(line)] : [line];
  });
  return ["*** Begin Patch", `*** Update File: ${path}`, ...body, "*** End Patch", ""].join("\n");
}

/** @param {string} line */
function convertHeader(line) {
  const name = line
    .replace(/^@@( -\d+(,\d+)? \+\d+(,\d+)? @@)?( \.\.\. @@)?/, "")
    .replace(/ @@\s*$/, "")
    .trim();
  return name === "" ? "@@" : `@@ ${name}`;
}

/** Classes that are about what stands around a diff, or about its numbers alone: codex's format has neither. */
const notConvertible = new Set([
  "fenced",
  "prose_around",
  "heredoc",
  "several_files",
  "escaped_twice",
  "copies_with_number",
  "v4a_envelope",
  "search_replace",
]);
