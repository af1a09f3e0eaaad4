import { type TaskState, type TreeShape, taskState } from "@holdfast/core/conversation";
import {
  type ConversationContext,
  excerptOf,
  type FileDelta,
  type FormChange,
  type Media,
  type TaskRecord,
  type ToolCall,
  type ToolResultPayload,
  type TurnNode,
  type TurnPayload,
} from "@holdfast/core/conversation/values";
import { callWords, fileWords } from "./call-words.js";
import { button, type Child, element } from "./dom.js";
import { markdown } from "./markdown.js";
import { visibleLines } from "./seen-pane.js";
import { resultOf, type SessionView } from "./session-view.js";
import { code, quiet } from "./texts.js";
import { counted, intervals, shortHash, timeOf, wordOf } from "./words.js";

/** Where what is shown of a turn leads to. */
interface TurnLinks {
  readonly select: (nodeId: string) => void;
  readonly toPrompt: () => void;
}

/** The selected turn: what it is, what it says, and what is known about it. */
export function turnView(
  session: SessionView,
  shape: TreeShape,
  node: TurnNode,
  { select, toPrompt }: TurnLinks,
): readonly Child[] {
  return [
    element(
      "div",
      { class: "turn-head" },
      element("h2", { class: headClass(session, node) }, wordOf(node.payload)),
      ...(node.metadata.label === undefined
        ? []
        : [element("span", { class: "tag label" }, node.metadata.label)]),
      element("time", { class: "quiet" }, timeOf(node.timestamp)),
    ),
    crumbs(session, node, select),
    ...payloadView(session, node, select),
    promptCard(session, node, toPrompt),
    facts(shape, node),
  ];
}

/** What the model saw at this moment, in short. */
function promptCard(session: SessionView, node: TurnNode, toPrompt: () => void): HTMLElement {
  const { rendering, at, isAnswer } = session.seen(node);
  const messages = counted(rendering.contents.length, "message");
  return element(
    "section",
    { class: "card" },
    element("h3", {}, isAnswer ? "What the model had before it" : "What the model sees next"),
    visibleLines(session, rendering, at),
    button(
      { class: "link" },
      toPrompt,
      `The whole prompt: ${messages}, ${counted(rendering.report.chars, "character")}`,
    ),
  );
}

/** The tasks around a node, outermost first, each to be gone to. */
function crumbs(session: SessionView, node: TurnNode, select: (nodeId: string) => void): HTMLElement {
  const { context } = session;
  const chain: TaskRecord[] = [];
  for (let task = context.tasks.get(node.taskId); task !== undefined; ) {
    chain.push(task);
    task = task.parentTaskId === null ? undefined : context.tasks.get(task.parentTaskId);
  }
  const left = chain.length - mostCrumbs;
  const shown = left > 0 ? [...chain.slice(0, mostCrumbs - 1), ...chain.slice(-1)] : chain;
  const links = shown.reverse().map((task) => {
    const isSession = task.id === context.sessionId;
    const name = isSession ? "session" : taskName(context, task);
    const state = isSession ? [] : [stateTag(taskState(context, task))];
    return element(
      "li",
      {},
      button({ class: "link" }, () => select(task.id), name),
      ...state,
    );
  });
  if (left > 0) links.splice(1, 0, element("li", {}, `… ${counted(left, "task")} …`));
  return element("ol", { class: "crumbs", "aria-label": "Tasks around this turn" }, ...links);
}

/** Tasks may be nested thousands of levels deep. */
const mostCrumbs = 8;

function taskName({ nodes }: ConversationContext, { id }: TaskRecord): string {
  const payload = nodes.get(id)?.payload;
  return (payload === undefined ? "" : excerptOf(payload, 60)) || "task";
}

function stateTag(state: TaskState): HTMLElement {
  return element("span", { class: `tag state-${state}` }, state);
}

/** A call or a result that failed looks it here, too. */
function headClass({ context }: SessionView, { id, payload }: TurnNode): string {
  const said = resultOf(context, id)?.payload ?? payload;
  const failed = said.kind === "tool_result" && said.isError === true;
  return `kind-${payload.kind}${failed ? " failed" : ""}`;
}

