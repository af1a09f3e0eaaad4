import { expect } from "vitest";
import {
  applyDiff,
  type PatchOutcome,
  type PatchRefusalCode,
  type RepairKind,
} from "../../src/patch/index.js";

/** What a diff does to a text; a `string` outcome is the new text of an applied diff. */
export interface PatchCase {
  readonly name: string;
  readonly base: string | null;
  readonly diff: string;
  readonly path?: string;
  /** The new text; given alone it means `applied`. */
  readonly text?: string;
  readonly code?: PatchRefusalCode | "applied" | "already_applied" | "no_change";
  /** Kinds of repairs that must be reported. */
  readonly repairs?: readonly RepairKind[];
  /** For `ambiguous`. */
  readonly places?: readonly number[];
  /** Parts of the refusal's message, or of what is told of the repairs. */
  readonly says?: readonly string[];
  /** A word that the message must not have. */
  readonly never?: string;
}

export function check(example: PatchCase): PatchOutcome {
  const { base, diff, text, places, says = [], repairs } = example;
  const code = example.code ?? "applied";
  const outcome = applyDiff({ base, diff, ...(example.path === undefined ? {} : { path: example.path }) });
  const shown = outcome.kind === "refusal" ? `${outcome.code}: ${outcome.message}` : outcome.code;
  expect(outcome.code, shown).toBe(code);
  if (outcome.kind === "success") {
    expect(outcome.text).toBe(code === "applied" ? text : (base ?? ""));
    const details = outcome.repairs.map(({ detail }) => detail).join("\n");
    for (const part of says) expect(details).toContain(part);
    if (repairs !== undefined)
      expect([...new Set(outcome.repairs.map((repair) => repair.kind))].sort()).toEqual([...repairs].sort());
  } else {
    // The seed's words say that lines do not match; of a diff that breaks off or deletes the file they are not true.
    if (outcome.code === "invalid_diff") expect(outcome.message.startsWith("Invalid Diff: ")).toBe(true);
    for (const part of says) expect(outcome.message).toContain(part);
    if (example.never !== undefined) expect(outcome.message).not.toContain(example.never);
    if (places !== undefined) expect(outcome.places).toEqual(places);
    expect(new TextEncoder().encode(outcome.message).length).toBeLessThanOrEqual(32_768);
  }
  return outcome;
}

/** Lines as a text that ends with a newline. */
export const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

export const seedWords =
  "Invalid Diff: The provided diff content does not match the file's content. The context or lines to be removed may be incorrect.";
