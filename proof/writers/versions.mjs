/**
 * The text of a version, told apart from every other one by each of its lines, so that a mixture is seen.
 *
 * @param {number} version
 */
export function textOf(version) {
  const lines = 1 + ((version * 7919) % 400);
  return `${`version ${version}\n`.repeat(lines)}end of ${version}\n`;
}

/** The version whose whole text this is; undefined where it is none. @param {string} text */
export function versionOf(text) {
  const version = Number(/^version (\d+)\n/.exec(text)?.[1] ?? Number.NaN);
  return Number.isNaN(version) || textOf(version) !== text ? undefined : version;
}
