import type { LineEdit, LineSpan, OwnWrite } from "../../files/seen/index.js";
import { isObject } from "../../text/index.js";
import type {
  FileApiState,
  FileContent,
  FileDelta,
  FileEffect,
  FileLedgerEntry,
  FileStamp,
  FileTouch,
  FormChange,
  InlineMedia,
  LedgerCheck,
  LostNode,
  LostRecords,
  ModelMessage,
  ModelOrigin,
  Note,
  OverlayForm,
  PayloadKind,
  ReferredLines,
  RepeatedLines,
  Restore,
  ShownChars,
  ShownText,
  StoredMedia,
  Summary,
  TaskBoundary,
  TaskSummary,
  ToolCall,
  ToolResultPayload,
  TouchedFiles,
  UserMessage,
} from "./payload.js";
import {
  type Check,
  count,
  type Fields,
  flag,
  listOf,
  number,
  object,
  oneOf,
  optional,
  orNull,
  shape,
  text,
  unionBy,
  yes,
} from "./shape.js";

/** Whether this is a payload of a kind that this release knows. */
export function isKnownKind(kind: unknown): boolean {
  return typeof kind === "string" && kinds.has(kind);
}

/** A payload that is whole, or of a kind that a newer release knows. */
export const payload: Check = (value) => {
  const flaw = tagged(value);
  if (flaw !== undefined) return flaw;
  return isObject(value) ? kinds.get(String(value.kind))?.(value) : undefined;
};

const tagged = shape<{ kind: string }>({ kind: text });

/** The tag was looked at when the member was chosen. */
type UnionFields<Union, Tag extends string> = Omit<Union, Tag>;

function member<Union, Tag extends string = "kind">(fields: Fields<UnionFields<Union, Tag>>): Check {
  return shape<UnionFields<Union, Tag>>(fields);
}

const origin = shape<ModelOrigin>({ provider: text, model: text });
const inlineMedia = shape<InlineMedia>({ mimeType: text, data: text });
const storedMedia = shape<StoredMedia>({ mimeType: text, sha256: text, sizeBytes: count });
const media: Check = (value) =>
  isObject(value) && value.data === undefined && value.sha256 !== undefined
    ? storedMedia(value)
    : inlineMedia(value);
const hash = orNull(text);
export const delta = shape<FileDelta>({ path: text, from: hash, to: hash });
const shows = optional(
  listOf(
    shape<ShownText>({
      path: text,
      sha256: text,
      from: count,
      to: count,
      start: count,
      end: count,
      chars: optional(shape<ShownChars>({ from: count, to: count, of: count })),
      encoding: optional(text),
    }),
  ),
);
const refers = optional(
  listOf(
    shape<ReferredLines>({ path: text, sha256: text, from: count, to: count, encoding: optional(text) }),
  ),
);
const repeats = optional(
  listOf(
    shape<RepeatedLines>({
      start: count,
      end: count,
      path: text,
      sha256: text,
      encoding: optional(text),
      from: count,
      to: count,
      as: shape<RepeatedLines["as"]>({ sha256: text, from: count, versions: optional(listOf(count)) }),
    }),
  ),
);
const effect = shape<FileEffect>({
  path: text,
  before: optional(hash),
  after: hash,
  by: oneOf("tool", "seen"),
  changes: optional(listOf(shape<LineEdit>({ at: count, removed: count, added: count }))),
  authored: optional(listOf(shape<LineSpan>({ from: count, to: count }))),
  derived: optional(flag),
  from: optional(text),
  lines: optional(count),
  version: optional(count),
  own: optional(shape<OwnWrite>({ base: text, request: text, byLines: optional(flag) })),
});
const fileApi = shape<FileApiState>({
  uri: text,
  mimeType: text,
  state: oneOf("PENDING", "PROCESSING", "ACTIVE", "FAILED"),
  expiresAt: number,
});

type FormOf<Form extends OverlayForm["form"]> = Extract<OverlayForm, { form: Form }>;
const overlayForm = unionBy("form", {
  hidden: member<FormOf<"hidden">, "form">({}),
  original: member<FormOf<"original">, "form">({}),
  replaced: member<FormOf<"replaced">, "form">({
    by: oneOf("cleared", "stub", "delta"),
    text,
    shows,
    refers,
  }),
  uri: member<FormOf<"uri">, "form">({ fileApi }),
  inline: member<FormOf<"inline">, "form">({}),
} satisfies Record<OverlayForm["form"], Check>);

