import { currentBase, shownBase } from "../values/base.js";
import type { FileOutcome } from "../values/outcomes.js";
import { type Refusal, refuse } from "../values/refusal.js";
import type {
  AddTextRequest,
  ContentChange,
  ExactEdit,
  FileChange,
  FileRequest,
  NumberedEdit,
} from "../values/requests.js";
import { withoutState } from "./change.js";
import { refusedSet } from "./change-set-answers.js";

/**
 * What is wrong with a request that no compiler has checked: a caller without types, or a value that came from
 * somewhere. Only shapes are looked at; what a value means is judged where it is used.
 *
 * @returns `invalid_arguments` with the name of the first field that is wrong; undefined for a request.
 */
export function refuseMalformed(request: unknown): Refusal<"invalid_arguments"> | undefined {
  const kind = isRecord(request) ? request.kind : undefined;
  const shape = isKind(kind) ? shapes[kind] : undefined;
  const flaw =
    shape === undefined
      ? `its kind is none of ${Object.keys(shapes).join(", ")}`
      : (checkFields(shape, request, "") ?? flawOfSet(request));
  if (flaw === undefined) return undefined;
  return refuse("invalid_arguments", `The request is malformed: ${flaw}. Nothing was touched.`);
}

/** The path of a request that only has one, whatever it is; "" where there is none, which no path is. */
export function pathOf(request: unknown): string {
  const path = isRecord(request) ? request.path : undefined;
  return typeof path === "string" ? path : "";
}

/** The texts of a list, whatever it is; undefined where it is none. */
export function textsOf(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
}

/** The refusal as the outcome of a request of its kind. */
export function malformedAnswer(request: unknown, refusal: Refusal<"invalid_arguments">): FileOutcome {
  const kind = isRecord(request) ? request.kind : undefined;
  switch (kind) {
    case "read":
      return { ...refusal, path: pathOf(request) };
    case "read_many":
    case "list":
    case "find":
    case "search":
      return refusal;
    case "apply_changes":
      return refusedSet(refusal);
    default:
      return withoutState(refusal);
  }
}

/** A change set is a list of changes or a diff. */
function flawOfSet(request: unknown): string | undefined {
  if (!isRecord(request) || request.kind !== "apply_changes") return undefined;
  return request.changes === undefined && request.diff === undefined
    ? "changes must be a list, or diff a text"
    : undefined;
}

/** A check of one value: what is wrong with it, in words that follow its name. */
type FieldCheck = (value: unknown, name: string) => string | undefined;
/** Every field of a type, so that a new one is not forgotten here. */
type ChecksOf<T> = { readonly [Field in keyof Required<T>]: FieldCheck };
type FieldChecks = Readonly<Record<string, FieldCheck>>;
type Kind = FileRequest["kind"];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isKind(kind: unknown): kind is Kind {
  return typeof kind === "string" && Object.hasOwn(shapes, kind);
}

