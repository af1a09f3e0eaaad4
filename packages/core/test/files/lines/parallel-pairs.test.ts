import fc from "fast-check";
import { expect, it } from "vitest";
import { Workspace } from "../../../src/files/index.js";
import { placeSplices } from "../../../src/files/lines/placed-lines.js";
import { openCharsets } from "../../../src/node/disk/charsets.js";
import { memoryWith, sha } from "../../support.js";

/**
 * Two changes of one turn with the hash of one base, of each kind. `npm test` tries a few hundred pairs;
 * HOLDFAST_RUNS=60000 for the long run.
 */
const runs = Number(process.env.HOLDFAST_RUNS ?? 100);

const _codec = openCharsets();

const line = fc.oneof(
  fc.constantFrom("}", "", "  return x;", "import m1", "import m2", "import m3"),
  fc
    .tuple(fc.constantFrom("a", "b", "t", "limit"), fc.nat({ max: 5 }), fc.nat({ max: 29 }))
    .map(([name, number, value]) => `  ${name}${number} = ${value};`),
);
const base = fc
  .tuple(fc.array(line, { minLength: 4, maxLength: 17 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : ""))
  .filter((text) => text !== "");

/** A change of some lines of a base, as each tool would say it. */
interface Wish {
  readonly tool: "edit" | "patch" | "insert";
  /** Lines that the call names, 1-based and both included; none of an insertion before the first line. */
  readonly from: number;
  readonly to: number;
  /** What is to stand in their place, with the lines' own endings. */
  readonly fresh: readonly string[];
  /** For an edit, how much of the first and the last line its texts leave out, at most. */
  readonly trim: readonly [number, number];
}

const wish = fc.record({
  tool: fc.constantFrom("edit", "edit", "patch", "insert"),
  start: fc.nat(),
  count: fc.integer({ min: 1, max: 3 }),
  twist: fc.nat({ max: 7 }),
  number: fc.nat({ max: 99 }),
  trim: fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 })),
});

type WishParts = typeof wish extends fc.Arbitrary<infer Parts> ? Parts : never;

function wishOn(lines: readonly string[], asked: WishParts): Wish {
  const { tool, count, trim, number } = asked;
  if (tool === "insert") {
    const after = asked.start % (lines.length + 1);
    return { tool, from: after === 0 ? 1 : after, to: after, fresh: [`  added${number};\n`], trim };
  }
  const from = (asked.start % lines.length) + 1;
  const to = Math.min(lines.length, from + count - 1);
  const old = lines.slice(from - 1, to);
  return { tool, from, to, fresh: twisted(old, asked), trim };
}

/** The ways in which models change lines: a value, a name, lines before or behind, fewer, in another order. */
function twisted(old: readonly string[], { twist, number }: WishParts): readonly string[] {
  const [first = "", ...rest] = old;
  const last = old.at(-1) ?? "";
  switch (twist) {
    case 0:
      return [first.replace(/\d+/, (digits) => `${digits}${number}`), ...rest];
    case 1:
      return [first.replace(/\d+/, String(number)), ...rest];
    case 2:
      return last.endsWith("\n") ? [...old, `  new${number} = 1;\n`] : old;
    case 3:
      return [`  pre${number}();\n`, ...old];
    case 4:
      return [];
    case 5:
      return [...old.slice(0, -1), last.replace(/(\n?)$/, ` // ${number}$1`)];
    case 6:
      return last.endsWith("\n") ? [...old.slice(1), first] : old;
    default:
      return [first.replace(/[a-z]+/, (word) => `${word}Z`), ...rest];
  }
}

const linesOf = (text: string) => text.split(/(?<=\n)/).filter((part) => part !== "");

const pair = fc
  .tuple(base, wish, wish)
  .map(([text, one, other]) => {
    const lines = linesOf(text);
    return { text, lines, wishes: [wishOn(lines, one), wishOn(lines, other)] as const };
  })
  .filter(({ lines, wishes }) => wishes.every((each) => isChange(lines, each)));

/** It changes something, and an edit's old text stands once in the base. */
function isChange(lines: readonly string[], given: Wish): boolean {
  if (given.tool === "insert") return lines.every((each) => each.endsWith("\n"));
  const { oldString, newString } = textsOf(lines, given);
  if (oldString === newString || oldString === "") return false;
  const text = lines.join("");
  return given.tool === "patch" || text.indexOf(oldString) === text.lastIndexOf(oldString);
}

/** Old and new text, without what both begin and end with, as far as the wish leaves it out. */
function textsOf(lines: readonly string[], { from, to, fresh, trim }: Wish) {
  const [old, next] = [lines.slice(from - 1, to).join(""), fresh.join("")];
  const most = Math.max(0, Math.min(old.length, next.length) - 1);
  let start = 0;
  while (start < Math.min(trim[0], most) && old[start] === next[start] && old[start] !== "\n") start += 1;
  let end = 0;
  const left = most - start;
  while (end < Math.min(trim[1], left) && old.at(-1 - end) === next.at(-1 - end)) {
    if (end > 0 && old.at(-1 - end) === "\n") break;
    end += 1;
  }
  return {
    oldString: old.slice(start, old.length - end),
    newString: next.slice(start, next.length - end),
  };
}

