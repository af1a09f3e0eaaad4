import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../src/patch/index.js";
import { type Assignments, assignInOrder, type Candidate } from "../../src/patch/locate/assign.js";
import { embedContext, type NamedLine } from "../../src/patch/locate/embed.js";
import { BaseText } from "../../src/patch/model/base-text.js";
import { text } from "./check.js";

/** The worked examples of the comments are run as they are written, so that none of them can be wrong. */
const source = join(dirname(fileURLToPath(import.meta.url)), "../../src/patch");

/** The files whose reasoning needs an example beside it. */
const hard = [
  "locate/align.ts",
  "locate/already-applied.ts",
  "locate/anchors.ts",
  "locate/assign.ts",
  "locate/depth.ts",
  "locate/embed.ts",
  "locate/indent.ts",
  "locate/locate.ts",
  "locate/search.ts",
  "locate/solve.ts",
  "locate/stretch.ts",
  "apply/apply.ts",
  "apply/correct.ts",
];

type Column = "file" | "diff" | "corrected" | "result";

interface Example {
  readonly name: string;
  readonly columns: ReadonlyMap<Column, readonly string[]>;
}

/** The tables of a comment: a line ` *     file   diff   result`, and below each name its lines. */
function examplesOf(path: string): readonly Example[] {
  const lines = readFileSync(join(source, path), "utf8").split("\n");
  return lines.flatMap((heading, at) => {
    if (!/^ \* {5}file +diff +(corrected +)?result$/.test(heading)) return [];
    const end = lines.findIndex((line, n) => n > at && !line.startsWith(" *     "));
    return [{ name: `${path}:${at + 1}`, columns: readTable(heading, lines.slice(at + 1, end)) }];
  });
}

function readTable(heading: string, rows: readonly string[]): ReadonlyMap<Column, readonly string[]> {
  const starts = [...heading.matchAll(/file|diff|corrected|result/g)].map(({ 0: name, index }) => {
    // The pattern names the columns and nothing else.
    return { name: name as Column, from: index };
  });
  return new Map(
    starts.map(({ name, from }, at) => {
      const cells = rows.map((row) => row.slice(from, starts[at + 1]?.from).trimEnd());
      const filled = cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);
      return [name, filled];
    }),
  );
}

const withoutNumbers = (lines: readonly string[]) => lines.map((line) => line.replace(/^\d+ ?/, ""));

function check({ columns }: Example): void {
  const column = (name: Column) => columns.get(name) ?? [];
  const base = text(...withoutNumbers(column("file")));
  const diff = text(...column("diff"));
  const outcome = applyDiff({ base, diff });
  const result = column("result");
  const [verdict = ""] = result;
  if (/^\d/.test(verdict)) {
    expect(outcome).toMatchObject({ code: "applied", text: text(...withoutNumbers(result)) });
  } else {
    const places = outcome.kind === "refusal" ? (outcome.places ?? []) : [];
    expect([outcome.code, places.join(", ")].join(" ").trim()).toBe(verdict);
  }
  const corrected = column("corrected");
  if (corrected.length === 0) return;
  const given: string[] = [];
  const applier = (_: string, written: string) => {
    given.push(written);
    return false as const;
  };
  applyDiff({ base, diff, applier });
  expect(given).toEqual([text("--- a/file", "+++ b/file", ...corrected)]);
}

describe("the worked examples of comments", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  for (const example of files.flatMap(examplesOf)) it(example.name, () => check(example));

  it("are there for everything hard", () => {
    expect(hard.filter((path) => examplesOf(path).length === 0)).toEqual([]);
  });
});

describe("the steps that the examples name", () => {
  const at = (...starts: readonly number[]): Candidate => ({ starts, coreFrom: 0, coreTo: 1 });
  const assignments: readonly { candidates: readonly Candidate[]; agree: Assignments | undefined }[] = [
    { candidates: [at(1), at(0, 2)], agree: { earliest: [1, 2], latest: [1, 2] } },
    { candidates: [at(0), at(1, 2)], agree: { earliest: [0, 1], latest: [0, 2] } },
    { candidates: [at(2), at(0)], agree: undefined },
  ];
  for (const { candidates, agree } of assignments) {
    const name = candidates.map(({ starts }) => Array.from(starts).join(" or ")).join(", then ");
    it(`assigns ${name}`, () => expect(assignInOrder(candidates)).toEqual(agree));
  }

  const context = (...texts: readonly string[]): readonly NamedLine[] =>
    texts.map((line, name) => ({ line: { kind: "context", text: line, ending: "\n", bare: false }, name }));

  it("embeds context with a skipped line", () => {
    const segment = { lines: context("a", "b", "c"), top: undefined, bottom: 4 };
    const embedded = embedContext(new BaseText(text("a", "x", "b", "c", "K", "e")), segment, { cells: 100 });
    expect(embedded).toEqual({
      explained: ["0", "1", "2", "2^", "2v"],
      present: 3,
      ranks: [0, 2, 3],
      dropped: [],
      skipped: 1,
      stretches: [{ above: 0, below: 2, isMarked: false, unmatched: 0 }],
    });
  });

  it("drops neither of two swapped lines", () => {
    const segment = { lines: context("b", "a"), top: undefined, bottom: 2 };
    const embedded = embedContext(new BaseText(text("a", "b", "K", "e")), segment, { cells: 100 });
    expect(embedded).toMatchObject({ present: 1, dropped: [] });
  });
});