function checkFields(fields: FieldChecks, value: unknown, name: string): string | undefined {
  if (!isRecord(value) || Array.isArray(value)) return `${name} is no object`;
  for (const [field, check] of Object.entries(fields)) {
    const flaw = check(value[field], name === "" ? field : `${name}.${field}`);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

const searchOutput: FieldCheck = (value, name) =>
  ["lines", "files", "counts"].includes(String(value)) ? undefined : `${name} must be lines, files or counts`;

const must =
  (isRight: (value: unknown) => boolean, what: string): FieldCheck =>
  (value, name) =>
    isRight(value) ? undefined : `${name} must be ${what}`;
const optional =
  (check: FieldCheck): FieldCheck =>
  (value, name) =>
    value === undefined ? undefined : check(value, name);
const listOf =
  (check: FieldCheck): FieldCheck =>
  (value, name) => {
    if (!Array.isArray(value)) return `${name} must be a list`;
    for (const [at, one] of value.entries()) {
      const flaw = check(one, `${name}[${at}]`);
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  };
const objectOf =
  (fields: FieldChecks): FieldCheck =>
  (value, name) =>
    checkFields(fields, value, name);

const text = must((value) => typeof value === "string", "a text");
const number = must((value) => typeof value === "number", "a number");
const flag = must((value) => typeof value === "boolean", "true or false");
const content = must(
  (value) => typeof value === "string" || value instanceof Uint8Array,
  "a text or a Uint8Array",
);
const anyBase = must(
  (value) => typeof value === "string" || value === currentBase || value === shownBase,
  "a hash",
);
const linePlace = must((value) => value === "end" || typeof value === "number", "a number or end");
const hashOrNull = must((value) => value === null || typeof value === "string", "a hash or null");
const texts = listOf(text);
const isHere: FieldCheck = () => undefined;

const exactEdit: ChecksOf<ExactEdit> = {
  oldString: text,
  newString: text,
  replaceAll: optional(flag),
  expectedReplacements: optional(number),
};
const edits = listOf(objectOf(exactEdit));
const lineEdit: ChecksOf<NumberedEdit> = { from: number, to: number, content: text };

const options = {
  base: optional(anyBase),
  encoding: optional(text),
  hashless: optional(flag),
  atomic: optional(flag),
  within: optional(text),
  inPlace: optional(flag),
  tool: optional(text),
};
const change = { kind: isHere, path: text, ...options };
const added = { ...change, content: text };
const goesOn = { kind: isHere, after: optional(text), all: optional(flag) };
const look = { ...goesOn, path: optional(text), limit: optional(number) };

type ContentOf<K extends ContentChange["kind"]> = Extract<ContentChange, { readonly kind: K }>;
const contents: { readonly [K in ContentChange["kind"]]: ChecksOf<ContentOf<K>> } = {
  diff: { kind: isHere, diff: text },
  edits: { kind: isHere, edits },
  text: { kind: isHere, text: content },
  delete: { kind: isHere, diff: optional(text), blob: optional(text), mustExist: optional(flag) },
  cut: { kind: isHere, from: number, to: number, after: optional(linePlace) },
  paste: { kind: isHere, after: linePlace },
  same: { kind: isHere },
  state: { kind: isHere, from: hashOrNull, sha256: hashOrNull },
};

const fileChange: ChecksOf<FileChange> = {
  path: text,
  base: optional(anyBase),
  hashless: optional(flag),
  encoding: optional(text),
  within: optional(text),
  renameTo: optional(text),
  isCopy: optional(flag),
  wholeFolder: optional(flag),
  isLink: optional(flag),
  isExecutable: optional(flag),
  content: (value, name) => {
    const kind = isRecord(value) ? value.kind : undefined;
    if (typeof kind !== "string" || !Object.hasOwn(contents, kind))
      return `${name}.kind must be one of ${Object.keys(contents).join(", ")}`;
    // A cast: `hasOwn` has said that the kind is one of them.
    return checkFields(contents[kind as ContentChange["kind"]], value, name);
  },
};

const bases: FieldCheck = (value, name) => {
  if (!isRecord(value) || Array.isArray(value)) return `${name} must be an object of hashes`;
  for (const [path, base] of Object.entries(value)) {
    const flaw = anyBase(base, `${name}[${JSON.stringify(path.slice(0, 100))}]`);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
};

type RequestOf<K extends Kind> = K extends AddTextRequest["kind"]
  ? AddTextRequest
  : Extract<FileRequest, { readonly kind: K }>;
const shapes: { readonly [K in Exclude<Kind, "apply_changes">]: ChecksOf<RequestOf<K>> } & {
  readonly apply_changes: FieldChecks;
} = {
  read: {
    kind: isHere,
    path: text,
    offset: optional(number),
    limit: optional(number),
    charOffset: optional(number),
    encoding: optional(text),
    full: optional(flag),
    within: optional(text),
  },
  read_many: {
    ...goesOn,
    paths: optional(texts),
    globs: optional(texts),
    exclude: optional(texts),
    encoding: optional(text),
  },
  list: { ...look, depth: optional(number), orEmpty: optional(flag) },
  find: { ...look, glob: text, exclude: optional(texts), sized: optional(flag) },
  search: {
    ...look,
    pattern: text,
    literal: optional(flag),
    ignoreCase: optional(flag),
    globs: optional(texts),
    exclude: optional(texts),
    types: optional(texts),
    context: optional(number),
    output: optional(searchOutput),
  },
  patch: { ...change, diff: text },
  write: { ...change, content },
  edit: { ...change, edits },
  append: added,
  prepend: added,
  insert_lines: { ...added, afterLine: number },
  edit_lines: { ...change, edits: listOf(objectOf(lineEdit)) },
  update_section: { ...change, sectionHeader: text, newContent: text, create: optional(flag) },
  replace: { ...change, oldString: text, newString: text, expectedReplacements: optional(number) },
  apply_edit: { ...change, instructions: text, codeEdit: text },
  undo: { kind: isHere, path: text, base: optional(text), inPlace: optional(flag), tool: optional(text) },
  restore: { ...change, sha256: text },
  apply_changes: {
    kind: isHere,
    changes: optional(listOf(objectOf(fileChange))),
    diff: optional(text),
    isBytes: optional(flag),
    bases: optional(bases),
    otherBase: optional(anyBase),
    strip: optional(number),
    modes: optional(must((value) => value === "change" || value === "keep", "change or keep")),
    encoding: optional(text),
    tool: optional(text),
  },
};
