import { expect } from "vitest";
import {
  type ContextRenderer,
  checkContents,
  type Provider,
  providers,
  type Rendering,
  safeCuts,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import type { ConversationContext } from "../../src/conversation/values/index.js";
import {
  checkAnthropic,
  checkGemini,
  checkOpenAI,
  checkOpenAIResponses,
  type WireViolation,
} from "../context/wire-checks/index.js";

const models: Readonly<Record<Provider, string>> = {
  google: "gemini-3-pro",
  anthropic: "claude-opus-5",
  openai: "gpt-5.6",
};

/** Holds what each provider would be sent against what it demands, and each cut against both. */
export function checkEveryProvider(
  context: ConversationContext,
  renderer: ContextRenderer,
  now: number,
): void {
  for (const provider of providers) {
    const rendering = renderer.render(context, { now, target: { provider, model: models[provider] } });
    expect(checkContents(rendering.contents, provider)).toEqual([]);
    expect(checkWire(provider, rendering)).toEqual([]);
    // A compaction or overlay that was accepted is carried out.
    expect(rendering.report.ignored.filter(({ reason }) => reason !== "unknown_branch")).toEqual([]);
    for (const nodeId of safeCuts(rendering, provider)) {
      const { content, part } = placeOf(rendering.provenance, nodeId);
      const [first, ...rest] = rendering.contents.slice(content);
      if (first === undefined) throw new Error("a cut lies behind the prompt");
      const kept = [{ role: first.role, parts: first.parts.slice(part) }, ...rest];
      expect(checkContents(kept, provider)).toEqual([]);
    }
  }
}

/** The same where records were lost: a decision about what is lost cannot be carried out, all else holds. */
export function checkPrompts(context: ConversationContext, renderer: ContextRenderer, now: number): void {
  for (const provider of providers) {
    const rendering = renderer.render(context, { now, target: { provider, model: models[provider] } });
    expect(checkContents(rendering.contents, provider)).toEqual([]);
    expect(checkWire(provider, rendering)).toEqual([]);
  }
}

/** What would go over the wire, held against the provider's rules; as a request where the model is to speak. */
function checkWire(provider: Provider, { contents, report }: Rendering): readonly WireViolation[] {
  const options = { request: report.ready };
  const model = models[provider];
  switch (provider) {
    case "google":
      return checkGemini(toGemini(contents, { model }).body, { ...options, model });
    case "anthropic":
      return checkAnthropic(toAnthropic(contents).body, options);
    case "openai":
      return [
        ...checkOpenAI(toOpenAI(contents).body, options),
        ...checkOpenAIResponses(toOpenAIResponses(contents).body, options),
      ];
    default:
      return provider satisfies never;
  }
}

function placeOf(
  provenance: readonly (readonly { readonly nodeId: string; readonly cut?: true }[])[],
  nodeId: string,
): { readonly content: number; readonly part: number } {
  const content = provenance.findIndex((origins) => origins.some((one) => one.cut && one.nodeId === nodeId));
  const part = provenance[content]?.findIndex((one) => one.cut && one.nodeId === nodeId) ?? -1;
  return { content, part };
}
