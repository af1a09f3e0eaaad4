import { fromOpenAIResponses, type ModelPort, toOpenAIResponses } from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import { cacheKey, effortOf, openaiClient } from "./openai-client.js";
import { type ProviderOptions, providerPort } from "./provider-port.js";

/** Models of OpenAI, by the Responses API, through its SDK, which is loaded with the first request. */
export function openaiResponsesModel(options: ProviderOptions): ModelPort {
  const { model, form } = options;
  return providerPort("OpenAI", options, {
    body: (step) => {
      const effort = effortOf(step, options);
      return {
        ...toOpenAIResponses(step.contents, step).body,
        // Nothing is kept at the provider: the tree is here.
        store: false,
        // What it reasoned is sent back.
        ...(form === "none" ? {} : { include: ["reasoning.encrypted_content" as const] }),
        ...(effort === undefined ? {} : { reasoning: { effort, summary: "auto" as const } }),
        ...cacheKey(step, options),
        ...defined({ max_output_tokens: step.answerTokens }),
      };
    },
    async send(body, signal) {
      const client = await openaiClient(options);
      return client.responses.create({ ...body, model, stream: true }, { signal });
    },
    read: fromOpenAIResponses,
  });
}
