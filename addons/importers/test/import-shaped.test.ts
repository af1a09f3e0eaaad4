import { describe, expect, it } from "vitest";
import { isRefusal } from "../../../packages/core/src/files/values/index.js";
import { imported, outline, read } from "./import-support.js";

/** Lines of Claude Code as its releases around 2.1.10 wrote them: the turns of a subagent stand in lines of progress. */
function line(uuid: string, parentUuid: string | null, more: object) {
  return { uuid, parentUuid, isSidechain: false, sessionId: "s", timestamp: "2026-01-12T10:00:00Z", ...more };
}

function progress(uuid: string, parentUuid: string, message: object) {
  const data = {
    type: "agent_progress",
    agentId: "a1",
    prompt: "Read a.txt.",
    normalizedMessages: [],
    message,
  };
  return line(uuid, parentUuid, { type: "progress", data, toolUseID: "agent_1", parentToolUseID: "toolu_1" });
}

const asked = {
  type: "tool_use",
  id: "toolu_1",
  name: "Task",
  input: { description: "Look", prompt: "Read a.txt." },
};
const looked = { type: "tool_use", id: "toolu_2", name: "Read", input: { file_path: "a.txt" } };
const seen = { type: "tool_result", tool_use_id: "toolu_2", content: "alpha" };
const answer = { type: "tool_result", tool_use_id: "toolu_1", content: "It says alpha." };

const withProgress = [
  line("u1", null, { type: "user", message: { role: "user", content: "Ask a helper." } }),
  line("u2", "u1", { type: "assistant", message: { id: "m1", model: "m", content: [asked] } }),
  progress("p1", "u2", { type: "user", uuid: "x1", message: { role: "user", content: "Read a.txt." } }),
  progress("p2", "p1", {
    type: "assistant",
    uuid: "x2",
    message: { id: "m2", model: "m", content: [looked] },
  }),
  progress("p3", "p2", { type: "user", uuid: "x3", message: { role: "user", content: [seen] } }),
  line("u3", "p3", { type: "user", message: { role: "user", content: [answer] } }),
  line("u4", "u3", {
    type: "assistant",
    message: { id: "m3", model: "m", content: [{ type: "text", text: "Done." }] },
  }),
];

describe("a subagent in lines of progress", () => {
  it("is a task below the call that began it", () => {
    const session = imported(withProgress);
    expect(outline(session)).toEqual([
      "task Ask a helper.",
      "user Ask a helper.",
      "call toolu_1 Task",
      "  result toolu_1 Task It says alpha.",
      "  model Done. <",
      "  task subagent a1: Look",
      "  user Read a.txt.",
      "  call toolu_2 Read",
      "  result toolu_2 Read alpha",
    ]);
    expect(session.folded).toEqual([]);
    expect(session.problems).toEqual([]);
  });

  it("comes from its own file where there is one", () => {
    const alone = withProgress.map((one) => JSON.stringify(one)).join("\n");
    const own = { uuid: "x1", parentUuid: null, isSidechain: true, type: "user" };
    const beside = [
      {
        name: "agent-a1.jsonl",
        text: JSON.stringify({ ...own, message: { role: "user", content: "From the file." } }),
      },
    ];
    const session = imported([alone], { beside });
    expect(outline(session).filter((row) => row.includes("user"))).toEqual([
      "user Ask a helper.",
      "  user From the file.",
    ]);
  });
});

