/**
 * LangChain with the tools of `holdfast mcp`. The model is scripted, so no key is needed: it edits a file, a
 * person saves the file behind its back, its next edit is refused with the change, and it edits what is there
 * now.
 */
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { AIMessage, createAgent, fakeModel } from "langchain";
import { serverOf } from "../mcp.mjs";
import { openScene } from "../scene.mjs";
import { done, scriptOf } from "../script.mjs";

const scene = openScene();
const next = scriptOf(scene);

const model = fakeModel();
for (let turn = 0; turn < 5; turn += 1) {
  model.respond((messages) => {
    const last = messages.at(-1);
    const call = next(last?.getType() === "tool" ? last.text : "");
    if (call === undefined) return new AIMessage(done);
    return new AIMessage({ content: "", tool_calls: [{ ...call, id: `call-${turn}` }] });
  });
}

const client = new MultiServerMCPClient({ mcpServers: { holdfast: serverOf(scene) } });
const agent = createAgent({ model, tools: await client.getTools() });
await agent.invoke({ messages: [{ role: "user", content: "Make it five tries, 2500 ms apart." }] });
await client.close();
scene.close();
