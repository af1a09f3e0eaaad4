import * as z from "zod";
import { removedKeys } from "./removed-keys.js";
import { settingsSchema } from "./schema.js";

/** The keys that can stand at a place of the schema. */
export function namesAt(path: readonly (string | number)[]): readonly string[] {
  let schema: unknown = settingsSchema;
  for (const part of path) {
    const inner: unknown = bare(schema);
    if (inner instanceof z.ZodObject)
      schema = Object.entries(inner.shape).find(([name]) => name === part)?.[1];
    else if (inner instanceof z.ZodRecord) schema = inner.valueType;
    else if (inner instanceof z.ZodArray) schema = inner.element;
    else return [];
  }
  const found = bare(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

/**
 * The members on the way to a key that is written with dots: `model.providers.openai.baseUrl`.
 *
 * @returns undefined where there is and was no such key: what is no setting any more can still be taken out of a file.
 */
export function settingsPath(key: string): readonly string[] | undefined {
  const words = key.split(".");
  return Object.hasOwn(removedKeys, key) ? words : pathIn(settingsSchema, words);
}

function pathIn(schema: unknown, words: readonly string[]): readonly string[] | undefined {
  if (words.length === 0) return [];
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    const [name = "", ...rest] = words;
    const found = Object.entries(inner.shape).find(([known]) => known === name);
    const below = found && pathIn(found[1], rest);
    return below && [name, ...below];
  }
  if (inner instanceof z.ZodUnion)
    return inner.options.map((one) => pathIn(one, words)).find((path) => path !== undefined);
  if (!(inner instanceof z.ZodRecord)) return undefined;
  // A name of a table may hold dots itself: the shortest one that leaves a key of the schema is meant.
  for (let count = 1; count <= words.length; count++) {
    const name = words.slice(0, count).join(".");
    const below = pathIn(inner.valueType, words.slice(count));
    if (below !== undefined && z.safeParse(inner.keyType, name).success) return [name, ...below];
  }
  return undefined;
}

function bare(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}
