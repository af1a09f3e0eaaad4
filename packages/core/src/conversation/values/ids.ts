/** Gives ids that sort by time. Passed in, so that tests and replays can say which. */
export type IdSource = () => string;

/**
 * Ids of 26 characters in Crockford's base 32, as ULIDs are: 48 bits of time, 80 bits of chance. Within one
 * source each id is greater than the one before, also where the clock stands still or goes back.
 *
 * @param now milliseconds since the epoch.
 * @param random fresh random bytes, as many as asked for.
 */
export function timeSortedIds(now: () => number, random: (bytes: number) => Uint8Array): IdSource {
  let last = -1;
  let tail: number[] = [];
  return () => {
    const time = now();
    if (time > last) {
      last = time;
      tail = [...random(16)].map((byte) => byte & 31);
      // Room to count up without running over.
      tail[0] = (tail[0] ?? 0) & 15;
    } else {
      countUp(tail);
    }
    return timeDigits(last) + tail.map(digit).join("");
  };
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz";

function digit(value: number): string {
  return digits.charAt(value);
}

function timeDigits(time: number): string {
  let rest = time;
  let text = "";
  for (let at = 0; at < 10; at += 1) {
    text = digit(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function countUp(tail: number[]): void {
  for (let at = tail.length - 1; at >= 0; at -= 1) {
    const value = tail[at] ?? 0;
    tail[at] = (value + 1) & 31;
    if (value < 31) return;
  }
}
