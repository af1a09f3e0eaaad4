import type { JsonObject } from "@holdfast/core/conversation/values";
import { filesIn, putLawFiles } from "../../../core/test/tools/law-calls.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { EndedCall } from "../../src/loop/turn.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { openStage } from "./stage.js";

/** An agent on the files of the law of arguments, whose model makes the calls that it is told to make. */
export async function openCalled(parts: Partial<AgentParts> = {}) {
  let answers: readonly ScriptedAnswer[] = [];
  const model = scriptedModel([]);
  const ask: typeof model.ask = (...asked) => {
    const [next = { text: "Done." }, ...rest] = answers;
    answers = rest;
    return scriptedModel([next]).ask(...asked);
  };
  const stage = await openStage([], { ...parts, model: { ...model, ask } });
  putLawFiles(stage.root);
  const call = async (name: string, args: object): Promise<EndedCall> => {
    // A cast: what a test gives is JSON.
    answers = [{ calls: [{ name, args: args as JsonObject }] }];
    const seen = stage.events.length;
    await stage.turn("Go.");
    const ended = stage.events.slice(seen).find((event) => event.kind === "call_ended");
    if (ended === undefined)
      throw new Error(`${name} did not end: ${JSON.stringify(stage.events.slice(seen))}`);
    return ended.call;
  };
  return { ...stage, call, files: () => filesIn(stage.root) };
}