function payloadView(
  session: SessionView,
  { id, payload }: TurnNode,
  select: (nodeId: string) => void,
): readonly Child[] {
  const picture = (media: Media) => pictureOf(session, media);
  switch (payload.kind) {
    case "user_message":
      return [markdown(payload.text), ...(payload.media ?? []).map(picture)];
    case "model_message":
      return [
        ...(payload.thought === undefined ? [] : [thought(payload.thought)]),
        ...(payload.redactedThought === undefined
          ? []
          : [quiet("A thought that its provider keeps encrypted.")]),
        ...(payload.text === "" ? [] : [markdown(payload.text)]),
        ...(payload.media ?? []).map(picture),
      ];
    case "tool_call":
      return callView(session, payload, resultOf(session.context, id)?.payload);
    case "tool_result":
      return [
        element("h3", {}, payload.name),
        ...resultView(session, payload),
        envelope([code(payload.output)]),
      ];
    case "file_content":
      return [
        element("h3", {}, payload.path),
        quiet(
          `Version ${payload.version}, ${shortHash(payload.sha256)}, lines ${intervals([payload.lines])} of ${payload.lines.total}, ${payload.form}`,
        ),
        code(payload.text),
      ];
    case "context_management":
      return management(payload, select);
    case "task_boundary":
      return [
        element("h3", {}, payload.name || "The session begins"),
        ...(payload.goal === undefined ? [] : [markdown(payload.goal)]),
        ...(payload.hint === undefined ? [] : [markdown(payload.hint)]),
        quiet(`Of what came before, the branch begins with: ${beginnings[payload.transformation.kind]}.`),
        ...(payload.transformation.kind === "compress" ? [markdown(payload.transformation.summary)] : []),
      ];
    case "task_summary":
      return [
        element("h3", {}, payload.name),
        markdown(payload.summary),
        deltas(payload.files),
        button({ class: "link" }, () => select(payload.tipId), "Show the branch that it merges"),
      ];
    case "summary":
      return [
        quiet(payload.of === "branch" ? "Sums up a branch." : "Stands for everything before it."),
        markdown(payload.text),
      ];
    case "restore":
      return [quiet("The files followed the conversation:"), deltas(payload.files)];
    case "note":
      return [
        quiet(payload.audience === "model" ? "For the model." : "For people; never shown to a model."),
        markdown(payload.text),
      ];
    case "lost":
      return [quiet(`Its record cannot be read any more; ${excerptOf(payload)}.`)];
    case "unknown":
      return [quiet(`Of a kind that is kept as it came: ${payload.type}.`), args(payload.data)];
    default:
      return payload satisfies never;
  }
}

/** A call with its result: what was done, what came of it as data, and on demand what was sent to the letter. */
function callView(
  session: SessionView,
  call: ToolCall,
  result: ToolResultPayload | undefined,
): readonly Child[] {
  const [verb, text] = callWords(call, result);
  const sent = [element("h4", {}, `Called: ${call.name}`), args(call.args)];
  const given = result === undefined ? [] : [element("h4", {}, "The model was given"), code(result.output)];
  return [
    element("h3", {}, verb, " ", element("code", {}, text)),
    ...(result === undefined ? [quiet("There is no result.")] : resultView(session, result)),
    envelope([...sent, ...given]),
  ];
}

/** The lines of files that a result shows, else what it says; and what it means for files. */
function resultView(session: SessionView, result: ToolResultPayload): readonly Child[] {
  const { output, shows = [], media = [], isError, files = [] } = result;
  const shown = shows.flatMap(({ path, from, to, start, end }) => [
    element("h4", {}, `${path} ${intervals([{ from, to }])}`),
    code(output.slice(start, end)),
  ]);
  const isData = isError !== true && (shown.length > 0 || files.length > 0);
  const words = fileWords(result).map((line) => element("li", {}, element("code", {}, line)));
  return [
    ...(isError === true ? [element("p", {}, element("span", { class: "tag bad" }, "error"))] : []),
    ...(isData && words.length > 1 ? [element("ul", { class: "deltas" }, ...words)] : []),
    ...(isData ? shown : [code(output)]),
    ...media.map((one) => pictureOf(session, one)),
  ];
}

