import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { amountsOf, faultsOf } from "./import-counts.js";
import {
  answered,
  folded,
  imported,
  importedText,
  nodesOf,
  outline,
  outlineOf,
  result,
  said,
  sessionOf,
  use,
} from "./import-support.js";

const lines = [
  said("a", null, "go"),
  answered("b", "a", "m1", use("t1")),
  said("c", "b", result("t1", "one")),
  answered("d", "c", "m2", { type: "text", text: "Done." }),
].map((line) => JSON.stringify(line));
const [first = "", second = "", third = "", last = ""] = lines;
const whole = outline(imported(lines));

describe("a line of an import that holds more than one record", () => {
  it.each([["two, whole", [first, second + third, last], 2]])(
    "gives all of them: %s",
    (_what, damaged, line) => {
      const session = imported(damaged);
      expect(outline(session)).toEqual(whole);
      expect(session.problems).toEqual([
        {
          line,
          what: "joined_line",
          message: expect.stringMatching(/holds \d records without a line end between them; all were kept/),
        },
      ]);
    },
  );

  const note = JSON.stringify({ type: "queue-operation", operation: 'a \\ "b" {"c":1}', n: [1.5, true, {}] });
  it.each([
    ["in a text", note.slice(0, 40)],
    ["in a key", '{"ty'],
    ["behind a value", '{"type":"queue-operation"'],
    ["behind its first bracket", "{"],
    ["as zeros", "\u0000\u0000\u0000"],
  ])("gives the one that is written behind one that was cut %s", (_what, cut) => {
    const session = imported([first, `${cut}${second}`, third, last]);
    expect(outline(session)).toEqual(whole);
    expect(session.problems).toEqual([
      {
        line: 2,
        what: "unreadable_line",
        message: `Line 2 begins with a record that was cut (${cut.length} characters), which was left out; what is written behind it was kept.`,
      },
    ]);
  });

  it.each([
    ["a record without its last bracket is no record", second.slice(0, -1)],
    ["an object in a damaged record is no record", second.replace('{"type"', '{*type"')],
    ["behind a colon nothing says where a record begins", `{"type":${second}`],
  ])("gives none where that is not certain: %s", (_what, damaged) => {
    const session = imported([first, damaged, third, last]);
    expect(session.problems[0]).toMatchObject({ line: 2, what: "unreadable_line" });
    expect(amountsOf(folded(session).context)).toMatchObject({ calls: 0, results: 1 });
    expect(faultsOf(folded(session).context)).toEqual([]);
  });
});

describe("a session of a real program in which one line end was lost", () => {
  const names = [
    ...["pi-day.jsonl"],
    ...["codex-parallel.jsonl", "gemini-compressed.jsonl", "opencode-child.jsonl"],
  ];
  const said = (text: string) =>
    nodesOf(importedText(text)).map(({ payload }) => JSON.stringify(payload).replaceAll(/line \d+/g, "line"));

  it.each(names)("comes in as if nothing were: %s", (name) => {
    const text = sessionOf(name).trim();
    const before = said(text).toSorted();
    for (let end = text.indexOf("\n"), at = 0; end >= 0; end = text.indexOf("\n", end + 1), at += 1) {
      if (at % 6 !== 0) continue;
      const joined = text.slice(0, end) + text.slice(end + 1);
      expect(said(joined).toSorted()).toEqual(before);
    }
  });
});

describe("a session of opencode", () => {
  const records = sessionOf("opencode-child.jsonl").trim().split("\n");
  const [own, asked] = [0, 1];
  const child = records.findLastIndex((record) => record.includes('"projectID"'));
  const said = (damaged: readonly string[]) => outlineOf(importedText(damaged.join("\n")));
  const before = said(records);

  it.each([
    ["its own", own, "1 belongs to the session ses_df8ccb570ffe58FTywSDD19Lny"],
    ["a question", asked, "6 belongs to the message msg_207334fcd0013kZ2eQ75K2fSU3"],
    ["an answer", asked + 1, "10 belongs to the message msg_2073360f2001SQSsx1JApKW095"],
  ])("in which one record is lost loses nothing else: %s", (_what, lost, told) => {
    const damaged = records.toSpliced(lost, 1);
    expect(said(damaged)).toEqual(before);
    expect(importedText(damaged.join("\n")).problems).toEqual([
      {
        line: Number(/^\d+/.exec(told)?.[0]),
        what: "missing_record",
        message: expect.stringContaining(`Line ${told}`),
      },
    ]);
  });

  it("whose subagent's record is lost keeps it below its call", () => {
    expect(child).toBeGreaterThan(asked);
    const damaged = said(records.toSpliced(child, 1));
    expect(damaged.map((row) => row.replace(/task .*/, "task"))).toEqual(
      before.map((row) => row.replace(/task .*/, "task")),
    );
  });

  it.each([
    ["its session", asked + 1, "sessionID"],
    ["its time", asked + 1, "time"],
    ["its id, as a part", 8, "id"],
  ])("in which a record does not say %s has it in its place", (_what, which, key) => {
    const { [key]: _, ...rest } = JSON.parse(records[which] ?? "");
    expect(said(records.with(which, JSON.stringify(rest)))).toEqual(before);
  });
});

