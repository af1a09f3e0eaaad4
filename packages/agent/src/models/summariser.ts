import { type ModelPort, renderContext } from "@holdfast/core/context";
import type { Summariser } from "@holdfast/core/conversation";
import { refuse } from "@holdfast/core/files";
import type { CostMeter } from "./cost-meter.js";

/**
 * Asks a model for the summary of a branch; the same prompt as its turns, with one request at the end.
 *
 * @param meter counts what a summary cost, whatever became of it.
 */
export function summariserOf(port: ModelPort, newId: () => string, meter?: CostMeter): Summariser {
  return async ({ context, toId, focus, task: asked, signal }) => {
    const { contents } = renderContext(context, { headId: toId, target: port.target });
    const words = asked ?? (focus === undefined ? task : `${task}\nDwell on: ${focus}`);
    const request = { role: "user", parts: [{ text: words }] } as const;
    for await (const event of port.ask({ step: newId(), contents: [...contents, request] }, signal)) {
      if (event.kind === "failed") return refuse("no_summary", event.failure.message);
      if (event.kind !== "finish") continue;
      meter?.add(port, event.answer.usage);
      if (event.answer.parts.some(({ kind }) => kind === "tool_call"))
        return refuse("no_summary", "The model called a tool instead of summing up.");
      const text = event.answer.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
      return text.trim() === ""
        ? refuse("no_summary", "The model gave no summary.")
        : { kind: "summarised", text: text.trim() };
    }
    return refuse("no_summary", "The model gave no summary.");
  };
}

const task =
  "Sum up what was done since the beginning of this branch, for somebody who goes on from here and has not seen it: " +
  "what was asked, what was found, what was changed and in which files, what is still open. Call no tool.";
