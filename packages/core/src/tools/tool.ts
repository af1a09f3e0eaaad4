import * as z from "zod";
import type {
  AddTextRequest,
  ApplyChangesOutcome,
  ApplyChangesRequest,
  ApplyEditRequest,
  EditFileRequest,
  FindOutcome,
  FindRequest,
  InsertLinesRequest,
  ListOutcome,
  ListRequest,
  PatchFileRequest,
  ReadManyOutcome,
  ReadManyRequest,
  ReadOutcome,
  ReadRequest,
  ReplaceRequest,
  SearchOutcome,
  SearchRequest,
  UpdateSectionRequest,
  WriteFileRequest,
  WriteOutcome,
} from "../files/index.js";
import type { ToolResult } from "./wire/result.js";

/** One tool: what a model is told about it, what it takes, what it does. Doors are generated from it. */
export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: ToolName;
  /** For people, in a client's list of tools. */
  readonly title: string;
  /** The just-in-time prompt of the model (seed 1, section 6). */
  readonly description: string;
  /** Unknown arguments are dropped, since clients add their own. */
  readonly parameters: z.ZodObject<Shape>;
  readonly annotations: ToolAnnotations;
  /** Answers for several files: with `changes` in place of `latest_file_state`. */
  readonly several?: true;
  /**
   * Does the work on arguments that `parameters` has parsed. An expected refusal is a result; what is
   * thrown is caught once, by `runTool`.
   */
  run(workspace: ToolWorkspace, args: z.output<z.ZodObject<Shape>>): Promise<ToolResult>;
}

export const toolNames = [
  "read_file",
  "read_many_files",
  "list_files",
  "search_files",
  "safe_patch",
  "edit_file",
  "write_file",
  "append_to_file",
  "update_section",
  "undo_edit",
  "find_files",
  "apply_changes",
  "prepend_to_file",
  "insert_lines",
  "str_replace_based_edit_tool",
  "memory",
  "replace",
  "fs_write",
  "apply_edit",
] as const;

export type ToolName = (typeof toolNames)[number];

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
export interface ToolWorkspace {
  read(request: ReadRequest): Promise<ReadOutcome>;
  readMany(request: ReadManyRequest): Promise<ReadManyOutcome>;
  list(request: ListRequest): Promise<ListOutcome>;
  find(request: FindRequest): Promise<FindOutcome>;
  search(request: SearchRequest): Promise<SearchOutcome>;
  patch(request: PatchFileRequest): Promise<WriteOutcome>;
  write(request: WriteFileRequest): Promise<WriteOutcome>;
  edit(request: EditFileRequest): Promise<WriteOutcome>;
  append(request: AddTextRequest): Promise<WriteOutcome>;
  prepend(request: AddTextRequest): Promise<WriteOutcome>;
  insertLines(request: InsertLinesRequest): Promise<WriteOutcome>;
  updateSection(request: UpdateSectionRequest): Promise<WriteOutcome>;
  replace(request: ReplaceRequest): Promise<WriteOutcome>;
  applyEdit(request: ApplyEditRequest): Promise<WriteOutcome>;
  applyChanges(request: ApplyChangesRequest): Promise<ApplyChangesOutcome>;
  undo(request: { readonly path: string; readonly tool?: string }): Promise<WriteOutcome>;
}

/** Types a definition by its own parameters; adds nothing. */
export function defineTool<Shape extends z.ZodRawShape>(tool: Tool<Shape>): Tool<Shape> {
  return tool;
}

/** The JSON Schema of a tool's parameters, or of an answer, as it is published. */
export function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...published } = z.toJSONSchema(schema, {
    io: "input",
    override: dropSafeIntegerBounds,
  });
  return published;
}

export const readOnlyAnnotations: ToolAnnotations = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
};

/** The bounds of safe integers say nothing and would be paid for in every prompt. */
function dropSafeIntegerBounds({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
