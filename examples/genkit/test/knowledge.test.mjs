/** What the metadata of the answers keeps of what was shown, over turns and over calls of generate. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { edit, makeRoom, play, read, swap, write } from "./play.mjs";

const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");
const first = { offset: 1, limit: 5 };
const rest = { offset: 6, limit: 5 };
const change = edit("a.txt", swap("line 2", "LINE 2"));

/** @type {readonly { name: string, turns: (() => any[][]), says: RegExp }[]} */
const cases = [
  { name: "a window", turns: () => [[read("a.txt", first)]], says: /^Error \(unseen_lines\): .*6-10/ },
  {
    name: "two windows that are all of it",
    turns: () => [[read("a.txt", first)], [read("a.txt", rest)]],
    says: /^OK/,
  },
  {
    name: "a window, and a change in it",
    turns: () => [[read("a.txt", first)], [change]],
    says: /^Error \(unseen_lines\): .*6-10/,
  },
  { name: "all of it, and a change", turns: () => [[read("a.txt")], [change]], says: /^OK/ },
  {
    name: "a window, a change in it, and the rest",
    turns: () => [[read("a.txt", first)], [change], [read("a.txt", rest)]],
    says: /^OK/,
  },
  { name: "a refusal that showed it", turns: () => [[write("a.txt", "blind\n")]], says: /^OK/ },
  { name: "what it wrote", turns: () => [[write("new.txt", ten)]], says: /^Error \(not_read\)/ },
];

for (const { name, turns, says } of cases) {
  describe(`a file of which was shown: ${name}`, () => {
    for (const way of /** @type {const} */ (["in the same call of generate", "in the next one"])) {
      it(`is replaced only where that is all of it, ${way}`, async () => {
        const room = makeRoom();
        writeFileSync(room.path("a.txt"), ten);
        const over = [write("a.txt", "new\n")];
        const inOne = way === "in the same call of generate";
        const before = await play(room, inOne ? [...turns(), over] : turns());
        const messages = JSON.parse(JSON.stringify(before.response.messages));
        const { outputs } = inOne ? before : await play(room, [over], { request: { messages } });
        assert.match(outputs.at(-1), says);
        assert.equal(readFileSync(room.path("a.txt"), "utf8") === "new\n", says.source === "^OK");
      });
    }
  });
}

describe("an edit that was sent with others", () => {
  it("knows what they wrote, in the order of the calls", async () => {
    const room = makeRoom();
    writeFileSync(room.path("a.txt"), ten);
    const together = [change, write("a.txt", "new\n"), edit("a.txt", swap("new", "newer"))];
    const { outputs } = await play(room, [[read("a.txt")], together]);
    assert.deepEqual(
      outputs.map((text) => text.startsWith("Error")),
      [false, false, false, false],
    );
    assert.equal(readFileSync(room.path("a.txt"), "utf8"), "newer\n");
  });
});

describe("a history of an earlier version", () => {
  const sha256 = createHash("sha256").update(ten).digest("hex");

  /** @param {object} told */
  const historyWith = (told) => [
    { role: "user", content: [{ text: "go" }] },
    {
      role: "model",
      content: [{ toolRequest: { name: "read_file", ref: "r", input: { filePath: "a.txt" } } }],
    },
    {
      role: "tool",
      content: [
        {
          toolResponse: { name: "read_file", ref: "r", output: "its text" },
          metadata: { holdfast: { path: "a.txt", sha256, ...told } },
        },
      ],
    },
    { role: "model", content: [{ text: "done" }] },
  ];

  for (const [told, says] of /** @type {[object, RegExp][]} */ ([
    [{ read: "" }, /^OK/],
    [{ read: "1-9" }, /^Error \(unseen_lines\): .*\b10\b/],
    [{}, /^Error \((not_read|unseen_lines)\)/],
    [{ read: "", facts: "none" }, /^Error \(not_read\)/],
    [{ facts: [{ kind: "shown", sha256, lines: [{ from: "1", to: 10 }] }] }, /^Error \(not_read\)/],
  ])) {
    it(`is read: ${JSON.stringify(told).slice(0, 40)}`, async () => {
      const room = makeRoom();
      writeFileSync(room.path("a.txt"), ten);
      const request = { messages: historyWith(told) };
      const { outputs } = await play(room, [[write("a.txt", "new\n")]], { request });
      assert.match(outputs[1], says);
    });
  }
});
