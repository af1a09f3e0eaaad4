import { RE2JS, RE2JSException } from "re2js";
import { clip, escapeForDisplay } from "../../text/index.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { requiredLiterals } from "./required-literal.js";

/** What a line is searched for; how long it takes grows with the line, whatever the pattern is. */
export interface LinePattern {
  readonly kind: "pattern";
  /** How much of a line is looked at, in UTF-16 units. */
  readonly reachUnits: number;
  matches(line: string): boolean;
  /** Where the first match begins, in UTF-16 units; 0 where there is none. */
  position(line: string): number;
}

/** How `compilePattern` reads a pattern: as an expression that minds case, unless said otherwise. */
interface PatternOptions {
  /** The pattern is plain text; every character means itself. */
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
}

/**
 * Compiles a regular expression in the syntax of RE2, which has no back references and no looking around:
 * those are what makes other engines hang.
 *
 * @returns `invalid_arguments` with what is wrong and where a regular expression differs from others.
 */
export function compilePattern(
  pattern: string,
  options: PatternOptions,
): LinePattern | Refusal<"invalid_arguments"> {
  const { literal = false, ignoreCase = false } = options;
  if (pattern === "") return refuse("invalid_arguments", "The pattern is empty.");
  if (pattern.length > maxLength)
    return refuse("invalid_arguments", `A pattern has at most ${maxLength} characters.`);
  if (/[\r\n]/.test(pattern))
    return refuse("invalid_arguments", "Lines are searched one by one: a pattern holds no line break.");
  if (literal && !ignoreCase) return plainText(pattern);
  const compiled = compileExpression(literal ? RE2JS.quote(pattern) : pattern, ignoreCase);
  const needed = ignoreCase || isRefusal(compiled) ? undefined : requiredLiterals(pattern, options);
  if (needed === undefined || isRefusal(compiled)) return compiled;
  const { matches } = compiled;
  return { ...compiled, matches: (line) => needed.some((text) => line.includes(text)) && matches(line) };
}

function plainText(text: string): LinePattern {
  return {
    kind: "pattern",
    reachUnits: Number.MAX_SAFE_INTEGER,
    matches: (line) => line.includes(text),
    position: (line) => Math.max(0, line.indexOf(text)),
  };
}

function compileExpression(source: string, ignoreCase: boolean): LinePattern | Refusal<"invalid_arguments"> {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (error instanceof RE2JSException) return notUnderstood(error.message);
    throw error;
  }
  const size = compiled.programSize();
  if (size > maxProgram)
    return refuse("invalid_arguments", "The pattern repeats too much: write smaller counts in braces.");
  return {
    kind: "pattern",
    reachUnits: Math.round(workPerLine / size),
    matches: (line) => compiled.test(line),
    position: (line) => {
      const matcher = compiled.matcher(line);
      return matcher.find() ? matcher.start() : 0;
    },
  };
}

function notUnderstood(reason: string): Refusal<"invalid_arguments"> {
  const said = escapeForDisplay(clip(reason.replace(/^error parsing regexp: /, ""), 200));
  return refuseIn(
    "invalid_arguments",
    "The pattern is not a regular expression of RE2: $said. It has no back references and no looking ahead or " +
      "behind.[ To search for text as it stands, give {literal}.]",
    { said },
  );
}

const maxLength = 1_000;
/** Instructions of a compiled pattern. */
const maxProgram = 2_000;
/** Characters times instructions: about a second of the slowest patterns, milliseconds of all others. */
const workPerLine = 20_000_000;
