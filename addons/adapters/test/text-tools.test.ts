import { jsonSchema, readingTools, tools } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { holdfastTools as forAiSdk } from "../src/ai-sdk.js";
import { holdfastTools as forLangChain } from "../src/deepagents.js";
import { holdfastTools as forAdk } from "../src/google-adk.js";
import { holdfastTools as forLlamaIndex, type ToolCallResult, withExactAnswers } from "../src/llamaindex.js";
import { holdfastTools as forMastra } from "../src/mastra.js";
import type { OfferOptions } from "../src/text-tools.js";
import { openRoom } from "./room.js";

type Room = Awaited<ReturnType<typeof openRoom>>;

/** A tool of a framework, taken apart again. */
interface Made {
  readonly name: string;
  readonly description: string;
  readonly schema: Record<string, unknown>;
  run(args: unknown): Promise<string>;
}

const doors: readonly (readonly [string, (room: Room, options?: OfferOptions) => readonly Made[]])[] = [
  [
    "the AI SDK",
    ({ workspace }, options) =>
      Object.entries(forAiSdk(workspace, options)).map(([name, { description, inputSchema, execute }]) => {
        const schema = inputSchema["~standard"].jsonSchema.input();
        return { name, description, schema, run: async (args) => (await execute(args)).text };
      }),
  ],
  [
    "LangChain",
    ({ workspace }, options) => forLangChain(workspace, (run, fields) => ({ ...fields, run }), options),
  ],
  [
    "Mastra",
    ({ workspace }, options) => {
      const made = forMastra(
        workspace,
        ({ id: name, description, inputSchema, execute: run }) => {
          const schema = inputSchema["~standard"].jsonSchema.input();
          return { name, description, schema, run };
        },
        options,
      );
      expect(Object.keys(made)).toEqual(Object.values(made).map(({ name }) => name));
      return Object.values(made);
    },
  ],
  [
    "Google's ADK",
    ({ workspace }, options) =>
      forAdk(
        workspace,
        ({ name, description, parameters: { $schema, ...schema }, execute: run }) => {
          expect($schema).toMatch(/json-schema/);
          return { name, description, schema, run };
        },
        options,
      ),
  ],
  [
    "LlamaIndex",
    ({ workspace }, options) =>
      forLlamaIndex(
        workspace,
        (run, { parameters: schema, ...fields }) => ({ ...fields, schema, run }),
        options,
      ),
  ],
];

describe.each(doors)("the tools for %s", (_, make) => {
  it("are those of the catalogue, with their descriptions and published schemas", async () => {
    const made = make(await openRoom({}));
    expect(made.map(({ name, description, schema }) => ({ name, description, schema }))).toEqual(
      tools.map(({ name, description, parameters }) => ({
        name,
        description,
        schema: jsonSchema(parameters),
      })),
    );
  });

  it("are only the reading ones, or only those named, where that is asked for", async () => {
    const room = await openRoom({});
    const names = (options: OfferOptions) => make(room, options).map(({ name }) => name);
    expect(names({ readOnly: true })).toEqual(readingTools.map(({ name }) => name));
    expect(names({ tools: ["apply_changes", "read_file"] })).toEqual(["read_file", "apply_changes"]);
  });

  it("answer with a text, refusals and wrong arguments, too", async () => {
    const room = await openRoom({ "a.txt": 'say "hello"\n' });
    const made = make(room);
    const run = (name: string, args: object) => made.find((tool) => tool.name === name)?.run(args);
    expect(await run("read_file", { file_path: "a.txt" })).toContain('say "hello"\n');
    expect(await run("read_file", { file_path: 7 })).toMatch(/^FAILED \(invalid_arguments\)/);
    const base_content_sha256 = "0".repeat(64);
    const refused = await run("write_file", { file_path: "a.txt", content: "blind", base_content_sha256 });
    expect(refused).toMatch(/^FAILED \(unknown_base\)/);
    expect(room.text("a.txt")).toBe('say "hello"\n');
  });

  it("drop no argument in silence", async () => {
    const room = await openRoom({ "a.txt": "a\n" });
    const made = make(room);
    const run = (name: string, args: object) => made.find((tool) => tool.name === name)?.run(args);
    const refused = await run("append_to_file", { file_path: "a.txt", content: "b\n", mode: "w" });
    expect(refused).toMatch(/^FAILED \(invalid_arguments\): append_to_file has no argument mode\./);
    expect(room.text("a.txt")).toBe("a\n");
    expect(await run("read_file", { file_path: "a.txt", mode: "r" })).toContain(
      "read_file has no argument mode.",
    );
  });
});

it("LlamaIndex's agents are given the texts as they were answered", async () => {
  const handled: unknown[] = [];
  const agent = {
    name: "editor",
    async handleToolCallResults(_: object, results: ToolCallResult[]) {
      handled.push(...results.map(({ toolOutput }) => toolOutput));
    },
  };
  const exact = withExactAnswers(agent);
  expect(exact).toBe(agent);
  const asLlamaIndexWrites = { id: "1", result: "say \\hello\\", isError: false };
  await exact.handleToolCallResults({}, [
    { raw: 'say "hello"', toolOutput: asLlamaIndexWrites },
    { raw: { some: "object" }, toolOutput: asLlamaIndexWrites },
  ]);
  expect(handled).toEqual([{ ...asLlamaIndexWrites, result: 'say "hello"' }, asLlamaIndexWrites]);
});
