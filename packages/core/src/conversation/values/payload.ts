import { type Infer, isObject, type Schema, shapes } from "../../text/index.js";
import {
  fileApiState,
  fileDelta,
  fileEffect,
  ledgerEntry,
  referredLines,
  repeatedLines,
  shownText,
  touchedFiles,
} from "./file-facts.js";
import type { JsonObject } from "./json.js";

const { count, flag, listOf, number, object, oneOf, optional, orNull, shape, text, unionBy, yes } = shapes;

/**
 * What one node of the tree is (seed 4, "TurnPayload"). One node holds one thing: a model's answer with two
 * calls is a message and two calls, one below the other.
 */
export type TurnPayload = Infer<(typeof known)[keyof typeof known]> | UnknownPayload;

/** The kind of a payload; `unknown` stands for all kinds of newer releases. */
export type PayloadKind = TurnPayload["kind"];

/** Of a kind that a newer release knows: kept and shown, never rendered. */
interface UnknownPayload {
  readonly kind: "unknown";
  readonly type: string;
  readonly data: JsonObject;
}

/** As it is given. A session that is opened again has `StoredMedia` in its place. */
export type InlineMedia = Infer<typeof inlineMedia>;
const inlineMedia = shape({
  mimeType: text,
  /** Base64. */
  data: text,
});

/** Its bytes are read when they are asked for: `OpenSession.readBlob`, `resolveMedia`. */
export type StoredMedia = Infer<typeof storedMedia>;
const storedMedia = shape({ mimeType: text, sha256: text, sizeBytes: count });

/** An image, a document or a sound: given inline, and kept beside the journal, where equal ones lie once. */
export type Media = InlineMedia | StoredMedia;
const media: Schema<Media> = (value) =>
  isObject(value) && value.data === undefined && value.sha256 !== undefined
    ? storedMedia(value)
    : inlineMedia(value);

/** Which model made something: its thoughts and signatures mean nothing to any other. */
export type ModelOrigin = Infer<typeof origin>;
const origin = shape({
  /** "google", "anthropic", "openai" or another provider's name. */
  provider: text,
  model: text,
});

/** What the user said or showed. */
export type UserMessage = Infer<typeof userMessage>;
const userMessage = shape({ kind: oneOf("user_message"), text, media: optional(listOf(media)) });

/** What the model said or thought; its calls are nodes of their own. */
export type ModelMessage = Infer<typeof modelMessage>;
const modelMessage = shape({
  kind: oneOf("model_message"),
  text,
  /** Stands before the text. */
  thought: optional(text),
  /** Anthropic's encrypted thinking, to be given back as it is; stands before the text. */
  redactedThought: optional(text),
  /** What the model made: images, sounds. They stand behind the text. */
  media: optional(listOf(media)),
  /** Signs the thought; where there is none, the text, else the first of the media. To be given back byte for byte. */
  signature: optional(text),
  from: optional(origin),
  /** The same for all nodes of one answer of the model; another one begins another answer. */
  step: optional(text),
});

/** A cast: what is in an object of a line is JSON, since the line was. */
const json = object as Schema<JsonObject>;

/** A call of a tool by the model. Its result is a node further down the path. */
export type ToolCall = Infer<typeof toolCall>;
const toolCall = shape({
  kind: oneOf("tool_call"),
  /** Pairs it with its result; unique on its path. */
  callId: text,
  name: text,
  args: json,
  /** SHA-256 (hex) of the request that the host made of the call: what was asked, however it was written. */
  request: optional(text),
  signature: optional(text),
  from: optional(origin),
  step: optional(text),
});

/** What a call gave: what the model is shown, and what it means for files. */
export type ToolResultPayload = Infer<typeof toolResult>;
const toolResult = shape({
  kind: oneOf("tool_result"),
  callId: text,
  name: text,
  /** What the model is shown, to the letter. */
  output: text,
  /** What the model is shown besides, such as a screenshot. */
  media: optional(listOf(media)),
  isError: optional(flag),
  /** Which lines of which file stand where in `output`. */
  shows: optional(listOf(shownText)),
  /** What has to stand in the prompt besides, for `output` to be true: what an "unchanged" speaks of. */
  refers: optional(listOf(referredLines)),
  /** Stretches of `output` that the prompt showed already. In their order, apart from one another. */
  repeats: optional(listOf(repeatedLines)),
  /** What the call found out about files, or did to them. */
  files: optional(listOf(fileEffect)),
  /** Of a command: the files that it changed beside them. */
  touched: optional(touchedFiles),
});

