import { describe, expect, it } from "vitest";
import type { RenderOptions } from "../../src/context/index.js";
import { rendered, sketch, type Tree } from "./support.js";

export interface Case {
  readonly name: string;
  readonly tree: () => Tree;
  readonly options?: RenderOptions;
  /** U and M begin a content of the user's or the model's. */
  readonly shows: readonly string[];
  /** What of the report is to be seen. */
  readonly reports?: object;
}

export const interrupted =
  "interrupted: no result of this call was recorded. Whether it took effect is not known.";

export const claude = { provider: "anthropic", model: "claude" };

/** One test a case, under the name of its group. */
export function checkGroups(groups: Readonly<Record<string, readonly Case[]>>): void {
  for (const [name, cases] of Object.entries(groups)) {
    describe(name, () => {
      for (const one of cases) it(one.name, () => check(one));
    });
  }
}

function check({ tree, options = {}, shows, reports = {} }: Case): void {
  const { contents, report } = rendered(tree(), options);
  expect(sketch(contents)).toEqual(shows);
  expect(report).toMatchObject(reports);
}
