import * as z from "zod";
import type { Workspace } from "../../files/index.js";
import {
  type FileRequest,
  isRefusal,
  type Refusal,
  type RefusalCode,
  refuse,
  type Vocabulary,
} from "../../files/values/index.js";
import { clip, escapeForDisplay, writtenJson } from "../../text/index.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";
import { type ArgumentDoor, type JsonSchema, understand } from "./shapes.js";

/**
 * What every tool has, whoever carries its calls out: what a model is told about it, what it takes, what a call
 * of it means. Doors are generated from it.
 */
export interface ToolDefinition<Shape extends z.ZodRawShape, Intent extends object> {
  readonly name: string;
  /** For people, in a client's list of tools. */
  readonly title: string;
  /** The just-in-time prompt of the model (seed 1, section 6). */
  readonly description: string;
  /** All that it takes: what else is given is refused, or named as ignored where the tool only reads. */
  readonly parameters: z.ZodObject<Shape>;
  /**
   * What a call means: a request, from arguments that `parameters` has parsed. Pure, so that a host can ask
   * what a call will touch, show it and have it approved before it is carried out.
   */
  intent(args: z.output<z.ZodObject<Shape>>): Intent | ArgumentRefusal;
}

/** A tool that works on the files of a workspace. */
export interface FileTool<Shape extends z.ZodRawShape = z.ZodRawShape, Name extends string = string>
  extends ToolDefinition<Shape, FileIntent> {
  readonly kind: "file";
  readonly name: Name;
  readonly annotations: ToolAnnotations;
  /** The name under which the host shows it to its model, for the texts that name it; its own unless given. */
  readonly shownAs?: string;
  /** How it is listed where a person is shown a call's arguments as they are sent: one change, and no list around it. */
  readonly flat?: { readonly description: string; readonly parameters: z.ZodObject };
  /** What it is called in the refusals of the tools beside it, by what it is for; none is named otherwise. */
  readonly words?: Vocabulary;
  /** Answers for several files: with `changes` in place of `latest_file_state`. */
  readonly several?: true;
  /** The answer in the words that a vendor documents for its tool; undefined where it has none for this one. */
  spoken?(args: z.output<z.ZodObject<Shape>>, result: ToolResult): Spoken | undefined;
  /** The file in the workspace that a path of a call means; the path itself unless given. */
  fileAt?(path: string): string;
}

/** A call of a tool as a request of the workspace, and how its answer is to be shown. */
export interface FileIntent {
  readonly kind: "file_request";
  readonly request: FileRequest;
  /** Asked in place of the request where that is refused with this code. */
  readonly otherwise?: { readonly on: RefusalCode; readonly request: FileRequest };
  /** A success never shows content, whatever the host's choice: the tool is for not needing it. */
  readonly quiet?: true;
  /** The change set is of one file: the answer is that file's. */
  readonly oneFile?: true;
  /** What a change would come to is answered, and nothing is written. */
  readonly isDryRun?: true;
  /** The answer to a success begins with the path and this number of bytes (the text editor's `create`). */
  readonly sentBytes?: number;
}

/** A wrong argument, and the file that the call was about, where it named one. */
export interface ArgumentRefusal extends Refusal {
  readonly path?: string;
  /** The call would have changed nothing, although its tool can. */
  readonly looksOnly?: true;
}

/**
 * The intent to ask one request of the workspace.
 *
 * @param shown how the answer differs from what the tool's host chose; nothing unless given.
 */
export function fileIntent(
  request: FileRequest,
  shown: Omit<FileIntent, "kind" | "request"> = {},
): FileIntent {
  return { kind: "file_request", request, ...shown };
}

/** A wrong argument of one call, as one sentence. */
export function refuseArguments(message: string, path?: string): ArgumentRefusal {
  const refusal = refuse("invalid_arguments", message);
  return path === undefined ? refusal : { ...refusal, path };
}

/** True statements about a tool, in the terms of the Model Context Protocol. */
export interface ToolAnnotations {
  readonly readOnly: boolean;
  /** Whether it may take away or replace what is there. */
  readonly destructive: boolean;
  /** Whether the same call again changes nothing more. */
  readonly idempotent: boolean;
  readonly openWorld: false;
}

/** What the tools need of a `Workspace`. */
export type ToolWorkspace = Pick<Workspace, "run" | "begin" | "preview">;

/** A tool of files, typed by its own name and parameters. One that writes takes `dry_run` beside them. */
export function defineTool<Shape extends z.ZodRawShape, const Name extends string>(
  tool: Omit<FileTool<Shape, Name>, "kind">,
): FileTool<Shape, Name> {
  if (tool.annotations.readOnly) return { ...tool, kind: "file" };
  // The casts: no tool knows of the argument, whose calls are its own otherwise.
  const parameters = tool.parameters.extend({ dry_run: dryRun }) as unknown as z.ZodObject<Shape>;
  const intent = ({ dry_run, ...args }: z.output<z.ZodObject<Shape>> & { readonly dry_run?: unknown }) => {
    const meant = tool.intent(args as unknown as z.output<z.ZodObject<Shape>>);
    return dry_run === true && !isRefusal(meant) ? { ...meant, isDryRun: true as const } : meant;
  };
  return { ...tool, kind: "file", parameters, intent };
}

