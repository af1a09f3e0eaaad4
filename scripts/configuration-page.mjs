/**
 * Writes the tables of docs/configuration.md from the schema and the list of variables:
 * `node scripts/configuration-page.mjs` after a build. With `--check` it writes nothing and fails where the page is old.
 */
import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { settingsVariables } from "../packages/agent/dist/config/resolve.js";
import { defaultSettings, settingsSchema } from "../packages/agent/dist/config/schema.js";
import { trustClassOf } from "../packages/agent/dist/config/trusted-folders.js";

const page = new URL("../docs/configuration.md", import.meta.url);
const cell = (text) => text.replaceAll("|", "\\|");
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

const parts = {
  keys: table(
    ["key", "type", "default", "of an untrusted project", "what for"],
    settingsReference().map(({ key, type, fallback, ofProject, says }) => [
      `\`${key}\``,
      type,
      fallback === undefined ? "" : `\`${fallback}\``,
      ofProject,
      says,
    ]),
  ),
  variables: table(
    ["variable", "key", "read as"],
    settingsVariables.map(({ name, key, reads }) => [`\`${name}\``, `\`${key.join(".")}\``, words(reads)]),
  ),
};

function words(reads) {
  return { text: "text", number: "a number", boolean: "true, false, 1 or 0" }[reads];
}

/** All keys, from the schema itself. */
function settingsReference() {
  return Object.entries(settingsSchema.shape).flatMap(([section, schema]) => {
    const inner = schema.unwrap();
    if (!(inner instanceof z.ZodObject)) return [rowOf([section], schema)];
    return Object.entries(inner.shape).map(([name, leaf]) => rowOf([section, name], leaf));
  });
}

function rowOf(path, schema) {
  const [section, name] = path;
  const fallback = Object.entries(Object(defaultSettings[section])).find(([key]) => key === name)?.[1];
  const says = schema.description ?? schema.unwrap().description;
  if (!says) throw new Error(`${path.join(".")} says nothing of itself.`);
  return {
    key: path.join("."),
    type: typeOf(schema),
    fallback: fallback === undefined ? undefined : JSON.stringify(fallback),
    ofProject: { never: "counts", always: "ignored", own: "never counts", when: "only narrower" }[
      trustClassOf(path).widens
    ],
    says,
  };
}

function typeOf(schema) {
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

function formsOf(schema) {
  const forms = schema instanceof z.ZodUnion ? schema.options : [schema];
  return forms.map((one) => (one instanceof z.ZodObject ? `{${fieldsOf(one)}}` : typeOf(one))).join(" or ");
}

function fieldsOf(schema) {
  const names = Object.entries(schema.shape).map(([name, leaf]) =>
    leaf instanceof z.ZodOptional ? `${name}?` : name,
  );
  return names.join(", ");
}

const before = readFileSync(page, "utf8");
const after = Object.entries(parts).reduce(
  (text, [name, made]) =>
    text.replace(
      new RegExp(`(<!-- ${name}: made by scripts/configuration-page.mjs -->\\n)[\\s\\S]*?(<!-- end -->)`),
      (_whole, start, end) => `${start}\n${made}\n\n${end}`,
    ),
  before,
);
if (process.argv.includes("--check")) {
  if (after !== before) {
    console.error("docs/configuration.md is old: node scripts/configuration-page.mjs");
    process.exitCode = 1;
  }
} else writeFileSync(page, after);
