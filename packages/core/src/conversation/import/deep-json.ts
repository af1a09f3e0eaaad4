/** As `JSON.stringify`, for a value of any number of levels that JSON was parsed to: that one runs out of stack. */
export function deepToJson(value: unknown): string {
  const written: string[] = [];
  const waiting: WaitingJson[] = [{ value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") written.push(next);
    else if (typeof next.value !== "object" || next.value === null) written.push(JSON.stringify(next.value));
    else {
      // What comes last is written first.
      const parts = partsOf(next.value);
      for (let at = parts.length - 1; at >= 0; at -= 1) waiting.push(parts[at] ?? "");
    }
  }
  return written.join("");
}

/** A text that is written as it is, or a value. */
type WaitingJson = string | { readonly value: unknown };

function partsOf(value: object): readonly WaitingJson[] {
  const parts: WaitingJson[] = [Array.isArray(value) ? "[" : "{"];
  for (const [at, [key, item]] of Object.entries(value).entries()) {
    if (at > 0) parts.push(",");
    if (!Array.isArray(value)) parts.push(`${JSON.stringify(key)}:`);
    parts.push({ value: item });
  }
  parts.push(Array.isArray(value) ? "]" : "}");
  return parts;
}
