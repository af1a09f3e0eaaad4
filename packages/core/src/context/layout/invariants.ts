import type { Content, FunctionCallPart, FunctionResponsePart, Part } from "./content.js";
import type { Provider } from "./visibility.js";

/**
 * What a provider demands of a conversation, as data: a sentence, a check, and where the demand allows a
 * cut. The neutral form is checked; what each wire form adds to it, the tests check (docs/invariants.md).
 */
export interface Invariant {
  readonly id: InvariantId;
  /** One sentence, for a person. */
  readonly says: string;
  /** Whether the contents from this index on keep it; those before are known to. Costs what it looks at. */
  check(contents: readonly Content[], from: number): readonly Violation[];
  /** Whether everything before this part may go without breaking it. */
  allowsCut(contents: readonly Content[], content: number, part: number): boolean;
}

/** The name of a demand that providers make on a history; docs/invariants.md has a row for each. */
type InvariantId =
  | "starts_with_user"
  | "roles_alternate"
  | "nothing_empty"
  | "calls_answered_next"
  | "results_first"
  | "ids_unique"
  | "thoughts_lead"
  | "parts_on_their_side";

/** Where a history breaks a provider's demand, and how. */
export interface Violation {
  readonly invariant: InvariantId;
  /** Index of the content, and of the part where one is meant. */
  readonly content: number;
  readonly part?: number;
  readonly message: string;
}

const startsWithUser: Invariant = {
  id: "starts_with_user",
  says: "The first to speak is the user.",
  check: (contents, from) =>
    from === 0 && contents[0]?.role === "model"
      ? [{ invariant: "starts_with_user", content: 0, message: "the model speaks first" }]
      : [],
  allowsCut: (contents, content) => contents[content]?.role === "user",
};

const rolesAlternate: Invariant = {
  id: "roles_alternate",
  says: "User and model take turns.",
  check: (contents, from) =>
    each(contents, from, ({ role }, at) =>
      at > 0 && contents[at - 1]?.role === role
        ? [{ invariant: "roles_alternate", content: at, message: `two contents of the ${role} meet` }]
        : [],
    ),
  allowsCut: () => true,
};

const nothingEmpty: Invariant = {
  id: "nothing_empty",
  says: "No content is without parts, and no text is blank; one that carries a signature may be.",
  check: (contents, from) =>
    each(contents, from, ({ parts }, content) => {
      if (parts.length === 0) return [{ invariant: "nothing_empty", content, message: "it has no parts" }];
      return eachPart(parts, (part, at) =>
        isBlank(part)
          ? [{ invariant: "nothing_empty", content, part: at, message: "the text is blank" }]
          : [],
      );
    }),
  allowsCut: () => true,
};

const partsOnTheirSide: Invariant = {
  id: "parts_on_their_side",
  says: "Calls and thoughts are the model's, results and files the user's.",
  check: (contents, from) =>
    each(contents, from, ({ role, parts }, content) =>
      eachPart(parts, (part, at) =>
        sideOf(part) === undefined || sideOf(part) === role
          ? []
          : [
              {
                invariant: "parts_on_their_side",
                content,
                part: at,
                message: `it stands on the ${role}'s side`,
              },
            ],
      ),
    ),
  allowsCut: () => true,
};

const callsAnsweredNext: Invariant = {
  id: "calls_answered_next",
  says: "The content after calls answers each of them once, and nothing else is answered.",
  check: (contents, from) =>
    each(contents, from, (content, at) => [
      ...unanswered(contents, at),
      ...unasked(contents[at - 1], content, at),
    ]),
  allowsCut: (contents, content, part) => {
    const here = contents[content];
    const results = here?.parts.slice(part).filter(isResult) ?? [];
    if (here?.role === "user") return results.length === 0;
    return !here?.parts.slice(0, part).some(isCall);
  },
};

const resultsFirst: Invariant = {
  id: "results_first",
  says: "Within a content results stand before everything else.",
  check: (contents, from) =>
    each(contents, from, ({ parts }, content) => {
      const last = parts.findLastIndex(isResult);
      const first = parts.findIndex((part) => !isResult(part));
      return first >= 0 && first < last
        ? [{ invariant: "results_first", content, part: first, message: "it stands before a result" }]
        : [];
    }),
  allowsCut: () => true,
};