describe("GitHub Copilot CLI", () => {
  const event = (type: string, id: string, parentId: string | null, data: object) => ({
    type,
    data,
    id,
    parentId,
  });
  const begun = event("session.start", "e1", null, { sessionId: "c1", context: { cwd: "/p" } });

  it("keeps what a subagent said as a task, and an event that is not known with its bytes", () => {
    const call = { toolCallId: "t1", name: "task", arguments: { description: "Look", prompt: "Go." } };
    const session = imported([
      begun,
      event("user.message", "e2", "e1", {
        content: "Ask.",
        attachments: [{ type: "file", path: "/p/a.txt" }],
      }),
      event("assistant.message", "e3", "e2", {
        messageId: "m1",
        content: "",
        reasoningText: "Hm.",
        toolRequests: [call],
      }),
      event("assistant.message", "e4", "e3", {
        messageId: "m2",
        content: "Sub.",
        toolRequests: [],
        parentToolCallId: "t1",
      }),
      event("tool.execution_complete", "e5", "e4", {
        toolCallId: "t1",
        success: true,
        result: { content: "Said." },
      }),
      event("planner.note", "e6", "e5", { content: "MARK" }),
    ]);
    expect(outline(session)).toEqual([
      "task Ask.",
      "note for person: Not in the tree: 1 line that is no turn (session.start 1).",
      "user Ask.",
      "unknown copilot:file",
      "model (Hm.) ",
      "call t1 task",
      "  task subagent t1: Look",
      "  model Sub.",
      "  result t1 task Said.",
      "  unknown copilot:planner.note <",
    ]);
    expect(JSON.stringify(session.events)).toContain("MARK");
    expect(session.problems).toEqual([]);
  });
});

describe("Cline and Roo Code", () => {
  it("are a list of messages in the names of Anthropic's API", () => {
    const call = { type: "tool_use", id: "t1", name: "read_file", input: { path: "a.txt" } };
    const history = [
      { role: "user", content: [{ type: "text", text: "<task>\nDo it.\n</task>" }], ts: 1_767_000_000_000 },
      { role: "assistant", content: [{ type: "text", text: "I look." }, call], ts: 1_767_000_001_000 },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "alpha" }] },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ];
    for (const text of [JSON.stringify(history), JSON.stringify(history, null, 2)]) {
      const session = imported([text]);
      expect(session.format).toBe("cline");
      expect(outline(session).slice(1)).toEqual([
        "user <task>\nDo it.\n</task>",
        "model I look.",
        "call t1 read_file",
        "result t1 read_file alpha",
        "model Done. <",
      ]);
    }
  });
});

describe("a file of which nothing can be read as a turn", () => {
  it.each([
    ["only the frame of a session", [{ type: "session", version: 3, id: "p1", cwd: "/p" }]],
    ["an empty chat", [{ sessionId: "g1", projectHash: "h", startTime: "2026-01-01T00:00:00Z" }]],
    [
      "events that are no turns",
      [{ type: "session.start", data: { sessionId: "c" }, id: "e1", parentId: null }],
    ],
  ])("is no session: %s", (_, lines) => {
    const session = read(lines);
    expect(isRefusal(session) && session.code).toBe("not_a_session");
    expect(isRefusal(session) && session.message).toContain("no turn in it can be read");
  });
});

describe("a line of a shape that is not known", () => {
  it.each([
    [
      "a message without content",
      line("u2", "u1", { type: "assistant", message: { role: "model", words: "MARK" } }),
    ],
    ["the same of the user", line("u2", "u1", { type: "user", message: { role: "user", words: "MARK" } })],
    [
      "a result that is an object of another program",
      line("u2", "u1", {
        type: "user",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t", content: { output: "MARK" } }],
        },
      }),
    ],
  ])("keeps its bytes: %s", (_, second) => {
    const first = line("u1", null, { type: "user", message: { role: "user", content: "Hi." } });
    expect(JSON.stringify(imported([first, second]).events)).toContain("MARK");
  });

  it("keeps those of an entry of pi, too", () => {
    const header = { type: "session", version: 3, id: "p1", cwd: "/p" };
    const said = { type: "message", id: "a", parentId: null, message: { role: "user", content: "Hi." } };
    const session = imported([header, said, { type: "plan", id: "b", parentId: "a", text: "MARK" }]);
    expect(outline(session)).toContain("unknown pi:plan <");
    expect(JSON.stringify(session.events)).toContain("MARK");
  });
});
