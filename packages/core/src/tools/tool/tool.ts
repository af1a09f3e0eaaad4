import * as z from "zod";
import type { Workspace } from "../../files/index.js";
import type { RefusalCode } from "../../files/values/index.js";
import {
  type FileRequest,
  isRefusal,
  type Refusal,
  refuse,
  type Vocabulary,
} from "../../files/values/index.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";

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
