/**
 * deepagents with `backend: holdfastBackend(workspace)`. The model is scripted, so no key is needed: with
 * deepagents' own tools it edits a file, a person saves the file behind its back, its next edit is refused
 * with the fresh state, and it edits that.
 */
import { holdfastBackend } from "@holdfast/adapters/deepagents";
import { openWorkspace } from "@holdfast/core/node";
import { AIMessage } from "@langchain/core/messages";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { fakeModel } from "langchain";
import { openScene, say } from "../scene.mjs";

const scene = openScene();
const workspace = await openWorkspace({ roots: [scene.root], stateDir: scene.stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);

// What deepagents writes for itself belongs into its own state, not into the project.
const backend = new CompositeBackend(holdfastBackend(workspace), {
  "/large_tool_results/": new StateBackend(),
  "/conversation_history/": new StateBackend(),
});

let calls = 0;
const model = fakeModel()
  .respond(() => call("ls", { path: "/" }))
  .respond(() => call("read_file", { file_path: "/net.ts" }))
  .respond(() => edit("const tries = 3;", "const tries = 5;"))
  .respond(() => {
    scene.saveBehindTheModel();
    return edit("const wait = 2000;", "const wait = 2500;");
  })
  .respond(() => edit("const wait = 3000;", "const wait = 2500;"))
  .respond(() => call("grep", { pattern: "wait", path: "/" }))
  .respond(() => new AIMessage("Five tries, 2500 ms apart."));

const agent = createDeepAgent({ model, backend });
const { messages } = await agent.invoke({
  messages: [{ role: "user", content: "Make it five tries, 2500 ms apart." }],
});
for (const message of messages) {
  if (message.getType() === "tool") scene.hear(message.text);
  if (message instanceof AIMessage) {
    for (const { name, args } of message.tool_calls ?? [])
      say("the model", `${name} ${JSON.stringify(args)}`);
    if (message.text !== "") say("the model", message.text);
  }
}
await workspace.close();
scene.close();

/**
 * @param {string} old_string
 * @param {string} new_string
 */
function edit(old_string, new_string) {
  return call("edit_file", { file_path: "/net.ts", old_string, new_string });
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} args
 */
function call(name, args) {
  calls += 1;
  return new AIMessage({ content: "", tool_calls: [{ name, args, id: `call-${calls}` }] });
}