describe("a chat of gemini-cli", () => {
  const chat = sessionOf("gemini-compressed.jsonl").trim().split("\n");
  const said = (damaged: readonly string[]) => outlineOf(importedText(damaged.join("\n")));
  const before = said(chat);
  const lists = chat.flatMap((line, at) => (line.startsWith('{"$set":{"messages"') ? [at] : []));

  it.each([
    ["the context that stands first", [lists[0] ?? -1]],
    ["a prompt that a later list holds", [2]],
    ["the list with which it was taken up again", [lists[2] ?? -1]],
  ])("in which a record is lost has all in its place: %s", (_what, lost) => {
    expect(lost).not.toContain(-1);
    expect(said(chat.filter((_, at) => !lost.includes(at)))).toEqual(before);
  });

  it("keeps a summary with which a list begins", () => {
    const [, , , list = -1] = lists;
    const end = said(chat.slice(list)).slice(0, 3);
    expect(end).toEqual([
      expect.stringMatching(/^model <session_context>/),
      expect.stringMatching(/^summary <state_snapshot>/),
      expect.stringMatching(/^model Got it/),
    ]);
  });
});

describe("a line that is JSON and has lost a part", () => {
  const without = (record: string, path: readonly string[], put?: unknown) => {
    const value = JSON.parse(record);
    const holder = path.slice(0, -1).reduce((at, key) => at[key], value);
    const key = path.at(-1) ?? "";
    if (put === undefined) delete holder[key];
    else holder[key] = put;
    return JSON.stringify(value);
  };

  it.each([
    ["claude-day.jsonl", '"type":"user"', ["type"], undefined, "type"],
    ["claude-day.jsonl", '"type":"user"', ["message"], 7, "message"],
    [
      "claude-day.jsonl",
      '"type":"tool_use"',
      ["message", "content", "0", "name"],
      undefined,
      "message.content.0.name",
    ],
    ["claude-day.jsonl", '"type":"tool_use"', ["message", "content", "0"], 7, "message.content.0"],
    [
      "claude-stream-agents.jsonl",
      '"type":"tool_result"',
      ["message", "content", "0", "tool_use_id"],
      null,
      "message.content.0.tool_use_id",
    ],
    ["codex-parallel.jsonl", '"type":"function_call"', ["payload"], [], "payload"],
    ["codex-parallel.jsonl", '"type":"function_call"', ["payload", "name"], undefined, "payload.name"],
    [
      "codex-parallel.jsonl",
      '"type":"function_call_output"',
      ["payload", "output"],
      undefined,
      "payload.output",
    ],
    ["gemini-parallel.jsonl", '"content":[{"text":"Make', ["content", "0", "text"], 7, "content.0.text"],
    ["gemini-parallel.jsonl", '"$set":{"messages"', ["$set", "messages"], 7, "$set.messages"],
    ["gemini-parallel.jsonl", '"toolCalls"', ["toolCalls", "0", "name"], 7, "toolCalls.0.name"],
    ["opencode-child.jsonl", '"type":"tool"', ["state"], undefined, "state"],
    ["opencode-child.jsonl", '"type":"text"', ["text"], undefined, "text"],
    ["opencode-child.jsonl", '"role":"assistant"', ["role"], undefined, "role"],
    ["pi-day.jsonl", '"role":"user"', ["message", "content"], 7, "message.content"],
    ["pi-day.jsonl", '"type":"toolCall"', ["type"], undefined, "type"],
  ])("of %s is told: %s at %j", (name, mark, path, put, missing) => {
    const records = sessionOf(name).trim().split("\n");
    const at = records.findIndex((record) => record.includes(mark));
    const session = importedText(records.with(at, without(records[at] ?? "", path, put)).join("\n"));
    expect(session.problems).toContainEqual({
      line: at + 1,
      what: "incomplete_line",
      message: `Line ${at + 1} has no ${missing} that can be read; what is left of it was kept.`,
    });
    expect(faultsOf(folded(session).context)).toEqual([]);
  });
});

