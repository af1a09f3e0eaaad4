import { describe } from "vitest";
import { holdArguments, type OpenDoor } from "../../../packages/core/test/tools/argument-law.js";
import { filesIn, lawTools, putLawFiles, servedNames } from "../../../packages/core/test/tools/law-calls.js";
import { holdfastTools as forAiSdk } from "../src/ai-sdk.js";
import { executeToolUse } from "../src/anthropic.js";
import { holdfastTools as forLangChain } from "../src/deepagents.js";
import { holdfastTools as forAdk } from "../src/google-adk.js";
import { holdfastTools as forLlamaIndex } from "../src/llamaindex.js";
import { holdfastTools as forMastra } from "../src/mastra.js";
import { openRoom } from "./room.js";

type Room = Awaited<ReturnType<typeof openRoom>>;
type Run = (args: unknown) => Promise<string>;

const tools = servedNames;
const namedRun = (run: Run, { name }: { readonly name: string }) => [name, run] as const;

/** By framework, each tool's own way to be run. */
const frameworks: Readonly<Record<string, (room: Room) => Readonly<Record<string, Run>>>> = {
  "the AI SDK": ({ workspace }) =>
    Object.fromEntries(
      Object.entries(forAiSdk(workspace, { tools })).map(([name, { execute }]) => [
        name,
        async (args: unknown) => (await execute(args)).text,
      ]),
    ),
  LangChain: ({ workspace }) => Object.fromEntries(forLangChain(workspace, namedRun, { tools })),
  LlamaIndex: ({ workspace }) => Object.fromEntries(forLlamaIndex(workspace, namedRun, { tools })),
  "Google's ADK": ({ workspace }) =>
    Object.fromEntries(forAdk(workspace, ({ name, execute }) => [name, execute] as const, { tools })),
  Mastra: ({ workspace }) => forMastra(workspace, ({ execute }) => execute, { tools }),
  "the Anthropic SDK": ({ workspace }) =>
    Object.fromEntries(
      editors.map((name) => [
        name,
        async (input: unknown) => (await executeToolUse(workspace, { id: "t", name, input }))?.content ?? "",
      ]),
    ),
};

const editors = ["str_replace_based_edit_tool", "memory"] as const;

describe.each(Object.entries(frameworks))("the tools for %s", (name, runsOf) => {
  const open = async (): Promise<OpenDoor> => {
    const room = await openRoom({});
    putLawFiles(room.root);
    const runs = runsOf(room);
    return {
      call: async (tool, args) => (await runs[tool]?.(args)) ?? `${tool} is not offered`,
      state: () => filesIn(room.root),
    };
  };
  holdArguments({ tools: lawTools(name === "the Anthropic SDK" ? editors : servedNames), open, runs: 4 });
});
