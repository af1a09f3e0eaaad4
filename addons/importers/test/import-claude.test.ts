import { describe, expect, it } from "vitest";
import { amountsOf, faultsOf } from "./import-counts.js";
import {
  answered,
  folded,
  imported,
  importedText,
  line,
  outline,
  result,
  said,
  use,
} from "./import-support.js";

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
      "note for person: Not in the tree: 1 line that is no turn (summary 1).",
      "user read both",
      "model (both) ",
      "call t1 Read",
      "call t2 Read",
      "result t1 Read one",
      "result t2 Read two",
      "model Read. <",
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
      "task read both, note for person: Not in the tree: 1 line that is no turn (progress 1)., " +
        "user read both, call t1 Read, call t2 Read, call t3 Read, " +
        "result t1 Read one, result t2 Read two, result t3 Read three, model Read. <",
    );
  });

  it("has a subagent as a complete task, a compaction as a summary, and what is no turn counted", () => {
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
      "note for person: Not in the tree: 1 line that is no turn (queue-operation 1).",
      "user look into it",
      "call t1 Task",
      "  task subagent 7",
      "  user you look",
      "  model Seen.",
      "  result t1 Task Seen.",
      "  note for person: Compacted",
      "  summary of compaction: what was",
      "  note for model: a caveat",
      "  model On. <",
    ]);
    const tasks = [...folded(session).context.tasks.values()].map(({ outcome }) => outcome);
    expect(tasks.toSorted()).toEqual(["complete", "open"]);
  });
});

const progress = (uuid: string, parent: string) => ({
  ...line(uuid, parent, "progress", {}),
  type: "progress",
  message: undefined,
});
const kept = (head: string, tail: string) => ({
  compactMetadata: { preservedSegment: { headUuid: head, tailUuid: tail } },
});
const boundary = (uuid: string, logical: string, more: object = {}) => ({
  ...line(uuid, null, "system", {}),
  message: undefined,
  logicalParentUuid: logical,
  subtype: "compact_boundary",
  content: "Compacted",
  ...more,
});
const rows = (...lines: readonly object[]) => {
  const session = imported(lines);
  expect(faultsOf(folded(session).context)).toEqual([]);
  return outline(session)
    .filter((row) => !row.includes("Not in the tree"))
    .slice(1);
};

describe("a transcript of Claude Code with chatter", () => {
  it("has no branch, leaf or parent of it, however it hangs", () => {
    const lines = [
      said("a", null, "go"),
      answered("b", "a", "m1", use("t1")),
      progress("p1", "b"),
      progress("p2", "p1"),
      said("r1", "b", result("t1", "one")),
      progress("p3", "b"),
      { ...line("h", "r1", "attachment", {}), message: undefined, attachment: { type: "hook_success" } },
      answered("c", "h", "m2", { type: "text", text: "Done." }),
      { ...line("s", "c", "system", {}), message: undefined, subtype: "turn_duration" },
      progress("p4", "s"),
      { type: "file-history-snapshot", messageId: "a" },
    ];
    expect(rows(...lines)).toEqual(["user go", "call t1 Read", "result t1 Read one", "model Done. <"]);
    const { folded: counted, problems } = imported(lines);
    expect(problems).toEqual([]);
    expect(counted).toEqual([
      { kind: "progress", count: 4 },
      { kind: "attachment", count: 1 },
      { kind: "system", count: 1 },
      { kind: "file-history-snapshot", count: 1 },
    ]);
  });
});

describe("an answer of Claude Code", () => {
  it("is one event, although it is written a line a block", () => {
    const long = Array.from({ length: 250 }, (_, n) => answered(`c${n}`, "b", "m1", use(`t${n}`)));
    const session = imported([
      said("a", null, "go"),
      answered("b", "a", "m1", { type: "thinking", thinking: "both", signature: "sig" }),
      answered("c", "b", "m1", { type: "text", text: "I read." }),
      ...long,
      said("r1", "c0", result("t0", "one")),
    ]);
    const steps = session.events.map(({ event }) =>
      event.type === "nodes_added" ? event.nodes.filter(({ payload }) => "step" in payload).length : 0,
    );
    expect(steps.filter((count) => count > 0)).toEqual([251]);
    const [thought] = [...folded(session).context.nodes.values()].filter(
      ({ payload }) => payload.kind === "model_message",
    );
    expect(thought).toMatchObject({
      payload: { thought: "both", signature: "sig", text: "I read.", step: "m1" },
      metadata: { usage: { inputTokens: 1, outputTokens: 2 } },
    });
  });
});