describe("a rollout of Codex", () => {
  it.each([
    ["its own id", 0, "payload", "id"],
    ["the id of the session", 0, "payload", "session_id"],
  ])("whose header lost %s keeps its subagents", (_what, at, ...path) => {
    const [name = "", ...others] = filesOf("codex-agents-v2");
    const beside = others.map((file) => ({ name: file, text: sessionOf(`codex-agents-v2/${file}`) }));
    const records = sessionOf(`codex-agents-v2/${name}`).trim().split("\n");
    const damaged = JSON.parse(records[at] ?? "");
    damaged[path[0] ?? ""][path[1] ?? ""] = "01a20caa-0000-7e61-914c-7f82fe046825";
    const words = (text: string) => outlineOf(importedText(text, { beside })).map((row) => row.trim());
    const tasks = (rows: readonly string[]) => rows.filter((row) => /^task|Helper/.test(row));
    const text = records.with(at, JSON.stringify(damaged)).join("\n");
    expect(tasks(words(text))).toEqual(tasks(words(records.join("\n"))));
  });

  it("that began with all that was said before it repeats nothing where its header does not say so", () => {
    const [name = "", ...others] = filesOf("codex-agents");
    const files = others.map((file) => ({ name: file, text: sessionOf(`codex-agents/${file}`) }));
    const damaged = files.map((file) => ({
      ...file,
      text: file.text.replace("forked_from_id", "forked_frem_id"),
    }));
    expect(damaged).not.toEqual(files);
    const main = sessionOf(`codex-agents/${name}`);
    expect(outlineOf(importedText(main, { beside: damaged }))).toEqual(
      outlineOf(importedText(main, { beside: files })),
    );
  });
});

describe("a document over many rows", () => {
  const rows = sessionOf("opencode-export.json").trimEnd().split("\n");
  const said = (damaged: readonly string[]) =>
    nodesOf(importedText(damaged.join("\n"))).flatMap(({ payload }) =>
      ["user_message", "model_message", "tool_call", "tool_result"].includes(payload.kind) ? [payload] : [],
    );
  const ids = (damaged: readonly string[]) => JSON.stringify(said(damaged)).match(/call_\d+/g)?.length ?? 0;
  const [texts, calls] = [said(rows).length, ids(rows)];

  it.each([
    ["emptied", (_row: string) => ""],
    ["cut in two", (row: string) => row.slice(0, row.length / 2)],
    ["with a wrong byte where it begins", (row: string) => `!${row.slice(1)}`],
  ])("loses one part at most with a row %s", (_how, damage) => {
    for (const [at, row] of rows.entries()) {
      if (at % 23 !== 0) continue;
      const damaged = rows.with(at, damage(row));
      // A part is a text, or a call with its result; of a question that has lost its only part the message stays.
      expect([at, texts - said(damaged).length]).toEqual([at, expect.toBeOneOf([-1, 0, 1, 2])]);
      expect([at, calls - ids(damaged)]).toEqual([at, expect.toBeOneOf([0, 1, 2])]);
    }
  });

  it("tells the row that is lost", () => {
    const at = rows.findIndex((row) => row.includes('"callID"'));
    const { problems } = importedText(rows.with(at, `${rows[at]?.slice(0, -2)}`).join("\n"));
    expect(problems).toContainEqual({
      line: at + 1,
      what: "unreadable_line",
      message: `Line ${at + 1} of the document is damaged; it was left out.`,
    });
  });

  it.each([
    ["the first row", 0, ""],
    ["the name of its list", rows.indexOf('  "messages": ['), '  "massages": ['],
  ])("is read where %s is damaged", (_what, at, row) => {
    expect(at).toBeGreaterThanOrEqual(0);
    expect(said(rows.with(at, row))).toEqual(said(rows));
    expect(importedText(rows.with(at, row).join("\n")).problems).not.toEqual([]);
  });
});

function filesOf(folder: string): readonly string[] {
  return readdirSync(new URL(`imports/${folder}`, import.meta.url)).toSorted();
}