/** The JSON Schema of a tool's parameters, or of an answer, as it is published: without what is `unlisted`. */
export function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const whole = wholeSchema(schema);
  dropUnlisted(whole);
  return whole;
}

/** The same with all that is taken. */
export function wholeSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...whole } = z.toJSONSchema(schema, { io: "input", override: dropIdleBounds });
  return whole;
}

/**
 * For arguments that few calls need, and that an answer names where one does: they are taken, and no prompt pays for
 * them.
 */
export const unlisted = { unlisted: true };

const dryRun = z.boolean().exactOptional().meta(unlisted);

export const readOnlyAnnotations: ToolAnnotations = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
};

function dropUnlisted(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties")
      for (const [name, property] of Object.entries(Object(value)))
        if (Object(property).unlisted === true) delete Object(value)[name];
    dropUnlisted(value);
  }
}

/** What a model would send by itself says nothing and would be paid for in every prompt; calls are held against it. */
function dropIdleBounds({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minLength === 1) delete schema.minLength;
  if (schema.minimum === 1) delete schema.minimum;
  if (schema.minItems === 1) delete schema.minItems;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** A call's arguments as the tool's schema gives them, or why the call cannot be understood. */
type ParsedArguments =
  | {
      readonly kind: "parsed";
      readonly values: Readonly<Record<string, unknown>>;
      /** As `NamedArguments.ignored`. */
      readonly ignored: string;
    }
  | Refusal<"invalid_arguments" | "missing_base">;

/** The part of a tool that its arguments are held against. */
interface Parameters {
  readonly name: string;
  readonly shownAs?: string;
  readonly parameters: z.ZodObject;
  /** A tool that says nothing of itself may change something. */
  readonly annotations?: { readonly readOnly: boolean };
}

/**
 * Holds a call's arguments against the tool's parameters. What models do without harm is taken: the shapes of
 * `understand`, `null` or "" for an optional argument that is not meant.
 *
 * @returns the arguments, or `invalid_arguments` with one sentence that names the first wrong one, and others about
 *   those that the tool does not have; `missing_base` where the hash of the state to change is missing.
 */
export function parseArguments(tool: Parameters, args: unknown): ParsedArguments {
  const called = tool.shownAs ?? tool.name;
  const given = objectOf(called, args);
  if (isRefusal(given)) return given;
  const understood = understand(doorOf(tool), given);
  if (isRefusal(understood)) return understood;
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(tool.parameters.shape)) {
    const value = tolerate(schema, understood.values[name]);
    if (value !== undefined) values[name] = value;
  }
  const { ignored } = understood;
  const result = tool.parameters.safeParse(values);
  if (result.success) return { kind: "parsed", values: result.data, ignored };
  const [issue] = result.error.issues;
  const lacksBase = issue?.path[0] === baseArgument && !(baseArgument in values);
  const message = withIgnored(explain(tool, issue, values), ignored);
  return refuse(lacksBase ? "missing_base" : "invalid_arguments", message);
}

/** What is said of a call, and of the arguments of it that were ignored. */
export function withIgnored(said: string, ignored: string): string {
  return ignored === "" ? said : `${said} ${ignored}`;
}

/** What a tool that only reads ignores of a call, in a sentence; "" where it is nothing, or the call means nothing. */
export function ignoredIn(tool: Parameters, args: unknown): string {
  if (tool.annotations?.readOnly !== true) return "";
  const parsed = parseArguments(tool, args);
  return parsed.kind === "parsed" && parsed.ignored !== "" ? `Ignored: ${parsed.ignored}` : "";
}

function doorOf(tool: Parameters): ArgumentDoor {
  const readOnly = tool.annotations?.readOnly === true;
  return { name: tool.shownAs ?? tool.name, schema: schemaOf(tool.parameters), readOnly };
}

/** A call's arguments, none where nothing came; `invalid_arguments` for what is no object. */
export function objectOf(
  toolName: string,
  args: unknown,
): Record<string, unknown> | Refusal<"invalid_arguments"> {
  if (args === undefined || (typeof args === "object" && args !== null && !Array.isArray(args)))
    return { ...args };
  const message = `${toolName} takes its arguments as one object, not as ${nameType(args)}.`;
  return refuse("invalid_arguments", message);
}

