import { describe, expect, it } from "vitest";
import { isRefusal } from "../../../packages/core/src/files/index.js";
import { readSessionInSteps } from "../src/index.js";
import { amountsOf, faultsOf, importedText } from "./import-counts.js";
import {
  answered,
  at,
  countingIds,
  folded,
  imported,
  outline,
  piAnswer,
  piCall,
  piHeader,
  piResult,
  piUser,
  result,
  said,
  use,
} from "./import-support.js";

/** Both programs' words for the same: a prompt with a text, a call with arguments, its result, an end. */
const formats: readonly (readonly [string, (text: string, args: string) => readonly string[]])[] = [
  [
    "pi",
    (text, args) => [
      JSON.stringify(piHeader),
      JSON.stringify(piUser("a", null, "PROMPT")).replace('"PROMPT"', text),
      JSON.stringify(piAnswer("b", "a", piCall("c1", "read"))).replace('{"path":"a.txt"}', args),
      JSON.stringify(piResult("c", "b", "c1", "one")),
      JSON.stringify(piAnswer("d", "c", { type: "text", text: "Done." })),
    ],
  ],
  [
    "Claude Code",
    (text, args) => [
      JSON.stringify(said("a", null, "PROMPT")).replace('"PROMPT"', text),
      JSON.stringify(answered("b", "a", "m1", use("t1"))).replace('{"file_path":"a"}', args),
      JSON.stringify(said("c", "b", result("t1", "one"))),
      JSON.stringify(answered("d", "c", "m2", { type: "text", text: "Done." })),
    ],
  ],
];

const deep = (levels: number) => `${'{"x":'.repeat(levels)}1${"}".repeat(levels)}`;
const told = (lines: readonly string[]) => {
  const session = imported(lines);
  const { context } = folded(session);
  expect(amountsOf(context)).toMatchObject({ calls: 1, results: 1 });
  expect(faultsOf(context)).toEqual([]);
  expect(outline(session).at(-1)).toBe("model Done. <");
  return { session, context, what: session.problems.map(({ what }) => what) };
};

describe.each(formats)("a hostile session of %s", (_name, lines) => {
  it.each([
    ["markup", "<script>alert(1)</script><img src=x onerror=alert(1)>"],
    ["escape sequences", "\u001b[2J\u001b]0;title\u0007\u202etxt\u0000"],
    ["a path outside", "../../../../etc/passwd"],
    ["the name of a member", "__proto__"],
  ])("keeps %s as text", (_what, text) => {
    const { context, what } = told(lines(JSON.stringify(text), "{}"));
    expect(
      [...context.nodes.values()].some(({ payload }) => "text" in payload && payload.text === text),
    ).toBe(true);
    expect(what).toEqual([]);
  });

  it("keeps a key __proto__ under another name, and tells it", () => {
    const { context, what } = told(lines('"go"', '{"__proto__":{"polluted":1},"path":"a"}'));
    const call = [...context.nodes.values()].find(({ payload }) => payload.kind === "tool_call");
    expect(call?.payload).toMatchObject({ args: { "(__proto__)": { polluted: 1 }, path: "a" } });
    expect(what).toEqual(["tamed_value"]);
    expect("polluted" in {}).toBe(false);
  });

  it.each([200, 1_000])("keeps what nests %d levels deep as text, and tells it", (levels) => {
    const { context, what } = told(lines('"go"', `{"deep":${deep(levels)}}`));
    const call = [...context.nodes.values()].find(({ payload }) => payload.kind === "tool_call");
    expect(JSON.stringify(call?.payload)).toContain('x\\":');
    expect(what).toEqual(["tamed_value"]);
  });

  it("loses a line that nobody can parse, and nothing else", () => {
    const session = imported([...lines('"go"', "{}"), `{"x":${"[".repeat(200_000)}`, "\u0000\u0000"]);
    expect(session.problems.map(({ what }) => what)).toEqual(["unreadable_line", "unreadable_line"]);
    expect(amountsOf(folded(session).context)).toMatchObject({ calls: 1, results: 1 });
  });

  it("tells a line that was too long to be read", () => {
    const [first = "", ...rest] = lines('"go"', "{}");
    const text = [first, "", ...rest].join("\n");
    const work = readSessionInSteps(text, {
      from: "x",
      newId: countingIds(),
      now: 1,
      unread: [{ line: 2, bytes: 1_000_000_000 }],
    });
    let step = work.next();
    while (step.done !== true) step = work.next();
    if (isRefusal(step.value)) throw new Error(step.value.message);
    expect(step.value.problems).toEqual([
      {
        line: 2,
        what: "long_line",
        message: "Line 2 is too long (1,000,000,000 bytes); it was left out.",
      },
    ]);
    expect(outline(step.value).at(-1)).toBe("model Done. <");
  });
});

describe("ids and parents of a hostile session", () => {
  it("of Claude Code that go in a circle or stand below themselves are opened, and told", () => {
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

  it("of Claude Code that occur twice are both kept, unless one line repeats the other", () => {
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
    const session = importedText(text, [
      { name: "agent-../../x.jsonl", text: `${JSON.stringify(said("s", "zz", "in"))}\n{half` },
      { name: "agent-7.meta.json", text: '{"toolUseId":"../../t1","description":"\\u001b[2J"}' },
    ]);
    expect(session.problems).toEqual([
      expect.objectContaining({ file: "agent-../../x.jsonl", line: 2, what: "unreadable_line" }),
    ]);
    expect(outline(session).map((row) => row.trim())).toContain("user in");
  });
});

describe("a long session", () => {
  const lines = Array.from({ length: 2_000 }, (_, n) => {
    const above = n === 0 ? null : `d${n - 1}`;
    const step = [
      said(`a${n}`, above, "go"),
      answered(`b${n}`, `a${n}`, `m${n}`, use(`t${n}`)),
      said(`c${n}`, `b${n}`, result(`t${n}`, "one")),
      answered(`d${n}`, `c${n}`, `n${n}`, { type: "text", text: "Done." }),
    ];
    return step.map((each) => JSON.stringify(each)).join("\n");
  });
  const pi = Array.from({ length: 8_000 }, (_, n) =>
    JSON.stringify({ ...piUser(`a${n}`, n === 0 ? null : `a${n - 1}`, "go"), ...at(`a${n}`, null) }),
  );

  it.each([
    ["Claude Code", lines.join("\n"), 5],
    ["pi", [JSON.stringify(piHeader), ...pi].join("\n"), 3],
  ])("of %s is read, put in order and judged in many small steps", (_name, text, passes) => {
    const work = readSessionInSteps(text, { from: "x", newId: countingIds(), now: 1 });
    let steps = 0;
    while (work.next().done !== true) steps += 1;
    // Characters come in pieces of 64 Ki; each pass over 8,000 lines yields at least every 2,048 of them.
    expect(steps).toBeGreaterThan(text.length / 66_000 + (passes * 8_000) / 2_100);
  });
});
