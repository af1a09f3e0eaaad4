import * as z from "zod";
import { type Refusal, refuse } from "../files/index.js";
import { clip, escapeForDisplay } from "../text/index.js";

/** A call's arguments as the tool's schema gives them, or why the call cannot be understood. */
export type ParsedArguments =
  | { readonly kind: "parsed"; readonly values: Readonly<Record<string, unknown>> }
  | Refusal<"invalid_arguments" | "missing_base">;

/** The part of a tool that its arguments are held against. */
interface Parameters {
  readonly name: string;
  readonly parameters: z.ZodObject;
}

/**
 * Holds a call's arguments against the tool's parameters. What models do without harm is taken: `null` or
 * "" for an optional argument that is not meant, a list written as a JSON string, arguments nobody knows.
 *
 * @returns the arguments, or `invalid_arguments` with one sentence that names the first wrong one;
 *   `missing_base` where that is the hash of the state to change.
 */
export function parseArguments(tool: Parameters, args: unknown): ParsedArguments {
  if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args))) {
    return refuse(
      "invalid_arguments",
      `${tool.name} takes its arguments as one object, not as ${nameType(args)}.`,
    );
  }
  const given = new Map(Object.entries(args ?? {}));
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(tool.parameters.shape)) {
    const value = tolerate(schema, given.get(name));
    if (value !== undefined) values[name] = value;
  }
  const result = tool.parameters.safeParse(values);
  if (result.success) return { kind: "parsed", values: result.data };
  const [issue] = result.error.issues;
  const lacksBase = issue?.path[0] === baseArgument && !(baseArgument in values);
  return refuse(lacksBase ? "missing_base" : "invalid_arguments", explain(tool, issue, values));
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
  return parsed.kind === "refusal" ? parsed : tool.intent(parsed.values);
}

const baseArgument = "base_content_sha256";

function tolerate(schema: unknown, value: unknown): unknown {
  if (!(schema instanceof z.ZodExactOptional)) return value === null ? undefined : value;
  if (value === null || value === "") return undefined;
  const inner = schema.unwrap();
  if (inner instanceof z.ZodNumber && typeof value === "string" && /^\d{1,15}$/.test(value))
    return Number(value);
  const isNested = inner instanceof z.ZodArray || inner instanceof z.ZodRecord;
  return isNested ? dropNulls(typeof value === "string" ? parseNested(value) : value) : value;
}

/** A list or an object that was written as a JSON string. */
function parseNested(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : text;
  } catch {
    return text;
  }
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
  const name = String(issue?.path[0] ?? "");
  const schema = tool.parameters.shape[name];
  const description = schema === undefined ? undefined : z.globalRegistry.get(schema)?.description;
  const hint = description === undefined ? "" : ` (${description})`;
  if (!(name in values)) return `${tool.name} needs the argument ${name}${hint}; it is missing.`;
  const wanted = wantedOf(issue);
  const path = issue?.path ?? [];
  const value = valueAt(values, path);
  const where = path.length > 2 ? pathOf(path) : name;
  if (value === undefined) return `${tool.name} needs ${where}; it is missing.`;
  return `The argument ${where} of ${tool.name} must be ${wanted}, not ${describe(value)}${hint}.`;
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

const articled: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  int: "a whole number",
  number: "a whole number",
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
