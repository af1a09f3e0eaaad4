import type { TimedEvent, TurnPayload } from "../../../src/conversation/values/index.js";

const [older, newer] = ["a".repeat(64), "b".repeat(64)];
const awkward = "src/\u202eß\u2028 \ud83d file.ts";

/** What the context economy keeps in a session, each as one event that can follow on the root `s-1`. */
export function economyEvents(at: number): Readonly<Record<string, TimedEvent>> {
  const added = (payload: TurnPayload): TimedEvent => {
    const nodes = [{ id: "eco", parentId: "s-1", timestamp: at, payload }];
    return { ts: at, event: { type: "nodes_added", nodes, head: "eco" } };
  };
  return Object.fromEntries(Object.entries(payloads()).map(([name, payload]) => [name, added(payload)]));
}

function payloads(): Readonly<Record<string, TurnPayload>> {
  const compaction = { kind: "summary", of: "compaction", keepFromId: null } as const;
  const check = { nodeId: "s-1", command: "npm test\u0000\n-- 'é'", failed: true };
  const entry = { path: awkward, from: null, to: newer, added: 0, removed: 2_000_000, version: 1 };
  const repeated = { start: 0, end: 40, path: awkward, sha256: newer, from: 1, to: 8 };
  const as = { sha256: older, from: 3, versions: [1, 7] };
  const stub = { path: awkward, sha256: older, from: 1, to: 0 };
  return {
    "a ledger with and without its checks": {
      ...{ ...compaction, keepFromId: "s-1", text: "## Task Overview\n" },
      files: [{ path: "a.ts", from: older, to: null }],
      ledger: [
        { ...entry, check },
        { path: "gone.ts", from: older, to: null, added: 0, removed: 0 },
        { ...entry, from: older, check: { ...check, command: "", failed: false } },
      ],
    },
    "an instruction that holds": {
      ...{ ...compaction, text: "Short." },
      instruction: { nodeId: "s-1", text: `Mend it.\u2028\ud83d\n${"long ".repeat(800)}…` },
    },
    "lines that stood in the prompt already": {
      ...{ kind: "tool_result", callId: "c", name: "read_file", output: "line of code\n".repeat(8) },
      shows: [{ path: awkward, sha256: newer, from: 1, to: 8, start: 0, end: 104, encoding: "latin1" }],
      repeats: [
        { ...repeated, as },
        { ...repeated, start: 41, end: 60, encoding: "latin1", as: { sha256: older, from: 1 } },
      ],
    },
    "a clearing with all its forms": {
      kind: "context_management",
      action: "reform",
      changes: [
        { targetId: "s-1", form: { form: "replaced", by: "cleared", text: "[Tool result cleared …]\u202e" } },
        { targetId: "c-1", form: { form: "hidden" } },
        { targetId: "c-2", form: { form: "original" } },
        {
          targetId: "c-3",
          form: {
            ...{ form: "replaced", by: "delta", text: "line of code\n".repeat(8), refers: [stub] },
            shows: [{ path: awkward, sha256: newer, from: 1, to: 8, start: 0, end: 104 }],
          },
        },
      ],
    },
  };
}
