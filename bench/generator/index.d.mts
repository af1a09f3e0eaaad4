import type { Case } from "./contract.mjs";

export type { Case, Expectation } from "./contract.mjs";

/** The texts that cases are made of. */
export interface Pool {
  readonly history: readonly Source[];
  readonly packages: readonly Source[];
  readonly repetitive: readonly Source[];
  readonly forms: readonly Source[];
  /** The same fingerprint and the same seed give the same cases. */
  readonly fingerprint: string;
}

export interface Source {
  readonly name: string;
  readonly text: string;
  readonly edits?: readonly { readonly at: number; readonly del: number; readonly add: readonly string[] }[];
}

export declare const classNames: readonly string[];
/** Why a refusal is right in a class, or all that can be had. */
export declare const refusals: ReadonlyMap<string, string>;
export declare const seeds: { readonly tune: string; readonly judge: string };
export declare function generate(
  seed: string | number,
  count: number,
  names?: readonly string[],
  pool?: Pool,
): Case[];
export declare function regenerate(seed: string, pool?: Pool): Case | undefined;
export declare function loadPool(root?: string): Pool;
