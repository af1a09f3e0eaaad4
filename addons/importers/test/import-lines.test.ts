import { describe, expect, it } from "vitest";
import { importedText, nodesOf, outlineOf } from "./import-support.js";

const turn = (id: string) =>
  JSON.stringify({
    type: "user",
    uuid: id,
    parentUuid: null,
    sessionId: "s",
    timestamp: "2026-01-02T03:04:05.000Z",
    message: { role: "user", content: `say ${id}` },
  });
const [one, two, three] = ["a", "b", "c"].map(turn);

function read(text: string): { readonly said: readonly string[]; readonly told: readonly string[] } {
  const session = importedText(text);
  return {
    said: outlineOf(session).map((line) => line.replace(" <", "").trim()),
    told: session.problems.map(({ line, what }) => `${line} ${what}`),
  };
}

const all = ["user say a", "user say b", "user say c"];

describe("lines that look like a document", () => {
  it.each([
    ["a bracket of nothing", `${one}\n}\n${two}\n${three}\n`, ["2 unreadable_line"]],
    ["a line that is set in", `${one}\n ${two}\n${three}\n`, []],
    [
      "a line that lost its beginning",
      `${one}\n"uuid":"x","m":{}}\n${two}\n${three}\n`,
      ["2 unreadable_line"],
    ],
    ["carriage returns alone", `${one}\r${two}\r${three}\r`, []],
    ["two mixed line ends", `${one}\r${two}\n${three}`, []],
    ["a first line that was torn", `{"type":"user","uu\n${one}\n${two}\n${three}\n`, ["1 unreadable_line"]],
    ["turns after one that is written over lines", `${one?.replaceAll(",", ",\n ")}\n${two}\n${three}`, []],
  ])("keep every turn with %s", (_, text, told) => {
    expect(read(text)).toEqual({ said: all, told });
  });
});

describe("a document", () => {
  it("tells by line what follows its end", () => {
    const text = JSON.stringify(
      { sessionId: "g-1", projectHash: "h", messages: [{ id: "1", type: "user", content: "hello" }] },
      null,
      2,
    );
    const count = text.split("\n").length;
    expect(read(`${text}\n\n  rubbish\nmore\n`)).toEqual({
      said: ["user hello"],
      told: [`${count + 2} unreadable_line`, `${count + 3} unreadable_line`],
    });
  });

  it("may be a list whose items begin at the margin", () => {
    const items = [{ role: "user", parts: [{ text: "hello" }] }].map((item) => JSON.stringify(item));
    expect(read(`[\n${items.join(",\n")}\n]\n`)).toEqual({ said: ["user hello"], told: [] });
  });
});

it.each([1e300, -1e20])("gives a turn of the time %s that of the line before", (time) => {
  const late = two?.replace(/"timestamp":"[^"]*"/u, `"timestamp":${time}`);
  const times = nodesOf(importedText(`${one}\n${late}\n`)).map(({ timestamp }) => timestamp);
  expect(new Set(times)).toEqual(new Set([Date.parse("2026-01-02T03:04:05.000Z")]));
});
