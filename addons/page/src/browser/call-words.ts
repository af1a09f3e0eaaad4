import { excerptOf, type ToolCall, type ToolResultPayload } from "@holdfast/core/conversation/values";
import { clip } from "@holdfast/core/text";

/** One line for a call and what became of it, such as `app.ts 1–60 v3`. @returns the verb apart from the rest. */
export function callWords(call: ToolCall, result: ToolResultPayload | undefined): readonly [string, string] {
  const { name, args } = call;
  const [verb = "call"] = name.replace(/^safe_/, "").split(/[_\s]/);
  if (typeof args.command === "string") return [clip(verb, 10), `$ ${clip(args.command, 300)}`];
  const [first = excerptOf(call, 160), ...others] = result === undefined ? [] : fileWords(result);
  return [clip(verb, 10), others.length === 0 ? first : `${first} and ${others.length} more`];
}

/** A line for each file that a result shows or changed; none of a result without any. */
export function fileWords({ files = [], shows = [] }: ToolResultPayload): readonly string[] {
  const words = new Map<string, string>();
  for (const { path, from, to } of shows) {
    const lines = from === to ? `${from}` : `${from}–${to}`;
    words.set(path, words.has(path) ? `${words.get(path)}, ${lines}` : `${path} ${lines}`);
  }
  for (const { path, before, after, by, changes = [], version, from } of files) {
    const name = from === undefined ? path : `${from} → ${path}`;
    const at = version === undefined || version === 0 ? "" : ` v${version}`;
    const [added, removed] = (["added", "removed"] as const).map((of) =>
      changes.reduce((sum, change) => sum + change[of], 0),
    );
    const counts = `${added ? ` +${added}` : ""}${removed ? ` −${removed}` : ""}`;
    if (by === "seen") words.set(path, `${words.get(path) ?? path}${after === null ? " is not there" : at}`);
    else if (after === null) words.set(path, `${name} deleted`);
    else words.set(path, `${name}${before === null ? " created" : ""}${counts}${at}`);
  }
  return [...words.values()];
}
