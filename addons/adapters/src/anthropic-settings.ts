import type { economySettings } from "@holdfast/core";
import { isObject } from "@holdfast/core/text";

type EconomyOverrides = NonNullable<Parameters<typeof economySettings>[0]>;
type EconomyRefusal = Extract<ReturnType<typeof economySettings>, { readonly kind: "economy_refusal" }>;

/** The threshold that seed 3's JSON means where it names none. */
const seedCompactionThreshold = 100_000;

/**
 * Reads the JSON in which Anthropic's API and SDK take these settings: `edits` of `clear_tool_uses_20250919`, alone or
 * in `context_management`, and `compaction_control`. What it does not name keeps its default.
 *
 * @returns what is set, to be given to `economySettings`; a refusal names what is not understood.
 */
export function economyFromApi(value: unknown): EconomyOverrides | EconomyRefusal {
  if (!isObject(value)) return refuseSettings("The settings have to be an object.");
  const { context_management: wrapped, edits, compaction_control: compaction, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return refuseSettings(`"${other}" is no setting of the API's form.`);
  const list = edits ?? (isObject(wrapped) ? wrapped.edits : undefined) ?? [];
  if (!Array.isArray(list)) return refuseSettings("edits has to be a list.");
  let all: EconomyOverrides = {};
  for (const edit of list) {
    const read = readEdit(edit);
    if ("kind" in read) return read;
    all = { ...all, ...read };
  }
  if (compaction === undefined) return all;
  const read = readCompaction(compaction);
  return "kind" in read ? read : { ...all, compaction: read };
}

function readEdit(edit: unknown): EconomyOverrides | EconomyRefusal {
  if (!isObject(edit)) return refuseSettings("An edit has to be an object.");
  const {
    type,
    trigger,
    keep,
    clear_at_least: least,
    exclude_tools: excluded,
    clear_tool_inputs: inputs,
  } = edit;
  if (type !== "clear_tool_uses_20250919")
    return refuseSettings(`An edit of type ${JSON.stringify(type)} is not known here.`);
  const triggered = trigger === undefined ? undefined : amount(trigger, ["input_tokens", "tool_uses"]);
  const kept = keep === undefined ? undefined : amount(keep, ["tool_uses"]);
  const atLeast = least === undefined ? undefined : amount(least, ["input_tokens"]);
  if (triggered === null)
    return refuseSettings("trigger has to be { type: input_tokens or tool_uses, value }.");
  if (kept === null) return refuseSettings("keep has to be { type: tool_uses, value }.");
  if (atLeast === null) return refuseSettings("clear_at_least has to be { type: input_tokens, value }.");
  if (excluded !== undefined && !isNames(excluded))
    return refuseSettings("exclude_tools has to be a list of names.");
  if (inputs !== undefined && typeof inputs !== "boolean" && !isNames(inputs))
    return refuseSettings("clear_tool_inputs has to be true, false or a list of names.");
  return {
    ...(triggered === undefined ? {} : { trigger: triggered }),
    ...(kept === undefined ? {} : { keep: kept.value }),
    ...(atLeast === undefined ? {} : { clearAtLeast: atLeast.value }),
    ...(excluded === undefined ? {} : { excludeTools: excluded }),
    ...(inputs === undefined ? {} : { clearToolInputs: inputs }),
  };
}

function readCompaction(value: unknown): NonNullable<EconomyOverrides["compaction"]> | EconomyRefusal {
  if (!isObject(value)) return refuseSettings("compaction_control has to be an object.");
  const { enabled = true, context_token_threshold: threshold = seedCompactionThreshold, model } = value;
  if (typeof enabled !== "boolean")
    return refuseSettings("compaction_control.enabled has to be true or false.");
  if (typeof threshold !== "number")
    return refuseSettings("context_token_threshold has to be a number of tokens.");
  if (model !== undefined && typeof model !== "string")
    return refuseSettings("compaction_control.model has to be a name.");
  return { enabled, contextTokenThreshold: threshold, ...(model === undefined ? {} : { model }) };
}

function amount<Type extends string>(
  value: unknown,
  types: readonly Type[],
): { type: Type; value: number } | null {
  if (!isObject(value) || typeof value.value !== "number") return null;
  const type = types.find((one) => one === value.type);
  return type === undefined ? null : { type, value: value.value };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function refuseSettings(message: string): EconomyRefusal {
  return { kind: "economy_refusal", code: "invalid_settings", message };
}
