import { jsonSchema } from "@holdfast/core/tools";
import { describe } from "vitest";
import {
  type Args,
  type DoorTool,
  holdArguments,
  type OpenDoor,
} from "../../../../packages/core/test/tools/argument-law.js";
import { filesIn, putLawFiles } from "../../../../packages/core/test/tools/law-calls.js";
import { attach, makeGround, newClient, serve } from "../../../../packages/mcp/test/support.js";
import { compatArguments } from "../../src/compat/arguments.js";
import { createCompatServer } from "../../src/compat/server.js";
import { compatTools } from "../../src/compat/tools.js";

const path = "a.txt";
const edits = [{ oldText: "two", newText: "2" }];
const calls: Readonly<Record<string, readonly Args[]>> = {
  read_file: [
    { path, head: 1 },
    { path, tail: 1 },
  ],
  read_text_file: [{ path, head: 1 }, { path, tail: 1 }, { path: "none" }],
  read_media_file: [{ path: "i.png" }],
  read_multiple_files: [{ paths: [path, "b.md"] }],
  write_file: [{ path: "new", content: "x" }],
  edit_file: [
    { path, edits },
    { path, edits, dryRun: true },
  ],
  create_directory: [{ path: "made" }],
  list_directory: [{ path: "sub" }],
  list_directory_with_sizes: [{ path: ".", sortBy: "size" }],
  directory_tree: [{ path: ".", excludePatterns: ["*.md"] }],
  move_file: [{ source: path, destination: "moved" }],
  search_files: [{ path: ".", pattern: "**/*.ts", excludePatterns: ["b*"] }],
  get_file_info: [{ path: "sub" }],
  list_allowed_directories: [{}],
};

const tools = compatTools.map(
  ({ name, readOnly }): DoorTool => ({
    name,
    isReading: readOnly,
    schema: jsonSchema(compatArguments[name]),
    calls: (calls[name] ?? []).map((args) => ({
      args,
      ...(name === "move_file" ? { first: [["read_text_file", { path }]] as const } : {}),
      ...(args.dryRun === true ? { does: "looks" as const } : {}),
      ...(args.path === "none" ? { does: "refuses" as const } : {}),
    })),
  }),
);

describe("the tools of the official server", () => {
  const open = async (): Promise<OpenDoor> => {
    const ground = await makeGround();
    putLawFiles(ground.root);
    const client = newClient("test-client", "2025-11-25");
    await attach(client, await serve(ground, { createServer: createCompatServer }));
    return {
      call: async (name, args) => {
        const { content } = await client.callTool({ name, arguments: { ...args } });
        const texts = content.map((part) => (part.type === "text" ? part.text : part.type));
        return texts
          .join("\n")
          .replaceAll(ground.root, "{root}")
          .replaceAll(/(created|modified|accessed): .*/g, "$1");
      },
      state: () => filesIn(ground.root),
    };
  };
  holdArguments({ tools, open, isWhole: true, runs: 20 });
});
