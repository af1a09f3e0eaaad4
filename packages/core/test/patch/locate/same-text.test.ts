import { describe, it } from "vitest";
import { check, type PatchCase, text } from "../check.js";

const placed: readonly PatchCase[] = [
  {
    name: "two places at which the same is left",
    base: text("a", "same", "same", "b"),
    diff: text("@@", "-same"),
    text: text("a", "same", "b"),
    repairs: [],
  },
  {
    name: "places of two lines that overlap, and the same is left at each, in a file with CRLF",
    base: text("a", "x", "y", "x", "y", "x", "b").replaceAll("\n", "\r\n"),
    diff: text("@@ -7,2 +7,1 @@", "-x", "-y", "+x", "+y", "+x", "+y"),
    text: text("a", "x", "y", "x", "y", "x", "y", "x", "b").replaceAll("\n", "\r\n"),
  },
];

const refused: readonly PatchCase[] = [
  {
    name: "two places at which the same is left, and one at which it is not",
    base: text("a", "same", "same", "b", "same"),
    diff: text("@@", "-same"),
    code: "ambiguous",
    places: [2, 3, 5],
  },
  {
    name: "two neighbouring places, a line that differs from both",
    base: text("a", "same", "same", "b"),
    diff: text("@@", "-same", "+other"),
    code: "ambiguous",
    places: [2, 3],
  },
  {
    name: "two places of which one has the end of the file without a newline",
    base: "a\nsame\nsame",
    diff: text("@@", "-same"),
    code: "ambiguous",
    places: [2, 3],
  },
  {
    name: "two places at which the same lines are left, with other endings",
    base: "a\nsame\r\nsame\nb\n",
    diff: text("@@", "-same"),
    code: "ambiguous",
    places: [2, 3],
  },
];

describe("several places that come to one text, or do not", () => {
  for (const example of [...placed, ...refused]) it(example.name, () => void check(example));
});
