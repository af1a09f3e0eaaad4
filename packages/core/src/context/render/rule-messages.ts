import type {
  FileApiState,
  FileContent,
  ModelMessage,
  ModelOrigin,
  OverlayForm,
  ShownText,
  TurnNode,
  UserMessage,
} from "../../conversation/values/index.js";
import { chooseSuffix, defined, escapeInJson, fileAttributes, frameText } from "../../text/index.js";
import {
  type Answer,
  type DraftPart,
  drop,
  dropPendingThoughts,
  emit,
  type Layout,
  mark,
  type NodeDrafts,
  sameAnswer,
} from "../layout/layout.js";
import { put, sizeOf } from "../layout/visibility.js";
import {
  addressText,
  followers,
  hasText,
  type PartSource,
  type RenderScope,
  type RenderSettings,
  userText,
  withinText,
} from "./render-scope.js";
import { mediaParts } from "./rule-media.js";

/** Appends the parts of a node. Where its chosen form has none, the boundary is noted all the same. */
export function appendDrafts(layout: Layout, drafts: readonly DraftPart[], source: PartSource): Layout {
  if (drafts.length === 0)
    return source.choice === undefined ? layout : mark(layout, source.nodeId, source.choice);
  return followers(drafts).reduce(emit, layout);
}

/** A text on the user's side, in its chosen form; a blank one is left out, and said to be. */
export function draftText(
  layout: Layout,
  text: string,
  rule: DraftPart["rule"],
  source: PartSource,
): NodeDrafts {
  const form = source.choice?.form;
  const draft = form?.form === "replaced" ? replacedText(source, form) : userText(source, rule, text);
  return "text" in draft.part && hasText(draft.part.text)
    ? { layout, drafts: [draft] }
    : { layout: drop(layout, source.nodeId, "empty_text"), drafts: [] };
}

function replacedText(
  source: PartSource,
  { text, by, shows, refers }: Extract<OverlayForm, { form: "replaced" }>,
): DraftPart {
  return {
    ...userText(source, by, text),
    refers,
    ...(shows === undefined ? {} : { shows: withinText(text, shows) }),
  };
}

/**
 * The layout with a user's message: its words, then its media, of which a single one may stand by its address. Media go where
 * the text is replaced.
 */
export function userMessage(
  before: Layout,
  payload: UserMessage,
  source: PartSource,
  { settings }: RenderScope,
): Layout {
  const media = payload.media ?? [];
  const form = source.choice?.form;
  const api = form?.form === "uri" ? form.fileApi : undefined;
  const { layout, address } = addressIn(before, api, source, settings);
  const silent = media.length > 0 && payload.text.trim() === "" && form?.form !== "replaced";
  const text = silent ? { layout, drafts: [] } : draftText(layout, payload.text, "message", source);
  if (address !== undefined)
    return appendDrafts(text.layout, [...text.drafts, attached(address, source)], source);
  const kept = form?.form === "replaced" ? [] : media;
  const { layout: next, parts } = mediaParts(text.layout, kept, source.nodeId);
  const drafts = parts.map((part): DraftPart => ({ ...source, role: "user", part, rule: "media" }));
  return appendDrafts(next, [...text.drafts, ...drafts], source);
}

/** Thoughts wait until what they led to is there: alone they are valid nowhere. They go where the text is replaced. */
export function modelMessage(
  layout: Layout,
  node: TurnNode,
  payload: ModelMessage,
  source: PartSource,
  scope: RenderScope,
): Layout {
  const answer = { step: payload.step };
  const isReplaced = source.choice?.form.form === "replaced";
  const lost = isReplaced ? "hidden_by_overlay" : whyLost(layout, node, payload.from, scope);
  const thoughts = lost === undefined ? thoughtDrafts(payload, source, answer) : [];
  const known = lost === undefined ? layout : forget(layout, payload, source.nodeId, lost);
  const { layout: next, drafts: made } = madeDrafts(known, payload, source, answer, lost === undefined);
  const written = [...textDrafts(payload, source, answer, lost === undefined), ...made];
  const texts =
    written.length > 0 ? written : signatureAlone(next, payload, source, answer, lost === undefined);
  const alone = thoughts.length > 0 && !leadOn(next, thoughts, answer) ? dropPendingThoughts(next) : next;
  if (texts.length > 0) return appendDrafts(alone, [...thoughts, ...texts], source);
  if (thoughts.length === 0)
    return appendDrafts(isSilent(payload) ? next : drop(next, node.id, "empty_text"), [], source);
  const drafts = thoughts.map((draft, at) => ({ ...draft, cut: draft.cut && at === 0, choice: undefined }));
  const before = alone.pendingThoughts?.drafts ?? [];
  return { ...appendDrafts(alone, [], source), pendingThoughts: { answer, drafts: [...before, ...drafts] } };
}

/** Whether thoughts go on those that wait: of one answer, and no two that can be read, which providers refuse. */
function leadOn({ pendingThoughts }: Layout, thoughts: readonly DraftPart[], answer: Answer): boolean {
  if (!sameAnswer(pendingThoughts?.answer, answer)) return false;
  const isReadable = ({ part }: DraftPart) => "text" in part;
  return !(pendingThoughts?.drafts.some(isReadable) === true && thoughts.some(isReadable));
}

