import type { BaseText } from "../model/base-text.js";
import type { HunkLine } from "../model/hunk.js";
import { indentOf, isBlankLine } from "../model/line-key.js";

/** The one rule that takes every indent of a hunk to that of the file: it begins with `real` instead of `written`. */
export interface Shift {
  readonly written: string;
  readonly real: string;
  /** Whether this is so as often as `written` is repeated: the file has tabs where the hunk has blanks, or the reverse. */
  readonly isRepeated: boolean;
}

/**
 * The rule between a hunk's old lines and the file's from `start` on, if one fits all of them.
 *
 *     file            diff       result
 *     1 f() {         @@         1 f() {
 *     2     go();      go();     2     go();
 *     3     stop();   +wait();   3     wait();
 *     4 }              stop();   4     stop();
 *                                5 }
 *
 * The file has four blanks more before `go();` and before `stop();`: the rule takes "" to four blanks, and the added
 * line is moved by it, too.
 */
export function findShift(base: BaseText, lines: readonly HunkLine[], start: number): Shift | undefined {
  const differing = lines.findIndex(
    (line, at) => !isBlankLine(line.text) && indentOf(line.text) !== indentOf(base.line(start + at)),
  );
  const first = lines[differing];
  if (first === undefined) return undefined;
  return findRules(indentOf(first.text), indentOf(base.line(start + differing))).find((shift) =>
    lines.every(
      ({ text }, at) =>
        isBlankLine(text) ||
        (takesRule(indentOf(text), shift) &&
          shiftIndent(indentOf(text), shift) === indentOf(base.line(start + at))),
    ),
  );
}

/** Whether a quoted line can have been written by the rule: one with the file's tabs was not. */
function takesRule(indent: string, shift: Shift): boolean {
  return !shift.isRepeated || shift.real !== "\t" || !indent.startsWith("\t");
}

/** A line moved by the rule; undefined where it cannot be moved. One of blanks alone changes their kind, not its depth. */
export function shiftLine(text: string, shift: Shift): string | undefined {
  const isBlank = isBlankLine(text);
  if (isBlank && !shift.isRepeated) return text;
  const indent = indentOf(text);
  const moved = shiftIndent(indent, shift) ?? (isBlank ? indent : undefined);
  return moved === undefined ? undefined : moved + text.slice(indent.length);
}

/** Whether two rules are the same. */
export function sameShift(one: Shift, other: Shift): boolean {
  return one.written === other.written && one.real === other.real && one.isRepeated === other.isRepeated;
}

/**
 * The rule in words, for the report.
 *
 * @param fate what became of the added lines.
 */
export function describeShift({ written, real, isRepeated }: Shift, fate: string): string {
  const name = (indent: string) => (indent === "\t" ? "a tab" : `${indent.length} blanks`);
  if (isRepeated)
    return `the file has ${name(real)} where the diff has ${name(written)}; added lines were changed, too`;
  return `moved ${real === "" ? "left" : "right"} by ${JSON.stringify(real + written)}, ${fate}`;
}

/** The rules that take one indent to another. */
function findRules(written: string, real: string): readonly Shift[] {
  const rules: Shift[] = [];
  const more = real.length - written.length;
  if (more > 0 && real.endsWith(written))
    rules.push({ written: "", real: real.slice(0, more), isRepeated: false });
  if (more < 0 && written.endsWith(real))
    rules.push({ written: written.slice(0, -more), real: "", isRepeated: false });
  const tabs = findTab(real, written);
  if (tabs !== undefined) rules.push({ written: tabs, real: "\t", isRepeated: true });
  const blanks = findTab(written, real);
  if (blanks !== undefined) rules.push({ written: "\t", real: blanks, isRepeated: true });
  return rules;
}

/** The blanks in one indent for each tab that the other begins with. */
function findTab(tabbed: string, blank: string): string | undefined {
  const tabs = countRepeats(tabbed, "\t");
  const rest = tabbed.slice(tabs);
  if (tabs === 0 || /[^ ]/.test(rest) || /[^ ]/.test(blank)) return undefined;
  const width = (blank.length - rest.length) / tabs;
  return Number.isInteger(width) && width >= 2 && width <= 8 ? " ".repeat(width) : undefined;
}

function shiftIndent(indent: string, { written, real, isRepeated }: Shift): string | undefined {
  if (!isRepeated) return indent.startsWith(written) ? real + indent.slice(written.length) : undefined;
  // What begins with the file's own tabs is as the file has it.
  if (real === "\t" && indent.startsWith(real)) return indent;
  const repeats = countRepeats(indent, written);
  const rest = indent.slice(repeats * written.length);
  return /[^ ]/.test(rest) ? undefined : real.repeat(repeats) + rest;
}

function countRepeats(indent: string, unit: string): number {
  let count = 0;
  while (indent.startsWith(unit, count * unit.length)) count += 1;
  return count;
}
