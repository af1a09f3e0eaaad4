/**
 * LlamaIndex with `tools: holdfastTools(workspace, tool)`. The model is scripted, so no key is needed: it edits
 * a file, a person saves the file behind its back, its next edit is refused with the change, and it edits what
 * is there now.
 */
import { holdfastTools, withExactAnswers } from "@holdfast/adapters/llamaindex";
import { openWorkspace } from "@holdfast/core/node";
import { FunctionAgent, multiAgent } from "@llamaindex/workflow";
import { FunctionTool, ToolCallLLM } from "llamaindex";
import { openScene } from "../scene.mjs";
import { done, scriptOf } from "../script.mjs";

const scene = openScene();
const next = scriptOf(scene);
const workspace = await openWorkspace({ roots: [scene.root], stateDir: scene.stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);

class ScriptedModel extends ToolCallLLM {
  supportToolCall = true;
  metadata = {
    model: "scripted",
    temperature: 0,
    topP: 1,
    contextWindow: 100_000,
    tokenizer: undefined,
    structuredOutput: false,
  };

  /** @override @param {any} params @returns {Promise<any>} */
  async chat({ messages, stream }) {
    const { toolResult } = messages.at(-1)?.options ?? {};
    const call = next(toolResult?.result ?? "");
    const toolCall = call && [{ id: crypto.randomUUID(), name: call.name, input: call.args }];
    const options = toolCall && { toolCall };
    const said = call === undefined ? done : "";
    if (!stream) return { raw: null, message: { role: "assistant", content: said, options } };
    return (async function* () {
      yield { raw: null, delta: said, options };
    })();
  }
}

const editor = withExactAnswers(
  new FunctionAgent({
    name: "editor",
    llm: new ScriptedModel(),
    tools: holdfastTools(workspace, FunctionTool.from),
  }),
);
const workflow = multiAgent({ agents: [editor], rootAgent: editor });
await workflow.run("Make it five tries, 2500 ms apart.");
await workspace.close();
scene.close();
