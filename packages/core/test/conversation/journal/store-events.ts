import type {
  JsonObject,
  JsonValue,
  TimedEvent,
  TurnPayload,
} from "../../../src/conversation/values/index.js";
import { economyEvents } from "./economy-events.js";

const begun = 1_760_000_000_000;

/** The beginning of a session. */
export function started(
  sessionId: string,
  facts: { readonly title?: string; readonly cwd?: string } = {},
  ts = begun,
): TimedEvent {
  const payload: TurnPayload = { kind: "task_boundary", name: "session", transformation: { kind: "clear" } };
  const root = { id: sessionId, parentId: null, timestamp: ts, payload };
  return { ts, event: { type: "session_started", sessionId, root, ...facts } };
}

/** A message of the user, at which the head stands then. */
export function message(id: string, parentId: string, text: string, ts = begun + 1): TimedEvent {
  return added(id, parentId, { kind: "user_message", text }, ts);
}

export function renamed(title: string, ts = begun + 1): TimedEvent {
  return { ts, event: { type: "renamed", title } };
}

/**
 * A life of a session in which every kind of event occurs, `turns` turns long. Each can follow on the ones
 * before it, so every beginning of it is a life as well.
 */
export function longLife(sessionId: string, turns: number): readonly TimedEvent[] {
  const events: TimedEvent[] = [started(sessionId)];
  let head = sessionId;
  for (let turn = 0; events.length < turns; turn += 1) {
    const ts = begun + turn * 1_000;
    const item = `i-${turn}`;
    const call = `c-${turn}`;
    const answer = `a-${turn}`;
    events.push({
      ts,
      event: {
        type: "staged",
        id: item,
        timestamp: ts,
        payload: { kind: "note", text: "N", audience: "model" },
      },
    });
    events.push(...turnOf({ ts, head, item, call, answer, turn }));
    head = answer;
    events.push(...asides(ts, head, turn));
  }
  return events;
}

interface Turn {
  readonly ts: number;
  readonly head: string;
  readonly item: string;
  readonly call: string;
  readonly answer: string;
  readonly turn: number;
}

function turnOf({ ts, head, item, call, answer, turn }: Turn): readonly TimedEvent[] {
  const user = `u-${turn}`;
  const note: TurnPayload = { kind: "note", text: "N", audience: "model" };
  const asked: TurnPayload = {
    kind: "tool_call",
    callId: call,
    name: "read_file",
    args: { path: `${turn}.ts` },
  };
  const told: TurnPayload = {
    kind: "tool_result",
    callId: call,
    name: "read_file",
    output: `line ${turn}\n`,
  };
  return [
    {
      ts: ts + 1,
      event: {
        type: "nodes_added",
        nodes: [
          { id: item, parentId: head, timestamp: ts, payload: note },
          {
            id: user,
            parentId: item,
            timestamp: ts + 1,
            payload: { kind: "user_message", text: `turn ${turn}` },
          },
        ],
        head: user,
        turn: true,
        staged: [item],
      },
    },
    added(call, user, asked, ts + 2),
    added(answer, call, told, ts + 3),
  ];
}

function asides(ts: number, head: string, turn: number): readonly TimedEvent[] {
  const task = `t-${turn}`;
  const boundary: TurnPayload = { kind: "task_boundary", name: task, transformation: { kind: "clone" } };
  const staged = { kind: "user_message", text: "never sent" } as const;
  const files = [{ path: "a.ts", from: "a".repeat(64), to: null }];
  return [
    { ts: ts + 4, event: { type: "metadata_set", nodeId: head, metadata: { label: `turn ${turn}` } } },
    renamed(`after turn ${turn}`, ts + 5),
    added(task, head, boundary, ts + 6),
    { ts: ts + 7, event: { type: "expansion_set", taskId: task, turns: 2 } },
    {
      ts: ts + 8,
      event: {
        type: "head_moved",
        head,
        reason: "task_cancel",
        task: { id: task, outcome: "cancelled" },
        pruned: task,
      },
    },
    { ts: ts + 9, event: { type: "staged", id: `x-${turn}`, timestamp: ts, payload: staged } },
    { ts: ts + 10, event: { type: "unstaged", ids: [`x-${turn}`] } },
    {
      ts: ts + 11,
      event: { type: "restore_begun", restoreId: `r-${turn}`, fromId: head, toId: head, files },
    },
    { ts: ts + 12, event: { type: "restore_dropped", restoreId: `r-${turn}` } },
    { ts: ts + 13, event: { type: "unpruned", nodeId: task, task: { id: task, outcome: "open" } } },
    { ts: ts + 14, event: { type: "pruned", nodeId: task } },
  ];
}

