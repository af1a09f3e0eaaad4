import { describe, expect, it } from "vitest";
import {
  exportLines,
  type ImportedSession,
  type JournalRecord,
  type Replayed,
  readSessionFile,
  reidentify,
  replay,
  type TurnNode,
} from "../../src/conversation/index.js";
import { isRefusal } from "../../src/files/index.js";

/** Ids in the order in which they are asked for. */
function countingIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `n${String(count).padStart(4, "0")}`;
  };
}

function read(lines: readonly (object | string)[], options: { readonly repair?: boolean } = {}) {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return readSessionFile(text, { from: "file.jsonl", newId: countingIds(), now: 5_000, ...options });
}

function imported(lines: readonly (object | string)[], options: { readonly repair?: boolean } = {}) {
  const session = read(lines, options);
  if (isRefusal(session)) throw new Error(session.message);
  return session;
}

function folded({ sessionId, events }: ImportedSession): Replayed {
  const records = events.map(({ ts, event }, at): JournalRecord => ({ v: 1, seq: at + 1, ts, event }));
  return replay(sessionId, records);
}

/** The tree as an outline: one line a node, deeper where a node is not an only child. */
function outline(session: ImportedSession): readonly string[] {
  const { context, problems } = folded(session);
  expect(problems).toEqual([]);
  const lines: string[] = [];
  const visit = (id: string, level: number) => {
    const node = context.nodes.get(id);
    if (node === undefined) throw new Error("a child is missing");
    const head = context.currentNodeId === id ? " <" : "";
    lines.push(`${"  ".repeat(level)}${told(node)}${head}`);
    for (const child of node.childIds) visit(child, level + (node.childIds.length > 1 ? 1 : 0));
  };
  visit(context.rootNode.id, 0);
  return lines;
}

function told({ payload, metadata }: TurnNode): string {
  const label = metadata.label === undefined ? "" : ` [${metadata.label}]`;
  switch (payload.kind) {
    case "user_message":
      return `user ${payload.text}${label}`;
    case "model_message":
      return `model ${payload.thought === undefined ? "" : `(${payload.thought}) `}${payload.text}${label}`;
    case "tool_call":
      return `call ${payload.callId} ${payload.name}${label}`;
    case "tool_result":
      return `result ${payload.callId} ${payload.name} ${payload.output}${label}`;
    case "note":
      return `note for ${payload.audience}: ${payload.text}`;
    case "summary":
      return `summary of ${payload.of}: ${payload.text}`;
    case "unknown":
      return `unknown ${payload.type}`;
    case "task_boundary":
      return `task ${payload.name}`;
    default:
      return payload.kind;
  }
}

const piHeader = {
  type: "session",
  version: 3,
  id: "p-1",
  timestamp: "2026-01-02T03:04:05.000Z",
  cwd: "/srv/app",
};
const at = (id: string, parentId: string | null) => ({ id, parentId, timestamp: "2026-01-02T03:04:06.000Z" });
const piUser = (id: string, parentId: string | null, text: string) => ({
  type: "message",
  ...at(id, parentId),
  message: { role: "user", content: [{ type: "text", text }] },
});
const piAnswer = (id: string, parentId: string | null, ...content: object[]) => ({
  type: "message",
  ...at(id, parentId),
  message: {
    role: "assistant",
    content,
    provider: "anthropic",
    model: "m-1",
    usage: { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 },
  },
});
const piCall = (id: string, name: string) => ({ type: "toolCall", id, name, arguments: { path: "a.txt" } });
const piResult = (id: string, parentId: string | null, call: string, text: string) => ({
  type: "message",
  ...at(id, parentId),
  message: {
    role: "toolResult",
    toolCallId: call,
    toolName: "read",
    content: [{ type: "text", text }],
    isError: false,
  },
});