describe("a compaction of Claude Code", () => {
  const before = [
    said("a", null, "go"),
    answered("b", "a", "m1", { type: "text", text: "Gone." }),
    said("c", "b", "on"),
    answered("d", "c", "m2", { type: "text", text: "Onwards." }),
  ];
  const after = (parent: string) => [
    said("l", "k", "what was", { isCompactSummary: true }),
    said("m", parent, "further"),
    answered("n", "m", "m3", { type: "text", text: "There." }),
  ];
  const whole = ["user go", "model Gone.", "user on", "model Onwards."];
  const rest = [
    "note for person: Compacted",
    "summary of compaction: what was",
    "user further",
    "model There. <",
  ];

  it.each([
    ["that is the line before", "d"],
    ["that is not in the file", "nowhere"],
  ])("follows the line before it, with a logical parent %s", (_name, logical) => {
    expect(rows(...before, boundary("k", logical), ...after("l"))).toEqual([...whole, ...rest]);
  });

  it("follows its logical parent where the line before stands on another branch", () => {
    const aside = said("x", "b", "another way");
    expect(rows(...before, aside, boundary("k", "d"), ...after("l"))).toEqual([
      "user go",
      "model Gone.",
      "  user on",
      "  model Onwards.",
      ...rest.map((row) => `  ${row}`),
      "  user another way",
    ]);
  });

  it("keeps the lines that it says, and what hangs on them later hangs behind it", () => {
    const lines = [...before, boundary("k", "d", kept("c", "d")), ...after("d")];
    expect(rows(...lines)).toEqual([...whole, ...rest]);
    const { context } = folded(imported(lines));
    const summary = [...context.nodes.values()].find(({ payload }) => payload.kind === "summary");
    const { keepFromId } =
      summary?.payload.kind === "summary" && "keepFromId" in summary.payload ? summary.payload : {};
    expect(context.nodes.get(keepFromId ?? "")?.payload).toMatchObject({ text: "on" });
  });
});

describe("lines of Claude Code without a parent", () => {
  it("follow each other where none has one", () => {
    const bare = [
      said("a", null, "go"),
      answered("b", null, "m1", use("t1")),
      answered("c", null, "m1", use("t2")),
      said("r1", null, result("t1", "one")),
      said("r2", null, result("t2", "two")),
      answered("d", null, "m2", { type: "text", text: "Done." }),
    ].map(({ parentUuid: _, ...rest }) => rest);
    const flat = [
      "user go",
      "call t1 Read",
      "call t2 Read",
      "result t1 Read one",
      "result t2 Read two",
      "model Done. <",
    ];
    expect(rows(...bare)).toEqual(flat);
    expect(rows(...bare.map(({ uuid: _, ...rest }) => rest))).toEqual(flat);
  });
});

