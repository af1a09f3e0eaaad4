import type { FileApiState } from "@holdfast/core/conversation";

/** What is known of an upload; JSON, so that it can be kept. */
export interface UploadRecord {
  readonly sha256: string;
  /** The provider's name of it, to ask how it is; absent until it was uploaded. */
  readonly name?: string;
  readonly fileApi: FileApiState;
  /** How often a request was refused that named it. */
  readonly refusals: number;
}

/** What was read as JSON, as a record; undefined where it is none. */
export function uploadRecordOf(value: unknown): UploadRecord | undefined {
  const { sha256, name, fileApi, refusals } = fields(value);
  const { uri, mimeType, state, expiresAt } = fields(fileApi);
  if (typeof sha256 !== "string" || typeof refusals !== "number") return undefined;
  if (typeof uri !== "string" || typeof mimeType !== "string" || typeof expiresAt !== "number")
    return undefined;
  const known = states.find((one) => one === state);
  if (known === undefined) return undefined;
  const named = typeof name === "string" ? { name } : {};
  return { sha256, ...named, fileApi: { uri, mimeType, state: known, expiresAt }, refusals };
}

const states: readonly FileApiState["state"][] = ["PENDING", "PROCESSING", "ACTIVE", "FAILED"];

function fields(value: unknown): Readonly<Record<string, unknown>> {
  // A cast: what an object does not have is undefined.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
