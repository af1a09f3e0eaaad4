import { randomBytes } from "node:crypto";
import { ContextRenderer, type Rendering } from "../../src/context/index.js";
import { ContextManager } from "../../src/conversation/index.js";
import { type JsonObject, type TurnNode, timeSortedIds } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { carryOut, type TurnHost } from "../../src/tools/index.js";
import { makeGround } from "../tools/ground.js";

/** A conversation on files in memory, whose reads leave out what the prompt shows. */
export async function makeTalk(
  files: Readonly<Record<string, string>>,
  host: Partial<TurnHost> = {},
  isDelta = true,
) {
  const { workspace, ...ground } = await makeGround(files);
  const manager = new ContextManager({ ids: timeSortedIds(Date.now, randomBytes), now: Date.now });
  const renderer = new ContextRenderer();
  let calls = 0;
  const prompt = (): Rendering => renderer.render(manager.context);
  const call = async (name: string, args: JsonObject) => {
    calls += 1;
    const callId = `call ${calls}`;
    must(manager.addNode({ kind: "tool_call", callId, name, args, step: callId }));
    const deltaReads = () => prompt().visibility;
    const carried = must(
      await carryOut({ callId }, { manager, workspace, ...(isDelta ? { deltaReads } : {}), ...host }),
    );
    if (carried.kind !== "answered") throw new Error(carried.refusal.message);
    return carried.node;
  };
  must(manager.commitStagedItems("Go on."));
  const read = (path: string, rest: JsonObject = {}) => call("read_file", { file_path: path, ...rest });
  return {
    ...ground,
    workspace,
    manager,
    prompt,
    call,
    read,
    shown: (node: TurnNode) => shownOf(prompt(), node),
  };
}

export function must<Value extends object>(value: Value): Exclude<Value, { readonly kind: "refusal" }> {
  if (isRefusal(value)) throw new Error(`${value.code}: ${value.message}`);
  // A refusal is told by its kind, and this is none.
  return value as Exclude<Value, { readonly kind: "refusal" }>;
}

/** What the prompt says in the place of a node; undefined where it does not stand there. */
export function shownOf({ contents, provenance }: Rendering, { id }: TurnNode): string | undefined {
  for (const [content, { parts }] of contents.entries())
    for (const [at, part] of parts.entries()) {
      if (provenance[content]?.[at]?.nodeId !== id) continue;
      const text = textOf(part);
      if (text !== undefined) return text;
    }
  return undefined;
}

export function textOf(part: Rendering["contents"][number]["parts"][number]): string | undefined {
  if ("functionResponse" in part) {
    const { response } = part.functionResponse;
    return "output" in response ? response.output : response.error;
  }
  return "text" in part ? part.text : undefined;
}
