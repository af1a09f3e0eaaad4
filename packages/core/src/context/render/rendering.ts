import type { Choices, Ignored } from "../../conversation/index.js";
import { dropPendingThoughts, type Layout, type PositionedPart } from "../layout/layout.js";
import { itemsOf, type List, sizeOf } from "../layout/list.js";
import type { BrokenReferral, Referral, RenderReport } from "../layout/report.js";
import type { Rendering } from "../layout/types.js";
import { Visibility } from "../layout/visibility.js";
import { asContents, asProvenance, type ListCache, writeList } from "./list-cache.js";
import { awaitsResults, closeCalls } from "./rule-calls.js";

/** What is known where a rendering ends. */
interface Rendered {
  readonly layout: Layout;
  readonly choices: Choices;
  readonly ignored: List<Ignored>;
}

/** Finishes a layout for reading: open calls are closed for now, and lists made when asked for. */
export function renderingOf(rendered: Rendered, lists: ListCache): Rendering {
  const { layout } = rendered;
  const provisional = awaitsResults(layout);
  const final = dropPendingThoughts(closeCalls(layout));
  let contents: ListCache["contents"] | undefined;
  let provenance: ListCache["provenance"] | undefined;
  let referrals: readonly Referral[] | undefined;
  let report: RenderReport | undefined;
  return {
    get contents() {
      contents ??= writeList(final.parts, lists.contents, asContents);
      lists.contents = contents;
      return contents.entries;
    },
    get provenance() {
      provenance ??= writeList(final.parts, lists.provenance, asProvenance);
      lists.provenance = provenance;
      return provenance.entries;
    },
    visibility: new Visibility(final.seen),
    get referrals() {
      referrals ??= itemsOf(final.refers);
      return referrals;
    },
    get report() {
      report ??= reportOf({ ...rendered, layout: final }, provisional, sizeOf(layout.parts));
      return report;
    },
  };
}

function reportOf(
  { layout, choices, ignored }: Rendered,
  provisional: boolean,
  stable: number,
): RenderReport {
  const last = layout.parts?.item;
  const inLoop = endsInResults(layout.parts);
  let broken: readonly BrokenReferral[] | undefined;
  return {
    ready: last?.role === "user" && !provisional,
    provisional,
    stableParts: stable,
    parts: sizeOf(layout.parts),
    chars: layout.chars,
    thinking: inLoop && layout.lostThought ? "off" : "kept",
    start: { rule: choices.start.rule, nodeId: choices.start.nodeId },
    repairs: itemsOf(layout.repairs),
    boundaries: itemsOf(layout.boundaries),
    dropped: itemsOf(layout.dropped),
    ignored: [...itemsOf(ignored), ...itemsOf(layout.ignored)],
    // Costs the length of the prompt, and most who read a report do not ask.
    get broken() {
      broken ??= brokenIn(layout);
      return broken;
    },
  };
}

function brokenIn({ refers, seen }: Layout): readonly BrokenReferral[] {
  const { isVisible } = new Visibility(seen);
  return itemsOf(refers).filter(({ lines }) => !isVisible(lines));
}

/** Whether the last content holds results: a tool loop is open. */
function endsInResults(parts: List<PositionedPart>): boolean {
  const content = parts?.item.content;
  for (let cell = parts; cell !== undefined && cell.item.content === content; cell = cell.before)
    if ("functionResponse" in cell.item.part) return true;
  return false;
}