/**
 * Gemini sends a signature without words behind an answer, and wants it back. It stays where the answer has
 * said something: alone it would be an answer that says nothing.
 */
function signatureAlone(
  { pendingThoughts, parts, answer: last }: Layout,
  { text, thought, redactedThought, signature }: ModelMessage,
  source: PartSource,
  answer: Answer,
  signs: boolean,
): readonly DraftPart[] {
  if (signature === undefined || !signs || source.choice !== undefined) return [];
  if (thought !== undefined || redactedThought !== undefined || pendingThoughts !== undefined) return [];
  if (parts?.item.role !== "model" || !sameAnswer(last, answer)) return [];
  const part = { text, thoughtSignature: signature };
  return [{ ...source, role: "model", part, rule: "message", answer }];
}

function thoughtDrafts(
  payload: ModelMessage,
  source: PartSource,
  answer: DraftPart["answer"] & object,
): readonly DraftPart[] {
  const { thought, redactedThought, signature } = payload;
  const common = { ...source, role: "model", rule: "thought", answer } as const;
  const drafts: DraftPart[] = [];
  if (thought !== undefined && (thought.trim() !== "" || signature !== undefined)) {
    const signed = defined({ thoughtSignature: signature });
    drafts.push({ ...common, part: { text: thought, thought: true, ...signed } });
  }
  if (redactedThought !== undefined && redactedThought !== "")
    drafts.push({ ...common, part: { redactedThought } });
  return drafts;
}

function textDrafts(
  payload: ModelMessage,
  source: PartSource,
  answer: DraftPart["answer"] & object,
  signs: boolean,
): readonly DraftPart[] {
  const form = source.choice?.form;
  const replaced = form?.form === "replaced" ? form : undefined;
  const text = replaced?.text ?? payload.text;
  if (!hasText(text)) return [];
  const signature = payload.thought === undefined ? payload.signature : undefined;
  const signed = signs && replaced === undefined && signature !== undefined;
  const part = signed ? { text, thoughtSignature: signature } : { text };
  const shows = replaced?.shows === undefined ? {} : { shows: withinText(text, replaced.shows) };
  const { refers } = replaced ?? {};
  return [{ ...source, role: "model", part, rule: replaced?.by ?? "message", answer, refers, ...shows }];
}

/** What the model made; it goes where the text is replaced. A signature that nothing before it bears is the first's. */
function madeDrafts(
  layout: Layout,
  payload: ModelMessage,
  source: PartSource,
  answer: DraftPart["answer"] & object,
  signs: boolean,
): NodeDrafts {
  const { media = [], text, thought, redactedThought, signature } = payload;
  if (media.length === 0 || source.choice?.form.form === "replaced") return { layout, drafts: [] };
  const isFree = signs && thought === undefined && redactedThought === undefined && !hasText(text);
  const { layout: next, parts } = mediaParts(layout, media, source.nodeId);
  const drafts = parts.map((part, at): DraftPart => {
    const signed = at === 0 && isFree ? defined({ thoughtSignature: signature }) : {};
    return { ...source, role: "model", part: { ...part, ...signed }, rule: "media", answer };
  });
  return { layout: next, drafts };
}

/** Whether there was nothing to say: many answers are nothing but calls. */
function isSilent({ text, thought, redactedThought, media = [] }: ModelMessage): boolean {
  return media.length === 0 && text === "" && !hasText(thought) && redactedThought === undefined;
}

function forget(
  layout: Layout,
  { thought, redactedThought, signature }: ModelMessage,
  nodeId: string,
  why: "foreign_thought" | "bound_thought" | "hidden_by_overlay",
): Layout {
  if (thought === undefined && redactedThought === undefined && signature === undefined) return layout;
  const lostThought = layout.lostThought || thought !== undefined || redactedThought !== undefined;
  return { ...drop(layout, nodeId, why), lostThought };
}

/** Why the thoughts of this node are void in this prompt; undefined where they are valid. */
export function whyLost(
  layout: Layout,
  node: TurnNode,
  from: ModelOrigin | undefined,
  { settings, within }: RenderScope,
): "foreign_thought" | "bound_thought" | undefined {
  const { target, bound } = settings;
  if (target !== undefined && (from?.provider !== target.provider || from.model !== target.model))
    return "foreign_thought";
  if (!bound) return undefined;
  const changed = within !== undefined || node.depth < layout.changedUntil;
  const otherForm = node.timestamp < layout.uriUntil || !sameExpansions(layout, node);
  return changed || otherForm ? "bound_thought" : undefined;
}

/** Whether the tasks that stand in full before the node are those that did when it was made. */
function sameExpansions({ expanded, summaries }: Layout, { metadata }: TurnNode): boolean {
  const then = metadata.provenance?.expanded ?? [];
  const isSummary = (taskId: string) => summaries.get(taskId)?.expanded === false;
  const stillSo = new Set(then.filter((taskId) => expanded.has(taskId))).size;
  return stillSo === expanded.size && !then.some(isSummary);
}

