import {
  type EditedText,
  type EditMisfit,
  type ExactEdit,
  finish,
  type InexactUse,
  inFence,
  replaceSteps,
  type Steps,
  type WrongCount,
} from "../../patch/index.js";
import { clip, counted, escapeForDisplay, showText } from "../../text/index.js";
import { type Refusal, refuse, refuseIn } from "../values/refusal.js";

/** How `applyEdits` names the file, and whether it forgives differences in blanks. */
interface EditOptions {
  /** For the messages. */
  readonly path: string;
  /** `off` unless given. */
  readonly inexact?: InexactUse;
}

/**
 * `replaceExactly`, with its refusals in words.
 *
 * @returns `not_found`, `occurrence_mismatch`, `equal_strings`, `empty_old_string` or `placeholder`;
 *   `invalid_arguments` for a list without edits; `too_large` for more places than one edit may have.
 */
export function applyEdits(
  text: string,
  edits: readonly ExactEdit[],
  options: EditOptions,
): EditedText | Refusal {
  return finish(editSteps(text, edits, options));
}

/** The same in steps. */
export function* editSteps(
  text: string,
  edits: readonly ExactEdit[],
  { path, inexact = "off" }: EditOptions,
): Steps<EditedText | Refusal> {
  if (edits.length === 0) return refuse("invalid_arguments", "The list of edits is empty.");
  const edited = yield* replaceSteps(text, edits, inexact);
  if (edited.kind === "edited") return edited;
  const which =
    edits.length === 1 ? "" : ` This was edit ${edited.edit + 1} of ${edits.length}; none was made.`;
  return refuseEdit(edited.why, { path: escapeForDisplay(path), which });
}

interface Named {
  readonly path: string;
  /** A sentence for the end of the first line. */
  readonly which: string;
}

function refuseEdit(why: EditMisfit, { path, which }: Named): Refusal {
  switch (why.kind) {
    case "empty_old_string": {
      const template =
        "{oldString} is empty.[ To add text, use {append,insert:or}.][ To write a whole file, use {write}.]$which";
      return refuseIn("empty_old_string", template, { which });
    }
    case "equal_strings": {
      const template = "{oldString} and {newString} are the same; nothing would change.$which";
      return refuseIn("equal_strings", template, { which });
    }
    case "placeholder": {
      const quoted = showText(clip(why.line, 80));
      const template = '{newString} leaves something out: "$quoted". Write all of the new text.$way$which';
      return refuseIn("placeholder", template, { quoted, which, way: inFence });
    }
    case "not_found": {
      const template =
        "{oldString} not found in $path. Make sure it matches exactly (including whitespace).$which$hint";
      return refuseIn("not_found", template, { path, which, hint: why.hint });
    }
    case "too_many": {
      const template =
        "{oldString} stands at more than $most places of $path, more than one edit replaces. Give a longer text.$which";
      return refuseIn("too_large", template, { most: why.most.toLocaleString("en"), path, which });
    }
    case "occurrence_mismatch":
      return refuseCount(why, { path, which });
    default:
      return why satisfies never;
  }
}

function refuseCount({ expected, count, overlaps, lines, more }: WrongCount, named: Named): Refusal {
  const next =
    expected > 1
      ? "$expected were expected.[ Say how many there are in {expectedReplacements}.]"
      : "Include more surrounding context to make it unique.";
  const all = !overlaps && expected === 1 ? "[ Or set {replaceAll}, if every one of them is meant.]" : "";
  const facts = {
    ...named,
    expected,
    count,
    at: distinct(lines).join(", "),
    times: counted(count, "time"),
    lines: `It stands at ${nameLines(lines, more)}${overlaps ? ", where it overlaps itself" : ""}.`,
  };
  const template = `{oldString} appears $times in $path. ${next}$which\n$lines${more > 0 ? "[ {read} shows the others.]" : ""}${all}`;
  return refuseIn("occurrence_mismatch", template, facts);
}

/** Several places may be in one line. */
function distinct(lines: readonly number[]): readonly number[] {
  return [...new Set(lines)];
}

function nameLines(places: readonly number[], more: number): string {
  const lines = distinct(places);
  const rest = more > 0 ? ` and ${more} more` : "";
  return `${lines.length === 1 && more === 0 ? "line" : "lines"} ${lines.join(", ")}${rest}`;
}
