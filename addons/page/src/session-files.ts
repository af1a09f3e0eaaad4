import { type ConversationEvent, effectsOf, type JournalRecord } from "@holdfast/core/conversation/values";
import { isSecret } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { openKeptStates } from "@holdfast/core/node";
import type { PageOptions, Spent } from "./browser/page-data.js";

/** The states of files that records name, without those of files that may hold secrets. */
export function namedStates(records: readonly JournalRecord[]): readonly string[] {
  const nodes = records.flatMap(({ event }) => nodesOf(event));
  return nodes.flatMap(({ payload }) =>
    effectsOf(payload).flatMap(({ path, before, after }) =>
      isSecret(path) ? [] : [before, after].filter((hash) => typeof hash === "string"),
    ),
  );
}

/** What the answers in these records cost. */
export function spentIn(
  records: readonly JournalRecord[],
  costOf: NonNullable<PageOptions["costOf"]> = () => undefined,
): Spent {
  let [costUsd, unpriced] = [0, 0];
  for (const { payload, metadata } of records.flatMap(({ event }) => nodesOf(event))) {
    if (metadata?.usage === undefined) continue;
    const model = "from" in payload ? payload.from?.model : undefined;
    const cost = costOf(model ?? "", metadata.usage);
    if (cost === undefined) unpriced += 1;
    else costUsd += cost;
  }
  return { costUsd, unpriced };
}

function nodesOf(event: ConversationEvent) {
  if (event.type === "session_started") return [event.root];
  return event.type === "nodes_added" ? event.nodes : [];
}

/** Texts of kept states, by their hash: undefined for what is kept no more, is too large, or is no text. */
export function keptTexts(stateDir: string | undefined): (hash: string) => string | undefined {
  const kept = openKeptStates(stateDir);
  if (isRefusal(kept)) return () => undefined;
  return (hash) => {
    const bytes = kept.bytes(hash);
    return bytes === undefined || bytes.length > largestState ? undefined : textIn(bytes);
  };
}

/** Larger states would make a page that nobody can open. */
const largestState = 512 * 1024;

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}
