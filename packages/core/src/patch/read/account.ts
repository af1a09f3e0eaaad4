import { clip } from "../../text/index.js";
import type { LineTable } from "../model/line-table.js";
import type { Repair } from "../model/types.js";
import { readFence } from "./parse-fences.js";

/** What a line of an input is: a part of a header, of a hunk (its `@@` line included), or text around the diff. */
export type LineKind = "header" | "hunk" | "text";

/** What each line of an input is. Lines are taken in their order, each once, so that none is left out in silence. */
export class LineAccount {
  readonly kinds: LineKind[] = [];

  constructor(private readonly lines: LineTable) {}

  /** The lines up to `to` (after the last) that are not accounted for yet are of this kind. */
  take(kind: LineKind, to: number): void {
    while (this.kinds.length < to) this.kinds.push(kind);
  }

  /** The same of lines outside of the diff: they are text, but for the fences around it, and a name of a file above it. */
  takeOuter(to: number, name?: string): void {
    const isName = (at: number) => name !== undefined && at >= to - 3 && this.lines.line(at).includes(name);
    for (let at = this.kinds.length; at < to; at++)
      this.take(readFence(this.lines, at) !== null || isName(at) ? "header" : "text", at + 1);
  }

  /** The text that is left out, told once; nothing where there are only blank lines. */
  describeText(): readonly Repair[] {
    let [count, first] = [0, ""];
    for (const [at, kind] of this.kinds.entries()) {
      const line = kind === "text" ? this.lines.line(at).trim() : "";
      if (line === "") continue;
      if (count === 0) first = clip(line, 60);
      count += 1;
    }
    if (count === 0) return [];
    const detail = `${count === 1 ? "1 line" : `${count} lines`} around the diff, ${JSON.stringify(first)}`;
    return [{ kind: "prose_removed", detail: count > 1 ? `${detail}, …` : detail }];
  }
}