/** The file that a call is about, whatever its tool calls the argument; undefined where it names none, or two. */
export function fileOfCall(tool: Parameters, args: unknown): string | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  // What it does not have hides no file.
  const understood = understand({ ...doorOf(tool), readOnly: true }, { ...args });
  if (isRefusal(understood)) return undefined;
  const { file_path, path, old_path } = understood.values;
  const named = [file_path, path, old_path];
  return named.find((value): value is string => typeof value === "string" && value !== "");
}

/** The file whose state a refusal of the arguments may show: the refusal's own, else the call's. */
export function fileOfRefusal(
  tool: Parameters & { fileAt?(path: string): string },
  args: unknown,
  { path }: ArgumentRefusal,
): string | undefined {
  const named = fileOfCall(tool, args);
  return path ?? (named === undefined ? undefined : (tool.fileAt?.(named) ?? named));
}

/** A tool's schema takes longer to write out than its arguments to read: once is enough. */
const schemas = new WeakMap<z.ZodObject, JsonSchema>();

/** The JSON Schema of a tool's parameters, written out once. */
export function schemaOf(parameters: z.ZodObject): JsonSchema {
  const known = schemas.get(parameters);
  if (known !== undefined) return known;
  const schema = wholeSchema(parameters);
  schemas.set(parameters, schema);
  return schema;
}

/** A tool, as far as its calls are understood. */
interface Understood<Intent extends object> extends Parameters {
  intent(args: Readonly<Record<string, unknown>>): Intent;
}

/** What a call means: its tool's own intent, or why its arguments are none. Pure, for tools of every kind. */
export function intentOf<Intent extends object>(
  tool: Understood<Intent>,
  args: unknown,
): Intent | Extract<ParsedArguments, { readonly kind: "refusal" }> {
  const parsed = parseArguments(tool, args);
  if (parsed.kind === "refusal") return parsed;
  const intent = tool.intent(parsed.values);
  const isWrong = isRefusal(intent) && intent.code === "invalid_arguments";
  return isWrong ? { ...intent, message: withIgnored(intent.message, parsed.ignored) } : intent;
}

const baseArgument = "base_content_sha256";

function tolerate(schema: unknown, value: unknown): unknown {
  if (!(schema instanceof z.ZodExactOptional)) return value === null ? undefined : dropNulls(value);
  if (value === null || value === "") return undefined;
  return dropNulls(value);
}

/** Inside lists and objects, too, `null` stands for "not meant". */
function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== "object" || value === null) return value;
  const meant = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(meant.map(([name, member]) => [name, dropNulls(member)]));
}

/** One sentence: which argument, what it should be, what came. */
function explain(
  tool: Parameters,
  issue: z.core.$ZodIssue | undefined,
  values: Record<string, unknown>,
): string {
  const called = tool.shownAs ?? tool.name;
  const name = String(issue?.path[0] ?? "");
  const schema = tool.parameters.shape[name];
  const description = schema === undefined ? undefined : z.globalRegistry.get(schema)?.description;
  const hint = description === undefined ? "" : ` (${description})`;
  if (!(name in values)) return `${called} needs the argument ${name}${hint}; it is missing.`;
  const wanted = wantedOf(issue);
  const path = issue?.path ?? [];
  const value = valueAt(values, path);
  const where = pathOf(path);
  if (value === undefined) return `${called} needs ${where}; it is missing.`;
  return `The argument ${where} of ${called} must be ${wanted}, not ${describe(value)}${hint}.${adviceOn(wanted, value)}`;
}

/** As `changes[1].content`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at > 0 ? "." : ""}${String(key)}`))
    .join("");
}

function wantedOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "invalid_type") return articled[issue.expected] ?? issue.expected;
  if (issue?.code === "invalid_value") return `one of ${issue.values.map(String).join(", ")}`;
  if (issue?.code === "too_big")
    return issue.origin === "array" ? `a list of at most ${issue.maximum}` : `at most ${issue.maximum}`;
  if (issue?.code !== "too_small") return "as described";
  if (issue.origin === "string") return "a text that is not empty";
  return issue.origin === "array" ? `a list of at least ${issue.minimum}` : `at least ${issue.minimum}`;
}

/** What to do about a shape that models send and that nobody can read with certainty. */
function adviceOn(wanted: string, value: unknown): string {
  if (wanted === articled.string && typeof value === "object") {
    const text = writtenJson(value) ?? "";
    return ` Write it as one text${text.length > 200 ? "" : `, such as ${JSON.stringify(text)}`}.`;
  }
  const isBrokenJson = wanted === articled.array && typeof value === "string" && /^\s*[[{]/.test(value);
  return isBrokenJson ? " That text is no complete JSON." : "";
}

const articled: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  int: "a whole number",
  number: "a whole number",
  object: "an object",
  boolean: "true or false",
};

function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  let value = values;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return value;
    value = Reflect.get(value, key);
  }
  return value;
}

function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value === "" ? "an empty text" : `the text "${clip(escapeForDisplay(value), 40)}"`;
    case "number":
    case "boolean":
      return String(value);
    default:
      return nameType(value);
  }
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
