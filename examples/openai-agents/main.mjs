/**
 * The OpenAI Agents SDK with `holdfast mcp` as one of its servers. The model is scripted, so no key is needed:
 * it edits a file, a person saves the file behind its back, its next edit is refused with the change, and it
 * edits what is there now.
 */
import { Agent, MCPServerStdio, Runner, Usage } from "@openai/agents";
import { serverOf } from "../mcp.mjs";
import { openScene } from "../scene.mjs";
import { done, scriptOf } from "../script.mjs";

const scene = openScene();
const next = scriptOf(scene);

/** @type {import("@openai/agents").Model} */
const model = {
  async getResponse({ input }) {
    const call = next(lastAnswer(input));
    return { usage: new Usage(), output: [call === undefined ? said(done) : called(call)] };
  },
  getStreamedResponse() {
    throw new Error("Nothing here streams.");
  },
};

const server = new MCPServerStdio({ name: "holdfast", ...serverOf(scene) });
await server.connect();
const agent = new Agent({ name: "editor", model, mcpServers: [server] });
await new Runner({ tracingDisabled: true }).run(agent, "Make it five tries, 2500 ms apart.");
await server.close();
scene.close();

/**
 * @param {{ name: string, args: object }} call
 * @returns {import("@openai/agents").protocol.FunctionCallItem}
 */
function called({ name, args }) {
  return { type: "function_call", callId: crypto.randomUUID(), name, arguments: JSON.stringify(args) };
}

/**
 * @param {string} text
 * @returns {import("@openai/agents").protocol.AssistantMessageItem}
 */
function said(text) {
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text }],
  };
}

/** @param {string | readonly import("@openai/agents").AgentInputItem[]} input */
function lastAnswer(input) {
  const last = input.at(-1);
  if (typeof last !== "object" || last.type !== "function_call_result") return "";
  const parts = Array.isArray(last.output) ? last.output : [last.output];
  return parts.map((part) => (typeof part === "object" && "text" in part ? part.text : "")).join("\n");
}
