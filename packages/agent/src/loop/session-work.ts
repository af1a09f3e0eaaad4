import { type Effort, efforts } from "@holdfast/core/context";
import type { ContextManager } from "@holdfast/core/conversation";
import {
  type ConversationContext,
  type ConversationRefusal,
  defineMetadataKey,
  type JsonObject,
} from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { defined, isObject } from "@holdfast/core/text";
import { type ApprovalMode, approvalModes } from "../config/approval.js";
import type { CostMeter } from "../models/catalog.js";
import type { Agent } from "./agent-door.js";

/** How a session is worked on: whoever opens the session again goes on with that. */
export interface SessionWork {
  /** As a person names it: `provider/name`. */
  readonly model?: string;
  readonly effort?: Effort;
  readonly mode?: ApprovalMode;
  /** What the session has cost, in US dollars, as far as prices are known. */
  readonly costUsd?: number;
  /** Of the folder: `AgentParts.folderId`. */
  readonly folderId?: string;
  /** The folder, absolute: of a session that moved, the one that it went on in last. */
  readonly folder?: string;
}

const key = defineMetadataKey<JsonObject>("holdfast/work", (value): value is JsonObject => isObject(value));

/** What the session was worked on with at its last turn; a member that this release does not know is absent. */
export function workOf({ nodes, sessionId }: ConversationContext): SessionWork {
  const { model, effort, mode, costUsd, folderId, folder } =
    key.read(nodes.get(sessionId)?.metadata ?? {}) ?? {};
  return defined({
    model: typeof model === "string" ? model : undefined,
    effort: efforts.find((one) => one === effort),
    mode: approvalModes.find((one) => one === mode),
    costUsd: typeof costUsd === "number" && costUsd >= 0 ? costUsd : undefined,
    folderId: typeof folderId === "string" ? folderId : undefined,
    folder: typeof folder === "string" ? folder : undefined,
  });
}

/** Keeps how the session is worked on now, if that is not what is kept already. */
export function keepWork(
  {
    manager,
    folderId,
    folder,
  }: Pick<SessionWork, "folderId" | "folder"> & { readonly manager: ContextManager },
  agent: Agent,
): ConversationRefusal | undefined {
  const { model, effort, mode, meter } = agent;
  const work = defined({ model: model.name, effort, mode, costUsd: meter.spent.costUsd, folderId, folder });
  const { context } = manager;
  if (JSON.stringify(workOf(context)) === JSON.stringify(work)) return undefined;
  const done = manager.setCustom(context.sessionId, key, work);
  return isRefusal(done) ? done : undefined;
}

/** What one session costs, of a run that may go through several. @param earlierUsd what it had cost before. */
export function sessionMeter(run: CostMeter, earlierUsd = 0): Pick<CostMeter, "spent"> {
  const before = run.spent;
  return {
    get spent() {
      const { costUsd, unpriced } = run.spent;
      return { costUsd: earlierUsd + costUsd - before.costUsd, unpriced: unpriced - before.unpriced };
    },
  };
}