function envelope(children: readonly Child[]): HTMLElement {
  return element("details", { class: "envelope" }, element("summary", {}, "As it was sent"), ...children);
}

function management(payload: ContextManagement, select: (nodeId: string) => void): readonly Child[] {
  switch (payload.action) {
    case "overlay":
      return formChange(payload, select);
    case "reform":
      return payload.changes.flatMap((change) => formChange(change, select));
    case "track_file":
    case "untrack_file":
      return [quiet(payload.action.replace("_", " ")), element("h3", {}, payload.path)];
    default:
      return payload satisfies never;
  }
}

function formChange({ targetId, form }: FormChange, select: (nodeId: string) => void): readonly Child[] {
  return [
    quiet(`From here on, another node is shown ${form.form}.`),
    button({ class: "link" }, () => select(targetId), "Show that node"),
    ...(form.form === "replaced" ? [code(form.text)] : []),
  ];
}

type ContextManagement = Extract<TurnPayload, { kind: "context_management" }>;

const beginnings = { clear: "nothing", clone: "everything", compress: "a summary" } as const;

/** Arguments by name; long texts as they stand, all else as JSON. */
function args(values: Readonly<Record<string, unknown>>): HTMLElement {
  const entries = Object.entries(values).flatMap(([name, value]) => [
    element("dt", {}, name),
    element("dd", {}, typeof value === "string" ? code(value) : code(JSON.stringify(value, null, 2))),
  ]);
  return entries.length === 0 ? quiet("No arguments.") : element("dl", { class: "args" }, ...entries);
}

function thought(text: string): HTMLElement {
  return element(
    "details",
    { class: "thought", open: true },
    element("summary", {}, "Thought"),
    markdown(text),
  );
}

/** Images are shown where they are of a kind that cannot hold a program. */
function pictureOf(session: SessionView, media: Media): HTMLElement {
  const { mimeType } = media;
  const isImage = /^image\/(png|jpeg|gif|webp)$/.test(mimeType);
  const data = "data" in media ? media.data : isImage ? session.fetched("blob", media.sha256) : undefined;
  if (data === undefined)
    return quiet(`${mimeType}, ${"sizeBytes" in media ? media.sizeBytes : 0} bytes, not in this page`);
  if (!isImage || !/^[\w+/=\s]*$/.test(data))
    return quiet(`${mimeType}, ${data.length} characters of Base64`);
  const image = element("img", { alt: `An image of the message (${mimeType})`, class: "media" });
  image.src = `data:${mimeType};base64,${data}`;
  return image;
}

function deltas(files: readonly FileDelta[]): HTMLElement {
  if (files.length === 0) return quiet("No file changed.");
  const rows = files.map(({ path, from, to }) =>
    element("li", {}, element("code", {}, path), ` ${shortHash(from)} → ${shortHash(to)}`),
  );
  return element("ul", { class: "deltas" }, ...rows);
}

function facts(shape: TreeShape, { id, payload, metadata, childIds }: TurnNode): HTMLElement {
  const { usage, provenance, custom } = metadata;
  const forks = childIds.filter((child) => !shape.isQuiet(child)).length;
  const from = payload.kind === "model_message" || payload.kind === "tool_call" ? payload.from : undefined;
  const rows: (readonly [string, string | undefined])[] = [
    ["node", id],
    ["model", from && `${from.provider}/${from.model}`],
    ["tokens", usage && tokens(usage)],
    ["came from", provenance?.source && `${provenance.source} ${provenance.sourceId ?? ""}`],
    ["branches", forks > 1 ? counted(forks, "branch", "branches") : undefined],
    ["hidden", metadata.isHiddenFromLlm === true ? "never shown to a model" : undefined],
    ["custom", custom && JSON.stringify(custom)],
  ];
  const entries = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [element("dt", {}, name), element("dd", {}, value)],
  );
  return element("dl", { class: "facts" }, ...entries);
}

function tokens(usage: NonNullable<TurnNode["metadata"]["usage"]>): string {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const cached = cachedInputTokens === undefined ? "" : ` (${cachedInputTokens.toLocaleString("en")} cached)`;
  return `${(inputTokens ?? 0).toLocaleString("en")} in${cached}, ${(outputTokens ?? 0).toLocaleString("en")} out`;
}