describe("a session of pi", () => {
  it("keeps its tree: branches, labels, summaries, and where it stood", () => {
    const session = imported([
      piHeader,
      piUser("a", null, "fix it"),
      piAnswer(
        "b",
        "a",
        { type: "thinking", thinking: "hm", thinkingSignature: "s" },
        { type: "text", text: "I look." },
        piCall("c1", "read"),
        piCall("c2", "read"),
      ),
      piResult("c", "b", "c1", "one"),
      piResult("d", "c", "c2", "two"),
      piAnswer("e", "d", { type: "text", text: "Done." }),
      { type: "label", ...at("f", "e"), targetId: "a", label: "start" },
      { type: "branch_summary", ...at("g", "a"), fromId: "e", summary: "tried one way" },
      piUser("h", "g", "another way"),
      { type: "model_change", ...at("i", "h"), provider: "openai", modelId: "m-2" },
    ]);
    expect(outline(session)).toEqual([
      "task fix it",
      "user fix it [start]",
      "  model (hm) I look.",
      "  call c1 read",
      "  call c2 read",
      "  result c1 read one",
      "  result c2 read two",
      "  model Done.",
      "  summary of branch: tried one way",
      "  user another way",
      "  note for person: Model: openai/m-2 <",
    ]);
    expect(session.problems).toEqual([]);
    const { context } = folded(session);
    expect(
      [...context.nodes.values()].find(({ payload }) => payload.kind === "summary")?.payload,
    ).toMatchObject({
      covers: { fromId: "n0003", toId: "n0008" },
    });
    expect(context.nodes.get("n0003")?.metadata).toEqual({
      usage: { inputTokens: 14, cachedInputTokens: 5, outputTokens: 4 },
      provenance: { source: "import:pi", sourceId: "b" },
    });
    expect(session.events[0]?.event).toMatchObject({
      title: "fix it",
      cwd: "/srv/app",
      origin: { kind: "import", from: "file.jsonl" },
    });
  });

  it("keeps compactions, edits of the context, commands of the user and what it has no word for", () => {
    const session = imported([
      piHeader,
      piUser("a", null, "one"),
      piAnswer("b", "a", piCall("c1", "read")),
      piResult("c", "b", "c1", "a long text"),
      { type: "context_edit", ...at("d", "c"), targetId: "c", replacement: { content: "cleared" } },
      { type: "compaction", ...at("e", "d"), summary: "so far", firstKeptEntryId: "a", tokensBefore: 9 },
      {
        type: "message",
        ...at("f", "e"),
        message: { role: "bashExecution", command: "ls", output: "a\n", exitCode: 0 },
      },
      { type: "custom", ...at("g", "f"), customType: "x", data: { n: 1 } },
      { type: "custom_message", ...at("h", "g"), customType: "x", content: "mind this", display: true },
      { type: "session_info", ...at("i", "h"), name: "A name" },
    ]);
    expect(outline(session)).toEqual([
      "task A name",
      "user one",
      "call c1 read",
      "result c1 read a long text",
      "context_management",
      "summary of compaction: so far",
      "note for model: $ ls\na\n\n(exit code 0)",
      "unknown pi:custom",
      "note for model: mind this <",
    ]);
    const { context } = folded(session);
    expect(context.title).toBe("A name");
    expect(context.nodes.get("n0005")?.payload).toMatchObject({
      targetId: "n0004",
      form: { form: "replaced", text: "cleared" },
    });
    expect(context.nodes.get("n0006")?.payload).toMatchObject({ keepFromId: "n0002" });
  });

  it("of version 1, which is no tree, stands in the order of its lines", () => {
    const { id: _, parentId: __, ...user } = piUser("", null, "hello");
    const { id: ___, parentId: ____, ...answer } = piAnswer("", null, { type: "text", text: "Hi." });
    expect(outline(imported([piHeader, user, answer]))).toEqual(["task hello", "user hello", "model Hi. <"]);
  });
});

