/**
 * Mastra with `tools: holdfastTools(workspace, createTool)`. The model is scripted, so no key is needed: it
 * edits a file, a person saves the file behind its back, its next edit is refused with the change, and it edits
 * what is there now.
 */
import { holdfastTools } from "@holdfast/adapters/mastra";
import { openWorkspace } from "@holdfast/core/node";
import { Agent } from "@mastra/core/agent";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import { createTool } from "@mastra/core/tools";
import { openScene } from "../scene.mjs";
import { done, scriptOf } from "../script.mjs";

const scene = openScene();
const next = scriptOf(scene);
const workspace = await openWorkspace({ roots: [scene.root], stateDir: scene.stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);

const model = new MastraLanguageModelV2Mock({
  doGenerate: async ({ prompt }) => {
    const call = next(lastAnswer(prompt));
    return {
      content: [call === undefined ? { type: "text", text: done } : called(call)],
      finishReason: call === undefined ? "stop" : "tool-calls",
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      warnings: [],
    };
  },
});

const agent = new Agent({
  id: "editor",
  name: "Editor",
  instructions: "Do as you are told.",
  model,
  tools: holdfastTools(workspace, createTool),
});
await agent.generate("Make it five tries, 2500 ms apart.");
await workspace.close();
scene.close();

/** @param {{ name: string, args: object }} call */
function called({ name, args }) {
  return {
    type: /** @type {const} */ ("tool-call"),
    toolCallId: crypto.randomUUID(),
    toolName: name,
    input: JSON.stringify(args),
  };
}

/** @param {readonly any[]} prompt */
function lastAnswer(prompt) {
  const last = prompt.at(-1);
  return last?.role === "tool" ? String(last.content.at(-1).output.value) : "";
}
