import { describe, expect, it } from "vitest";
import { checkContents, providers, renderContext } from "../../../packages/core/src/context/index.js";
import { exportLines } from "../../../packages/core/src/conversation/import/index.js";
import type { JournalRecord } from "../../../packages/core/src/conversation/values/index.js";
import { amountsOf, faultsOf } from "./import-counts.js";
import {
  at,
  folded,
  imported,
  outline,
  piAnswer,
  piCall,
  piHeader,
  piResult,
  piUser,
  read,
} from "./import-support.js";

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
    ).toMatchObject({ covers: { fromId: "n0003", toId: "n0008" } });
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

  it("keeps compactions, edits of the context, commands of the user, and counts what is no turn", () => {
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
      "note for person: Not in the tree: 1 line that is no turn (custom 1).",
      "user one",
      "call c1 read",
      "result c1 read a long text",
      "context_management",
      "summary of compaction: so far",
      "note for model: $ ls\na\n\n(exit code 0)",
      "note for model: mind this <",
    ]);
    const { context } = folded(session);
    expect(context.title).toBe("A name");
    expect(context.nodes.get("n0006")?.payload).toMatchObject({
      targetId: "n0005",
      form: { form: "replaced", text: "cleared" },
    });
    expect(context.nodes.get("n0007")?.payload).toMatchObject({ keepFromId: "n0003" });
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

describe("a session of pi that was copied or broken off", () => {
  it("never changes before it began, although its entries are older", () => {
    const later = { ...piHeader, timestamp: "2026-06-01T00:00:00.000Z", parentSession: "/srv/x.jsonl" };
    const session = imported([later, piUser("a", null, "x"), piUser("b", "a", "y")]);
    const times = session.events.map(({ ts }) => ts);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBe(Date.parse(later.timestamp));
    expect(folded(session).context.nodes.get("n0002")?.timestamp).toBe(
      Date.parse("2026-01-02T03:04:06.000Z"),
    );
  });

  it("keeps what an answer said before it was aborted, and compacts around open calls", () => {
    const aborted = piAnswer("b", "a", { type: "text", text: "I" }, piCall("c1", "read"));
    const session = imported([
      piHeader,
      piUser("a", null, "one"),
      {
        ...aborted,
        message: { ...aborted.message, stopReason: "aborted", errorMessage: "Request was aborted." },
      },
      { type: "compaction", ...at("c", "b"), summary: "so far", firstKeptEntryId: "b", tokensBefore: 9 },
      piUser("d", "c", "two"),
    ]);
    expect(session.problems).toEqual([]);
    expect(faultsOf(folded(session).context)).toEqual([]);
    expect(amountsOf(folded(session).context)).toMatchObject({ calls: 1, results: 0 });
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

  it("keeps a result without its call, hidden from models, and tells it", () => {
    const session = imported([piHeader, piUser("a", null, "x"), piResult("b", "a", "c1", "r")]);
    expect(session.problems.map(({ message }) => message)).toEqual([
      "Line 3: The result of c1 has no open call above it; no model is shown it.",
    ]);
    const { context } = folded(session);
    expect(context.nodes.get("n0003")).toMatchObject({
      payload: { kind: "tool_result", output: "r" },
      metadata: { isHiddenFromLlm: true },
    });
    expect(renderContext(context).report.dropped).toEqual([{ nodeId: "n0003", what: "hidden" }]);
  });

  it.each([
    ["that nobody answers", [piHeader, piUser("u", null, "x"), piAnswer("a", "u", piCall("c1", "read"))]],
    [
      "passed over",
      [piHeader, piUser("u", null, "x"), piAnswer("a", "u", piCall("c1", "read")), piUser("b", "a", "y")],
    ],
  ])("takes a call %s for an interrupted one, which is no fault", (_name, lines) => {
    const session = imported(lines);
    expect(session.problems).toEqual([]);
    const { contents, report } = renderContext(folded(session).context);
    expect(report.repairs.map(({ what }) => what)).toContain("interrupted");
    for (const provider of providers) expect(checkContents(contents, provider)).toEqual([]);
    expect(imported(lines, { repair: true }).events).toEqual(session.events);
  });

  it("is no session at all", () => {
    for (const lines of [[], [{ type: "other" }], ["nothing"], [{ format: "holdfast-session", v: 1 }]])
      expect(read(lines)).toMatchObject({ kind: "refusal", code: "not_a_session" });
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

  it("whose records have numbers beyond counting is read back as it was imported", () => {
    const [header = "", ...rest] = lines;
    const far = (rest[1] ?? "").replace(/"seq":\d+/, '"seq":9999999999999999');
    const session = imported([header, rest[0] ?? "", far].map((text) => text.trimEnd()));
    expect(session.problems.map(({ line, what }) => `${line} ${what}`)).toContain("3 unreadable_line");
    const kept = session.events.map(
      ({ ts, event }, index): JournalRecord => ({ v: 1, seq: index + 1, ts, event }),
    );
    const again = imported([...exportLines(session.sessionId, kept)].map((text) => text.trimEnd()));
    expect(again.problems).toEqual([]);
  });

  it("of a newer release is refused", () => {
    const newer = { v: 99, seq: 1, ts: 0, type: "session_started" };
    expect(read([lines[0] ?? "", newer])).toMatchObject({ code: "newer_version" });
  });
});
