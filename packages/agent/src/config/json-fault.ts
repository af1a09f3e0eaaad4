import { printParseErrorCode } from "jsonc-parser";

/**
 * What is wrong with a text that is no JSON, in words for whoever wrote it.
 *
 * @param code of a `ParseError` of jsonc-parser.
 * @returns a clause without a full stop.
 */
export function jsonFault(code: number): string {
  return faults[printParseErrorCode(code)] ?? "something in it cannot be read";
}

const faults: Readonly<Record<string, string>> = {
  InvalidSymbol: "a word stands there that is no value; names and texts need double quotes",
  InvalidNumberFormat: "a number is written as none can be",
  PropertyNameExpected: "a name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing behind a name",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "something stands behind its end",
  InvalidCommentToken: "a comment stands where none may",
  UnexpectedEndOfComment: "a comment has no closing */",
  UnexpectedEndOfString: "a text has no closing quote",
  UnexpectedEndOfNumber: "a number breaks off",
  InvalidUnicode: "behind \\u four hex digits are missing",
  InvalidEscapeCharacter: "a backslash stands before a sign that takes none; a backslash itself is \\\\",
  InvalidCharacter: "a text holds a control character, such as a tab",
};
