import { invariants } from "./invariants.js";
import type { Provider } from "./providers.js";
import type { Rendering } from "./types.js";

/**
 * The nodes before which everything of a prompt may go, in their order: what is left keeps the provider's
 * demands as it is, no pair of call and result and no answer of the model is torn apart. A compaction may
 * keep from any of them. Costs the length of the prompt.
 */
export function safeCuts({ contents, provenance, report }: Rendering, provider: Provider): readonly string[] {
  const rules = invariants[provider];
  // Parts behind calls without results are provisional.
  let stable = report.stableParts;
  return provenance.flatMap((origins, content) =>
    origins.flatMap(({ cut, nodeId }, part) => {
      stable -= 1;
      const safe = cut === true && rules.every((rule) => rule.allowsCut(contents, content, part));
      return safe && stable >= 0 ? [nodeId] : [];
    }),
  );
}
