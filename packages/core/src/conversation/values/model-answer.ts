import { defined } from "../../text/index.js";
import type { TurnUsage } from "./node.js";
import type { ModelMessage, ModelOrigin, ToolCall, TurnPayload } from "./payload.js";

/** All that a model answered to one request. It is added as one event: no half of it is ever found. */
export interface ModelAnswer {
  /** Names the answer: the same for all of its nodes, another one for the next answer. */
  readonly step: string;
  readonly from?: ModelOrigin;
  /** What the provider counted; it stands on the last node. */
  readonly usage?: TurnUsage;
  /** In the order in which the model gave them. */
  readonly parts: readonly AnswerPart[];
}

/** One part of a model's answer. Signatures and redacted thoughts are given back byte for byte. */
export type AnswerPart =
  | { readonly kind: "thought"; readonly text: string; readonly signature?: string }
  /** Anthropic's encrypted thinking. */
  | { readonly kind: "redacted_thought"; readonly data: string }
  | { readonly kind: "text"; readonly text: string; readonly signature?: string }
  /** What the model made, as Base64: an image, a sound. */
  | {
      readonly kind: "media";
      readonly mimeType: string;
      readonly data: string;
      readonly signature?: string;
    }
  | Omit<ToolCall, "from" | "step">;

/** The payloads that an answer comes to, one below the other. A thought and the text it led to are one. */
export function payloadsOfAnswer({ step, from, parts }: ModelAnswer): readonly TurnPayload[] {
  const common = { ...defined({ from }), step };
  const payloads: TurnPayload[] = [];
  let message: MessageDraft | undefined;
  const close = () => {
    if (message !== undefined) payloads.push(messageOf(message, common));
    message = undefined;
  };
  for (const part of parts) {
    if (part.kind === "tool_call") {
      close();
      payloads.push({ ...part, ...common });
      continue;
    }
    if (part.kind === "media") {
      close();
      const { mimeType, data, signature } = part;
      const media = [{ mimeType, data }];
      payloads.push({ kind: "model_message", text: "", media, ...defined({ signature }), ...common });
      continue;
    }
    const joined = message === undefined ? undefined : joinedTo(message, part);
    if (joined === undefined) close();
    message = joined ?? draftOf(part);
  }
  close();
  return payloads;
}

type MessagePart = Exclude<AnswerPart, { kind: "tool_call" | "media" }>;
type Common = Pick<ModelMessage, "from" | "step">;

/** A message that is being put together; a member is `undefined` until a part of that kind comes. */
type MessageDraft = Partial<Pick<ModelMessage, "text" | "thought" | "redactedThought" | "signature">>;

function draftOf(part: MessagePart): MessageDraft {
  if (part.kind === "redacted_thought") return { redactedThought: part.data };
  const signed = defined({ signature: part.signature });
  return part.kind === "thought" ? { thought: part.text, ...signed } : { text: part.text, ...signed };
}

/** A message holds a thought, then a redacted one, then a text, and one signature; `undefined`: no room. */
function joinedTo(message: MessageDraft, part: MessagePart): MessageDraft | undefined {
  if (message.text !== undefined || part.kind === "thought") return undefined;
  if (part.kind === "redacted_thought")
    return message.redactedThought === undefined ? { ...message, redactedThought: part.data } : undefined;
  // The signature of a message signs its thought where there is one.
  if (part.signature !== undefined && message.thought !== undefined) return undefined;
  return { ...message, ...draftOf(part) };
}

function messageOf({ text = "", ...rest }: MessageDraft, common: Common): ModelMessage {
  return { kind: "model_message", text, ...rest, ...common };
}
