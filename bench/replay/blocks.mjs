import { fileUseOf } from "./file-use.mjs";

/**
 * The nodes of a path as pieces of a prompt; what a model is never shown is left out.
 *
 * @param {readonly import("../../packages/core/dist/conversation/values/index.js").TurnNode[]} path from the root down
 * @returns {readonly import("./session.mjs").Block[]}
 */
export function blocksOf(path) {
  /** @type {Map<string, import("./file-use.mjs").FileUse | undefined>} */
  const uses = new Map();
  const depths = new Map(path.map(({ id, depth }) => [id, depth]));
  return path.flatMap((node) => {
    if (node.metadata.isHiddenFromLlm === true) return [];
    const block = blockOf(node, uses, depths);
    return block === undefined ? [] : [block];
  });
}

/**
 * @param {import("../../packages/core/dist/conversation/values/index.js").TurnNode} node
 * @param {Map<string, import("./file-use.mjs").FileUse | undefined>} uses of the calls so far, by their ids
 * @param {ReadonlyMap<string, number>} depths of the nodes on the path, by their ids
 * @returns {import("./session.mjs").Block | undefined}
 */
function blockOf({ id, timestamp, depth, payload }, uses, depths) {
  const base = { id, atMs: timestamp, depth, step: undefined };
  switch (payload.kind) {
    case "user_message":
      return { ...base, role: "user", text: payload.text + mediaText(payload.media) };
    case "model_message": {
      const text = [payload.thought, payload.redactedThought, payload.text].join("");
      return { ...base, role: "model", step: payload.step, text };
    }
    case "tool_call": {
      const use = fileUseOf(payload.name, payload.args);
      uses.set(payload.callId, use);
      const text = `${payload.name} ${JSON.stringify(payload.args)}`;
      return {
        ...base,
        role: "call",
        step: payload.step,
        text,
        callId: payload.callId,
        name: payload.name,
        ...withUse(use),
      };
    }
    case "tool_result": {
      const text = payload.output + mediaText(payload.media);
      const { callId, name, isError = false } = payload;
      return { ...base, role: "result", text, callId, name, isError, payload, ...withUse(uses.get(callId)) };
    }
    case "summary":
      if (payload.of === "branch") return { ...base, role: "user", text: payload.text };
      return { ...base, role: "summary", text: payload.text, ...keptFrom(payload.keepFromId, depths) };
    case "note":
      return payload.audience === "model" ? { ...base, role: "user", text: payload.text } : undefined;
    case "file_content":
      return { ...base, role: "user", text: payload.text, payload };
    case "task_summary":
      return { ...base, role: "user", text: payload.summary };
    default:
      // Boundaries, overlays and restores have no text of their own; what is unknown or lost has none that is known.
      return undefined;
  }
}

/** @param {string | null} id @param {ReadonlyMap<string, number>} depths */
function keptFrom(id, depths) {
  const keepFromDepth = id === null ? undefined : depths.get(id);
  return keepFromDepth === undefined ? {} : { keepFromDepth };
}

/** @param {import("./file-use.mjs").FileUse | undefined} use */
function withUse(use) {
  return use === undefined ? {} : { use };
}

/**
 * An image costs tokens by its pixels, not by its bytes, and the pixels are not recorded: every one counts as 1,500
 * tokens, the same under every policy.
 *
 * @param {readonly import("../../packages/core/dist/conversation/values/index.js").Media[] | undefined} media
 */
function mediaText(media = []) {
  return media.map((one) => `[${one.mimeType}]`.padEnd(6_000, " ")).join("");
}
