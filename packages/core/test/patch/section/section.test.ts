import { describe, expect, it } from "vitest";
import { sectionText, updateSection } from "../../../src/patch/section/section.js";

const notes = "# T\n\n## A\n\nold\n\n## B\n\nrest\n";

const times = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");

/** The beginning and the end of a block, by each mark that pages have. */
const blocks: readonly (readonly [string, string])[] = [
  ['<div align="center">', "</div>"],
  ["<details>", "</details>"],
  ["<!-- BEGIN GENERATED -->", "<!-- END GENERATED -->"],
  ["<!-- toc -->", "<!-- tocstop -->"],
  [
    "<!-- ALL-CONTRIBUTORS-LIST:START - Do not remove -->",
    "<!-- ALL-CONTRIBUTORS-LIST:END - Do not remove -->",
  ],
  ["<!-- prettier-ignore-start -->", "<!-- prettier-ignore-end -->"],
  ["<legend>", "</legend>"],
  ["<endnote>", "</endnote>"],
  ["<!-- region -->", "<!-- /region -->"],
  ["{% if site.open %}", "{% endif %}"],
  ["{{#if open}}", "{{/if}}"],
  ["{{< tabs >}}", "{{< /tabs >}}"],
  ["::: warning", ":::"],
  ["\\begin{center}", "\\end{center}"],
];

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
    ).toMatchObject({ why: { kind: "ambiguous", found: [{ line: 3 }, { line: 10 }] } });
  });

  const nestings: readonly (readonly [string, (depth: number) => string])[] = [
    ["lists by their indentation", (depth) => times(depth, (at) => `${"  ".repeat(at)}- item\n`)],
    ["lists on one line", (depth) => `${"- ".repeat(depth)}a\n`],
    ["quotes", (depth) => `${">".repeat(depth)} a\n`],
    ["lists and lines that go on with them", (depth) => `${"- ".repeat(depth)}a\n${"b\n".repeat(30)}`],
    ["many lines of lists", (depth) => `${"- ".repeat(depth)}a\n`.repeat(50)],
  ];

  it.each(nestings)("never takes what follows with it, however deep: %s", async (_, nest) => {
    const kinds = new Set<string>();
    for (const depth of [1, 5, 11, 12, 50, 3_000]) {
      const rest = "\n# C\n\nprecious\n";
      const outcome = await updateSection(`# A\n\n# B\n\n${nest(depth)}${rest}`, {
        header: "# B",
        content: "new",
        create: false,
      });
      if (outcome.kind === "replaced") expect(outcome.text).toBe(`# A\n\n# B\n\nnew\n${rest}`);
      else expect(outcome).toEqual({ kind: "unfit", why: { kind: "nested_too_deep" } });
      if (depth <= 12) expect(outcome.kind).toBe("replaced");
      kinds.add(outcome.kind);
    }
    expect([...kinds]).toEqual(["replaced", "unfit"]);
  });

  it("is not given content that is nested too deep, and is not shown below it", async () => {
    const deep = `${"- ".repeat(3_000)}a`;
    const edit = { header: "## A", content: deep, create: false };
    expect(await updateSection(notes, edit)).toEqual({ kind: "unfit", why: { kind: "nested_too_deep" } });
    expect(await sectionText(`${deep}\n\n${notes}`, "## A")).toBe(undefined);
  });

  it("has its text with its heading, if there is one of its name", async () => {
    expect(await sectionText(notes, "## A")).toBe("## A\n\nold\n\n");
    expect(await sectionText(notes, "## C")).toBeUndefined();
    expect(await sectionText(`${notes}## A\n`, "A")).toBeUndefined();
  });
});

describe.each(blocks)("a block from %s to %s", (begin, end) => {
  const page = (inside: string) => `# R\n\n${begin}\n\n## In\n\n${inside}\n\n## Out\n\nrest\n`;
  const update = (text: string, content: string) =>
    updateSection(text, { header: "## In", content, create: false });

  it("keeps its end, which stands in a section below its beginning, or is refused", async () => {
    const text = page(`old\n\n${end}`);
    expect(await update(text, "new")).toEqual({
      kind: "unfit",
      why: { kind: "rest_needs", parts: [expect.stringMatching(/^the end of \S/)] },
    });
    expect(await update(text, `new\n\n${end}`)).toMatchObject({ text: page(`new\n\n${end}`) });
  });

  it("is the section's own where it begins there, or ended above", async () => {
    const own = page(`${begin}\n\nold\n\n${end}`).replace(`\n${begin}\n`, `\n${begin}\n\n${end}\n`);
    expect(await update(own, "new")).toMatchObject({ kind: "replaced" });
    const fenced = page(`\`\`\`\n${end}\n\`\`\``);
    expect(await update(fenced, "new")).toMatchObject({ kind: "replaced" });
    const quoted = page(`Then write \`${end}\`.`).replace(`${begin}\n`, `Write \`${begin}\` first.\n`);
    expect(await update(quoted, "new")).toMatchObject({ kind: "replaced" });
  });
});
