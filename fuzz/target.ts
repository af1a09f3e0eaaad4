/** Something of ours that reads what others wrote. */
export interface Target {
  readonly name: string;
  /** Pieces that its language is made of. */
  readonly words: readonly string[];
  /** The most steps that an input may cost; steps are counted, never time. */
  readonly maxSteps?: number;
  /**
   * Feeds one input and holds the result against what is promised; a promise is waited for, its value is nothing.
   *
   * @throws where a promise is broken: that is a finding.
   */
  run(input: string): unknown;
  /** Things that the last input met, where the code that was run cannot be counted. */
  met?(): readonly string[];
  /** Ends what it started. */
  close?(): Promise<void>;
}

/** A broken promise. */
export class Finding extends Error {}

/** @throws Finding */
export function ensure(holds: boolean, promise: string, seen?: unknown): asserts holds {
  if (!holds) throw new Finding(seen === undefined ? promise : `${promise}: ${shown(seen)}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 600);
}

/** The parts of an input, which a line `%%` parts; those that are missing are "". */
export function partsOf(input: string): readonly [string, string, string] {
  const [one = "", two = "", ...rest] = input.split("\n%%\n");
  return [one, two, rest.join("\n%%\n")];
}

/** JSON, or undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it is an object with members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
