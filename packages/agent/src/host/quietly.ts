/** Does what the system may say no to, such as a look at a file that is gone meanwhile. @returns undefined where it does. */
export function quietly<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