describe("subagents of Claude Code", () => {
  const call = { ...use("t1", "Task"), input: { description: "look", prompt: "you look" } };
  const main = (agentId: string | undefined) => [
    said("a", null, "look into it"),
    answered("b", "a", "m1", call),
    said("c", "b", result("t1", "Seen."), agentId === undefined ? {} : { toolUseResult: { agentId } }),
    answered("d", "c", "m2", { type: "text", text: "It is seen." }),
  ];
  const agent = (more: object = {}) => [
    said("s1", null, "you look", { isSidechain: true, ...more }),
    answered("s2", "s1", "m9", { type: "text", text: "Seen." }, { isSidechain: true, ...more }),
  ];
  const file = (lines: readonly object[]) => lines.map((each) => JSON.stringify(each)).join("\n");
  const joined = (name: string, more: readonly object[] = [], start = main("7")) =>
    outline(
      importedText(file(start), {
        beside: [
          { name: "agent-7.jsonl", text: file(agent({ agentId: "7" })) },
          ...more.map((meta) => ({ name, text: JSON.stringify(meta) })),
        ],
      }),
    );
  const below = (name: string) => [
    "task look into it",
    "user look into it",
    "call t1 Task",
    "  result t1 Task Seen.",
    "  model It is seen. <",
    `  task ${name}`,
    "  user you look",
    "  model Seen.",
  ];

  it("in files of their own hang below the call that says their id", () => {
    expect(joined("")).toEqual(below("subagent 7: look"));
  });

  it("hang below the call that their description names, or the one with their prompt", () => {
    const meta = { agentType: "x", description: "look", toolUseId: "t1" };
    expect(joined("agent-7.meta.json", [meta], main(undefined))).toEqual(below("subagent 7: look"));
    expect(joined("", [], main(undefined))).toEqual(below("subagent 7: look"));
  });

  it("whose call is nowhere hang at the end, and a file of nothing else is a session", () => {
    const other = [said("a", null, "hello"), answered("b", "a", "m1", { type: "text", text: "Hi." })];
    expect(joined("", [], other).slice(-3)).toEqual(["task subagent 7", "user you look", "model Seen."]);
    expect(outline(importedText(file(agent({ agentId: "7" }))))).toEqual([
      "task you look",
      "user you look",
      "model Seen. <",
    ]);
  });

  it("of subagents hang below these, and all are complete", () => {
    const inner = [
      said("s1", null, "you look", { isSidechain: true, agentId: "7" }),
      answered(
        "s2",
        "s1",
        "m9",
        { ...use("t2", "Task"), input: { prompt: "deeper" } },
        { isSidechain: true },
      ),
      said("s3", "s2", result("t2", "deep"), { isSidechain: true, toolUseResult: { agentId: "8" } }),
    ];
    const deep = [said("z1", null, "deeper", { isSidechain: true, agentId: "8" })];
    const session = importedText(file(main("7")), {
      beside: [
        { name: "agent-8.jsonl", text: file(deep) },
        { name: "agent-7.jsonl", text: file(inner) },
      ],
    });
    const { tasks, nodes } = folded(session).context;
    const [root, seven, eight] = [...tasks.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(eight?.parentTaskId).toBe(seven?.id);
    expect([seven?.outcome, eight?.outcome, root?.outcome]).toEqual(["complete", "complete", "open"]);
    expect(nodes.get(seven?.tipId ?? "")?.payload).toMatchObject({ output: "deep" });
  });
});

describe("a stream of the Claude Agent SDK", () => {
  const message = (type: string, content: unknown, more: object = {}) => ({
    type,
    session_id: "s",
    parent_tool_use_id: null,
    message: { id: "m1", role: type, model: "claude-x", content },
    ...more,
  });

  it("is read without ids, with its errors told once", () => {
    const lines = [
      { type: "system", subtype: "init", session_id: "s", cwd: "/srv/app" },
      message("user", "go"),
      message("assistant", [{ type: "text", text: "I go." }]),
      message("assistant", [use("t1")]),
      message("user", result("t1", "one")),
      message("assistant", [{ type: "text", text: "Gone." }], {
        message: { id: "m2", model: "x", content: "Gone." },
      }),
      { type: "result", subtype: "success", session_id: "s", result: "Gone." },
      {
        type: "result",
        subtype: "error_max_turns",
        session_id: "s",
        is_error: true,
        errors: ["too many turns"],
      },
    ];
    expect(rows(...lines)).toEqual([
      "user go",
      "model I go.",
      "call t1 Read",
      "result t1 Read one",
      "model Gone.",
      "note for person: too many turns <",
    ]);
    expect(imported(lines)).toMatchObject({ format: "claude-sdk", title: "go" });
    expect(imported(lines).events[0]?.event).toMatchObject({ cwd: "/srv/app" });
  });
});

describe("ids and parents of Claude Code", () => {
  it("that go in a circle or stand below themselves are opened, and told", () => {
    const session = imported([
      said("a", "b", "one"),
      said("b", "a", "two"),
      said("c", "c", "three"),
      said("d", "c", "four"),
    ]);
    expect(session.problems.map(({ line, what }) => `${line} ${what}`)).toEqual(["1 cycle", "3 cycle"]);
    expect(outline(session).map((row) => row.trim())).toEqual([
      "task one",
      "user one",
      "user two",
      "user three",
      "user four <",
    ]);
  });

  it("that occur twice are both kept, unless one line repeats the other", () => {
    const lines = [said("a", null, "one"), said("a", "a", "two"), said("a", null, "one")];
    const session = imported(lines);
    expect(session.problems.map(({ line, what }) => `${line} ${what}`)).toEqual([
      "2 duplicate_id",
      "3 duplicate_id",
    ]);
    expect(outline(session)).toEqual(["task one", "user one", "user two <"]);
  });

  it("that are used for two calls or two results leave every prompt sound", () => {
    const lines = [
      said("a", null, "go"),
      answered("b", "a", "m1", use("t1")),
      answered("c", "b", "m1", use("t1")),
      said("d", "c", result("t1", "one")),
      said("e", "d", result("t1", "two")),
      said("f", "e", result("t1", "three")),
      answered("g", "f", "m2", { type: "text", text: "Done." }),
    ];
    const session = imported(lines);
    const { context } = folded(session);
    expect(amountsOf(context)).toMatchObject({ calls: 2, results: 3 });
    expect(faultsOf(context)).toEqual([]);
    expect(session.problems.map(({ what }) => what)).toContain("broken_pair");
  });

  it("in the files of subagents lead nowhere else, and are told with the file", () => {
    const main = [said("a", null, "go"), answered("b", "a", "m1", use("t1", "Task"))];
    const text = main.map((each) => JSON.stringify(each)).join("\n");
    const session = importedText(text, {
      beside: [
        { name: "agent-../../x.jsonl", text: `${JSON.stringify(said("s", "zz", "in"))}\n{half` },
        { name: "agent-7.meta.json", text: '{"toolUseId":"../../t1","description":"\\u001b[2J"}' },
      ],
    });
    expect(session.problems).toEqual([
      expect.objectContaining({ file: "agent-../../x.jsonl", line: 2, what: "unreadable_line" }),
    ]);
    expect(outline(session).map((row) => row.trim())).toContain("user in");
  });
});
