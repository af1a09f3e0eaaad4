import { conversation, economy, must, patterns, rendering } from "../context/engine.mjs";
import { Prompt } from "./prompt.mjs";
import { resultFacts } from "./shown-lines.mjs";

/** The model that requests are rendered for: whose rules hold, and whose prices are known. */
const targets = /** @type {const} */ ({
  anthropic: { provider: "anthropic", model: "claude-opus-4-5" },
  openai: { provider: "openai", model: "gpt-5.1" },
  google: { provider: "google", model: "gemini-3-pro" },
});

/** @typedef {keyof typeof targets} Provider */

/**
 * The prompt as Holdfast keeps it: a conversation that grows node by node, rendered before each request, with delta
 * reads and with the planner of `@holdfast/core` at its defaults.
 */
export class OwnPrompt extends Prompt {
  #now = 1;
  #nextId = 0;
  #renderer = new rendering.ContextRenderer();
  /** The pieces by their nodes. @type {Map<string, import("./session.mjs").Block>} */
  #blocks = new Map();
  /** @type {import("../../packages/core/dist/economy/index.js").SentRequest | undefined} */
  #sent;
  #warned = false;

  /** @param {Provider} provider */
  constructor(provider = "anthropic") {
    super();
    this.target = targets[provider];
    this.manager = new conversation.ContextManager({
      ids: () => `h-${String(this.#nextId++).padStart(9, "0")}`,
      now: () => this.#now,
    });
  }

