import { invariants } from "./invariants.js";
import type { Rendering } from "./types.js";
import type { Provider } from "./visibility.js";

/**
 * The nodes before which everything of a prompt may go, in their order: what is left keeps the provider's
 * demands as it is, no pair of call and result and no answer of the model is torn apart. A compaction may
 * keep from any of them. Costs the length of the prompt.
 *
 * @param opensWith `summary`: a text of the user's side will stand before what is left, as that of a compaction does,
 *   so that the model may come next. Nothing stands there unless given.
 */
export function safeCuts(
  { contents, provenance, report }: Rendering,
  provider: Provider,
  opensWith?: "summary",
): readonly string[] {
  const all = invariants[provider];
  const rules = opensWith === undefined ? all : all.filter(({ id }) => id !== "starts_with_user");
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
