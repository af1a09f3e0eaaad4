/**
 * A seeded source of choices: the same seed gives the same choices on every machine (sfc32, seeded by a hash
 * of the seed's characters).
 *
 * @param {string} seed
 */
export function createRandom(seed) {
  const next = sfc32(seed);
  /** @param {number} limit a whole number from 0 up to and without `limit` */
  const below = (limit) => Math.floor(next() * limit);
  /** @param {number} low @param {number} high a whole number, both ends included */
  const between = (low, high) => low + below(high - low + 1);
  return {
    below,
    between,
    /** @param {number} share */
    chance: (share) => next() < share,
    /** @template T @param {readonly T[]} items @returns {T} */
    pick(items) {
      if (items.length === 0) throw new Error("nothing to pick from");
      return /** @type {T} */ (items[below(items.length)]);
    },
    /** @template T @param {readonly T[]} items @returns {T[]} */
    shuffle(items) {
      const out = [...items];
      for (let at = out.length - 1; at > 0; at--) {
        const other = below(at + 1);
        [out[at], out[other]] = [/** @type {T} */ (out[other]), /** @type {T} */ (out[at])];
      }
      return out;
    },
    /** At least one of the items, in their order. @template T @param {readonly T[]} items @returns {T[]} */
    some(items) {
      const sure = below(items.length);
      return items.filter((_, at) => at === sure || next() < 0.5);
    },
  };
}

/** A 32-bit hash that does not depend on the machine (FNV-1a). @param {string} text */
export function hash32(text, start = 0x811c9dc5) {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** @param {string} seed */
function sfc32(seed) {
  let a = hash32(seed);
  let b = hash32(seed, a);
  let c = hash32(seed, b);
  let d = 1;
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 4_294_967_296;
  };
  for (let at = 0; at < 15; at++) next();
  return next;
}

/** @typedef {ReturnType<typeof createRandom>} Random */
