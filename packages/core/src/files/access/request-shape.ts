import { isObject } from "../../text/index.js";
import type { FileOutcome } from "../values/outcomes.js";
import { type Refusal, refuse } from "../values/refusal.js";
import { flawOfRequest } from "../values/requests.js";
import { refusedSet } from "./answers.js";
import { withoutState } from "./change.js";

/**
 * What is wrong with a request that no compiler has checked: a caller without types, or a value that came from
 * somewhere.
 *
 * @returns `invalid_arguments` with the name of the first field that is wrong; undefined for a request.
 */
export function refuseMalformed(request: unknown): Refusal<"invalid_arguments"> | undefined {
  const flaw = flawOfRequest(request);
  if (flaw === undefined) return undefined;
  return refuse("invalid_arguments", `The request is malformed: ${flaw}. Nothing was touched.`);
}

/** The path of a request that only has one, whatever it is; "" where there is none, which no path is. */
export function pathOf(request: unknown): string {
  const path = isObject(request) ? request.path : undefined;
  return typeof path === "string" ? path : "";
}

/** The texts of a list, whatever it is; undefined where it is none. */
export function textsOf(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : undefined;
}

/** The refusal as the outcome of a request of its kind. */
export function malformedAnswer(request: unknown, refusal: Refusal<"invalid_arguments">): FileOutcome {
  const kind = isObject(request) ? request.kind : undefined;
  switch (kind) {
    case "read":
      return { ...refusal, path: pathOf(request) };
    case "read_many":
    case "list":
    case "find":
    case "search":
      return refusal;
    case "apply_changes":
      return refusedSet(refusal);
    default:
      return withoutState(refusal);
  }
}
