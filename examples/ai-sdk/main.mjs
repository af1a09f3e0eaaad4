/**
 * The AI SDK with `tools: holdfastTools(workspace)`. The model is scripted, so no key is needed: it patches
 * a file, a person saves the file behind its back, its next patch is refused with the fresh state, and it
 * patches that. The hashes it gives are those that it reads in the answers, as a real model would.
 */
import { holdfastTools } from "@holdfast/adapters/ai-sdk";
import { openWorkspace } from "@holdfast/core/node";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { openScene, say } from "../scene.mjs";

const scene = openScene();
const workspace = await openWorkspace({ roots: [scene.root], stateDir: scene.stateDir });
if (workspace.kind === "refusal") throw new Error(workspace.message);

/** What the model does in each step; it is given the text of the last answer. */
const steps = [
  () => call("read_file", { file_path: "net.ts" }),
  (/** @type {string} */ told) => patch("@@\n-const tries = 3;\n+const tries = 5;\n", told),
  (/** @type {string} */ told) => {
    scene.saveBehindTheModel();
    return patch("@@\n-const wait = 2000;\n+const wait = 2500;\n", told);
  },
  (/** @type {string} */ told) => patch("@@\n-const wait = 3000;\n+const wait = 2500;\n", told),
];

const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const told = lastAnswer(prompt);
    if (told !== "") scene.hear(told);
    const made = steps.shift()?.(told);
    const content = made ?? { type: /** @type {const} */ ("text"), text: "Five tries, 2500 ms apart." };
    return {
      content: [content],
      finishReason: { unified: made === undefined ? "stop" : "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

const result = await generateText({
  model,
  prompt: "Make it five tries, 2500 ms apart.",
  tools: holdfastTools(workspace),
  stopWhen: stepCountIs(10),
});
say("the model", result.text);
const results = result.steps.flatMap(({ toolResults }) => toolResults);
say("the host", `saw ${results.map((part) => (part.dynamic ? "?" : part.output.code)).join(", ")}`);
await workspace.close();
scene.close();

/**
 * @param {string} diff
 * @param {string} told
 */
function patch(diff, told) {
  const hash = /sha256="([0-9a-f]{64})"/.exec(told)?.[1] ?? "";
  return call("safe_patch", { file_path: "net.ts", unified_diff: diff, base_content_sha256: hash });
}

/**
 * @param {string} toolName
 * @param {object} input
 */
function call(toolName, input) {
  say("the model", `${toolName} ${JSON.stringify(input)}`);
  return {
    type: /** @type {const} */ ("tool-call"),
    toolCallId: toolName,
    toolName,
    input: JSON.stringify(input),
  };
}

/** @param {import("@ai-sdk/provider").LanguageModelV3Prompt} prompt */
function lastAnswer(prompt) {
  const last = prompt.at(-1);
  if (last?.role !== "tool") return "";
  return last.content
    .map((part) => (part.type === "tool-result" && part.output.type === "text" ? part.output.value : ""))
    .join("\n");
}