function added(id: string, parentId: string, payload: TurnPayload, ts: number): TimedEvent {
  const nodes = [{ id, parentId, timestamp: ts, payload }];
  return { ts, event: { type: "nodes_added", nodes, head: id } };
}

/** What is hard to keep to the letter, each as one event that can follow on the root `s-1`. */
export function awkwardEvents(): Readonly<Record<string, TimedEvent>> {
  const args = (value: JsonObject): TimedEvent =>
    added("c-args", "s-1", { kind: "tool_call", callId: "c", name: "t", args: value }, begun + 1);
  const custom = (id: string, value: unknown): TimedEvent => ({
    ts: begun + 2,
    event: { type: "metadata_set", nodeId: "s-1", metadata: { custom: { [id]: value } } },
  });
  return {
    ...economyEvents(begun + 1),
    "an empty text": message("e", "s-1", ""),
    "a text of a million letters": message("l", "s-1", "0123456789abcdef".repeat(65_536)),
    "a text of a million bytes beyond ASCII": message("lu", "s-1", "é€𐍈".repeat(120_000)),
    "NUL and all that cannot be seen": message("n", "s-1", controls()),
    "lone surrogates": message("u", "s-1", "\ud800 \udc00 \udfff\ud800 x\udbff"),
    "a large text with lone surrogates": message("lh", "s-1", `${"half ".repeat(60_000)}\ud83d`),
    "a letter of every plane": message("p", "s-1", planes()),
    "text that looks like escapes": message("x", "s-1", '\\u0000 \\\\ \\ud800 " \' \\" {"$blob":"x"} %00 $1'),
    "keys out of order": args({ b: 1, a: 2, B: { z: 1, y: [{ d: 1, c: 2 }] }, "": 0 }),
    "keys that objects have already": args(
      // Only a parser makes own properties of these names.
      JSON.parse(
        '{"__proto__":{"x":1},"constructor":"c","toString":"t","hasOwnProperty":null}',
      ) as JsonObject,
    ),
    "keys of a codec": args({
      $blob: "sha256",
      blob: { sha256: "x" },
      v: 2,
      seq: 9,
      ts: 1,
      crc: "0",
      type: "t",
    }),
    "numbers at the edges": args({
      list: [0, 1e-7, 5e-324, 1.7976931348623157e308, 9007199254740991, 1e21, 0.1, -1],
    }),
    "texts alike and large": args({ a: "same ".repeat(40_000), b: "same ".repeat(40_000) }),
    "metadata that is deep": custom("deep", deep(150)),
    "metadata that takes a key away": custom("gone", null),
    "a change of many forms": added(
      "m",
      "s-1",
      {
        kind: "context_management",
        action: "reform",
        changes: [
          { targetId: "s-1", form: { form: "hidden" } },
          { targetId: "s-1", form: { form: "replaced", by: "stub", text: "large ".repeat(40_000) } },
        ],
      },
      begun + 1,
    ),
    "a payload that a newer release knows": added(
      "h",
      "s-1",
      { kind: "unknown", type: "hologram", data: { depth: [1, { kind: "user_message" }], text: "t" } },
      begun + 1,
    ),
  };
}

function controls(): string {
  let text = "\u2028\u2029\ufeff\u200b\u202e\ufffe\uffff";
  for (let code = 0; code < 0xa0; code += 1) text += String.fromCharCode(code);
  return text;
}

function planes(): string {
  let text = "";
  for (let plane = 0; plane < 17; plane += 1)
    for (const code of [0x00e9, 0xd7ff, 0xe000, 0xfffd]) text += String.fromCodePoint(plane * 0x10000 + code);
  return text;
}

function deep(levels: number): JsonValue {
  let value: JsonValue = "bottom";
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { down: value } : [value];
  return value;
}
