import {
  type ApplyChangesOutcome,
  type FileOutcome,
  isRefusal,
  outcomeOfOneFile,
  type RunScope,
  type WriteOutcome,
} from "../../files/index.js";
import type { FileIntent, ToolWorkspace } from "../tool/tool.js";
import type { ToolResult } from "../wire/result.js";

/** A request that was carried out, with its answer. */
interface CarriedOut {
  readonly intent: FileIntent;
  readonly outcome: FileOutcome;
}

/** Carries a call's request out; where the intent names another one for this refusal, that one. */
export async function carryRequest(
  workspace: ToolWorkspace,
  intent: FileIntent,
  scope: RunScope,
): Promise<CarriedOut> {
  const outcome = await workspace.run(intent.request, scope);
  const { otherwise } = intent;
  if (otherwise === undefined || !isRefusal(outcome) || outcome.code !== otherwise.on)
    return { intent, outcome };
  const { request } = otherwise;
  return { intent: { ...intent, request }, outcome: await workspace.run(request, scope) };
}

/** An outcome as what is to be shown of it. */
export function resultOf({ intent, outcome }: CarriedOut): ToolResult {
  switch (outcome.kind) {
    case "read":
      return { kind: "read", outcome };
    case "read_many":
      return { kind: "read_many", outcome };
    case "listed":
      return { kind: "list", outcome };
    case "found":
      return { kind: "find", outcome };
    case "searched":
      return { kind: "search", outcome };
    case "change_set":
      return ofSet(intent, outcome);
    case "written":
    case "unchanged":
      return ofWrite(intent, outcome);
    case "refusal":
      return ofRefusal(intent, outcome);
    default:
      return outcome satisfies never;
  }
}

type RefusedOutcome = Extract<FileOutcome, { readonly kind: "refusal" }>;

function ofRefusal(intent: FileIntent, outcome: RefusedOutcome): ToolResult {
  if ("files" in outcome) return ofSet(intent, outcome);
  if ("state" in outcome) return ofWrite(intent, outcome);
  switch (intent.request.kind) {
    case "list":
      return { kind: "list", outcome };
    case "find":
      return { kind: "find", outcome };
    case "search":
      return { kind: "search", outcome };
    default:
      return "path" in outcome
        ? { kind: "read", outcome }
        : { kind: "refused", refusal: outcome, writing: false };
  }
}

function ofSet(intent: FileIntent, outcome: ApplyChangesOutcome): ToolResult {
  return intent.oneFile === true && outcome.folder === undefined
    ? ofWrite(intent, outcomeOfOneFile(outcome))
    : { kind: "change_set", outcome };
}

function ofWrite({ request, quiet, sentBytes }: FileIntent, outcome: WriteOutcome): ToolResult {
  const named =
    sentBytes === undefined || outcome.kind !== "written" || !("path" in request)
      ? outcome
      : { ...outcome, message: `Written: ${request.path} (${sentBytes} bytes). ${outcome.message}` };
  return { kind: "write", outcome: named, ...(quiet === undefined ? {} : { quiet }) };
}
