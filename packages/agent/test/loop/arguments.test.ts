import { conversationTools } from "@holdfast/core/tools";
import { describe } from "vitest";
import { wholeSchema } from "../../../core/src/tools/tool/tool.js";
import {
  type DoorTool,
  holdArguments,
  type LawCall,
  type OpenDoor,
} from "../../../core/test/tools/argument-law.js";
import { lawTools, servedNames } from "../../../core/test/tools/law-calls.js";
import { todosTool } from "../../src/host/todos.js";
import { openCalled } from "./called.js";

const began = [["task_start", { name: "new" }]] as const;
const restore = { files: "restore", conflicts: "leave" };
const calls: Readonly<Record<string, readonly LawCall[]>> = {
  task_start: [{ args: { name: "new", context: "compress", summary: "all" } }],
  task_complete: [{ args: { summary: "done", ...restore }, first: began }],
  task_cancel: [{ args: restore, first: began }],
  task_list: [{ args: {}, first: began }],
  track_file: [{ args: { file_path: "a.txt" } }],
  rewind: [{ args: restore, first: began }],
  update_todos: [{ args: { todos: [{ text: "look", state: "done" }] } }],
};

const talking = [...conversationTools, todosTool].flatMap(({ name, parameters, annotations }): DoorTool[] => {
  const own = calls[name];
  const isReading = annotations?.readOnly === true;
  return own === undefined ? [] : [{ name, isReading, schema: wholeSchema(parameters), calls: own }];
});

/** How the model of an agent calls a tool: by its name, by the one that stands for it, or by `more_tools`. */
const ways: Readonly<Record<string, (name: string, args: object) => readonly [string, object]>> = {
  "by their names": (name, args) => [name, args],
  "by more_tools": (name, args) => ["more_tools", { name, args }],
  "by conversation": (name, args) => {
    const command = conversationTools.find((tool) => tool.name === name)?.command;
    return command === undefined ? [name, args] : ["conversation", { action: command, ...args }];
  },
};

describe.each(Object.entries(ways))("the tools of an agent, called %s", (way, called) => {
  const open = async (): Promise<OpenDoor> => {
    const { call, files, manager } = await openCalled({ hostTools: () => [todosTool] });
    const state = () => {
      const kinds = [...manager.context.nodes.values()].map(({ payload: { kind } }) => kind);
      const moves = kinds.filter((kind) => !/message|tool_|note/.test(kind));
      return JSON.stringify([files(), moves.toSorted()]);
    };
    const text = async (name: string, args: object) => (await call(...called(name, args))).text;
    return { call: async (name, args) => (await text(name, args)).replaceAll(ids, "ID"), state };
  };
  const tools = way === "by conversation" ? talking : [...lawTools(servedNames), ...talking];
  holdArguments({ tools, open, runs: 6 });
});

const ids = /[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-z]{20,32}\b/gi;
