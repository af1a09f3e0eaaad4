import type { Content, ModelStep, Part } from "@holdfast/core/context";

/** Which form of the SDK a model speaks: that of ai 6, or of ai 7. */
export type AiSdkVersion = "v3" | "v4";

/**
 * The call options that a step comes to. What the model has signed goes back as `providerOptions`, as it came.
 *
 * @param version says how media are written.
 */
export function aiSdkCall({ contents, system = "", tools = [] }: ModelStep, version: AiSdkVersion) {
  const before = system.trim() === "" ? [] : [{ role: "system", content: system } as const];
  return {
    prompt: [...before, ...contents.flatMap((content) => messagesOf(content, version))],
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: "function" as const,
      name,
      ...(description === undefined ? {} : { description }),
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  };
}

/** What is read back of a signature; undefined where it is not of the SDK. */
export function writtenMetadata(metadata: unknown): string | undefined {
  return typeof metadata === "object" && metadata !== null ? JSON.stringify(metadata) : undefined;
}

/** Results have a message of their own role; the order stays. */
function messagesOf({ role, parts }: Content, version: AiSdkVersion): readonly object[] {
  if (role === "model") return [{ role: "assistant", content: parts.flatMap(saidPart) }];
  const messages: { readonly role: "tool" | "user"; readonly content: object[] }[] = [];
  for (const part of parts) {
    const as = "functionResponse" in part ? "tool" : "user";
    const last = messages.at(-1);
    const content = givenPart(part, version);
    if (last?.role === as) last.content.push(...content);
    else messages.push({ role: as, content: [...content] });
  }
  return messages.filter(({ content }) => content.length > 0);
}

function saidPart(part: Part): readonly object[] {
  if ("functionCall" in part) {
    const { id, name, args } = part.functionCall;
    const call = { type: "tool-call", toolCallId: id, toolName: name, input: args };
    return [{ ...call, ...signed(part.thoughtSignature) }];
  }
  if (!("text" in part)) return [];
  const type = part.thought === true ? "reasoning" : "text";
  return [{ type, text: part.text, ...signed(part.thoughtSignature) }];
}

function givenPart(part: Part, version: AiSdkVersion): readonly object[] {
  if ("text" in part) return [{ type: "text", text: part.text }];
  if ("inlineData" in part) {
    const { data, mimeType } = part.inlineData;
    return [{ type: "file", mediaType: mimeType, data: version === "v3" ? data : { type: "data", data } }];
  }
  if ("fileData" in part) {
    const { fileUri, mimeType } = part.fileData;
    const url = new URL(fileUri);
    return [{ type: "file", mediaType: mimeType, data: version === "v3" ? url : { type: "url", url } }];
  }
  if (!("functionResponse" in part)) return [];
  const { id, name, response, parts = [] } = part.functionResponse;
  const text = "output" in response ? response.output : response.error;
  const media = parts.flatMap((one) => resultMedia(one, version));
  const plain = { type: "output" in response ? "text" : "error-text", value: text };
  const output = media.length === 0 ? plain : { type: "content", value: [{ type: "text", text }, ...media] };
  return [{ type: "tool-result", toolCallId: id, toolName: name, output }];
}

function resultMedia(part: Part, version: AiSdkVersion): readonly object[] {
  if (!("inlineData" in part)) return [];
  const { data, mimeType: mediaType } = part.inlineData;
  if (version === "v4") return [{ type: "file", mediaType, data: { type: "data", data } }];
  return [{ type: mediaType.startsWith("image/") ? "image-data" : "file-data", mediaType, data }];
}

function signed(signature: string | undefined): object {
  try {
    return signature === undefined ? {} : { providerOptions: JSON.parse(signature) };
  } catch {
    // Signed by another's hand: nobody here can read it.
    return {};
  }
}