function send(workspace: Workspace, text: string, lines: readonly string[], given: Wish) {
  const sent = { path: "f", base: sha(text) };
  switch (given.tool) {
    case "edit":
      return workspace.edit({ ...sent, edits: [textsOf(lines, given)] });
    case "insert":
      return workspace.insertLines({ ...sent, afterLine: given.to, content: given.fresh.join("") });
    case "patch":
      return workspace.patch({ ...sent, diff: diffOf(lines, given) });
  }
}

function diffOf(lines: readonly string[], { from, to, fresh }: Wish): string {
  const marked = (mark: string, list: readonly string[]) =>
    list.map((each) =>
      each.endsWith("\n") ? `${mark}${each}` : `${mark}${each}\n\\ No newline at end of file\n`,
    );
  const old = lines.slice(from - 1, to);
  const start = fresh.length === 0 ? from - 1 : from;
  return [
    `@@ -${from},${old.length} +${start},${fresh.length} @@\n`,
    ...marked("-", old),
    ...marked("+", fresh),
  ].join("");
}

/** The base with both wishes, each in its own lines; an insertion before a line stands before what comes of that. */
function both(lines: readonly string[], wishes: readonly [Wish, Wish]): string {
  const places = wishes.map(({ tool, from, to, fresh }) => ({
    start: tool === "insert" ? to : from - 1,
    to,
    fresh,
  }));
  const [first, second] = places.sort((one, other) => one.start - other.start || one.to - other.to);
  if (first === undefined || second === undefined) throw new Error("a pair");
  return [
    ...lines.slice(0, first.start),
    ...first.fresh,
    ...lines.slice(first.to, second.start),
    ...second.fresh,
    ...lines.slice(second.to),
  ].join("");
}

/** No line is named by both calls, and they do not both add lines at one point. */
function areApart(lines: readonly string[], [one, other]: readonly [Wish, Wish]): boolean {
  const points = pointsOf(lines, other);
  const isOnePoint = [...pointsOf(lines, one)].some((point) => points.has(point));
  return !isOnePoint && (one.to < other.from || other.to < one.from);
}

/** Before which lines of the base the call adds lines without taking one away there. */
function pointsOf(lines: readonly string[], given: Wish): ReadonlySet<number> {
  const added = placesOf(lines, given).filter(({ removed }) => removed === 0);
  return new Set(added.map(({ at }) => at));
}

/** The lines that a wish changes. */
function placesOf(lines: readonly string[], { tool, from, to, fresh }: Wish) {
  const start = lines.slice(0, tool === "insert" ? to : from - 1).join("").length;
  const end = lines.slice(0, to).join("").length;
  return placeSplices(lines.join(""), [{ from: start, to: end, text: fresh.join("") }])?.changes ?? [];
}

it("two changes of one turn both land on separate lines, and never on each other's", async () => {
  const landed = { both: 0, refused: 0, apart: 0 };
  await fc.assert(
    fc.asyncProperty(pair, async ({ text, lines, wishes }) => {
      const ports = memoryWith();
      const workspace = new Workspace(ports);
      await workspace.write({ path: "f", content: text });
      const outcomes = await Promise.all(wishes.map((each) => send(workspace, text, lines, each)));
      const read = await workspace.read({ path: "f" });
      const after = read.kind === "read" ? read.state.content : undefined;
      const codes = outcomes.map(({ code }) => code);
      if (areApart(lines, wishes)) {
        landed.apart += 1;
        expect({ codes, after }).toEqual({ codes: ["applied", "applied"], after: both(lines, wishes) });
      } else if (codes[1] === "applied") {
        landed.both += 1;
        expect(isSound(lines, wishes, after)).toBe(true);
      } else {
        landed.refused += 1;
        expect(after).toBe(alone(lines, wishes[0]));
      }
    }),
    { numRuns: runs },
  );
  expect(Math.min(landed.both, landed.refused, landed.apart)).toBeGreaterThan(0);
});

function alone(lines: readonly string[], { tool, from, to, fresh }: Wish): string {
  const start = tool === "insert" ? to : from - 1;
  return [...lines.slice(0, start), ...fresh, ...lines.slice(to)].join("");
}

/**
 * Neighbours that both landed: none of the lines that one changed is a line that the other changed, and all of both
 * changes stands there.
 */
function isSound(
  lines: readonly string[],
  wishes: readonly [Wish, Wish],
  after: string | undefined,
): boolean {
  const changes = wishes
    .flatMap((each) => changesOf(lines, each))
    .sort((one, other) => {
      // An insertion before a line that is changed stands before it.
      return one.at - other.at || one.removed - other.removed;
    });
  let text = "";
  let done = 1;
  for (const { at, removed, fresh } of changes) {
    if (at < done) return false;
    text += lines.slice(done - 1, at - 1).join("") + fresh.join("");
    done = at + removed;
  }
  return after === text + lines.slice(done - 1).join("");
}

/** A wish without the lines that it puts back as they were. */
function changesOf(lines: readonly string[], given: Wish) {
  const { tool, from, to, fresh } = given;
  const start = tool === "insert" ? to : from - 1;
  const next = [...lines.slice(0, start), ...fresh, ...lines.slice(to)];
  let shift = 0;
  return placesOf(lines, given).map(({ at, removed, added }) => {
    const change = { at, removed, fresh: next.slice(at - 1 + shift, at - 1 + shift + added) };
    shift += added - removed;
    return change;
  });
}
