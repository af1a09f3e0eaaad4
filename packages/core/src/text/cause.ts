/**
 * What was thrown, in a few words that may be shown to a model and kept in a log: its name, the system's code,
 * and its message without what could be somebody's secret. Paths, addresses, quoted texts and long words are
 * left out of it, and no stack trace is in it. For all of it there is `onError`.
 *
 * @returns one line, such as `TypeError: Cannot read properties of undefined (reading 'path')`.
 */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`;
  const code = "code" in error && typeof error.code === "string" && /^[A-Z_0-9]{1,40}$/.test(error.code);
  const words = harmless(error.message);
  const name = /^\w{1,40}$/.test(error.name) ? error.name : "Error";
  return `${name}${code ? ` (${String(error.code)})` : ""}${words === "" ? "" : `: ${words}`}`;
}

/** Longer words are keys and tokens more often than they are words. */
const longestWord = 24;
const mostUnits = 120;

function harmless(message: string): string {
  const [line = ""] = message.slice(0, 1_000).split(/[\r\n]/, 1);
  const words = line
    .replace(/(\(reading '\w{1,24}'\))|(["'`]).*?(?:\2|$)/g, (_, property?: string) => property ?? "…")
    .split(/\s+/)
    .map((word) => (word.length > longestWord || /[\\/@]|\w:\w|\p{C}/u.test(word) ? "…" : word));
  const text = words.join(" ").trim();
  return text.length <= mostUnits ? text : `${text.slice(0, mostUnits - 1)}…`;
}
