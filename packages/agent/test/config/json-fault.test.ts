import { printParseErrorCode } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { checkText } from "../../src/config/check-settings.js";
import { jsonFault } from "../../src/config/json-fault.js";

/** The first problem of a text that is no JSON, with its line. */
async function faultOf(text: string): Promise<string> {
  const checked = await checkText("settings.jsonc", text);
  if (checked.kind !== "problems") throw new Error("it is JSON");
  const [first] = checked.problems;
  return `${first?.line}: ${first?.message}`;
}

describe("a text that is no JSON is told in plain words", () => {
  it.each<readonly [string, string]>([
    ['{"limits": {\n', "2: it is not JSON: a closing } is missing"],
    ['{"files": {"include": ["a"', "1: it is not JSON: a closing ] is missing"],
    [
      '{"limits": yes}',
      "1: it is not JSON: a word stands there that is no value; names and texts need double quotes",
    ],
    ['{"limits" {}}', "1: it is not JSON: a colon is missing behind a name"],
    ['{"limits": {} "files": {}}', "1: it is not JSON: a comma is missing"],
    ['{"limits": }', "1: it is not JSON: a value is missing"],
    ["{} {}", "1: it is not JSON: something stands behind its end"],
    ['{"$schema": "a', "1: it is not JSON: a text has no closing quote"],
    ["{} /* no end", "1: it is not JSON: a comment has no closing */"],
  ])("%j", async (text, wanted) => {
    expect(await faultOf(text)).toBe(wanted);
  });

  it("for each code that the parser has, and no other word of its", () => {
    const codes = Array.from({ length: 40 }, (_, at) => at).filter(
      (code) => !printParseErrorCode(code).startsWith("<"),
    );
    expect(codes.length).toBeGreaterThanOrEqual(16);
    const words = codes.map(jsonFault);
    expect(new Set(words).size).toBe(codes.length);
    for (const one of words) expect(one).not.toMatch(/[a-z][A-Z]|cannot be read/);
    expect(jsonFault(999)).toBe("something in it cannot be read");
  });
});
