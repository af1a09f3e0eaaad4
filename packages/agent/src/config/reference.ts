import * as z from "zod";
import { defaultSettings, settingsSchema } from "./schema.js";
import { trustClassOf } from "./trust-classes.js";

/** A key of the settings, as the reference shows it. */
export interface ReferenceRow {
  /** In words separated by dots. */
  readonly key: string;
  readonly type: string;
  /** As JSON; absent where nothing holds unless it is set. */
  readonly fallback?: string;
  /** What an untrusted project may say: all, nothing, nothing once trusted either, or only what narrows. */
  readonly untrusted: "counts" | "ignored" | "never counts" | "only narrower";
  /** What it is for. */
  readonly says: string;
}

/** All keys, from the schema itself. */
export function settingsReference(): readonly ReferenceRow[] {
  return Object.entries(settingsSchema.shape).flatMap(([section, schema]) => {
    const inner: unknown = schema.unwrap();
    return inner instanceof z.ZodObject
      ? Object.entries(inner.shape).map(([name, leaf]) => rowOf([section, name], leaf))
      : [rowOf([section], schema)];
  });
}

function rowOf(path: readonly string[], schema: unknown): ReferenceRow {
  const [section = "", name = ""] = path;
  const { [section]: inner }: Readonly<Record<string, unknown>> = defaultSettings;
  const fallback: unknown = Object.entries(Object(inner) as object).find(([key]) => key === name)?.[1];
  const says = schema instanceof z.ZodType ? (schema.description ?? "") : "";
  return {
    key: path.join("."),
    type: typeOf(schema),
    ...(fallback === undefined ? {} : { fallback: JSON.stringify(fallback) }),
    untrusted: untrusted[trustClassOf(path).widens],
    says,
  };
}

const untrusted = { never: "counts", always: "ignored", own: "never counts", when: "only narrower" } as const;

function typeOf(schema: unknown): string {
  if (schema instanceof z.ZodOptional) return typeOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.map(typeOf).join(" or ");
  if (schema instanceof z.ZodEnum) return schema.options.map((one) => JSON.stringify(one)).join(", ");
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodNumber) return schema.isInt ? "whole number" : "number";
  if (schema instanceof z.ZodString || schema instanceof z.ZodURL) return "text";
  if (schema instanceof z.ZodArray)
    return schema.element instanceof z.ZodObject ? `list of {${fieldsOf(schema.element)}}` : "list of texts";
  if (schema instanceof z.ZodRecord) return `table by name of ${formsOf(schema.valueType)}`;
  return "value";
}

function formsOf(schema: unknown): string {
  const forms: readonly unknown[] = schema instanceof z.ZodUnion ? schema.options : [schema];
  return forms.map((one) => (one instanceof z.ZodObject ? `{${fieldsOf(one)}}` : typeOf(one))).join(" or ");
}

function fieldsOf(schema: z.ZodObject): string {
  return Object.entries(schema.shape)
    .map(([name, leaf]) => (leaf instanceof z.ZodOptional ? `${name}?` : name))
    .join(", ");
}
