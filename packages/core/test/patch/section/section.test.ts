import { describe, expect, it } from "vitest";
import { sectionText, updateSection } from "../../../src/patch/section/section.js";

const notes = "# T\n\n## A\n\nold\n\n## B\n\nrest\n";

const misfits: readonly (readonly [
  name: string,
  header: string,
  content: string,
  create: boolean,
  why: object,
])[] = [
  ["a heading without words", "##", "x", false, { kind: "empty_header" }],
  [
    "content that would end the section",
    "## A",
    "# Top",
    false,
    { kind: "heading_in_content", heading: "Top" },
  ],
  ["an omission", "## A", "… rest unchanged …", false, { kind: "placeholder", line: "… rest unchanged …" }],
  ["content that swallows what follows", "## A", "```\nopen", false, { kind: "swallows_rest" }],
  ["a new section whose level nobody gave", "C", "x", true, { kind: "level_missing" }],
];

describe("a section of a Markdown document", () => {
  it("gets new content between the blank lines that stand there", async () => {
    expect(await updateSection(notes, { header: "A", content: "new\n\n", create: false })).toMatchObject({
      kind: "replaced",
      text: notes.replace("old", "new"),
      heading: { level: 2, text: "A", line: 3 },
    });
  });

  it("is added at the end where that is asked for", async () => {
    expect(await updateSection(notes, { header: "## C", content: "new", create: true })).toMatchObject({
      kind: "created",
      text: `${notes}\n## C\n\nnew\n`,
      heading: "C",
    });
  });

  it.each(misfits)("stays as it is for %s", async (_, header, content, create, why) => {
    expect(await updateSection(notes, { header, content, create })).toEqual({ kind: "unfit", why });
  });

  it("is not made up: what is missing comes with the outline, what stands twice with all places", async () => {
    expect(await updateSection(notes, { header: "## C", content: "x", create: false })).toMatchObject({
      why: { kind: "missing", outline: [{ text: "T" }, { text: "A" }, { text: "B" }] },
    });
    expect(
      await updateSection(`${notes}## A\n`, { header: "## A", content: "x", create: false }),
    ).toMatchObject({
      why: { kind: "ambiguous", found: [{ line: 3 }, { line: 10 }] },
    });
  });

  it("cannot be added behind a fence that is open", async () => {
    const edit = { header: "## C", content: "x", create: true };
    expect(await updateSection("```\n", edit)).toEqual({ kind: "unfit", why: { kind: "end_is_open" } });
  });

  it("has its text with its heading, if there is one of its name", async () => {
    expect(await sectionText(notes, "## A")).toBe("## A\n\nold\n\n");
    expect(await sectionText(notes, "## C")).toBeUndefined();
    expect(await sectionText(`${notes}## A\n`, "A")).toBeUndefined();
  });
});
