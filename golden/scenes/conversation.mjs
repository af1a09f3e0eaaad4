import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  debugOutline,
  debugYaml,
  renderContext,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "@holdfast/core/context";
import { createConversation } from "@holdfast/core/conversation";
import { scriptedSummariser, timeSortedIds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import { carryOut, followFiles } from "@holdfast/core/tools";
import { lines, openProject } from "../ground.mjs";
import { play } from "../play.mjs";
import { framed } from "../server.mjs";

/**
 * One conversation with tasks, a rewind and restores: the answers of its calls, its journal, its prompts, its debug
 * rendering, and the request of each provider. Ids and clocks come from here, as the library's ports.
 *
 * @type {import("../run.mjs").Scene["default"]}
 */
export default async function conversation(ground) {
  const talk = await open(ground);
  const script = readFileSync(join(ground.house, "golden/scripts/conversation.txt"), "utf8");
  await play(talk, talk.project, script, () => talk.words);
  const { manager } = talk;
  must(await manager.flush());
  const prompts = heads(talk);
  await talk.close();
  const state = join(ground.folder, "state");
  const names = readdirSync(state, { recursive: true, encoding: "utf8" });
  const journal = names.find((name) => name.endsWith(`${manager.context.sessionId}.jsonl`));
  return {
    "conversation-answers.txt": `${talk.said.join("\n")}\n`,
    "conversation-journal.jsonl": readFileSync(join(state, journal ?? "no journal"), "utf8"),
    "conversation-prompts.txt": prompts,
    "conversation-outline.txt": `${debugOutline(manager.context)}\n`,
    "conversation-debug.yaml": await debugYaml(manager.context),
    ...requests(manager),
  };
}

const from = { provider: "anthropic", model: "claude-opus-5" };

/** @typedef {Awaited<ReturnType<typeof open>>} Talk */

/** @param {import("../run.mjs").Ground} ground */
async function open(ground) {
  const project = openProject(ground);
  project.put(
    "net.ts",
    lines(12, (n) => `const value${n} = ${n};`),
  );
  project.put("other.ts", "export const other = 1;\n");
  const stateDir = join(ground.folder, "state");
  const workspace = must(await openWorkspace({ roots: [project.root], stateDir }));
  const store = must(openJournalStore({ stateDir }));
  let clock = Date.UTC(2026, 2, 2, 9, 12, 4);
  const now = () => {
    clock += 7_300;
    return clock;
  };
  let chance = 7;
  const random = (/** @type {number} */ bytes) =>
    Uint8Array.from({ length: bytes }, () => {
      chance = (chance * 75 + 74) % 65_537;
      return chance & 255;
    });
  const ids = timeSortedIds(now, random);
  const opened = must(
    await createConversation(store, { ids, now, title: "Golden", cwd: "/home/ada/golden" }),
  );
  const { manager } = opened;
  const summariser = scriptedSummariser(["The branch found that value3 is wrong."]);
  const files = followFiles(manager, workspace, ids);
  /** @type {string[]} */
  const said = [];
  /** What the script calls places of the tree, and the task that was spoken of last there. @type {Record<string, string>} */
  const words = {};
  let steps = 0;
  /** @param {import("@holdfast/core/conversation/values").ModelAnswer["parts"]} parts */
  const answer = (parts) =>
    void must(
      manager.addAnswer({
        step: `step ${steps}`,
        from,
        usage: { inputTokens: 100 + steps, outputTokens: 10 },
        parts,
      }),
    );
  /** A call of the model in a step of its own, carried out; or what the user or the model says. @param {import("../server.mjs").Call} call */
  const call = async ([name, args]) => {
    const text = String(args.text);
    if (name === "mark") return mark(String(args.as), args.kind);
    if (name === "user") return void must(manager.commitStagedItems(text));
    const callId = `c${++steps}`;
    if (name === "model")
      return answer([
        { kind: "thought", text: `Thinking of ${steps}.`, signature: "c2ln" },
        { kind: "text", text },
      ]);
    answer([
      {
        kind: "tool_call",
        callId,
        name,
        args: /** @type {import("@holdfast/core/conversation/values").JsonObject} */ (args),
      },
    ]);
    const carried = await carryOut({ callId }, { manager, workspace, files, summariser });
    said.push(
      `> ${name} ${JSON.stringify(args)}`,
      ...(isRefusal(carried) ? [`< refused ${carried.code}`] : [framed(carried.text)]),
    );
  };
  const mark = (/** @type {string} */ name, /** @type {unknown} */ kind) => {
    words[name] = lastOf(manager.context, kind);
    words[`${name}Task`] =
      said.findLast((line) => line.includes('"task_id":'))?.match(/"task_id":"(\w+)"/)?.[1] ?? "";
  };
  const say = (/** @type {string} */ heading) => void said.push("", `## ${heading}`);
  const close = async () => {
    await opened.close();
    await workspace.close();
    await store.close();
  };
  return { project, manager, call, say, words, said, close };
}

/** The head, or the last node above it that is of a kind. @param {Talk["manager"]["context"]} context @param {unknown} [kind] */
function lastOf({ nodes, currentNodeId }, kind) {
  let node = nodes.get(currentNodeId);
  while (kind !== undefined && node !== undefined && node.payload.kind !== kind)
    node = nodes.get(node.parentId ?? "");
  return node?.id ?? "";
}

/** The prompt at each message of the user, and at the end. @param {Talk} talk */
function heads({ manager }) {
  const { nodes, currentNodeId } = manager.context;
  const turns = [...nodes.values()]
    .filter(({ payload }) => payload.kind === "user_message")
    .map(({ id }) => id);
  return [...turns, currentNodeId]
    .map((id) => {
      const { contents, report } = renderContext({ ...manager.context, currentNodeId: id });
      return `# the prompt at ${id}\n${pretty(contents)}\n# its report\n${pretty(report)}\n`;
    })
    .join("\n");
}

/** @param {Talk["manager"]} manager */
function requests(manager) {
  const tools = [
    { name: "read_file", description: "Reads.", inputSchema: { type: "object", properties: {} } },
  ];
  const of = (
    /** @type {import("@holdfast/core/context").Provider} */ provider,
    /** @type {string} */ model,
  ) => {
    const { contents, report } = renderContext(manager.context, { target: { provider, model } });
    return /** @type {const} */ ([
      contents,
      { model, system: "Be brief.", tools, stableParts: report.stableParts, cache: "5m" },
    ]);
  };
  return {
    "request-anthropic.json": pretty(toAnthropic(...of("anthropic", "claude-opus-5"))),
    "request-openai.json": pretty(toOpenAI(...of("openai", "gpt-5.5"))),
    "request-openai-responses.json": pretty(toOpenAIResponses(...of("openai", "gpt-5.5"))),
    "request-gemini.json": pretty(toGemini(...of("google", "gemini-3-pro"))),
  };
}

/** @param {unknown} value */
function pretty(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** @param {unknown} value @returns {value is { readonly code: string, readonly message: string }} */
function isRefusalValue(value) {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "refusal";
}

/** @template T @param {T} answered @returns {Exclude<T, { readonly kind: "refusal" }>} */
function must(answered) {
  if (isRefusalValue(answered)) throw new Error(`${answered.code}: ${answered.message}`);
  // The compiler does not see that the refusals are gone.
  return /** @type {Exclude<T, { readonly kind: "refusal" }>} */ (answered);
}
