/**
 * The AI SDK 7 with `tools: holdfastTools(workspace, { approval: true })` and a person who is shown the diff of
 * every change before it is made. The model is scripted, so no key is needed: it edits a file, a person saves
 * the file behind its back, its next edit is refused with the change, without a question, and it edits what is
 * there now.
 */
import assert from "node:assert/strict";
import { approvalWithDiff, holdfastTools } from "@holdfast/adapters/ai-sdk";
import { openWorkspace } from "@holdfast/core/node";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { openScene, say } from "../scene.mjs";
import { done, scriptOf } from "../script.mjs";

const scene = openScene();
const next = scriptOf(scene);
const workspace = await openWorkspace({ roots: [scene.root], stateDir: scene.stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);

const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const call = next(lastAnswer(prompt));
    return {
      content: [call === undefined ? { type: "text", text: done } : called(call)],
      finishReason: { unified: call === undefined ? "stop" : "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

const tools = holdfastTools(workspace, { approval: true });
/** @type {import("ai").ModelMessage[]} */
const messages = [{ role: "user", content: "Make it five tries, 2500 ms apart." }];
let questions = 0;
for (;;) {
  const { content, responseMessages } = await generateText({
    model,
    messages,
    tools,
    toolApproval: approvalWithDiff(tools),
    stopWhen: stepCountIs(10),
  });
  messages.push(...responseMessages);
  const request = content.find((part) => part.type === "tool-approval-request");
  if (request === undefined) break;
  questions += 1;
  say("a person", `is asked: ${request.reason}`);
  assert.match(request.reason ?? "", /\n-const \w+ = \d+;\n[\s\S]*\+const \w+ = \d+;/);
  const { approvalId } = request;
  messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] });
}
assert.equal(questions, 2, "nobody is asked about the edit that is refused");
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
