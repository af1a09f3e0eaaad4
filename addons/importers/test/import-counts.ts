import { checkContents, providers, renderContext } from "../../../packages/core/src/context/index.js";
import type { ConversationContext } from "../../../packages/core/src/conversation/values/index.js";

/** What a session holds, counted: what goes in has to come out. */
export interface Amounts {
  readonly calls: number;
  readonly results: number;
  readonly images: number;
  /** Characters of texts and thoughts, line ends not counted. */
  readonly chars: number;
}

/** Counted over the lines as they are, by nothing but the names of the blocks. */
export function amountsIn(files: readonly string[]): Amounts {
  const lines = files.flatMap((file) => file.split("\n").filter((line) => line.trim() !== ""));
  const shown = lines.map((line) => JSON.parse(line).attachment ?? {}).flatMap(shownIn);
  const messages = lines
    .map((line) => JSON.parse(line))
    .filter(({ type }) => ["user", "assistant", "message"].includes(type))
    .map(({ message }) => message)
    .filter((message) => message?.role !== "bashExecution");
  const summaries = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "compaction");
  const blocks = messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
  const inner = blocks.flatMap(({ type, content }) =>
    type !== "tool_result" ? [] : typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
  const all = [...blocks, ...inner];
  const count = (...types: string[]) => all.filter(({ type }) => types.includes(type)).length;
  const piResults = messages.filter(({ role }) => role === "toolResult").length;
  const texts = [
    ...all.map(({ type, text, thinking }) => (type === "thinking" ? thinking : (text ?? ""))),
    ...summaries.map(({ summary }) => summary),
    ...shown,
  ];
  return {
    calls: count("tool_use", "toolCall"),
    results: count("tool_result") + piResults,
    images: count("image"),
    chars: charsIn(texts),
  };
}

/** What Claude Code showed beside a prompt or a result. */
function shownIn({ type, filename, content, snippet }: ReturnType<typeof JSON.parse>): readonly string[] {
  switch (type) {
    case "file":
      return [`${filename}:`, content.file.content];
    case "edited_text_file":
      return [`${filename}:`, snippet];
    case "hook_additional_context":
      return content;
    default:
      return [];
  }
}

/** The same of the tree, without the notes that tell how it was imported. */
export function amountsOf(context: ConversationContext): Amounts {
  const payloads = [...context.nodes.values()].map(({ payload }) => payload);
  const media = payloads.flatMap((payload) =>
    payload.kind === "user_message" || payload.kind === "tool_result" ? (payload.media ?? []) : [],
  );
  const texts = payloads.flatMap((payload) => {
    switch (payload.kind) {
      case "user_message":
      case "summary":
        return [payload.text];
      case "model_message":
        return [payload.thought ?? "", payload.text];
      case "tool_result":
        return [payload.output];
      case "note":
        return isOurs(payload.text) ? [] : [payload.text];
      default:
        return [];
    }
  });
  return {
    calls: payloads.filter(({ kind }) => kind === "tool_call").length,
    results: payloads.filter(({ kind }) => kind === "tool_result").length,
    images: media.length,
    chars: charsIn(texts),
  };
}

/** Notes that are no words of a message. */
function isOurs(text: string): boolean {
  return /^(Not in the tree: |Model: |Thinking level: |Conversation compacted|Compacted|\$ |Request was aborted|400 )/.test(
    text,
  );
}

function charsIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.replaceAll("\n", "").length, 0);
}

/** What `verify` would tell: of every branch, rendered. */
export function faultsOf(context: ConversationContext): readonly string[] {
  const tips = [...context.nodes.values()].filter(({ childIds }) => childIds.length === 0);
  return tips.flatMap(({ id }) => {
    const { contents, report } = renderContext({ ...context, currentNodeId: id });
    const dropped = report.dropped.filter(
      ({ what }) => what === "result_without_call" || what === "wrong_lines",
    );
    const violations = providers.flatMap((provider) => checkContents(contents, provider));
    return [...dropped, ...report.ignored, ...violations].map((fault) => `${id}: ${JSON.stringify(fault)}`);
  });
}

/** Nodes with two children that are no tasks: none where nobody went back. */
export function invented(context: ConversationContext): readonly string[] {
  return [...context.nodes.values()]
    .filter(({ childIds }) => {
      const kinds = childIds.map((id) => context.nodes.get(id)?.payload.kind);
      return kinds.filter((kind) => kind !== "task_boundary").length > 1;
    })
    .map(({ id }) => id);
}