describe("a compaction of pi in version 1", () => {
  const { id: _, parentId: __, ...user } = piUser("", null, "hello");
  const compaction = { type: "compaction", timestamp: piHeader.timestamp, summary: "s", tokensBefore: 1 };

  it("keeps the entries from a place in the file, the header counted", () => {
    const { context } = folded(
      imported([piHeader, user, user, { ...compaction, firstKeptEntryIndex: 2 }, user]),
    );
    expect(context.nodes.get("n0004")?.payload).toMatchObject({ of: "compaction", keepFromId: "n0003" });
  });

  it.each([-1, 0.5, 9])("that keeps from entry %d, which is none, is told", (firstKeptEntryIndex) => {
    const { problems } = imported([piHeader, user, { ...compaction, firstKeptEntryIndex }, user]);
    expect(problems.map(({ line, what }) => `${line} ${what}`)).toEqual(["3 lost_reference"]);
  });
});

const line = (uuid: string, parentUuid: string | null, type: string, message: object, more: object = {}) => ({
  type,
  uuid,
  parentUuid,
  isSidechain: false,
  sessionId: "s",
  cwd: "/srv/app",
  timestamp: "2026-01-02T03:04:06.000Z",
  message,
  ...more,
});
const said = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
  line(uuid, parent, "user", { role: "user", content }, more);
const answered = (uuid: string, parent: string | null, step: string, block: object, more: object = {}) =>
  line(
    uuid,
    parent,
    "assistant",
    {
      id: step,
      role: "assistant",
      model: "claude-x",
      content: [block],
      usage: { input_tokens: 1, output_tokens: 2 },
    },
    more,
  );
const use = (id: string, name = "Read") => ({ type: "tool_use", id, name, input: { file_path: "a" } });
const result = (id: string, text: string) => [{ type: "tool_result", tool_use_id: id, content: text }];

describe("a transcript of Claude Code", () => {
  it("has the results of parallel calls put behind the last call", () => {
    const session = imported([
      { type: "summary", summary: "Reading", leafUuid: "e" },
      said("a", null, "read both"),
      answered("b", "a", "m1", { type: "thinking", thinking: "both", signature: "sig" }),
      answered("c", "b", "m1", use("t1")),
      answered("d", "c", "m1", use("t2")),
      said("r1", "c", result("t1", "one"), { toolUseResult: { numLines: 1 } }),
      said("r2", "d", result("t2", "two")),
      answered("e", "r2", "m2", { type: "text", text: "Read." }),
    ]);
    expect(outline(session)).toEqual([
      "task Reading",
      "  note for person: Summary: Reading",
      "  user read both",
      "  model (both) ",
      "  call t1 Read",
      "  call t2 Read",
      "  result t1 Read one",
      "  result t2 Read two",
      "  model Read. <",
    ]);
    expect(session.title).toBe("Reading");
    const node = [...folded(session).context.nodes.values()].find(
      ({ payload }) => payload.kind === "tool_result",
    );
    expect(node?.metadata.custom).toEqual({ "claude/details": { numLines: 1 } });
  });

  it("has results that came between the calls of one answer put behind the last call", () => {
    const session = imported([
      said("a", null, "read both"),
      answered("b", "a", "m1", use("t1")),
      said("r1", "b", result("t1", "one")),
      { ...line("p", "r1", "progress", {}), type: "progress" },
      answered("c", "p", "m1", use("t2")),
      said("r2", "c", result("t2", "two")),
      answered("d", "r2", "m1", use("t3")),
      said("r3", "d", result("t3", "three")),
      answered("e", "r3", "m2", { type: "text", text: "Read." }),
    ]);
    expect(session.problems).toEqual([]);
    expect(outline(session).join(", ")).toBe(
      "task read both, user read both, call t1 Read, unknown claude:progress, call t2 Read, call t3 Read, " +
        "result t1 Read one, result t2 Read two, result t3 Read three, model Read. <",
    );
  });

  it("has a subagent as a complete task, a compaction as a summary, and what is no turn beside the tree", () => {
    const session = imported([
      { type: "queue-operation", operation: "enqueue" },
      said("a", null, "look into it"),
      answered("b", "a", "m1", use("t1", "Task")),
      said("s1", null, "you look", { isSidechain: true, agentId: "7" }),
      answered("s2", "s1", "m9", { type: "text", text: "Seen." }, { isSidechain: true }),
      said("c", "b", result("t1", "Seen.")),
      {
        ...line("k", null, "system", {}),
        logicalParentUuid: "c",
        subtype: "compact_boundary",
        content: "Compacted",
      },
      said("l", "k", "what was", { isCompactSummary: true }),
      said("m", "l", "a caveat", { isMeta: true }),
      answered("n", "m", "m2", { type: "text", text: "On." }),
    ]);
    expect(outline(session)).toEqual([
      "task look into it",
      "  unknown claude:queue-operation",
      "  user look into it",
      "  call t1 Task",
      "    task subagent 7",
      "    user you look",
      "    model Seen.",
      "    result t1 Task Seen.",
      "    note for person: Compacted",
      "    summary of compaction: what was",
      "    note for model: a caveat",
      "    model On. <",
    ]);
    const tasks = [...folded(session).context.tasks.values()].map(({ outcome }) => outcome);
    expect(tasks.toSorted()).toEqual(["complete", "open"]);
  });
});

