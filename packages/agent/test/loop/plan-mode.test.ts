import { upwards } from "@holdfast/core/conversation";
import { scriptedSummariser } from "@holdfast/core/conversation/values";
import { defaultEconomy } from "@holdfast/core/economy";
import { describe, expect, it } from "vitest";
import type { ApprovalMode } from "../../src/config/approval.js";
import { planTool } from "../../src/host/plan.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { Asked, PersonsAnswer } from "../../src/loop/gate.js";
import type { ScriptedAnswer } from "../../src/models/scripted.js";
import { type ReceivedRequest, type ServedAnswer, wires } from "../loopback/index.js";
import { portTo, serve } from "./on-wire.js";
import { openStage } from "./stage.js";

const call = (name: string, args: object) => ({ calls: [{ name, args: { ...args } }] });
const plan = "1. Write two in the place of one.";
const handIn = (text = plan) => call("more_tools", { name: "exit_plan_mode", args: { plan: text } });
const read = call("read_file", { file_path: "a.txt" });
const edit = call("edit_file", {
  file_path: "a.txt",
  base_content_sha256: "{{sha256:a.txt}}",
  edits: [{ old_string: "one", new_string: "two" }],
});
const done = { text: "Done." };

/** What a cache goes by, in the order of the prompt: tools, system text, and each message. */
function prefixOf({ body }: ReceivedRequest): readonly string[] {
  // A cast: each of these APIs takes an object.
  const { tools, system, systemInstruction, instructions, messages, input, contents } = body as Body;
  const head = [tools, system, systemInstruction, instructions].map((one) => JSON.stringify(one, unmarked));
  const said = [messages, input, contents].flatMap((one) => one ?? []);
  return [...head, ...said.map((one) => JSON.stringify(one, unmarked))];
}

type Body = Readonly<Record<string, readonly unknown[] | undefined>>;

/** A mark only tells a cache where it ends. */
const unmarked = (key: string, value: unknown) => (key === "cache_control" ? undefined : value);

describe.each(wires)("over $name, a session from ask through a plan to its work", (wire) => {
  const script: readonly ServedAnswer[] = [
    { text: "Hello." },
    { text: "I look.", ...read },
    edit,
    handIn("Too short."),
    handIn(),
    edit,
    done,
    done,
  ];

  it("sends the whole former prompt in each request, byte for byte, and tells the mode in messages", async () => {
    const server = await serve(wire, script);
    const asked: Asked[] = [];
    const answers: PersonsAnswer[] = [
      { kind: "no", message: "Say why." },
      { kind: "work", mode: "auto-edit" },
    ];
    const stage = await openStage(
      [],
      {
        model: portTo(server),
        mode: "ask",
        hostTools: () => [planTool],
        ask: async (list) => {
          asked.push(...list);
          return list.map(() => answers.shift() ?? { kind: "no" });
        },
      },
      { "a.txt": "one\n" },
    );
    await stage.turn("Hello?");
    stage.agent.setMode("plan");
    expect(await stage.turn("Plan it.")).toMatchObject({ reason: "complete", text: "Done.", undone: [] });
    await stage.turn("And?");
    expect(stage.agent.mode).toBe("auto-edit");
    expect(stage.read("a.txt")).toBe("two\n");
    expect(asked).toMatchObject([
      { kind: "plan", plan: "Too short." },
      { kind: "plan", plan },
    ]);
    expect(server.refused).toEqual([]);
    const prompts = server.requests.map(prefixOf);
    expect(prompts).toHaveLength(script.length);
    for (const [at, prompt] of prompts.slice(1).entries())
      expect(prompt.slice(0, prompts[at]?.length)).toEqual(prompts[at]);
    const [, first = "", , denied = "", said = "", over = ""] = server.requests.map(({ text }) => text);
    expect(first.split("Plan mode:")).toHaveLength(2);
    expect(denied).toContain("This is plan mode: nothing is changed until the user approves a plan.");
    expect(said).toContain("The user does not approve the plan: Say why.");
    expect(over).toContain("Plan mode is over; the mode is auto-edit.");
    const last = server.requests.at(-1)?.text ?? "";
    expect([last.split("Plan mode:").length, last.split("Plan mode is over").length]).toEqual([2, 2]);
  });
});

