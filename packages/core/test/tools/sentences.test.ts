import { describe, expect, test } from "vitest";
import { libraryWords, say, type Vocabulary } from "../../src/files/values/index.js";
import { allTools, dialectTools, readingTools, tools } from "../../src/tools/index.js";
import { vocabularyOf } from "../../src/tools/tool/vocabulary.js";
import { foreignNames, wordsOf, wordsOfTool } from "./door-words.js";
import { sentencesBelow } from "./sentences.js";

/** The sentences as they stand in the sources: also those that no test provokes. */
const sentences = sentencesBelow(new URL("../../src/", import.meta.url));
const templates = sentences.filter(
  // What `refuseIn` itself is given stands where it is called.
  ({ kind, file }) => kind === "template" && !file.endsWith("/refusal.ts"),
);

const selections = [tools, readingTools, allTools, [], ...dialectTools.map((tool) => [tool])];
const doors: readonly (readonly [string, Vocabulary, readonly string[]])[] = [
  ["the library", libraryWords, []],
  ["a door without a word", {}, []],
  ...selections.flatMap((offered, at) =>
    allTools.map((tool): readonly [string, Vocabulary, readonly string[]] => {
      const own = [...offered, tool].flatMap(wordsOfTool);
      return [`${tool.name} beside selection ${at}`, vocabularyOf(tool, offered), own];
    }),
  ),
];

test("the templates are found", () => {
  expect(templates.length).toBeGreaterThan(35);
  expect(templates.filter(({ forms }) => forms.some((form) => form.startsWith("¤")))).toEqual([]);
});

describe("a sentence in a door's words", () => {
  test.each(doors)("names nothing else at %s", (_, words, own) => {
    const mine = [...own, ...wordsOf(words)];
    const wrong = templates.flatMap(({ file, forms }) =>
      forms.flatMap((template) => {
        const said = say({ template, facts: {} }, words);
        const names = foreignNames(said, mine);
        return names.length > 0 || /[{}[\]]|undefined/.test(said) ? [{ file, template, said, names }] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

/** The words of the library, and those of seed 2, which are said where that tool is offered. */
const speaking: ReadonlySet<string> = new Set(["vocabulary.ts", "rereads.ts"]);
const rooms = ["text", "patch", "files", "conversation", "node"];
test.each(rooms)("a sentence that is not put into words names no tool and no argument: %s", (room) => {
  const plain = sentences.filter(({ kind, file }) => kind === "plain" && file.startsWith(`${room}/`));
  expect(plain.length).toBeGreaterThan(room === "text" ? 2 : 20);
  const naming = plain.flatMap(({ file, forms }) => {
    const names = forms.flatMap((form) => foreignNames(form, []));
    return names.length === 0 || speaking.has(file.split("/").at(-1) ?? "")
      ? []
      : [`${file}: ${names.join(", ")} in ${forms[0]}`];
  });
  expect(naming).toEqual([]);
});