const idsUnique: Invariant = {
  id: "ids_unique",
  says: "No two calls have the same id.",
  check: (contents, from) => {
    const ids = new Set(
      contents.slice(0, Math.max(0, from - 1)).flatMap(({ parts }) => parts.filter(isCall).map(callId)),
    );
    return each(contents, from, ({ parts }, content) =>
      eachPart(parts, (part, at) => {
        if (!isCall(part)) return [];
        const id = callId(part);
        const known = ids.has(id) || id === "";
        ids.add(id);
        return known ? [{ invariant: "ids_unique", content, part: at, message: `id "${id}"` }] : [];
      }),
    );
  },
  allowsCut: () => true,
};

const thoughtsLead: Invariant = {
  id: "thoughts_lead",
  says: "A thought leads to a text or a call of the same content, and no two that can be read meet.",
  check: (contents, from) =>
    each(contents, from, ({ parts }, content) =>
      eachPart(parts, (part, at) => {
        if (!isThought(part)) return [];
        const rest = parts.slice(at + 1);
        const next = rest.find((other) => !("redactedThought" in other));
        const leads = "redactedThought" in part ? rest.some((other) => !isThought(other)) : !meets(next);
        return leads
          ? []
          : [{ invariant: "thoughts_lead", content, part: at, message: "it leads to nothing" }];
      }),
    ),
  allowsCut: (contents, content, part) => contents[content]?.role === "user" || part === 0,
};

const common = [
  startsWithUser,
  rolesAlternate,
  partsOnTheirSide,
  nothingEmpty,
  callsAnsweredNext,
  resultsFirst,
  idsUnique,
] as const;

/** Each provider's demands on the neutral form. What one does not demand, keeping it does not harm. */
export const invariants: Readonly<Record<Provider, readonly Invariant[]>> = {
  google: common,
  anthropic: [...common, thoughtsLead],
  openai: common,
};

/**
 * What a prompt breaks of a provider's demands; nothing, for every rendering.
 *
 * @param from index of the first content that is new; those before are taken as checked.
 */
export function checkContents(
  contents: readonly Content[],
  provider: Provider,
  from = 0,
): readonly Violation[] {
  return invariants[provider].flatMap((invariant) => invariant.check(contents, from));
}

function each(
  contents: readonly Content[],
  from: number,
  look: (content: Content, at: number) => readonly Violation[],
): readonly Violation[] {
  const found: Violation[] = [];
  // The last one checked may have grown since, or may only now be followed by something.
  for (let at = Math.max(0, from - 1); at < contents.length; at += 1) {
    const content = contents[at];
    if (content !== undefined) found.push(...look(content, at));
  }
  return found;
}

function eachPart(
  parts: readonly Part[],
  look: (part: Part, at: number) => readonly Violation[],
): readonly Violation[] {
  return parts.flatMap((part, at) => look(part, at));
}

function unanswered(contents: readonly Content[], at: number): readonly Violation[] {
  const asked = contents[at]?.parts.filter(isCall).map(callId) ?? [];
  const answers = new Map<string, number>();
  for (const part of contents[at + 1]?.parts ?? [])
    if (isResult(part)) answers.set(resultId(part), (answers.get(resultId(part)) ?? 0) + 1);
  return asked
    .filter((id) => answers.get(id) !== 1)
    .map((id) => violatesPairs(at, `the call "${id}" is not answered once in the next content`));
}

function unasked(before: Content | undefined, content: Content, at: number): readonly Violation[] {
  const asked = new Set(before?.parts.filter(isCall).map(callId) ?? []);
  return content.parts
    .filter(isResult)
    .filter((part) => !asked.has(resultId(part)))
    .map((part) => violatesPairs(at, `nobody asked for the result "${resultId(part)}"`));
}

function violatesPairs(content: number, message: string): Violation {
  return { invariant: "calls_answered_next", content, message };
}

function isBlank(part: Part): boolean {
  if (!("text" in part) || part.text.trim() !== "")
    return "redactedThought" in part && part.redactedThought === "";
  return part.thoughtSignature === undefined;
}

function sideOf(part: Part): Content["role"] | undefined {
  if (isCall(part) || isThought(part)) return "model";
  // Media are of both: what the user shows, what the model made.
  return "text" in part || "inlineData" in part || "blobData" in part ? undefined : "user";
}

function isThought(part: Part): boolean {
  return "redactedThought" in part || ("text" in part && part.thought === true);
}

/** Whether a thought that can be read is followed by another one, or by nothing. */
function meets(next: Part | undefined): boolean {
  return next === undefined || isThought(next);
}

function isCall(part: Part): part is FunctionCallPart {
  return "functionCall" in part;
}

function isResult(part: Part): part is FunctionResponsePart {
  return "functionResponse" in part;
}

function callId({ functionCall }: FunctionCallPart): string {
  return functionCall.id;
}

function resultId({ functionResponse }: FunctionResponsePart): string {
  return functionResponse.id;
}
