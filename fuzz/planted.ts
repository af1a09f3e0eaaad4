/** A fault behind four letters that only coverage finds one after the other: to see the fuzzer find it. */
export function planted(input: string): number {
  let known = 0;
  if (input.charAt(0) === "F") {
    known = 1;
    if (input.charAt(1) === "u") {
      known = 2;
      if (input.charAt(2) === "z") {
        known = 3;
        if (input.charAt(3) === "z") known = 4;
      }
    }
  }
  return known;
}

/** Never ends. */
export function endless(input: string): number {
  let rounds = 0;
  for (let at = 0; at < input.length; at += 0) {
    if (input !== "") rounds += 1;
  }
  return rounds;
}
