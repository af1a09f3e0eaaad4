/**
 * The Claude Agent SDK with `holdfast mcp` in place of its own file tools. Its program talks to a scripted
 * server on loopback, so no key is needed: the model edits a file, a person saves the file behind its back, its
 * next edit is refused with the change, and it edits what is there now.
 */
import { query } from "@anthropic-ai/claude-agent-sdk";
import { serverOf } from "../mcp.mjs";
import { openScene } from "../scene.mjs";
import { done, scriptOf } from "../script.mjs";
import { serveModel } from "./server.mjs";

const scene = openScene();
const next = scriptOf(scene);

const model = await serveModel((messages) => {
  const call = next(lastAnswer(messages));
  if (call === undefined) return { type: "text", text: done };
  const id = `toolu_${crypto.randomUUID()}`;
  return { type: "tool_use", id, name: `mcp__holdfast__${call.name}`, input: call.args };
});

const conversation = query({
  prompt: "Make it five tries, 2500 ms apart.",
  options: {
    mcpServers: { holdfast: { type: "stdio", alwaysLoad: true, ...serverOf(scene) } },
    allowedTools: ["mcp__holdfast__*"],
    // None of its own: the files are changed by the tools that know what was shown.
    tools: [],
    cwd: scene.root,
    settingSources: [],
    persistSession: false,
    env: {
      PATH: process.env.PATH,
      HOME: scene.home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  },
});
for await (const message of conversation) {
  if (message.type === "result" && message.is_error) throw new Error(JSON.stringify(message));
}
model.close();
scene.close();

/** @param {readonly import("./server.mjs").Message[]} messages */
function lastAnswer(messages) {
  const last = messages.at(-1)?.content;
  if (!Array.isArray(last)) return "";
  const parts = last.flatMap((part) => (part.type === "tool_result" ? part.content : []));
  return parts.map((part) => (typeof part === "string" ? part : (part.text ?? ""))).join("\n");
}