describe("what is wrong in a file", () => {
  const problems = (lines: readonly (object | string)[], options = {}) =>
    imported(lines, options).problems.map(({ line: number, what }) => `${number} ${what}`);

  it.each([
    [
      "no object",
      [piHeader, "{half", piUser("a", null, "x"), "[1]"],
      ["2 unreadable_line", "4 unreadable_line"],
    ],
    ["an id twice", [piHeader, piUser("a", null, "x"), piUser("a", "a", "y")], ["3 duplicate_id"]],
    ["a parent that is not there", [piHeader, piUser("a", "zz", "x")], ["2 missing_parent"]],
    [
      "a circle",
      [piHeader, piUser("a", "b", "x"), piUser("b", "a", "y"), piUser("c", "c", "z")],
      ["2 cycle", "4 cycle"],
    ],
    [
      "references to nothing",
      [
        piHeader,
        { type: "label", ...at("f", null), targetId: "zz", label: "l" },
        { type: "compaction", ...at("e", null), summary: "s", firstKeptEntryId: "zz" },
        { type: "branch_summary", ...at("g", null), fromId: "zz", summary: "s" },
        { type: "context_edit", ...at("h", null), targetId: "zz", replacement: null },
      ],
      ["2 lost_reference", "3 lost_reference", "4 lost_reference", "5 lost_reference"],
    ],
  ])("is told by line: %s", (_name, lines, expected) => {
    expect(problems(lines)).toEqual(expected);
  });

  it("loses no entry for it", () => {
    const session = imported([
      piHeader,
      piUser("a", "b", "x"),
      piUser("b", "a", "y"),
      piUser("a", "zz", "z"),
    ]);
    expect(outline(session).map((row) => row.trim())).toEqual(["task x", "user x", "user y", "user z <"]);
  });

  it("loses no entry whose id looks like that of a second one of its name", () => {
    const ids = ["a#4", "a", "a", "a#4#"];
    const session = imported([piHeader, ...ids.map((id, at) => piUser(id, null, `${at}`))]);
    const texts = ["task 0", "user 0", "user 1", "user 2", "user 3 <"];
    expect(outline(session).map((row) => row.trim())).toEqual(expect.arrayContaining(texts));
  });

  it("loses no entry for a zero below zero", () => {
    const call = '{"type":"toolCall","id":"c","name":"read","arguments":{"offset":-0,"limit":[-0.0,1]}}';
    const raw = JSON.stringify(piAnswer("a", null, { call: 1 })).replace('{"call":1}', call);
    const session = imported([piHeader, raw, piResult("b", "a", "c", "r")]);
    expect(session.problems).toEqual([]);
    expect(folded(session).context.nodes.get("n0002")?.payload).toMatchObject({
      args: { offset: 0, limit: [0, 1] },
    });
  });

  it.each([
    [
      "a result without its call",
      [piHeader, piUser("a", null, "x"), piResult("b", "a", "c1", "r")],
      "3 broken_pair",
    ],
    ["a call that nobody answers", [piHeader, piAnswer("a", null, piCall("c1", "read"))], "2 broken_pair"],
    [
      "a call passed over",
      [piHeader, piAnswer("a", null, piCall("c1", "read")), piUser("b", "a", "x")],
      "2 broken_pair",
    ],
  ])("refuses %s, and keeps it where repair is asked for", (_name, lines, expected) => {
    expect(read(lines)).toMatchObject({ kind: "refusal", code: "broken_pairs" });
    expect(problems(lines, { repair: true })).toEqual([expected]);
  });

  it("is no session at all", () => {
    for (const lines of [[], [{ type: "other" }], ["nothing"], [{ format: "holdfast-session", v: 1 }]])
      expect(read(lines)).toMatchObject({ kind: "refusal", code: "not_a_session" });
  });

  it("does not take long over many circles and deep chains", () => {
    const many = Array.from({ length: 20_000 }, (_, n) =>
      piUser(`u${n}`, n % 2 === 0 ? `u${n + 1}` : `u${n - 1}`, "x"),
    );
    expect(imported([piHeader, ...many]).problems).toHaveLength(10_000);
    const deep = Array.from({ length: 20_000 }, (_, n) => piUser(`u${n}`, `u${n + 1}`, "x"));
    expect(imported([piHeader, ...deep]).nodes).toBe(20_001);
  });
});

