import type { AgentSettings, ApprovalMode, SessionWork } from "@holdfast/agent";
import { approvalModes } from "@holdfast/agent/shown";
import { defined } from "@holdfast/core/text";
import type { Flags } from "../shell/invocation.js";
import { modelOf, type RunModel, withModel } from "./model.js";

/** What a run has without the session that it goes on with. */
interface RunBefore {
  readonly flags: Flags;
  readonly settings: AgentSettings;
  readonly model: RunModel;
  /** Whether a person is there, who may have meant the mode: a script names what it needs. */
  readonly isTalk: boolean;
}

/**
 * With the model, the effort and the mode that the session had, where no flag says otherwise; what cannot be so is told. A
 * session may have come from somebody else: its mode makes the one of the settings stricter, never wider.
 */
export async function asBefore({ flags, settings, model, isTalk }: RunBefore, work: SessionWork) {
  const isOther = work.model !== undefined && work.model !== model.name && flags.model === undefined;
  const isNamed = isOther && flags.script === undefined && flags.replay === undefined;
  const opened = isNamed ? await modelOf(withModel(settings, work.model), flags) : model;
  const { mode: own = "ask" } = settings.approval ?? {};
  const wanted = flags.approvalMode ?? work.mode ?? own;
  const mode = flags.approvalMode === undefined && isWider(wanted, own) ? own : wanted;
  const effort = opened.kind === "model" ? (flags.effort ?? work.effort) : undefined;
  const differs = [
    ...(opened.kind === "model"
      ? []
      : [`The session worked with ${work.model}; it goes on with ${model.name}. ${opened.message}`]),
    ...(mode === wanted || !isTalk
      ? []
      : [`The session worked in ${wanted}; it goes on in ${mode}. /mode changes it.`]),
  ];
  return {
    settings: {
      ...settings,
      model: { ...settings.model, ...defined({ effort }) },
      approval: { ...settings.approval, mode },
    },
    model: opened.kind === "model" ? opened : model,
    differs,
  };
}

function isWider(mode: ApprovalMode, than: ApprovalMode): boolean {
  return approvalModes.indexOf(mode) > approvalModes.indexOf(than);
}