/** Notes a boundary for each task that was expanded when the node was made, and is not any more. */
export function noteEndedExpansions(layout: Layout, { metadata }: TurnNode): Layout {
  let next = layout;
  for (const taskId of metadata.provenance?.expanded ?? []) {
    const entry = next.summaries.get(taskId);
    if (entry === undefined || entry.expanded || entry.ended) continue;
    const { nodeId, firstPart } = entry;
    next = {
      ...next,
      summaries: next.summaries.set(taskId, { ...entry, ended: true }),
      boundaries: put(next.boundaries, { rule: "expansion_ended", nodeId, targetId: nodeId, firstPart }),
    };
  }
  return next;
}

/** How long before its end an address is not used any more, in milliseconds: a request takes its time. */
const addressMargin = 10 * 60_000;

/** A state of a file: framed text, or the address of the same bytes. */
export function fileContent(
  layout: Layout,
  payload: FileContent,
  source: PartSource,
  scope: RenderScope,
): NodeDrafts {
  const { settings } = scope;
  const { layout: next, address } = addressIn(layout, addressOf(payload, source), source, settings);
  const drafts =
    address === undefined ? [inline(payload, source, settings)] : byAddress(payload, address, source);
  return { layout: next, drafts };
}

/**
 * Whether bytes stand in this prompt by their address: only where it is active, of use to who is asked, and good for a
 * while. The layout then holds for as long; where the address has expired, the prompt differs from here on.
 */
function addressIn(
  layout: Layout,
  api: FileApiState | undefined,
  source: PartSource,
  settings: RenderSettings,
): { readonly layout: Layout; readonly address?: FileApiState } {
  if (api === undefined || !isUsable(api, settings)) return { layout };
  const until = api.expiresAt - addressMargin;
  if (settings.now >= until) return { layout: expired(layout, until, source) };
  return { layout: { ...layout, validUntil: Math.min(layout.validUntil, until) }, address: api };
}

function addressOf(payload: FileContent, { choice }: PartSource): FileApiState | undefined {
  if (choice?.form.form === "uri") return choice.form.fileApi;
  return choice?.form.form === "inline" ? undefined : payload.fileApi;
}

/** Whether the address could be used at some time. */
function isUsable({ state, uri }: FileApiState, { target, now }: RenderSettings): boolean {
  const google = target === undefined || target.provider === "google";
  return state === "ACTIVE" && uri !== "" && google && now !== Number.POSITIVE_INFINITY;
}

function expired(layout: Layout, until: number, { nodeId }: PartSource): Layout {
  const firstPart = sizeOf(layout.parts);
  return {
    ...layout,
    validFrom: Math.max(layout.validFrom, until),
    uriUntil: Math.max(layout.uriUntil, until),
    boundaries: put(layout.boundaries, { rule: "uri_expired", nodeId, targetId: nodeId, firstPart }),
  };
}

function inline(payload: FileContent, source: PartSource, { files }: RenderSettings): DraftPart {
  if (files === "json") return userText(source, "file_inline", jsonOf(payload));
  const suffix = chooseSuffix([payload.text, payload.path]);
  const { text, start } = frameText(attributesOf(payload), payload.text, suffix);
  const shows = shownOf(payload, start, start + payload.text.length);
  const repeats = payload.repeats?.map((one) => ({ ...one, start: one.start + start, end: one.end + start }));
  return { ...userText(source, "file_inline", text), shows, repeats };
}

/** As an answer to `read_file` has it (`wireReadResult`). */
function jsonOf({ path, version, sha256, text, lines, form }: FileContent): string {
  const state = { file_path: path, version, sha256, content: text };
  return escapeInJson(JSON.stringify(form === "window" ? { ...state, lines } : state));
}

function byAddress(payload: FileContent, api: FileApiState, source: PartSource): readonly DraftPart[] {
  const shows = shownOf(payload, 0, 0);
  return [
    userText(source, "file_uri", addressText(attributesOf(payload))),
    { ...attached(api, source), shows, holds: payload.text.length },
  ];
}

/** Bytes by their address. */
function attached({ uri, mimeType }: FileApiState, source: PartSource): DraftPart {
  const part = { fileData: { fileUri: uri, mimeType } };
  return { ...source, role: "user", part, rule: "file_uri" };
}

/** Nothing, where the text is not known to be the state's. */
function shownOf(
  { path, sha256, lines, verified }: FileContent,
  start: number,
  end: number,
): readonly ShownText[] {
  return verified === true ? [{ path, sha256, from: lines.from, to: lines.to, start, end }] : [];
}

function attributesOf({ path, version, sha256, lines, form }: FileContent): string {
  const pairs: (readonly [string, string])[] = [
    ["version", String(version)],
    ["sha256", sha256],
    ["total_lines", String(lines.total)],
  ];
  if (form === "window") pairs.push(["lines", `${lines.from}-${lines.to}`]);
  if (form === "tracked") pairs.push(["tracked", "yes"]);
  return fileAttributes(path, pairs);
}
