/**
 * Google's Agent Development Kit with `holdfastTools(workspace, …)`. The model is scripted, so no key is
 * needed: it edits a file, a person saves the file behind its back, its next edit is refused with the change,
 * and it edits what is there now.
 */
import { BaseLlm, FunctionTool, InMemoryRunner, LlmAgent } from "@google/adk";
import { holdfastTools } from "@holdfast/adapters/google-adk";
import { openWorkspace } from "@holdfast/core/node";
import { openScene } from "../scene.mjs";
import { done, scriptOf } from "../script.mjs";

const scene = openScene();
const next = scriptOf(scene);
const workspace = await openWorkspace({ roots: [scene.root], stateDir: scene.stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);

class ScriptedModel extends BaseLlm {
  /** @override @param {import("@google/adk").LlmRequest} request */
  async *generateContentAsync({ contents }) {
    const { functionResponse } = contents.at(-1)?.parts?.at(-1) ?? {};
    const call = next(String(functionResponse?.response?.result ?? ""));
    const part = call === undefined ? { text: done } : { functionCall: call };
    yield { content: { role: "model", parts: [part] } };
  }

  /** @override @returns {Promise<never>} */
  async connect() {
    throw new Error("Nothing here is live.");
  }
}

const agent = new LlmAgent({
  name: "editor",
  model: new ScriptedModel({ model: "scripted" }),
  tools: holdfastTools(workspace, (fields) => new FunctionTool(fields)),
});
const newMessage = { role: "user", parts: [{ text: "Make it five tries, 2500 ms apart." }] };
const events = new InMemoryRunner({ agent }).runEphemeral({ userId: "somebody", newMessage });
for await (const { errorMessage } of events) {
  if (errorMessage !== undefined) throw new Error(errorMessage);
}
await workspace.close();
scene.close();
