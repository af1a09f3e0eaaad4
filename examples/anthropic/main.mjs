/**
 * The Anthropic SDK with Anthropic's own text editor and memory tools, executed on a workspace. The SDK talks
 * to a scripted server on loopback, so no key is needed: the model views and edits a file, a person saves
 * the file behind its back, its next edit is refused with the fresh state, it edits that, and takes a note.
 */
import Anthropic from "@anthropic-ai/sdk";
import { executeToolUses, memory, textEditor } from "@holdfast/adapters/anthropic";
import { openWorkspace } from "@holdfast/core/node";
import { openScene, say } from "../scene.mjs";
import { serveScript } from "./server.mjs";

const scene = openScene();
const workspace = await openWorkspace({ roots: [scene.root], stateDir: scene.stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);

const server = await serveScript([
  () => use("str_replace_based_edit_tool", { command: "view", path: "net.ts" }),
  () => replace("const tries = 3;", "const tries = 5;"),
  () => {
    scene.saveBehindTheModel();
    return replace("const wait = 2000;", "const wait = 2500;");
  },
  () => replace("const ", "let "),
  () => replace("const wait = 3000;", "const wait = 2500;"),
  () =>
    use("memory", { command: "create", path: "/memories/net.md", file_text: "wait is 2500 on purpose\n" }),
  () => ({ type: "text", text: "Five tries, 2500 ms apart." }),
]);
const client = new Anthropic({ baseURL: server.url, apiKey: "none" });

/** @type {Anthropic.MessageParam[]} */
const messages = [{ role: "user", content: "Make it five tries, 2500 ms apart." }];
for (;;) {
  const message = await client.messages.create({
    model: "scripted",
    max_tokens: 1024,
    tools: [textEditor, memory],
    messages,
  });
  for (const block of message.content) {
    if (block.type === "tool_use") say("the model", `${block.name} ${JSON.stringify(block.input)}`);
    if (block.type === "text") say("the model", block.text);
  }
  if (message.stop_reason !== "tool_use") break;
  const results = await executeToolUses(workspace, message.content);
  messages.push({ role: "assistant", content: message.content }, { role: "user", content: results });
  for (const { content } of results) scene.hear(content);
}
await server.close();
await workspace.close();
scene.close();

/**
 * @param {string} old_str
 * @param {string} new_str
 */
function replace(old_str, new_str) {
  return use("str_replace_based_edit_tool", { command: "str_replace", path: "net.ts", old_str, new_str });
}

/**
 * @param {string} name
 * @param {object} input
 */
function use(name, input) {
  return { type: "tool_use", id: `toolu_${Math.random().toString(36).slice(2)}`, name, input };
}
