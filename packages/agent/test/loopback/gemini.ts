import * as z from "zod";
import type { Ledger } from "./ledger.js";
import { repeated, schemaComplaints, shapeComplaint } from "./rules.js";
import { pieces, type ServedAnswer, someTokens, type Wire, type WireEvent } from "./wire.js";

const signed = { thoughtSignature: z.string().min(1).exactOptional() };
const inline = z.strictObject({ inlineData: z.strictObject({ mimeType: z.string(), data: z.base64() }) });
const text = z.strictObject({ text: z.string(), thought: z.literal(true).exactOptional(), ...signed });
const call = z.strictObject({
  functionCall: z.strictObject({
    id: z.string().exactOptional(),
    name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/u),
    args: z.record(z.string(), z.unknown()),
  }),
  ...signed,
});
const response = z.strictObject({
  functionResponse: z.strictObject({
    id: z.string().exactOptional(),
    name: z.string(),
    response: z.record(z.string(), z.unknown()),
    parts: z.array(inline).exactOptional(),
  }),
});
const file = z.strictObject({ fileData: z.strictObject({ fileUri: z.url(), mimeType: z.string() }) });
const part = z.union([text, call, response, file, inline]);
const content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(part) });
/** The JSON of the REST API, in which the SDK's parameters stand elsewhere. */
const request = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({
      parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1),
      role: z.string().exactOptional(),
    })
    .exactOptional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/u),
            description: z.string().exactOptional(),
            parametersJsonSchema: z.looseObject({ type: z.literal("object") }),
          }),
        ),
      }),
    )
    .exactOptional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().min(1).exactOptional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean(),
          thinkingLevel: z.enum(["MINIMAL", "LOW", "MEDIUM", "HIGH"]).exactOptional(),
          thinkingBudget: z.int().min(0).exactOptional(),
        })
        .exactOptional(),
    })
    .exactOptional(),
});
type Request = z.output<typeof request>;
type Content = Request["contents"][number];
type Call = z.output<typeof call>;

/** Google's Gemini API, as its third generation has it: calls are signed. */
export const geminiWire: Wire = {
  name: "Gemini",
  provider: "google",
  model: "gemini-3.1-pro-preview",
  thinks: true,
  path: /^POST \/v1beta\/models\/gemini-3\.1-pro-preview:streamGenerateContent\?alt=sse$/u,
  base: "",
  keyOf: (headers) => String(headers["x-goog-api-key"] ?? "") || undefined,
  *complaints(body, ledger) {
    const parsed = request.safeParse(body);
    if (!parsed.success) return yield shapeComplaint(parsed.error);
    const { contents, tools = [] } = parsed.data;
    const functions = tools.flatMap(({ functionDeclarations }) => functionDeclarations);
    for (const one of functions)
      yield* schemaComplaints(`function_declarations ${one.name}`, one.parametersJsonSchema);
    const twice = repeated(functions.map(({ name }) => name));
    if (twice.length > 0) yield `Duplicate function declaration found: ${twice.join(", ")}`;
    yield* ofTurns(contents);
    for (const [at, one] of contents.entries()) {
      yield* ofParts(one, at);
      yield* ofResponses(one, contents[at - 1], at);
      yield* ofSignatures(one, at, ledger);
    }
  },
  stream: streamOf,
  malformed: "data: {nonsense\n\n",
  error: (code, message) => ({ error: { code, message, status: statuses[code] ?? "INTERNAL" } }),
};

function* ofTurns(contents: readonly Content[]) {
  if (contents[0]?.role !== "user")
    yield "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  if (contents.at(-1)?.role !== "user") yield "Please ensure that multiturn requests end with a user role.";
  for (const [at, { role }] of contents.entries())
    if (role === contents[at - 1]?.role)
      yield "Please ensure that multiturn requests alternate between user and model.";
}

function* ofParts({ role, parts }: Content, at: number) {
  if (parts.length === 0)
    yield `GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`;
  for (const [index, one] of parts.entries()) {
    const where = `contents[${at}].parts[${index}]`;
    if ("text" in one && one.text === "" && one.thoughtSignature === undefined)
      yield `GenerateContentRequest.${where}.data: required oneof field 'data' must have one initialized field`;
    if ("functionCall" in one && role !== "model") yield `${where}: a function call must be of role model`;
    if ("functionResponse" in one && role !== "user")
      yield `${where}: a function response must be of role user`;
    if ("thought" in one && role !== "model") yield `${where}: a thought must be of role model`;
  }
}

