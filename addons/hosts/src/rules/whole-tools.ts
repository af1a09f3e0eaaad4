import { type ClientName, clients, readingTools, toolNameIn, writingTools } from "../clients.js";
import { type Carried, type CarriedRule, everyFile, left, type ToolRule } from "./permission-rules.js";
import { textsOf } from "./settings-text.js";

/** Whether the client asks about all of its own tools of a kind, and what for. */
export interface Asked {
  readonly denies: CarriedRule["denies"];
  readonly shown: string;
}

/**
 * What rules about whole tools come to for ours. Where the client refuses every tool of its own that writes, ours write
 * nothing. Where it asks about them all, it has to ask about ours by a rule as well, which setup copies; until then, ours
 * are refused.
 *
 * @returns `asked`: what setup has to copy.
 */
export function wholeTools(
  client: ClientName,
  rules: readonly ToolRule[],
): { readonly carried: readonly Carried[]; readonly asked: readonly Asked[] } {
  const { title, reading, writing } = clients[client];
  const kinds = [
    { denies: "reading", own: reading, ours: readingTools },
    { denies: "writing", own: writing, ours: writingTools },
  ] as const;
  const asked: Asked[] = [];
  const about = (name: string) => rules.filter(({ tool }) => fitsWildcard(tool, name));
  const carried = kinds.flatMap(({ denies, own, ours }): readonly Carried[] => {
    const found = own.map((names) => names.flatMap(about));
    const shown = [...new Set(found.flat().map((rule) => rule.shown))].join(", ");
    if (shown === "") return [];
    if (found.some((about) => about.length === 0)) return [left(shown, "it takes away one tool, not files")];
    if (found.every((about) => about.some(({ action }) => action === "deny")))
      return [everyFile(denies, shown)];
    asked.push({ denies, shown });
    if (ours.every((tool) => about(toolNameIn(client, tool)).length > 0)) return [];
    const why = `${title} asks about its own tools and not about these; holdfast setup ${client} has it ask`;
    return [{ ...everyFile(denies, `${shown}: ${why}`), everything: false }];
  });
  return { carried, asked };
}

/** A list of the only tools that the client has: the others are refused. One that names ours was made for them. */
export function onlyTools(client: ClientName, list: unknown, shown: string): readonly ToolRule[] {
  const names = textsOf(list);
  if (!Array.isArray(list) || names.some((name) => /holdfast/i.test(name))) return [];
  const { reading, writing } = clients[client];
  return [...reading, ...writing]
    .filter((own) => !names.some((name) => own.some((one) => fitsWildcard(name.replace(/\(.*/, ""), one))))
    .flatMap((own) => own.slice(0, 1))
    .map((tool) => ({ kind: "tool", tool, action: "deny", shown }));
}

/** `*` stands for any letters, `?` for one; capitals do not count. In steps at most the product of both lengths. */
export function fitsWildcard(wanted: string, given: string): boolean {
  const [pattern, text] = [wanted.toLowerCase(), given.toLowerCase()];
  // Only the last `*` is ever tried again.
  let [at, behindStar, resume] = [0, -1, 0];
  for (let on = 0; on < text.length; ) {
    if (pattern[at] === "*") {
      at += 1;
      [behindStar, resume] = [at, on];
    } else if (pattern[at] === "?" || pattern[at] === text[on]) {
      at += 1;
      on += 1;
    } else if (behindStar >= 0) {
      resume += 1;
      [at, on] = [behindStar, resume];
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
