import {
  type GeminiContent,
  type GeminiPart,
  needsSignatures,
} from "../../../src/context/providers/gemini.js";
import { checkPairs, checkTurns, type WireCheckOptions, type WireViolation, when } from "./wire-check.js";

/**
 * What the Gemini API would refuse of these contents, as far as it can be known beforehand.
 *
 * @param options.model decides whether calls have to be signed; without one they have.
 */
export function checkGemini(
  { contents }: { readonly contents: readonly GeminiContent[] },
  options: WireCheckOptions & { readonly model?: string } = {},
): readonly WireViolation[] {
  const signs = needsSignatures(options.model);
  return [
    ...checkTurns(
      contents.map(({ role }) => role),
      options,
    ),
    ...contents.flatMap((content, at) => checkContent(content, contents[at - 1], at, signs)),
    ...openCalls(contents, options),
  ];
}

function checkContent(
  { role, parts }: GeminiContent,
  before: GeminiContent | undefined,
  at: number,
  signs: boolean,
): readonly WireViolation[] {
  const calls = parts.filter((part) => "functionCall" in part);
  const answers = idsOf(parts, "functionResponse");
  const asked = before === undefined ? [] : idsOf(before.parts, "functionCall");
  const first = calls[0];
  return [
    ...when(parts.length === 0, "no-empty-content", [at], "a content has no parts"),
    ...parts.flatMap((part, index) => checkPart(part, role, [at, index])),
    ...(role === "user" ? checkPairs(asked, answers, [at]) : []),
    ...when(
      signs && first !== undefined && !isSigned(first),
      "first-call-signed",
      [at],
      "the first call of a step has no thoughtSignature",
    ),
  ];
}

function checkPart(part: GeminiPart, role: string, at: readonly number[]): readonly WireViolation[] {
  if ("text" in part) {
    const empty = part.text.trim() === "" && part.thoughtSignature === undefined;
    return [
      ...when(empty, "no-empty-part", at, "a text is blank"),
      ...when(
        part.thought === true && role !== "model",
        "thoughts-are-the-models",
        at,
        "a thought of the user",
      ),
    ];
  }
  if ("functionCall" in part)
    return [
      ...when(role !== "model", "calls-are-the-models", at, "a call of the user"),
      ...when(
        !/^[a-zA-Z_][\w.-]{0,63}$/.test(part.functionCall.name),
        "function-name",
        at,
        part.functionCall.name,
      ),
    ];
  if ("functionResponse" in part)
    return when(role !== "user", "results-are-the-users", at, "a result of the model");
  if ("fileData" in part)
    return when(part.fileData.fileUri === "", "no-empty-part", at, "an address is empty");
  return when(part.inlineData.data === "", "no-empty-part", at, "data are empty");
}

function openCalls(
  contents: readonly GeminiContent[],
  { request }: WireCheckOptions,
): readonly WireViolation[] {
  const last = contents.at(-1);
  const open = last?.parts.some((part) => "functionCall" in part);
  return when(
    request === true && open === true,
    "calls-answered-next",
    [contents.length - 1],
    "calls stand open",
  );
}

function isSigned(part: GeminiPart): boolean {
  return "thoughtSignature" in part && part.thoughtSignature !== undefined && part.thoughtSignature !== "";
}

function idsOf(parts: readonly GeminiPart[], kind: "functionCall" | "functionResponse"): readonly string[] {
  return parts.flatMap((part) => {
    if (kind === "functionCall") return "functionCall" in part ? [part.functionCall.id] : [];
    return "functionResponse" in part ? [part.functionResponse.id] : [];
  });
}
