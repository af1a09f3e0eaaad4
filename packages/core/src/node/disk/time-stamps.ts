/**
 * Whether a time stamp is so young that a second write may hide within the same tick of the clock that gave it: nothing
 * is proved by one that is the same.
 */
export function isYoung(stampNs: bigint): boolean {
  const ageNs = BigInt(Date.now()) * 1_000_000n - stampNs;
  return ageNs <= (stampNs % secondNs === 0n ? coarseTickNs : tickNs);
}

const secondNs = 1_000_000_000n;
/** Of the kernel's clock, amply. */
export const clockTickMs = 100;
const tickNs = BigInt(clockTickMs) * 1_000_000n;
/** FAT counts in two seconds, ext with short inodes in whole ones; elsewhere hardly a stamp is a whole second. */
const coarseTickNs = 2n * secondNs + tickNs;