describe("an exported session", () => {
  const origin = imported([
    piHeader,
    piUser("a", null, "hello"),
    piAnswer("b", "a", { type: "text", text: "Hi." }),
  ]);
  const records = origin.events.map(
    ({ ts, event }, index): JournalRecord => ({ v: 1, seq: index + 1, ts, event }),
  );
  const lines = [...exportLines(origin.sessionId, records)];

  it("is read back as it was", () => {
    const session = imported(lines.map((text) => text.trimEnd()));
    expect(session).toMatchObject({ format: "holdfast", sessionId: origin.sessionId, problems: [] });
    expect(session.events).toEqual(origin.events);
  });

  it("says what is missing, by line, and keeps the rest", () => {
    const [header = "", started = "", ...rest] = lines;
    expect(problemsOf([header, started, ...rest.slice(1)])).toEqual(["3 truncated"]);
    expect(problemsOf(lines.slice(0, -1))).toEqual(["3 truncated"]);
    const headless = problemsOf([header, ...rest]);
    expect(headless).toContain("2 missing_record");
    expect(imported([header, ...rest].map((text) => text.trimEnd())).events[0]?.event.type).toBe(
      "session_started",
    );
  });

  function problemsOf(some: readonly string[]): readonly string[] {
    return imported(some.map((text) => text.trimEnd())).problems.map(
      ({ line: number, what }) => `${number} ${what}`,
    );
  }

  it("can be read under every id that a session can bear", () => {
    const id = "a".repeat(128);
    const events = records.map((record) => ({
      ...record,
      event: reidentify(record.event, origin.sessionId, id),
    }));
    const session = imported([...exportLines(id, events)].map((text) => text.trimEnd()));
    expect(session).toMatchObject({ sessionId: id, problems: [] });
  });

  it("of a newer release is refused", () => {
    const newer = { v: 99, seq: 1, ts: 0, type: "session_started" };
    expect(read([lines[0] ?? "", newer])).toMatchObject({ code: "newer_version" });
  });

  it("can be given another id, which changes nothing else", () => {
    const events = origin.events.map(({ ts, event }) => ({
      ts,
      event: reidentify(event, origin.sessionId, "other"),
    }));
    const text = JSON.stringify(events);
    expect(text).not.toContain(`"${origin.sessionId}"`);
    expect(outline({ ...origin, sessionId: "other", events })).toEqual(outline(origin));
    const back = events.map(({ ts, event }) => ({ ts, event: reidentify(event, "other", origin.sessionId) }));
    expect(back).toEqual(origin.events);
  });
});
