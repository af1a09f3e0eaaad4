import type { ReceivedAnswer } from "@holdfast/core/context";
import { isObject, repairedJson } from "@holdfast/core/text";
import { findTool, type MeantCall, meantCall } from "@holdfast/core/tools";

/** A call that was not made, because it did not arrive as one. */
export interface LostCall {
  readonly name: string;
  /** What the model has to know. */
  readonly words: string;
  /** Whether it was to change a file. */
  readonly isWrite: boolean;
}

/** The calls of an answer that did not arrive whole, or that stand in its words in place of a call. */
export function lostCalls({ flaws, parts }: ReceivedAnswer): readonly LostCall[] {
  const lost = flaws.flatMap(({ what, message, name = "" }) =>
    what === "cut_call" || what === "malformed_call"
      ? [{ name, words: `${message} Nothing was done; make the call again, whole.`, isWrite: isWrite(name) }]
      : [],
  );
  const isCalling = lost.length > 0 || parts.some(({ kind }) => kind === "tool_call");
  const last = parts.at(-1);
  const spelt = isCalling || last?.kind !== "text" ? undefined : callInText(last.text);
  if (spelt === undefined) return lost;
  const { name, args } = spelt;
  const call = `${name} with ${JSON.stringify(args).slice(0, 500)}`;
  const words = `Your words end in a call of ${call}. It is text, so nothing was done; call the tool itself.`;
  return [{ name, words, isWrite: isWrite(name) }];
}

/** The marks before a call in the words of open models, whose server did not read it: Hermes and Qwen, LM Studio, Mistral, Llama. */
const spelt =
  /(?:<tool_call>|<function_call>|\[TOOL_REQUEST\]|\[TOOL_CALLS\]|<\|python_tag\|>)\s*([[{][\s\S]*?[\]}])\s*(?:<\/tool_call>|<\/function_call>|\[END_TOOL_REQUEST\])?\s*$/u;

/** A call that stands at the end of an answer, outside of a fence. */
function callInText(text: string): MeantCall | undefined {
  const found = spelt.exec(text);
  const read = found === null ? undefined : repairedJson(found[1] ?? "");
  const isQuoted = (text.match(/^\s*```/gmu)?.length ?? 0) % 2 === 1;
  if (read?.kind !== "read" || isQuoted) return undefined;
  const call: unknown = Array.isArray(read.value) ? read.value[0] : read.value;
  if (!isObject(call) || typeof call.name !== "string") return undefined;
  return meantCall({ name: call.name, args: call.arguments ?? call.parameters ?? {} });
}

function isWrite(name: string): boolean {
  return findTool(meantCall({ name, args: {} }).name)?.annotations.readOnly === false;
}
