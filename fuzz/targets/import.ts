import { createHash } from "node:crypto";
import { exportLines, type ImportedSession } from "@holdfast/core/conversation/import";
import { replay } from "@holdfast/core/conversation/journal";
import type { JournalRecord } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { readSessionFile } from "../../addons/importers/src/read-session-file.js";
import { ensure, type Target } from "../target.js";

/**
 * The session file of pi, of Claude Code, or an export of ours. Held against: what was read folds without a problem
 * that was not told, and written as our own export it is read back as the same events.
 */
export const imports: Target = {
  name: "import",
  words: [
    ...[
      "type",
      "session",
      "message",
      "parentId",
      "id",
      "timestamp",
      "role",
      "user",
      "assistant",
      "toolResult",
      "toolCall",
    ],
    ...[
      "content",
      "text",
      "thinking",
      "image",
      "compaction",
      "branch_summary",
      "custom",
      "label",
      "leaf",
      "model_change",
    ],
    ...[
      "uuid",
      "parentUuid",
      "sessionId",
      "isSidechain",
      "tool_use",
      "tool_result",
      "tool_use_id",
      "summary",
      "system",
    ],
    ...[
      "toolUseResult",
      "holdfast-session",
      "records",
      "end",
      "version",
      "cwd",
      "firstKeptEntryId",
      "usage",
      "isMeta",
    ],
    ...[
      "file-history-snapshot",
      "input",
      "name",
      "error",
      "stopReason",
      "compact_boundary",
      "logicalParentUuid",
    ],
  ],
  run(input) {
    for (const repair of [false, true]) {
      const session = readSessionFile(input, {
        from: "f.jsonl",
        newId: counting(),
        now: 5_000,
        digest,
        repair,
      });
      if (isRefusal(session)) continue;
      checkTold(session, input);
      const records = recordsOf(session);
      const { context, problems } = replay(session.sessionId, records);
      if (session.format !== "holdfast") ensure(problems.length === 0, "what was read folds", problems);
      ensure(context.nodes.size > 0, "a session has a root");
      checkRoundTrip(session, records);
    }
  },
};

function checkTold(session: ImportedSession, input: string): void {
  // A return alone ends a line of a damaged file, too.
  const lines = input.split(/\r\n|\r|\n/u).length;
  for (const { line, message } of session.problems)
    ensure(line >= 1 && line <= lines && message !== "", "a problem names its line", { line, message });
}

function checkRoundTrip(session: ImportedSession, records: readonly JournalRecord[]): void {
  if (!/^[0-9a-z-]{1,64}$/.test(session.sessionId)) return;
  const text = [...exportLines(session.sessionId, records)].join("");
  const again = readSessionFile(text, { from: "e.jsonl", newId: counting(), now: 5_000, digest });
  ensure(!isRefusal(again), "our own export can be read", again);
  const unfolded = replay(session.sessionId, records).problems.length;
  if (unfolded === 0) ensure(again.problems.length === 0, "our own export has no problem", again.problems);
  const [wanted, got] = [session.events, again.events].map((events) => JSON.stringify(events));
  ensure(wanted === got, "an export is read back as it was written", { wanted, got });
}

function recordsOf({ events }: ImportedSession): readonly JournalRecord[] {
  return events.map(({ ts, event }, at) => ({ v: 1, seq: at + 1, ts, event }));
}

function counting(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `n${String(count).padStart(4, "0")}`;
  };
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
