import { isRecord } from "./rules.js";
import type { ServedCall } from "./wire.js";

/** The call with what the request shows in the places of its texts: a model reads hashes and ids, and gives them back. */
export function filledCall({ name, args }: ServedCall, body: unknown): ServedCall {
  const shown = [...textsIn(body)];
  // A cast: an object stays one.
  return { name, args: filled(args, shown) as ServedCall["args"] };
}

function filled(value: unknown, shown: readonly string[]): unknown {
  if (typeof value === "string")
    return value.replace(/\{\{(sha256|found):(.+?)\}\}/gu, (_, kind: string, rest: string) =>
      kind === "sha256" ? hashOf(rest, shown) : found(new RegExp(rest, "gu"), shown),
    );
  if (Array.isArray(value)) return value.map((one) => filled(one, shown));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, shown)]));
}

/** The last hash of a file, in either form of a result. */
function hashOf(path: string, shown: readonly string[]): string {
  const name = path.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  const framed = `<file path="${name}"[^>]*? sha256="([0-9a-f]{64})"`;
  const json = `"file_path":\\s*"${name}"[^}]*?"sha256":\\s*"([0-9a-f]{64})"`;
  return found(new RegExp(`${framed}|${json}`, "gu"), shown);
}

/** What stands in the parentheses of the last place that fits. */
function found(pattern: RegExp, shown: readonly string[]): string {
  const last = shown.flatMap((text) => [...text.matchAll(pattern)]).at(-1);
  return last?.slice(1).find((one) => one !== undefined) ?? "";
}

/** All texts of a request, in their order. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one);
  else if (isRecord(value)) for (const one of Object.values(value)) yield* textsIn(one);
}
