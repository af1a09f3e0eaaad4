import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { conversationTool, conversationTools, jsonSchema } from "../../src/tools/index.js";

/**
 * The tools that work on the conversation are offered under their own names, as one tool, or not at all: no words of ours know
 * which. So a prompt names none of them. The file tools name each other by the vocabulary of the door (`words.test.ts`).
 */
const names = conversationTools.map(({ name }) => name).filter((name) => name.includes("_"));
const named = (text: string) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

const rooms = fileURLToPath(new URL("../../../..", import.meta.url));
const sources = ["packages", "addons"].flatMap((house) =>
  readdirSync(join(rooms, house)).flatMap((name) => sourcesBelow(join(rooms, house, name, "src"))),
);

function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/** Texts that are meant to be read: literals of three words and more, outside comments. A command has two. */
function sentencesIn(source: string): readonly string[] {
  const code = source.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, "");
  return [...code.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .map(([text]) => text)
    .filter((text) => text.split(" ").length > 2);
}

describe("no sentence of ours names a tool that may not be offered", () => {
  it.each([...conversationTools, conversationTool()])("$name, offered alone", (tool) => {
    const told = tool.description + JSON.stringify(jsonSchema(tool.parameters));
    const actions = tool.name === "conversation" ? names : [tool.name];
    expect(named(told).filter((name) => !actions.some((action) => action === name))).toEqual([]);
  });

  it("in all that the sources say", () => {
    expect(sources.length).toBeGreaterThan(500);
    const said = sources.flatMap((path) =>
      sentencesIn(readFileSync(path, "utf8")).map((text) => [path, text]),
    );
    expect(said.filter(([, text]) => named(text ?? "").length > 0)).toEqual([]);
  });
});
