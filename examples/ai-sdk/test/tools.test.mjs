/** What the AI SDK itself makes of the tools: the schemas that it sends, its approvals, wrong arguments. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { holdfastTools } from "@holdfast/adapters/ai-sdk";
import { openWorkspace } from "@holdfast/core/node";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const folder = mkdtempSync(join(tmpdir(), "holdfast-ai-sdk-"));
const root = join(folder, "project");
mkdirSync(root);
const workspace = await openWorkspace({ roots: [root], stateDir: join(folder, "state") });
if (workspace.kind === "refusal") throw new Error(workspace.message);
after(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * A model that makes these calls, one a step, and then is done.
 *
 * @param {readonly [toolName: string, input: object][]} calls
 */
function scripted(...calls) {
  const script = [...calls];
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const [toolName, input] = script.shift() ?? [];
      const call = /** @type {const} */ ({
        type: "tool-call",
        toolCallId: `call-${script.length}`,
        toolName: toolName ?? "",
        input: JSON.stringify(input),
      });
      return {
        content: [toolName === undefined ? { type: "text", text: "done" } : call],
        finishReason: { unified: toolName === undefined ? "stop" : "tool-calls", raw: undefined },
        usage: {
          inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 0, text: 0, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}

it("sends a model the names, descriptions and schemas of the catalogue", async () => {
  const model = scripted();
  const tools = holdfastTools(workspace);
  await generateText({ model, prompt: "work", tools });
  const sent = model.doGenerateCalls[0]?.tools ?? [];
  assert.deepEqual(
    sent.map(({ name }) => name),
    Object.keys(tools),
  );
  const read = sent.find(({ name }) => name === "read_file");
  assert.equal(read?.type, "function");
  assert.deepEqual(read?.type === "function" ? read.inputSchema.required : undefined, ["file_path"]);
});

it("answers wrong arguments with a sentence instead of failing the call", async () => {
  const model = scripted(
    ["read_file", { file_path: 7 }],
    ["read_file", { file_path: "a.txt", offset: null }],
  );
  writeFileSync(join(root, "a.txt"), "one\n");
  const tools = holdfastTools(workspace);
  const { steps } = await generateText({ model, prompt: "work", tools, stopWhen: stepCountIs(5) });
  const codes = steps
    .flatMap(({ toolResults }) => toolResults)
    .map((part) => !part.dynamic && part.output.code);
  assert.deepEqual(codes, ["invalid_arguments", "ok"]);
});

it("stops before a change for the SDK's own approval, and makes it after a yes", async () => {
  const tools = holdfastTools(workspace, { approval: true });
  const prompt = /** @type {const} */ ({ role: "user", content: "work" });
  const model = scripted(["write_file", { file_path: "new.txt", content: "new\n" }]);
  const stopped = await generateText({ model, messages: [prompt], tools, stopWhen: stepCountIs(5) });
  const request = stopped.content.find((part) => part.type === "tool-approval-request");
  assert.ok(request);
  assert.throws(() => readFileSync(join(root, "new.txt")));
  const { toolName, input } = request.toolCall;
  assert.match((await tools[toolName]?.question(input))?.diff ?? "", /\n\+new$/);
  const approval = /** @type {const} */ ({
    type: "tool-approval-response",
    approvalId: request.approvalId,
    approved: true,
  });
  await generateText({
    model: scripted(),
    messages: [prompt, ...stopped.response.messages, { role: "tool", content: [approval] }],
    tools,
    stopWhen: stepCountIs(5),
  });
  assert.equal(readFileSync(join(root, "new.txt"), "utf8"), "new\n");
});

it("asks nobody about a change that would be refused", async () => {
  const tools = holdfastTools(workspace, { approval: true });
  writeFileSync(join(root, "there.txt"), "mine\n");
  const model = scripted(["write_file", { file_path: "there.txt", content: "blind\n" }]);
  const { steps, text } = await generateText({ model, prompt: "work", tools, stopWhen: stepCountIs(5) });
  const codes = steps
    .flatMap(({ toolResults }) => toolResults)
    .map((part) => !part.dynamic && part.output.code);
  assert.deepEqual([codes, text], [["missing_base"], "done"]);
});