/** As many responses as calls, right behind them and in their order: the API gives no ids to hold them by. */
function* ofResponses({ parts }: Content, before: Content | undefined, at: number) {
  const calls = (before?.parts ?? []).flatMap((one) => ("functionCall" in one ? [one.functionCall] : []));
  const answers = parts.flatMap((one) => ("functionResponse" in one ? [one.functionResponse] : []));
  if (calls.length !== answers.length)
    yield "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  for (const [index, { id, name }] of answers.entries()) {
    const asked = calls[index];
    if (asked?.name !== name) yield `contents[${at}]: function response ${name} answers no call of this name`;
    if (asked?.id !== id) yield `contents[${at}]: function response ${id} answers no call of this id`;
  }
}

/** The first call of each step carries its signature; a signature stands on the part that it came with. */
function* ofSignatures({ parts }: Content, at: number, ledger: Ledger) {
  const first = parts.find((one): one is Call => "functionCall" in one);
  if (first !== undefined && first.thoughtSignature === undefined)
    yield `Function call is missing a thought_signature in functionCall parts. contents[${at}], function call \`${first.functionCall.name}\``;
  for (const one of parts) {
    if (!("thoughtSignature" in one) || one.thoughtSignature === undefined) continue;
    if (one.thoughtSignature === "skip_thought_signature_validator") continue;
    if (ledger.given(one.thoughtSignature) !== JSON.stringify(partCore(one)))
      yield "Thought signature is not valid.";
  }
}

/** What of a part its signature covers: ids may be the client's own. */
function partCore(one: Call | z.output<typeof text>): object {
  return "text" in one ? { text: one.text } : { name: one.functionCall.name, args: one.functionCall.args };
}

type Served = { readonly part: object; readonly carries: WireEvent["carries"] };

function streamOf(
  { thought, text: words, calls = [], prompt = someTokens, isCut }: ServedAnswer,
  ledger: Ledger,
): readonly WireEvent[] {
  const thoughts =
    thought === undefined ? [] : pieces(thought).map((piece) => ({ text: piece, thought: true }));
  const parts: readonly Served[] = [
    ...thoughts.map((one) => ({ part: one, carries: "thought" as const })),
    ...(words === undefined
      ? []
      : pieces(words).map((piece) => ({ part: { text: piece }, carries: "words" as const }))),
    ...calls.map(({ name, args }, at) => ({
      part: callPart(name, args, at, ledger),
      carries: "call" as const,
    })),
    ...(calls.length > 0 ? [] : [{ part: lastPart(ledger), carries: "frame" as const }]),
  ];
  const counted = {
    promptTokenCount: prompt.total,
    ...(prompt.cached === 0 ? {} : { cachedContentTokenCount: prompt.cached }),
  };
  const responseId = ledger.next("r");
  return parts.map(({ part: one, carries }, at) => ({
    text: `data: ${JSON.stringify({
      candidates: [
        {
          content: { role: "model", parts: [one] },
          index: 0,
          ...(at === parts.length - 1 ? { finishReason: isCut === true ? "MAX_TOKENS" : "STOP" } : {}),
        },
      ],
      usageMetadata:
        at === parts.length - 1
          ? { ...counted, candidatesTokenCount: 10, totalTokenCount: prompt.total + 10 }
          : counted,
      modelVersion: geminiWire.model,
      responseId,
    })}\r\n\r\n`,
    carries,
  }));
}

/** The first call of a step is signed; every second one has an id, as the API gives some and some not. */
function callPart(name: string, args: object, at: number, ledger: Ledger): object {
  const id = ledger.next("g");
  const given = { functionCall: { ...(at % 2 === 0 ? {} : { id }), name, args } };
  if (at > 0) return given;
  const thoughtSignature = ledger.signature();
  ledger.keep(thoughtSignature, { name, args });
  return { ...given, thoughtSignature };
}

/** Behind the last words a signature in a part of its own. */
function lastPart(ledger: Ledger): object {
  const thoughtSignature = ledger.signature();
  ledger.keep(thoughtSignature, { text: "" });
  return { text: "", thoughtSignature };
}

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};
