import { afterEach, describe, expect, it } from "vitest";
import { anthropicWire, chatWire, geminiWire, responsesWire, type Wire } from "../loopback/index.js";
import { type Played, play } from "./on-wire.js";
import { sessions } from "./sessions.js";

const opened: Played[] = [];
afterEach(async () => {
  for (const { stage, server } of opened.splice(0)) {
    await stage.close();
    await server.close();
  }
});

/** A damage to the last request of a session with parallel calls and thoughts, and what is said of it. */
type Damage = readonly [name: string, damage: (text: string) => string, says: RegExp];

const all: readonly Damage[] = [
  ["a member that nobody knows", (text) => text.replace(/^\{/u, '{"unheard":1,'), /nrecognized key/u],
  ["a tool twice", (text) => text.replace('"name":"write_file"', '"name":"read_file"'), /unique|Duplicate/u],
  [
    "a tool whose name no API takes",
    (text) => text.replace('"name":"write_file"', '"name":"wri te"'),
    /name/u,
  ],
  ["half the JSON", (text) => text.slice(0, 99), /./u],
];

const damages: readonly (readonly [Wire, readonly Damage[]])[] = [
  [
    anthropicWire,
    [
      ["a thought with a letter less", (text) => text.replace("Both at once.", "Both at once"), /signature/u],
      ["a changed signature", (text) => text.replace("EqQBCkYI", "eqQBCkYI"), /redacted_thinking|signature/u],
      [
        "no thought before a call",
        (text) => text.replace(/\{"type":"thinking".*?\},/u, ""),
        /Expected `thinking`/u,
      ],
      ["no result", (text) => text.replace(/"tool_use_id":"/u, '"tool_use_id":"x'), /without `tool_result`/u],
      ["no limit of tokens", (text) => text.replace(/,"max_tokens":\d+/u, ""), /max_tokens/u],
      ["an empty text", (text) => text.replace('"All at once."', '" "'), /non-whitespace/u],
      ["two of one role", (text) => text.replace('"role":"assistant"', '"role":"user"'), /messages/u],
    ],
  ],
  [
    responsesWire,
    [
      [
        "encrypted reasoning that was changed",
        (text) => text.replace("EqQBCkYI", "eqQBCkYI"),
        /encrypted content/u,
      ],
      [
        "a call without its reasoning",
        (text) => text.replace(/\{"type":"reasoning".*?"encrypted_content":"[^"]*"\},/u, ""),
        /required 'reasoning' item|required following/u,
      ],
      [
        "no result",
        (text) => text.replace('"function_call_output","call_id":"', '"function_call_output","call_id":"x'),
        /No tool call found/u,
      ],
      [
        "reasoning that is not asked for",
        (text) => text.replace('"reasoning.encrypted_content"', ""),
        /not persisted/u,
      ],
      ["an id of another kind", (text) => text.replace('"id":"fc_', '"id":"xx_'), /input/u],
    ],
  ],
  [
    chatWire,
    [
      ["no result", (text) => text.replace('"tool_call_id":"', '"tool_call_id":"x'), /must be a response/u],
      [
        "arguments that are no JSON",
        (text) => text.replace(/"arguments":"\{/u, '"arguments":"'),
        /not a JSON object/u,
      ],
      ["an id of 41 letters", (text) => text.replaceAll(/call_2/gu, "c".repeat(41)), /messages/u],
      ["an empty text", (text) => text.replace('"All in capitals."', '""'), /empty/u],
    ],
  ],
  [
    geminiWire,
    [
      [
        "a call without signature",
        (text) => text.replace(/,"thoughtSignature":"[^"]*"/u, ""),
        /missing a thought_signature/u,
      ],
      ["a changed signature", (text) => text.replace("EqQBCkYI", "eqQBCkYI"), /signature is not valid/u],
      [
        "a response less",
        (text) => text.replace(/\{"functionResponse":\{"id":"[^"]*","name":"read_file".*?\}\}\},?/u, ""),
        /number of function response parts/u,
      ],
      [
        "a response of another name",
        (text) => text.replace(/("functionResponse":\{[^{]*"name":")read_file/u, "$1write_file"),
        /answers no call/u,
      ],
    ],
  ],
];

describe.each(damages)("$name on loopback", (wire, own) => {
  it("refuses what the real API refuses, and takes the same request whole", async () => {
    const session = sessions.find(({ name }) => name.startsWith("parallel"));
    if (session === undefined) throw new Error("no such session");
    const played = await play(wire, session);
    opened.push(played);
    const { requests, ledger } = played.server;
    const text = requests.at(-1)?.text ?? "";
    expect([...wire.complaints(JSON.parse(text), ledger)]).toEqual([]);
    for (const [name, damage, says] of [...all, ...own]) {
      const damaged = damage(text);
      expect(damaged, name).not.toBe(text);
      const [first] = wire.complaints(parsed(damaged), ledger);
      expect(first, name).toMatch(says);
    }
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
