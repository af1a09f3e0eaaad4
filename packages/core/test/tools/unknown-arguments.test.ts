import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { isRefusal } from "../../src/files/values/index.js";
import {
  allTools,
  conversationTools,
  findTool,
  type HostTool,
  parseArguments,
  runHostTool,
  type ToolName,
} from "../../src/tools/index.js";
import { isOfHost, lineRange, meaningsOf, plainName } from "../../src/tools/tool/spellings.js";
import { openSession } from "../reproductions/scene.js";

/** Anything that a call may hold beside the arguments of its tool. */
const strayName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.constantFrom("mode", "append", "recursive", "force", "__proto__", "constructor", "toString", "length"),
);
const strayValue = fc.jsonValue().filter((value) => value !== null);

/** Whether a tool takes the name, by any spelling of it or of the members of its one change. */
function isTaken(shape: Readonly<Record<string, unknown>>, name: string): boolean {
  const edit = ["old_string", "new_string", "replace_all", "expected_replacements", "lines"];
  const names = [...Object.keys(shape), ...("edits" in shape ? edit : []), ...Object.values(lineRange)];
  return meaningsOf(names).has(plainName(name)) || isOfHost(name);
}

const every = [...allTools, ...conversationTools];

describe("an argument that its tool does not have", () => {
  test("is refused by a tool that changes something, and named by one that reads", () => {
    fc.assert(
      fc.property(fc.constantFrom(...every), strayName, strayValue, (tool, name, value) => {
        fc.pre(!isTaken(tool.parameters.shape, name));
        const args = Object.fromEntries([[name, value]]);
        const parsed = parseArguments(tool, args);
        const said = isRefusal(parsed) ? parsed.message : parsed.ignored;
        expect(said).toContain("has no argument");
        expect(said).toMatch(/ takes (no arguments|\w+)/);
        if (!tool.annotations.readOnly) expect(parsed).toMatchObject({ code: "invalid_arguments" });
      }),
      { numRuns: 2_000 },
    );
  });

  const looks: readonly (readonly [
    ToolName,
    Readonly<Record<string, string | readonly string[]>>,
    string,
  ])[] = [
    ["read_file", { file_path: "a" }, "one"],
    ["read_many_files", { paths: ["a"] }, "one"],
    ["list_files", {}, "a\t4"],
    ["find_files", { glob: "a" }, "a\t4"],
    ["search_files", { pattern: "one" }, "1: one"],
  ];

  test.each(looks)("is told by %s, which answers", async (tool, args, shown) => {
    for (const wire of ["text", "json"] as const) {
      const scene = openSession({ files: { a: "one\n" }, wire });
      const { code, text } = await scene.call(tool, { ...args, "fooled\u001b": 1 });
      expect(code).toBe("ok");
      if (wire === "text") expect(text).toContain(shown);
      expect(text).toContain(`${tool} has no argument fooled`);
      expect(text).not.toContain("\u001b");
    }
  });

  test("is told by a tool of the host that reads, and refused by one that does not say so", async () => {
    const echo: HostTool = {
      ...{ kind: "host", name: "echo", title: "Echo", description: "" },
      parameters: z.object({ count: z.number().exactOptional() }),
      intent: (args) => ({ kind: "host_request", tool: "echo", summary: "echo", args }),
      run: async ({ args }) => ({ code: "ok", text: JSON.stringify(args) }),
    };
    const annotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
    const scope = { progress: () => {} };
    const told = await runHostTool({ ...echo, annotations }, { cuont: 1 }, scope);
    expect(told).toEqual({
      code: "ok",
      text: "Ignored: echo has no argument cuont; did you mean count? It takes count.\n{}",
    });
    expect(await runHostTool(echo, { cuont: 1 }, scope)).toMatchObject({ code: "invalid_arguments" });
  });

  test("says nothing where it is null", () => {
    expect(saidOf("read_file", { file_path: "a", fooled: null })).toBe("");
  });
});

function saidOf(name: string, args: object): string {
  const tool = every.find((one) => one.name === name) ?? findTool(name);
  const parsed = tool === undefined ? undefined : parseArguments(tool, args);
  return parsed === undefined ? "none" : isRefusal(parsed) ? parsed.message : parsed.ignored;
}
