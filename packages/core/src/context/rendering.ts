import type { Choices } from "./choices.js";
import type { Content, Part } from "./content.js";
import { dropHeld, type Layout, type PlacedPart } from "./layout.js";
import { itemsOf, type List, sizeOf } from "./list.js";
import type { RenderReport } from "./report.js";
import { awaitsResults, closeCalls } from "./rule-calls.js";
import type { Provenance, Rendering } from "./types.js";
import { Visibility } from "./visibility.js";

/** The lists of a rendering, made from where those of the last one end. */
export interface Written {
  readonly parts: List<PlacedPart>;
  readonly contents: readonly Content[];
  readonly provenance: readonly (readonly Provenance[])[];
}

export const nothingWritten: Written = { parts: undefined, contents: [], provenance: [] };

/** Where the lists that were written last are kept. */
export interface Memory {
  written: Written;
}

/** Finishes a layout for reading: open calls are closed for now, and lists made when asked for. */
export function renderingOf(layout: Layout, choices: Choices, memory: Memory): Rendering {
  const provisional = awaitsResults(layout);
  const final = dropHeld(closeCalls(layout));
  let written: Written | undefined;
  let report: RenderReport | undefined;
  const write = (): Written => {
    written ??= writeParts(final.parts, memory.written);
    memory.written = written;
    return written;
  };
  return {
    get contents() {
      return write().contents;
    },
    get provenance() {
      return write().provenance;
    },
    visibility: new Visibility(final.seen),
    get report() {
      report ??= reportOf(final, choices, provisional, sizeOf(layout.parts));
      return report;
    },
  };
}

function reportOf(layout: Layout, choices: Choices, provisional: boolean, stable: number): RenderReport {
  const last = layout.parts?.item;
  const inLoop = endsInResults(layout.parts);
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
    ignored: [...itemsOf(choices.ignored), ...itemsOf(layout.ignored)],
  };
}

/** Whether the last content holds results: a tool loop is open. */
function endsInResults(parts: List<PlacedPart>): boolean {
  const content = parts?.item.content;
  for (let cell = parts; cell !== undefined && cell.item.content === content; cell = cell.before)
    if ("functionResponse" in cell.item.part) return true;
  return false;
}

/** Writes down the parts; those that `last` wrote already are taken over as they are. */
export function writeParts(parts: List<PlacedPart>, last: Written): Written {
  const shared = sharedPart(parts, last.parts);
  const from = shared?.item.content ?? 0;
  const kept = shared === undefined ? 0 : shared.item.at + 1;
  const contents = last.contents.slice(0, from);
  const provenance = last.provenance.slice(0, from);
  let into: Part[] = last.contents[from]?.parts.slice(0, kept) ?? [];
  let origins: Provenance[] = last.provenance[from]?.slice(0, kept) ?? [];
  if (shared !== undefined) {
    contents.push({ role: shared.item.role, parts: into });
    provenance.push(origins);
  }
  for (const { role, part, origin, at } of itemsOf(parts, sizeOf(shared))) {
    if (at === 0) {
      [into, origins] = [[], []];
      contents.push({ role, parts: into });
      provenance.push(origins);
    }
    into.push(part);
    origins.push(origin);
  }
  return { parts, contents, provenance };
}

/** The last part that two lists share; costs what they do not share. */
function sharedPart(one: List<PlacedPart>, other: List<PlacedPart>): List<PlacedPart> {
  let [a, b] = [one, other];
  while (a !== b && a !== undefined && b !== undefined) {
    const [sizeA, sizeB] = [a.size, b.size];
    if (sizeA >= sizeB) a = a.before;
    if (sizeB >= sizeA) b = b.before;
  }
  return a === b ? a : undefined;
}