describe("a plan", () => {
  const staged = (answers: readonly ScriptedAnswer[], parts: Partial<AgentParts> = {}) =>
    openStage(answers, { mode: "plan", hostTools: () => [planTool], ...parts }, { "a.txt": "one\n" });
  const answering = (answer: PersonsAnswer): Partial<AgentParts> => ({
    ask: async (list) => list.map(() => answer),
  });
  const textsTo = ({ manager }: Awaited<ReturnType<typeof staged>>) =>
    [...manager.context.nodes.values()].map(({ payload }) =>
      payload.kind === "note" ? payload.text : payload.kind === "tool_result" ? payload.output : "",
    );

  it("is the last word and no failure where nobody is asked, whatever was tried before", async () => {
    for (const parts of [{}, { ...answering({ kind: "work", mode: "yolo" }), endsWithPlan: true }]) {
      const stage = await staged([read, edit, handIn(), done], parts);
      expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", text: plan, undone: [] });
      expect([stage.agent.mode, stage.read("a.txt")]).toEqual(["plan", "one\n"]);
    }
  });

  it("is taken by the names that models know it by", async () => {
    for (const name of ["exit_plan_mode", "ExitPlanMode"])
      expect((await (await staged([call(name, { plan }), done])).turn("Go.")).text).toBe(plan);
  });

  it.each(["ask", "auto-edit", "yolo"] as const)(
    "begins the work in %s, edited by the person",
    async (mode) => {
      const stage = await staged([handIn(), done], answering({ kind: "work", mode, plan: "2. Better." }));
      await stage.turn("Go.");
      expect(stage.agent.mode).toBe(mode);
      expect(textsTo(stage)).toContain(
        `Plan mode is over; the mode is ${mode}. Do the work: the user approved the plan, edited:\n2. Better.`,
      );
    },
  );

  it("that is refused without words gives the person the next word", async () => {
    const stage = await staged([handIn(), done, done], answering({ kind: "no" }));
    expect(await stage.turn("Go.")).toMatchObject({ steps: 1, text: plan });
    expect(stage.agent.mode).toBe("plan");
    await stage.turn("Otherwise.");
    expect(textsTo(stage).filter((text) => text.startsWith("Plan mode:"))).toHaveLength(1);
  });

  it("is nobody's in another mode", async () => {
    const stage = await staged([handIn(), done], { mode: "ask" });
    expect(await stage.turn("Go.")).toMatchObject({ text: "Done.", undone: [] });
    expect(textsTo(stage)).toContain("This is no plan mode; do the work.");
  });
});

describe("the mode", () => {
  const modes = async (parts: Partial<AgentParts>, changes: readonly ApprovalMode[]) => {
    const stage = await openStage([done, done, done, done], { hostTools: () => [planTool], ...parts });
    for (const mode of changes) {
      stage.agent.setMode(mode);
      await stage.turn("Go.");
    }
    const { context } = stage.manager;
    const notes = [...upwards(context, context.currentNodeId)].reverse().map(({ payload }) => payload);
    return { stage, told: notes.flatMap((one) => (one.kind === "note" ? [one.text.slice(0, 44)] : [])) };
  };

  it("is told when it begins and ends plan mode, once, also where a person changed it", async () => {
    const over = "Plan mode is over; the mode is yolo. Files c";
    const begun = "Plan mode: no file is changed, and no comman";
    expect((await modes({}, ["ask", "plan", "plan", "yolo"])).told).toEqual([begun, over]);
    expect((await modes({}, ["ask", "auto-edit", "yolo"])).told).toEqual([]);
  });

  it("is told once more where a summary stands for what was told", async () => {
    const compaction = { ...defaultEconomy.compaction, tailTokens: 1 };
    const economy = { ...defaultEconomy, compaction };
    const { stage } = await modes({ economy, summariser: scriptedSummariser(["Hello."]) }, ["plan", "plan"]);
    expect(await stage.agent.compact()).toMatchObject({ kind: "compacted" });
    await stage.turn("Go.");
    const notes = [...stage.manager.context.nodes.values()].filter(
      ({ payload }) => payload.kind === "note" && payload.text.startsWith("Plan mode:"),
    );
    expect(notes).toHaveLength(2);
  });

  it("names the tool as the model can call it, or none", async () => {
    const listed = await modes({ findsTools: false }, ["plan"]);
    const [note] = [...listed.stage.manager.context.nodes.values()].flatMap(({ payload }) =>
      payload.kind === "note" ? [payload.text] : [],
    );
    expect(note).toMatch(/hand in a plan with exit_plan_mode\.$/u);
    const none = await modes({ hostTools: () => [] }, ["plan"]);
    const [other] = [...none.stage.manager.context.nodes.values()].flatMap(({ payload }) =>
      payload.kind === "note" ? [payload.text] : [],
    );
    expect(other).toMatch(/say what you would do, step by step\.$/u);
  });
});