const formChange = shape<FormChange>({ targetId: text, form: overlayForm });

const transformation = unionBy("kind", {
  clear: object,
  clone: object,
  compress: shape<{ summary: string }>({ summary: text }),
} satisfies Record<TaskBoundary["transformation"]["kind"], Check>);

const lostRecords = shape<LostRecords>({ from: count, to: count });
const tracking = shape<{ path: string }>({ path: text });
const deltas = listOf(delta);
const ledgerEntry = shape<FileLedgerEntry>({
  path: text,
  from: hash,
  to: hash,
  version: optional(count),
  added: count,
  removed: count,
  check: optional(shape<LedgerCheck>({ nodeId: text, command: text, failed: flag })),
});

const stamp = orNull(
  shape<FileStamp>({ sizeBytes: count, modifiedMs: number, inode: number, mode: optional(count) }),
);
const touch = shape<FileTouch>({ path: text, before: stamp, after: stamp });
const touched = optional(shape<TouchedFiles>({ files: listOf(touch), isWhole: flag }));

const known: Readonly<Record<Exclude<PayloadKind, "unknown">, Check>> = {
  user_message: member<UserMessage>({ text, media: optional(listOf(media)) }),
  model_message: member<ModelMessage>({
    text,
    thought: optional(text),
    redactedThought: optional(text),
    media: optional(listOf(media)),
    signature: optional(text),
    from: optional(origin),
    step: optional(text),
  }),
  tool_call: member<ToolCall>({
    callId: text,
    name: text,
    args: object,
    request: optional(text),
    signature: optional(text),
    from: optional(origin),
    step: optional(text),
  }),
  tool_result: member<ToolResultPayload>({
    callId: text,
    name: text,
    output: text,
    media: optional(listOf(media)),
    isError: optional(flag),
    shows,
    refers,
    repeats,
    files: optional(listOf(effect)),
    touched,
  }),
  file_content: member<FileContent>({
    path: text,
    version: number,
    sha256: text,
    lines: shape<FileContent["lines"]>({ from: number, to: number, total: number }),
    text,
    repeats,
    form: oneOf("whole", "window", "tracked"),
    verified: optional(yes),
    fileApi: optional(fileApi),
  }),
  context_management: unionBy("action", {
    track_file: tracking,
    untrack_file: tracking,
    overlay: formChange,
    reform: shape<{ changes: readonly FormChange[] }>({ changes: listOf(formChange) }),
  }),
  task_boundary: member<TaskBoundary>({
    name: text,
    goal: optional(text),
    transformation,
    restartOf: optional(text),
    hint: optional(text),
    lost: optional(lostRecords),
  }),
  task_summary: member<TaskSummary>({
    taskId: text,
    name: text,
    summary: text,
    files: deltas,
    tipId: text,
  }),
  summary: unionBy("of", {
    branch: shape<{ text: string; covers: object }>({
      text,
      covers: shape<{ fromId: string; toId: string }>({ fromId: text, toId: text }),
    }),
    compaction: shape<{
      text: string;
      keepFromId: string | null;
      files?: unknown;
      ledger?: unknown;
      instruction?: unknown;
    }>({
      text,
      keepFromId: orNull(text),
      files: optional(deltas),
      ledger: optional(listOf(ledgerEntry)),
      instruction: optional(shape<{ nodeId: string; text: string }>({ nodeId: text, text })),
    }),
  } satisfies Record<Summary["of"], Check>),
  restore: member<Restore>({
    restoreId: text,
    fromId: text,
    toId: text,
    files: deltas,
    undoes: optional(text),
    stateOf: optional(text),
  }),
  note: member<Note>({
    text,
    audience: oneOf("model", "person"),
    files: optional(listOf(effect)),
    touched,
    settles: optional(text),
  }),
  lost: member<LostNode>({ records: lostRecords }),
};

const kinds = new Map(Object.entries(known));

/** The kinds of nodes, as one asks for them. A cast: these are the keys of that very literal. */
export const payloadKinds: readonly PayloadKind[] = [
  ...(Object.keys(known) as (keyof typeof known)[]),
  "unknown",
];