  /** @param {import("./session.mjs").Block} block @override */
  add(block) {
    if (block.atMs > this.#now) this.#now = block.atMs;
    const node = this.manager.addNode(this.#payloadOf(block));
    // What fits nowhere, such as a result without its call, is still sent.
    const told = patterns.isRefusal(node)
      ? this.manager.addNode({ kind: "note", audience: "model", text: block.text })
      : node;
    if (!patterns.isRefusal(told)) this.#blocks.set(told.id, block);
  }

  /** @param {import("./session.mjs").Block} summary @override */
  compact(summary) {
    const { keepFromDepth = Number.POSITIVE_INFINITY, text } = summary;
    const kept = [...this.#blocks].filter(([, { depth }]) => depth >= keepFromDepth).map(([id]) => id);
    for (const keepFromId of [...kept, null]) {
      const node = this.manager.addSummary({ kind: "summary", of: "compaction", text, keepFromId });
      if (patterns.isRefusal(node)) continue;
      this.#blocks.set(node.id, summary);
      return;
    }
  }

  /** What the planner does before a request, and what is then sent. @param {number} atMs 0 where it is not known */
  prepare(atMs) {
    if (atMs > this.#now) this.#now = atMs;
    const rendered = this.#render();
    const plan = economy.planPrompt(this.manager.context, rendered, this.#budget(), this.#usage(rendered));
    if (plan.kind === "clear") {
      must(this.manager.reform(plan.changes));
      for (const one of plan.report.cleared)
        if (one.class !== "superseded") for (const path of one.paths.slice(0, 1)) this.miss(path, one.tokens);
    }
    if (plan.kind === "warn") this.manager.addNode({ kind: "note", text: plan.text, audience: "model" });
    if (plan.kind === "clear" || plan.kind === "warn") this.#warned = plan.kind === "warn";
  }

  /** @override */
  write() {
    const rendered = this.#render();
    this.#sent = this.#request(rendered);
    this.shown = shownIn(rendered, this.manager.context, this.#blocks);
    return this.shown.map(({ text }) => text);
  }

  /** @override */
  countDangling() {
    return this.#render().report.broken.length;
  }

  /** @override */
  countViolations() {
    return rendering.checkContents(this.#render().contents, this.target.provider).length;
  }

  #render() {
    return this.#renderer.render(this.manager.context, { target: this.target, now: this.#now });
  }

  /** @returns {import("../../packages/core/dist/economy/index.js").PromptBudget} */
  #budget() {
    return { settings: economy.defaultEconomy, provider: this.target.provider };
  }

  /**
   * @param {import("../../packages/core/dist/context/index.js").Rendering} rendered
   * @returns {import("../../packages/core/dist/economy/index.js").PromptUsage}
   */
  #usage(rendered) {
    const ratios = economy.cacheRatiosOf(this.target.provider);
    // The path never leaves a node behind here.
    const cold = ratios && economy.coldCause(this.#sent, this.#request(rendered), ratios, () => true);
    return { warned: this.#warned, ...(cold === undefined ? {} : { cold }) };
  }

  /** @param {import("../../packages/core/dist/context/index.js").Rendering} rendered */
  #request(rendered) {
    const startId = rendered.report.start.nodeId;
    const headId = this.manager.context.currentNodeId;
    return { at: this.#now, ...this.target, system: "", tools: "", headId, startId };
  }

  /**
   * @param {import("./session.mjs").Block} block
   * @returns {import("../../packages/core/dist/conversation/values/index.js").TurnPayload}
   */
  #payloadOf(block) {
    const { role, text, callId = block.id, name = "tool", step, payload } = block;
    const ofStep = step === undefined ? {} : { step };
    if (payload?.kind === "file_content") return economy.deltaContent(payload, this.#visible());
    if (role === "model") return { kind: "model_message", text, ...ofStep };
    if (role === "call") return { kind: "tool_call", callId, name, args: { text }, ...ofStep };
    if (role !== "result") return { kind: "user_message", text };
    const facts = resultFacts(block);
    const { shows = [] } = facts;
    const repeats = shows.length === 0 ? [] : economy.deltaReads({ text, shows, ...this.#visible() });
    const isError = block.isError === true ? { isError: true } : {};
    const ofRepeats = repeats.length === 0 ? {} : { repeats };
    return { kind: "tool_result", callId, name, output: text, ...isError, ...facts, ...ofRepeats };
  }

  #visible() {
    const { visibility } = this.#render();
    const { context } = this.manager;
    return {
      blocks: (/** @type {string} */ path) => visibility.blocks(path),
      versionOf: (
        /** @type {string} */ nodeId,
        /** @type {{ readonly path: string, readonly sha256: string }} */ state,
      ) => conversation.versionAtNode(context, nodeId, state),
    };
  }
}

/** Rules by which a piece stands as it was recorded. */
const asRecorded = new Set(["compaction", "message", "thought", "media", "call", "file_inline"]);
/** What providers demand between the pieces, whoever keeps the prompt. */
const fillers = new Set(["opening", "between_answers", "interrupted"]);

/**
 * A rendering as pieces that can be compared with the recorded ones: what stands as it was recorded has its recorded
 * text, all else the text that is sent.
 *
 * @param {import("../../packages/core/dist/context/index.js").Rendering} rendered
 * @param {import("../../packages/core/dist/conversation/values/index.js").ConversationContext} context
 * @param {ReadonlyMap<string, import("./session.mjs").Block>} blocks
 * @returns {import("./prompt.mjs").Shown[]}
 */
function shownIn({ contents, provenance }, context, blocks) {
  /** @type {import("./prompt.mjs").Shown[]} */
  const shown = [];
  let lastId = "";
  for (const [at, { parts }] of contents.entries())
    for (const [index, part] of parts.entries()) {
      const origin = provenance[at]?.[index];
      if (origin === undefined || fillers.has(origin.rule)) continue;
      const { nodeId, rule } = origin;
      const block = blocks.get(nodeId) ?? noBlock;
      const sent = textOf(part);
      const payload = context.nodes.get(nodeId)?.payload;
      const isWhole =
        (asRecorded.has(rule) && !(payload?.kind === "file_content" && payload.repeats !== undefined)) ||
        (rule === "result" && payload?.kind === "tool_result" && sent === payload.output);
      // A piece of several parts counts once.
      if (isWhole && nodeId === lastId) continue;
      lastId = nodeId;
      shown.push({ block, text: isWhole ? block.text : sent, isCleared: rule === "cleared" });
    }
  return shown;
}

/** @type {import("./session.mjs").Block} */
const noBlock = { id: "", role: "user", text: "", atMs: 0, step: undefined, depth: 0 };

/** @param {import("../../packages/core/dist/context/index.js").Part} part */
function textOf(part) {
  if ("text" in part) return part.text;
  if (!("functionResponse" in part)) return JSON.stringify(part);
  const { response } = part.functionResponse;
  return "output" in response ? response.output : response.error;
}
