import { describe } from "vitest";
import { holdArguments, type OpenDoor } from "../../core/test/tools/argument-law.js";
import { filesIn, lawTools, putLawFiles, servedNames } from "../../core/test/tools/law-calls.js";
import { attach, makeGround, newClient, serve } from "./support.js";

describe("the tools as an MCP server answers them", () => {
  const open = async (): Promise<OpenDoor> => {
    const ground = await makeGround();
    putLawFiles(ground.root);
    const client = newClient("test-client", "2025-11-25");
    const other = await makeGround({ "other.txt": "other\n" });
    await attach(client, await serve(ground, { tools: servedNames, otherRoots: [other.root] }));
    return {
      call: async (name, args) => {
        const { content } = await client.callTool({ name, arguments: { ...args } });
        const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
        return texts.join("\n").replaceAll(ground.root, "{root}").replaceAll(other.root, "{other}");
      },
      state: () => filesIn(ground.root),
    };
  };
  holdArguments({ tools: lawTools(servedNames), open, runs: 25 });
});