/** A state of a file, put before the model without a call of its own. */
export type FileContent = Infer<typeof fileContent>;
const fileContent = shape({
  kind: oneOf("file_content"),
  path: text,
  version: number,
  sha256: text,
  /** 1-based, both included; `to` is `from - 1` for an empty file. */
  lines: shape({ from: number, to: number, total: number }),
  /** The text of these lines, byte-exact. */
  text,
  /** As of a result; offsets are into `text`. */
  repeats: optional(listOf(repeatedLines)),
  /** `whole`: all lines of the file. `window`: some. `tracked`: a new state of an ambient file. */
  form: oneOf("whole", "window", "tracked"),
  /**
   * The text is known to be the state's: a read of ours found it, or it hashes to `sha256`. Set by the
   * manager; without it nothing of the file counts as shown.
   */
  verified: optional(yes),
  fileApi: optional(fileApiState),
});

/** In what form an earlier node is rendered from here on. Chosen once, replayed ever after. */
export type OverlayForm = Infer<typeof overlayForm>;
const overlayForm = unionBy("form", {
  /** Not at all; of a call and its result, both. */
  hidden: shape({ form: oneOf("hidden") }),
  /** As it was at first. */
  original: shape({ form: oneOf("original") }),
  /** This text in place of a result's output or of a file's lines; a call keeps its result. */
  replaced: shape({
    form: oneOf("replaced"),
    by: oneOf("cleared", "stub", "delta"),
    text,
    shows: optional(listOf(shownText)),
    /** What has to stand in the prompt besides, for `text` to be true: what a stub or a delta builds on. */
    refers: optional(listOf(referredLines)),
  }),
  /** A file, or the one medium of a user's message, by its address at the provider. */
  uri: shape({ form: oneOf("uri"), fileApi: fileApiState }),
  /** A file by its text, a medium by its bytes. */
  inline: shape({ form: oneOf("inline") }),
});

/** A node above, and the form in which it is rendered from here on. */
export type FormChange = Infer<typeof formChange>;
const formChange = shape({
  /** A node above this one. */
  targetId: text,
  form: overlayForm,
});

const ofContext = { kind: oneOf("context_management") };
const tracking = shape({ ...ofContext, action: oneOf("track_file", "untrack_file"), path: text });

/** What is done to the context rather than said in it. It holds on the branch on which it stands. */
export type ContextManagement = Infer<typeof contextManagement>;
const contextManagement = unionBy("action", {
  track_file: tracking,
  untrack_file: tracking,
  overlay: shape({ ...ofContext, action: oneOf("overlay"), ...formChange.fields }),
  reform: shape({
    ...ofContext,
    /** Many overlays in one node. */
    action: oneOf("reform"),
    /** In this order, as if each were an overlay of its own. */
    changes: listOf(formChange),
  }),
});

/** What a branch sees of what came before it (seed 4, "HistoryTransformation"). */
export type HistoryTransformation = Infer<typeof transformation>;
const transformation = unionBy("kind", {
  clear: shape({ kind: oneOf("clear") }),
  clone: shape({ kind: oneOf("clone") }),
  compress: shape({ kind: oneOf("compress"), summary: text }),
});

/** Lost records, one of which held a node, by their numbers, both included; 0 to 0 where no number is missing. */
export type LostRecords = Infer<typeof lostRecords>;
const lostRecords = shape({ from: count, to: count });

