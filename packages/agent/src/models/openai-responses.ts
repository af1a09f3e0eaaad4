import {
  fromOpenAIResponses,
  type ModelEvent,
  type ModelPort,
  type ModelStep,
  toOpenAIResponses,
} from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import type OpenAI from "openai";
import { cacheKey, effortWords, openaiClient } from "./openai-client.js";
import {
  mostTokens,
  type ProviderOptions,
  type ProviderWire,
  providerPort,
  requestOptions,
} from "./provider-port.js";

type ResponsesEvent = OpenAI.Responses.ResponseStreamEvent;

/** What is asked of the Responses API beside the conversation. */
interface OpenAIResponsesOptions extends ProviderOptions {
  /** Whether the model reasons: then its reasoning items are asked for encrypted, to be sent back. True unless given. */
  readonly reasons?: boolean;
  readonly effort?: "minimal" | "low" | "medium" | "high";
}

/** Models of OpenAI, by the Responses API, through its SDK, which is loaded with the first request. */
export function openaiResponsesModel(options: OpenAIResponsesOptions): ModelPort {
  return providerPort("OpenAI", options, () => new ResponsesWire(options));
}

class ResponsesWire implements ProviderWire<ResponsesEvent> {
  readonly read = fromOpenAIResponses;
  #calls = new Map<string, { readonly at: number; readonly name: string }>();

  constructor(private readonly options: OpenAIResponsesOptions) {}

  async open(step: ModelStep, signal: AbortSignal): Promise<AsyncIterable<ResponsesEvent>> {
    const { model, maxOutputTokens, reasons = true, onRequest } = this.options;
    const effort = step.effort === undefined ? this.options.effort : effortWords[step.effort];
    const body = {
      ...toOpenAIResponses(step.contents, requestOptions(step, model)).body,
      // Nothing is kept at the provider: the tree is here.
      store: false,
      ...(reasons ? { include: ["reasoning.encrypted_content" as const] } : {}),
      ...(effort === undefined || !reasons ? {} : { reasoning: { effort, summary: "auto" as const } }),
      ...cacheKey(step, this.options),
      ...defined({ max_output_tokens: mostTokens(step, maxOutputTokens) }),
    };
    onRequest?.({ model, body });
    const client = await openaiClient(this.options);
    return client.responses.create({ ...body, model, stream: true }, { signal });
  }

  deltas(event: ResponsesEvent): readonly ModelEvent[] {
    switch (event.type) {
      case "response.output_text.delta":
        return [{ kind: "text-delta", text: event.delta }];
      case "response.reasoning_summary_text.delta":
        return [{ kind: "thought-delta", text: event.delta }];
      case "response.output_item.added":
        return event.item.type === "function_call" ? [this.#begun(event.item.id ?? "", event.item.name)] : [];
      case "response.function_call_arguments.delta": {
        const call = this.#calls.get(event.item_id);
        return call === undefined ? [] : [{ kind: "call-delta", ...call, json: event.delta }];
      }
      default:
        return [];
    }
  }

  #begun(id: string, name: string): ModelEvent {
    const at = this.#calls.size;
    this.#calls.set(id, { at, name });
    return { kind: "call-delta", at, name, json: "" };
  }
}
