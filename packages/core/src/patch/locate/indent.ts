import type { BaseText } from "../model/base-text.js";
import type { HunkLine } from "../model/hunk.js";
import { indentOf, isBlankLine } from "../model/line-key.js";

/** The one rule that takes every indent of a hunk to that of the file. */
export type Shift =
  /** The file has this much more in front of every line, or this much less. */
  | { readonly kind: "deeper" | "shallower"; readonly indent: string }
  /** The file has a tab where the hunk has `width` blanks, or the reverse. */
  | { readonly kind: "tabs" | "blanks"; readonly width: number };

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
 * The file has four blanks more before `go();` and before `stop();`: the rule is `deeper` by four blanks, and the
 * added line is moved by it, too.
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
  return shift.kind !== "tabs" || !indent.startsWith("\t");
}

/** A line moved by the rule; undefined where it cannot be moved. */
export function shiftLine(text: string, shift: Shift): string | undefined {
  if (isBlankLine(text)) return text;
  const indent = indentOf(text);
  const moved = shiftIndent(indent, shift);
  return moved === undefined ? undefined : moved + text.slice(indent.length);
}

/** Whether two rules are the same. */
export function sameShift(one: Shift, other: Shift): boolean {
  return spell(one) === spell(other);
}

/**
 * The rule in words, for the report.
 *
 * @param added what became of the added lines.
 */
export function describeShift(shift: Shift, added: "moved" | "kept" | "moved in part"): string {
  const suffix =
    added === "moved" ? "added lines too" : added === "kept" ? "added lines not" : "of the added lines some";
  switch (shift.kind) {
    case "deeper":
      return `moved right by ${JSON.stringify(shift.indent)}, ${suffix}`;
    case "shallower":
      return `moved left by ${JSON.stringify(shift.indent)}, ${suffix}`;
    case "tabs":
      return `the file has a tab where the diff has ${shift.width} blanks; added lines were changed, too`;
    case "blanks":
      return `the file has ${shift.width} blanks where the diff has a tab; added lines were changed, too`;
    default:
      return shift satisfies never;
  }
}

/** The rules that take one indent to another. */
function findRules(written: string, real: string): readonly Shift[] {
  const rules: Shift[] = [];
  const more = real.length - written.length;
  if (more > 0 && real.endsWith(written)) rules.push({ kind: "deeper", indent: real.slice(0, more) });
  if (more < 0 && written.endsWith(real)) rules.push({ kind: "shallower", indent: written.slice(0, -more) });
  const tabs = findTabWidth(real, written);
  if (tabs !== undefined) rules.push({ kind: "tabs", width: tabs });
  const blanks = findTabWidth(written, real);
  if (blanks !== undefined) rules.push({ kind: "blanks", width: blanks });
  return rules;
}

/** The number of blanks in one indent for each tab that the other begins with. */
function findTabWidth(tabbed: string, blank: string): number | undefined {
  const tabs = countTabs(tabbed);
  const rest = tabbed.slice(tabs);
  if (tabs === 0 || /[^ ]/.test(rest) || /[^ ]/.test(blank)) return undefined;
  const width = (blank.length - rest.length) / tabs;
  return Number.isInteger(width) && width >= 2 && width <= 8 ? width : undefined;
}

function shiftIndent(indent: string, shift: Shift): string | undefined {
  switch (shift.kind) {
    case "deeper":
      return shift.indent + indent;
    case "shallower":
      return indent.startsWith(shift.indent) ? indent.slice(shift.indent.length) : undefined;
    case "tabs":
      // What begins with the file's own character is as the file has it.
      if (indent.startsWith("\t")) return indent;
      if (/[^ ]/.test(indent)) return undefined;
      return "\t".repeat(Math.floor(indent.length / shift.width)) + " ".repeat(indent.length % shift.width);
    case "blanks": {
      const tabs = countTabs(indent);
      const rest = indent.slice(tabs);
      return /[^ ]/.test(rest) ? undefined : " ".repeat(tabs * shift.width) + rest;
    }
    default:
      return shift satisfies never;
  }
}

function countTabs(indent: string): number {
  let count = 0;
  while (indent.charCodeAt(count) === 9) count += 1;
  return count;
}

function spell(shift: Shift): string {
  return `${shift.kind}${"indent" in shift ? shift.indent : shift.width}`;
}