/** The first node of a task's branch, and of the session. Its id is the task's id. */
export type TaskBoundary = Infer<typeof taskBoundary>;
const taskBoundary = shape({
  kind: oneOf("task_boundary"),
  name: text,
  goal: optional(text),
  transformation,
  /** The failed task that this one tries again. */
  restartOf: optional(text),
  hint: optional(text),
  /** Set where its own record is lost: it stands in the place of the boundary that others name. */
  lost: optional(lostRecords),
});

/** The merge commit of a task: stands on the parent branch, links to the task's own. */
export type TaskSummary = Infer<typeof taskSummary>;
const taskSummary = shape({
  kind: oneOf("task_summary"),
  taskId: text,
  name: text,
  summary: text,
  /** Written by code, never by a model. */
  files: listOf(fileDelta),
  /** The last node of the task's branch when it was completed. */
  tipId: text,
});

/** Words that stand for other nodes. */
export type Summary = Infer<typeof summary>;
const summary = unionBy("of", {
  /** Of a branch, told where it stands; nothing goes away for it. */
  branch: shape({
    kind: oneOf("summary"),
    of: oneOf("branch"),
    text,
    /** First and last node of what it sums up. */
    covers: shape({ fromId: text, toId: text }),
  }),
  /** Of everything on the path before `keepFromId`, which it stands for from here on. */
  compaction: shape({
    kind: oneOf("summary"),
    of: oneOf("compaction"),
    text,
    /** The first node that stays as it is, at a safe cut; `null` keeps none. */
    keepFromId: orNull(text),
    files: optional(listOf(fileDelta)),
    /** The files of what is left out, written by code. */
    ledger: optional(listOf(ledgerEntry)),
    /** The instruction that holds, where it is left out with the rest. */
    instruction: optional(shape({ nodeId: text, text })),
  }),
});

/** What moving the head did to the files. */
export type Restore = Infer<typeof restore>;
const restore = shape({
  kind: oneOf("restore"),
  /** The id under which it was begun, so that a kill in between can be settled. */
  restoreId: text,
  /** Where the head stood before. */
  fromId: text,
  /** Where it was moved. */
  toId: text,
  files: listOf(fileDelta),
  /** The restore that this one takes back. */
  undoes: optional(text),
  /** The node whose files they became, where the head stayed: `fromId` and `toId` are the same then. */
  stateOf: optional(text),
});

/** Words of the host: to the model, or to the person only. */
export type Note = Infer<typeof note>;
const note = shape({
  kind: oneOf("note"),
  text,
  /** A note for a person is never rendered for a model. */
  audience: oneOf("model", "person"),
  /** States of files that it tells of. */
  files: optional(listOf(fileEffect)),
  /** Of a command of the person's. */
  touched: optional(touchedFiles),
  /** The node of a call, or the id of a restore, whose writes it tells of: they were not recorded before. */
  settles: optional(text),
});

/**
 * Stands in the place of a node whose record is lost: what came after it names it, and the numbers of the
 * records say when it was. It is kept as it is, also once the session was repaired.
 */
export type LostNode = Infer<typeof lostNode>;
const lostNode = shape({ kind: oneOf("lost"), records: lostRecords });

const known = {
  user_message: userMessage,
  model_message: modelMessage,
  tool_call: toolCall,
  tool_result: toolResult,
  file_content: fileContent,
  context_management: contextManagement,
  task_boundary: taskBoundary,
  task_summary: taskSummary,
  summary,
  restore,
  note,
  lost: lostNode,
};

const kinds: ReadonlyMap<string, Schema<TurnPayload>> = new Map(Object.entries(known));
const tagged = shape({ kind: text });

/** A payload that is whole, or of a kind that a newer release knows. */
export const payload: Schema<TurnPayload> = (value) =>
  tagged(value) ?? (isObject(value) ? kinds.get(String(value.kind))?.(value) : undefined);

/** Whether this is a payload of a kind that this release knows. */
export function isKnownKind(kind: unknown): boolean {
  return typeof kind === "string" && kinds.has(kind);
}

/** The kinds of nodes, as one asks for them. A cast: these are the keys of that very literal. */
export const payloadKinds: readonly PayloadKind[] = [
  ...(Object.keys(known) as (keyof typeof known)[]),
  "unknown",
];
