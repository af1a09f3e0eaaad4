/**
 * What the instrumented copy of `patch/locate` asks at each of its conditions, and how one of them is flipped.
 *
 * `seen`: per flip whether a diff came by where the flip gives another answer; `steps`: how many conditions were asked.
 */
export const asked = { flipped: -1, seen: new Uint8Array(0), steps: 0, mostSteps: Number.POSITIVE_INFINITY };

/** A condition: flip `id` holds it true, `id + 1` false. @template T @param {number} id @param {T} value @returns {T | boolean} */
export function truth(id, value) {
  step();
  asked.seen[value ? id + 1 : id] = 1;
  if (asked.flipped === id) return true;
  return asked.flipped === id + 1 ? false : value;
}

/**
 * A comparison: flip `id` gives the other answer where both sides are equal, `id + 1` holds it true, `id + 2` false.
 * @param {number} id @param {string} sign @param {number} one @param {number} other
 */
export function order(id, sign, one, other) {
  const isSame = one === other;
  if (isSame) asked.seen[id] = 1;
  const value = isSame ? sign.endsWith("=") : sign.startsWith("<") ? one < other : one > other;
  return truth(id + 1, asked.flipped === id && isSame ? !value : value);
}

/** A loop whose condition is flipped may never end. */
function step() {
  asked.steps += 1;
  if (asked.steps > asked.mostSteps) throw new Error("The flip runs without an end.");
}
