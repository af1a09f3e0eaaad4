import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { runTool } from "../../src/tools/index.js";
import { memoryWith, sha } from "../support.js";

type Asked = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** Each way to put text at lines that the call names by their numbers. */
const ways: Readonly<Record<string, (from: number, to: number, text: string) => Asked>> = {
  "lines replaced": (from, to, text) => [
    "edit_file",
    { edits: [{ lines: `${from}-${to}`, new_string: text }] },
  ],
  "lines inserted by edit_file": (from, _, text) => [
    "edit_file",
    { edits: [{ lines: `after ${from - 1}`, new_string: text }] },
  ],
  "lines inserted": (from, _, text) => ["insert_lines", { after_line: from - 1, content: text }],
};

/** The ways in which our answers, and those of others, put a number before a line. */
const forms = ["\t", ": ", ":", "| ", "|", "→"];

async function call(file: string, [tool, args]: Asked) {
  const ports = memoryWith();
  ports.disk.poke("a.txt", Buffer.from(file));
  const workspace = new Workspace(ports);
  await runTool("read_file", { file_path: "a.txt" }, { workspace });
  const done = await runTool(
    tool,
    { file_path: "a.txt", base_content_sha256: sha(file), ...args },
    { workspace },
  );
  return { ...done, now: (await workspace.read({ path: "a.txt" })) as object };
}

describe.each(Object.entries(ways))("text behind the numbers that the call names: %s", (_, way) => {
  const scene = fc.tuple(
    fc.array(fc.stringMatching(/^[a-z(]{2,8}$/), { minLength: 4, maxLength: 9 }),
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.constantFrom(...forms),
    fc.boolean(),
  );

  it("is refused at any length, and nothing is written", async () => {
    const law = fc.asyncProperty(scene, async ([lines, place, more, form, padded]) => {
      const from = 1 + (place % lines.length);
      const to = Math.min(lines.length, from + more);
      const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
      const echo = numbers.map(
        (number) => `${padded ? `${number}`.padStart(6) : number}${form}new ${number}`,
      );
      const file = `${lines.join("\n")}\n`;
      const { code, text, now } = await call(file, way(from, to, echo.join("\n")));
      expect([code, text]).toEqual(["invalid_arguments", expect.stringContaining("send only the lines")]);
      expect(now).toMatchObject({ state: { content: file } });
    });
    await fc.assert(law, { numRuns: 150 });
  });

  it("is the file's own where its lines have such numbers, or where the numbers are others", async () => {
    const law = fc.asyncProperty(scene, async ([lines, place, , form]) => {
      const from = 1 + (place % lines.length);
      const numbered = lines.map((line, at) => `${at + 1}${form}${line}`);
      const own = await call(`${numbered.join("\n")}\n`, way(from, from, `${from}${form}new`));
      expect(own.code).toBe("applied");
      const above = lines.map((line, at) => (at + 1 === from - 1 ? `${at + 1}${form}${line}` : line));
      const next = await call(`${above.join("\n")}\n`, way(from, from, `${from}${form}new`));
      if (from > 1) expect(next.code).toBe("applied");
      const other = await call(`${lines.join("\n")}\n`, way(from, from, `${from + 40}${form}new`));
      expect(other.code).toBe("applied");
    });
    await fc.assert(law, { numRuns: 50 });
  });
});
