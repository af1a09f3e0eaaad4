import { describe, expect, it } from "vitest";
import { type AgentEvent, innermost } from "../../src/loop/turn.js";
import { geminiWire, type ProviderServer, type ServedAnswer, type Wire, wires } from "../loopback/index.js";
import { portTo, serve } from "./on-wire.js";
import { openStage, type Stage } from "./stage.js";

const stopped =
  "The person stopped this here. Nothing more of it is to be done unless they ask for it again.";
const brokenOff = "This was broken off here before it was done.";
const remove = { name: "delete_file", args: { file_path: "a.ts" } };
const look = { name: "read_file", args: { file_path: "a.ts" } };
const delegate = { name: "task_start", args: { goal: "Delete them.", context: "clear", agent: {} } };
const half = "I delete all of the tests now, one after the other, and then the rest";

/** The answer of a model that calls something, as it stands in the journal when the process is killed. */
function answered({ manager }: Stage, name = "read_file") {
  manager.addAnswer({ step: "s", parts: [{ kind: "tool_call", callId: "c", name, args: {} }] });
}

interface Place {
  readonly script: readonly ServedAnswer[];
  /** At the first event of which this is true the person stops the turn; without it, before the first word. */
  readonly at?: (event: AgentEvent) => boolean;
  /** What the next request holds besides, and what it does not. */
  readonly holds: readonly string[];
  readonly lacks?: readonly string[];
}

const isDelta = (kind: string) => (event: AgentEvent) => {
  const inner = innermost(event);
  return inner.kind === "model" && inner.event.kind === kind;
};

const places: Readonly<Record<string, Place>> = {
  "while it says something": {
    script: [{ thought: "hm", text: half, fault: { kind: "stall" } }],
    at: isDelta("text-delta"),
    holds: ["I delet"],
  },
  "within a call": {
    script: [{ thought: "hm", text: "Now.", calls: [remove], fault: { kind: "stall" } }],
    at: isDelta("call-delta"),
    holds: ["Now."],
    lacks: ["a.ts"],
  },
  "before its first word": { script: [{ fault: { kind: "hold" } }], holds: [] },
  "during a tool": {
    script: [{ thought: "hm", text: "Both.", calls: [look, { name: "task_list", args: {} }, remove] }],
    at: (event) => event.kind === "call_ended",
    holds: ["Both.", "Interrupted before it was begun: nothing was done."],
  },
  "after a tool, while it says something": {
    script: [
      { thought: "hm", calls: [look] },
      { thought: "so", text: half, fault: { kind: "stall" } },
    ],
    at: isDelta("text-delta"),
    holds: ["I delet"],
  },
  "in a sub-agent that says something": {
    script: [{ calls: [delegate] }, { text: half, fault: { kind: "stall" } }],
    at: (event) => event.kind === "sub_agent" && isDelta("text-delta")(event),
    holds: ["Delete them."],
    lacks: ["I delet"],
  },
};

const cells = wires.flatMap((wire) =>
  Object.entries(places)
    // A call of Gemini comes in one piece.
    .filter(([name]) => wire !== geminiWire || name !== "within a call")
    .map(([name, place]) => ({ name, wire, api: wire.name, place })),
);

async function stagedOn(wire: Wire, script: readonly ServedAnswer[]) {
  const server = await serve(wire, script);
  const subAgents = { models: [], open: () => "none" };
  return { server, stage: await openStage([], { model: portTo(server), subAgents }, { "a.ts": "one\n" }) };
}

async function stoppedAt({ at }: Place, { server, stage }: { server: ProviderServer; stage: Stage }) {
  const ending = new AbortController();
  if (at === undefined) void server.held().then(() => ending.abort());
  const onEvent = (event: AgentEvent) => (at?.(event) === true ? ending.abort() : undefined);
  return stage.agent.turn({ text: "Delete all the tests." }, { signal: ending.signal, onEvent });
}

describe("a turn that the person stops", () => {
  it.each(cells)("$name says so in the next request ($api)", async ({ wire, place }) => {
    const played = await stagedOn(wire, [...place.script, { text: "There is a.ts." }]);
    const { server, stage } = played;
    expect(await stoppedAt(place, played)).toMatchObject({ reason: "cancelled" });
    expect(await stage.turn("What files are there?")).toMatchObject({ reason: "complete" });
    expect(server.refused).toEqual([]);
    const { text = "" } = server.requests.at(-1) ?? {};
    for (const part of [stopped, "Delete all the tests.", ...place.holds]) expect(text).toContain(part);
    const spoken = text.slice(text.indexOf("Delete all the tests."));
    for (const part of place.lacks ?? [])
      expect(spoken.slice(0, spoken.indexOf(stopped))).not.toContain(part);
    expect(spoken.indexOf(stopped)).toBeLessThan(spoken.indexOf("What files are there?"));
    expect(stage.read("a.ts")).toBe("one\n");
  });
});

describe("a session whose process was killed", () => {
  const kills: Readonly<Record<string, (stage: Stage) => unknown>> = {
    "before the first word": () => undefined,
    "in a call": (stage) => answered(stage),
    "after a call": (stage) => {
      answered(stage);
      const output = "1: one";
      stage.manager.addNode({ kind: "tool_result", callId: "c", name: "read_file", output });
    },
    "in a task": (stage) => {
      answered(stage, "task_start");
      const result = { callId: "c", name: "task_start", output: "Task started." };
      stage.manager.startTask({ answering: () => result });
    },
  };
  it.each(wires.flatMap((wire) => Object.keys(kills).map((name) => ({ name, wire, api: wire.name }))))(
    "$name says so in the next request, once ($api)",
    async ({ name, wire }) => {
      const { server, stage } = await stagedOn(wire, [{ text: "There is a.ts." }, { text: "Yes." }]);
      stage.manager.commitStagedItems("Delete all the tests.");
      kills[name]?.(stage);
      const again = await stage.resume([], { model: portTo(server) });
      expect(await again.turn("What files are there?")).toMatchObject({ reason: "complete" });
      const { text = "" } = server.requests.at(-1) ?? {};
      expect(text).toContain(brokenOff);
      expect(text.indexOf(brokenOff)).toBeLessThan(text.indexOf("What files are there?"));
      await again.turn("Are you sure?");
      expect(server.requests.at(-1)?.text.split(brokenOff)).toHaveLength(2);
      expect(server.refused).toEqual([]);
    },
  );

  it.each<[string, (stage: Stage) => unknown]>([
    [
      "ended as it should",
      ({ manager }) => manager.addAnswer({ step: "s", parts: [{ kind: "text", text: "Ok." }] }),
    ],
    ["was taken back", ({ manager }) => manager.rewind()],
  ])("is gone on with as it is where the last turn %s", async (_, ended) => {
    const stage = await openStage([]);
    stage.manager.commitStagedItems("Look.");
    ended(stage);
    const before = stage.manager.context.nodes.size;
    const again = await stage.resume([{ text: "Yes." }]);
    await again.turn("Go on.");
    expect(again.manager.context.nodes.size).toBe(before + 2);
  });

  it("is gone on with as it is where the last turn failed, which the person was told", async () => {
    const stage = await openStage([{ fails: "overloaded" }]);
    const end = await stage.turn("Look.");
    const again = await stage.resume([{ text: "Yes.", expects: ["Look."] }]);
    await again.turn("Go on.");
    const notes = [...again.manager.context.nodes.values()].flatMap(({ payload }) =>
      payload.kind === "note" ? [payload] : [],
    );
    expect(notes).toEqual([{ kind: "note", audience: "person", text: end.message }]);
  });
});
