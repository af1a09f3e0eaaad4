/** What a review found, and holds since. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { edit, makeRoom, play, read, swap, write } from "./play.mjs";

/** @typedef {import("genkit").GenerateRequest} Request */

const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");
const budget = 262_144;

/** @param {string} text */
function roomWith(text) {
  const room = makeRoom();
  const path = room.path("a.txt");
  writeFileSync(path, text);
  return {
    ...room,
    text: () => readFileSync(path, "utf8"),
    put: (/** @type {string} */ now) => writeFileSync(path, now),
  };
}

describe("a file of which a window was shown", () => {
  it("is not replaced as a whole", async () => {
    const room = roomWith(ten);
    const { outputs } = await play(room, [
      [read("a.txt", { offset: 1, limit: 1 })],
      [write("a.txt", "blind\n")],
    ]);
    assert.match(String(outputs[1]), /^Error \(unseen_lines\)/);
    assert.equal(room.text(), ten);
  });
});

describe("a read and a write in one answer", () => {
  it("do not replace the file", async () => {
    const room = roomWith(ten);
    const { outputs } = await play(room, [[read("a.txt"), write("a.txt", "blind\n")]]);
    assert.match(String(outputs[1]), /^Error \(not_read\)/);
    assert.equal(room.text(), ten);
  });
});

describe("a long line that somebody changed", () => {
  it("does not make the answer longer than the budget", async () => {
    const room = roomWith("");
    const line = (/** @type {string} */ letter) => `${letter.repeat(1_000_000)}\n`;
    const { outputs } = await play(room, [
      [write("b.txt", line("a"))],
      [() => writeFileSync(room.path("b.txt"), line("b")), edit("b.txt", swap("zzz", "y"))],
    ]);
    const answer = String(outputs[1]);
    assert.match(answer, /^Error \(state_mismatch\)/);
    assert.ok(answer.length <= budget, `${answer.length} characters`);
  });
});

describe("reads whose text was cleared by the host", () => {
  it("are not answered by the stub for unchanged text", async () => {
    const room = roomWith(ten);
    const cleared = "[Tool result cleared]";
    const { seen } = await play(room, [[read("a.txt")], [read("a.txt")]], { use: [clearing(cleared)] });
    assert.deepEqual(seen, [cleared, cleared]);
  });

  it("are answered by the text again, where the earlier one is not in this request", async () => {
    const room = roomWith(ten);
    const turns = [[read("a.txt")], [read("a.txt")], [read("a.txt")]];
    const { seen } = await play(room, turns, { use: [clearing("[cleared]", 1)] });
    assert.equal(seen[0], "[cleared]");
    assert.match(String(seen[1]), /line 10/);
    assert.match(String(seen[2]), /^File unchanged/);
  });
});

/**
 * Somebody's middleware that keeps requests small: it clears the answers of all tools.
 *
 * @param {string} placeholder
 * @param {number} [most] how many it clears, the oldest first; all unless given
 */
function clearing(placeholder, most = Number.POSITIVE_INFINITY) {
  return async (/** @type {Request} */ request, /** @type {(request: Request) => any} */ next) => {
    let left = most;
    const messages = request.messages.map((message) => ({
      ...message,
      content: message.content.map((part) => {
        if (part.toolResponse === undefined || left <= 0) return part;
        left -= 1;
        return { ...part, toolResponse: { ...part.toolResponse, output: placeholder } };
      }),
    }));
    return next({ ...request, messages });
  };
}
