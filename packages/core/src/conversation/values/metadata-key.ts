import type { MetadataPatch } from "./event.js";
import { isJson, type JsonValue } from "./json.js";
import type { TurnMetadata } from "./node.js";
import { type ConversationRefusal, refuse } from "./refusal.js";

/** An extension's place in `TurnMetadata.custom`, with the type of what stands there. */
export interface MetadataKey<Value> {
  /** `extension/name`, so that two extensions never meet. */
  readonly name: string;
  /** What stands there, if it is there and of the declared type. */
  read(metadata: TurnMetadata): Value | undefined;
}

/**
 * Declares an extension's own data on nodes. It survives the journal, exports and imports, also where the
 * extension is not there.
 *
 * @param name `extension/name`.
 * @param check whether a value found there is of the type; data of an older release may not be.
 */
export function defineMetadataKey<Value extends JsonValue>(
  name: string,
  check: (value: JsonValue) => value is Value,
): MetadataKey<Value> {
  if (!/^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._-]*$/i.test(name))
    throw new Error(`a metadata key is named extension/name, not ${name}`);
  return {
    name,
    read: (metadata) => {
      const value = metadata.custom?.[name];
      return isJson(value) && check(value) ? value : undefined;
    },
  };
}

/** A key that a manager was told of, whatever its type. */
export type DeclaredKey = Pick<MetadataKey<JsonValue>, "name" | "read">;

/**
 * Whether extensions' data stand under declared keys and are of their types: what nobody declared, nobody can
 * read by its type. What a journal or an import brings along is kept as it is.
 *
 * @returns `invalid_metadata`. To take something away (`null`) needs no declaration.
 */
export function checkCustom(
  custom: TurnMetadata["custom"] = {},
  declared: readonly DeclaredKey[] = [],
): ConversationRefusal | undefined {
  for (const [name, value] of Object.entries(custom)) {
    if (value === null) continue;
    const key = declared.find((one) => one.name === name);
    if (key === undefined)
      return refuse(
        "invalid_metadata",
        `The key ${name} of custom is not declared; make it with defineMetadataKey and name it in metadataKeys.`,
      );
    if (key.read({ custom: { [name]: value } }) === undefined)
      return refuse(
        "invalid_metadata",
        `What is to stand under ${name} is not of the type that the key declares.`,
      );
  }
  return undefined;
}

/** The same of a change to a node that stands already; what it may not change is refused. */
export function checkPatch(
  metadata: MetadataPatch,
  declared?: readonly DeclaredKey[],
): ConversationRefusal | undefined {
  if ("isHiddenFromLlm" in metadata) return hiddenLater;
  if ("provenance" in metadata) return madeOnce;
  return checkCustom(metadata.custom, declared);
}

const hiddenLater = refuse(
  "invalid_metadata",
  "A node that stands already is hidden on a branch by an overlay, not on all branches by its metadata.",
);

const madeOnce = refuse(
  "invalid_metadata",
  "Where a node came from is said when it is made: what was rendered hangs on it.",
);
