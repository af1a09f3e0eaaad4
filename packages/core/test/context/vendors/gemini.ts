/** Parts as the Gemini API gives them: Gemini 3, thoughts shown, two calls of which the first is signed. */
export const parts = [
  { text: "**Looking** at both.", thought: true },
  { text: "I look at both." },
  {
    functionCall: { id: "g1", name: "read_file", args: { file_path: "src/ü.ts", from: 1 } },
    thoughtSignature: "EtkHCtYHAdHtim+/first==",
  },
  { functionCall: { id: "g2", name: "list_files", args: {} } },
];

/** A last answer: the signature comes behind the words, in a part without any. */
export const lastParts = [
  { text: "Both are empty." },
  { text: "", thoughtSignature: "EtkHCtYHAdHtim+/last==" },
];

const usageMetadata = {
  promptTokenCount: 2_312,
  cachedContentTokenCount: 2_000,
  candidatesTokenCount: 50,
  thoughtsTokenCount: 40,
  totalTokenCount: 2_402,
};

/** A whole response, as it goes over the wire. */
export function response(given: readonly object[]) {
  return {
    candidates: [{ content: { role: "model", parts: given }, finishReason: "STOP", index: 0 }],
    usageMetadata,
    modelVersion: "gemini-3-pro-preview",
    responseId: "r1",
  };
}

/** The same response as its stream: unsigned words come in pieces. */
export function stream(given: readonly { readonly text?: string; readonly thoughtSignature?: string }[]) {
  const split = given.flatMap((part) =>
    part.text === undefined || part.text === ""
      ? [part]
      : [
          { ...part, text: part.text.slice(0, 4) },
          { ...part, text: part.text.slice(4) },
        ],
  );
  return split.map((part, at) => ({
    candidates: [
      {
        content: { role: "model", parts: [part] },
        index: 0,
        ...(at === split.length - 1 ? { finishReason: "STOP" } : {}),
      },
    ],
    usageMetadata: at === split.length - 1 ? usageMetadata : { promptTokenCount: 2_312 },
    modelVersion: "gemini-3-pro-preview",
    responseId: "r1",
  }));
}
