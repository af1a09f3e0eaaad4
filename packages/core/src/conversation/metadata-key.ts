import { isJson, type JsonValue } from "./json.js";
import type { TurnMetadata } from "./node.js";

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
