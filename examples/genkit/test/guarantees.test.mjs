/** Every row of seed 2's table of guarantees, through Genkit with a scripted model. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { edit, makeRoom, play, read, swap, write } from "./play.mjs";

const stub =
  "File unchanged since last read. The content from the earlier read_file result in this conversation is still current — refer to that instead of re-reading.";

/** @typedef {import("genkit").GenerateRequest} Request */

/** @param {string} text */
function roomWith(text) {
  const room = makeRoom();
  writeFileSync(room.path("a.txt"), text);
  return { ...room, text: () => readFileSync(room.path("a.txt"), "utf8") };
}

describe("a file that the model never read", () => {
  it("is not edited; the refusal shows it, and the next edit succeeds", async () => {
    const room = roomWith("one\n");
    const { outputs } = await play(room, [
      [edit("a.txt", swap("one", "two"))],
      [edit("a.txt", swap("one", "two"))],
    ]);
    assert.match(
      outputs[0],
      /^Error \(not_read\): a\.txt exists and was not read[\s\S]*<read_file path="a\.txt" totalLines="1">\none\n<\/read_file>$/,
    );
    assert.match(outputs[1], /^OK \(applied\)/);
    assert.equal(room.text(), "two\n");
  });

  it("is not overwritten", async () => {
    const room = roomWith("one\n");
    const { outputs } = await play(room, [[write("a.txt", "blind\n")]]);
    assert.match(outputs[0], /^Error \(not_read\)/);
    assert.equal(room.text(), "one\n");
  });

  it("is created where there is none, with its folders, and then can be edited and overwritten", async () => {
    const room = makeRoom();
    const turns = [
      [write("new/b.txt", "one\n")],
      [edit("new/b.txt", swap("one", "two"))],
      [write("./new/b.txt", "three\n")],
    ];
    const { outputs } = await play(room, turns);
    assert.deepEqual(
      outputs.map((text) => text.startsWith("Error")),
      [false, false, false],
    );
    assert.equal(readFileSync(room.path("new/b.txt"), "utf8"), "three\n");
  });

  it("is not known by its listing", async () => {
    const room = roomWith("one\n");
    const { outputs } = await play(room, [
      [{ name: "list_files", input: {}, ref: "l" }],
      [write("a.txt", "blind\n")],
    ]);
    assert.match(outputs[1], /^Error \(not_read\)/);
  });
});

describe("a file that somebody else changes after the read", () => {
  for (const [name, change] of /** @type {const} */ ([
    ["edited", edit("a.txt", swap("one", "two"))],
    ["overwritten", write("a.txt", "two\n")],
  ])) {
    it(`is not ${name}; the refusal shows its new state, from which the model goes on`, async () => {
      const room = roomWith("one\n");
      const turns = [
        [read("a.txt")],
        [() => writeFileSync(room.path("a.txt"), "one, and more\n"), change],
        [edit("a.txt", swap("and more", "and two"))],
      ];
      const { outputs } = await play(room, turns);
      assert.match(
        outputs[1],
        /^Error \(state_mismatch\): State Mismatch: File has changed on disk since it was last read\.[\s\S]*<read_file path="a\.txt" totalLines="1">\none, and more\n<\/read_file>$/,
      );
      assert.equal(room.text(), "one, and two\n");
    });
  }

  it("is caught where size and time stamp are as before", async () => {
    const room = roomWith("one\n");
    const time = new Date(1_700_000_000_000);
    utimesSync(room.path("a.txt"), time, time);
    const turns = [
      [read("a.txt")],
      [
        () => {
          writeFileSync(room.path("a.txt"), "uno\n");
          utimesSync(room.path("a.txt"), time, time);
        },
        write("a.txt", "two\n"),
      ],
    ];
    const { outputs } = await play(room, turns);
    assert.match(outputs[1], /^Error \(state_mismatch\)/);
    assert.equal(room.text(), "uno\n");
  });

  it("is no false alarm where only the time stamp is new", async () => {
    const room = roomWith("one\n");
    const turns = [
      [read("a.txt")],
      [() => utimesSync(room.path("a.txt"), 1, 1), edit("a.txt", swap("one", "two"))],
    ];
    const { outputs } = await play(room, turns);
    assert.match(outputs[1], /^OK \(applied\)/);
  });

  it("is told where it is gone, and can be created anew", async () => {
    const room = roomWith("one\n");
    const turns = [
      [read("a.txt")],
      [() => rmSync(room.path("a.txt")), edit("a.txt", swap("one", "two"))],
      [write("a.txt", "new\n")],
    ];
    const { outputs } = await play(room, turns);
    assert.match(outputs[1], /^Error \(file_missing\): .*write_file creates it/);
    assert.equal(room.text(), "new\n");
  });
});

describe("calls of one turn about one path", () => {
  it("pass one after the other: no edit is lost", async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at};\n`);
    const room = roomWith(lines.join(""));
    const edits = lines.map((_, at) => edit("a.txt", swap(`line ${at};`, `LINE ${at};`)));
    const { outputs } = await play(room, [[read("a.txt")], edits]);
    assert.deepEqual(
      outputs.slice(1).filter((text) => !text.startsWith("OK (applied)")),
      [],
    );
    assert.equal(room.text(), lines.join("").replaceAll("line", "LINE"));
  });

  it("may be a read and an edit: the state that counts is the edit's", async () => {
    const room = roomWith("one\n");
    const turns = [
      [read("a.txt")],
      [edit("a.txt", swap("one", "two")), read("a.txt"), edit("a.txt", swap("two", "three"))],
    ];
    const { outputs } = await play(room, turns);
    assert.match(outputs[2], />\ntwo\n</);
    assert.equal(room.text(), "three\n");
  });
});

describe("reading an unchanged file again", () => {
  it("sends a stub, and keeps the text in the history", async () => {
    const room = roomWith("one\n");
    const { outputs, seen } = await play(room, [[read("a.txt")], [read("a.txt")]]);
    assert.match(seen[0], /one/);
    assert.equal(seen[1], stub);
    assert.equal(outputs[1], outputs[0]);
  });

  it("sends the text for another window, or after an edit, or after another state", async () => {
    const room = roomWith("one\ntwo\n");
    const set = (/** @type {string} */ text) => () => writeFileSync(room.path("a.txt"), text);
    const turns = [
      [read("a.txt")],
      [read("a.txt", { limit: 1 })],
      [edit("a.txt", swap("one", "uno"))],
      [read("a.txt")],
      [set("other\n"), read("a.txt")],
      [set("uno\ntwo\n"), read("a.txt")],
    ];
    const { seen } = await play(room, turns);
    assert.equal(seen.includes(stub), false);
  });

  it("sends the text where an edit stands in between, though somebody took it back", async () => {
    const room = roomWith("one\n");
    const takeBack = () => writeFileSync(room.path("a.txt"), "one\n");
    const { seen } = await play(room, [
      [read("a.txt")],
      [edit("a.txt", swap("one", "two"))],
      [takeBack, read("a.txt")],
    ]);
    assert.equal(seen[2], seen[0]);
  });

  it("sends the text where the earlier one is not among the messages any more", async () => {
    const room = roomWith("one\n");
    /** Somebody's middleware that keeps requests small: it clears the oldest answer once there are two. */
    const clearing = async (
      /** @type {Request} */ request,
      /** @type {(request: Request) => any} */ next,
    ) => {
      const answers = request.messages.flatMap(({ content }) => content).filter((part) => part.toolResponse);
      const [first] = answers;
      if (first === undefined || answers.length === 1) return next(request);
      const cleared = { toolResponse: { name: "read_file", ...first.toolResponse, output: "[cleared]" } };
      const messages = request.messages.map((message) => ({
        ...message,
        content: message.content.map((part) => (part === first ? cleared : part)),
      }));
      return next({ ...request, messages });
    };
    const turns = [[read("a.txt")], [read("a.txt")], [read("a.txt")]];
    const { seen } = await play(room, turns, { use: [clearing] });
    assert.equal(seen[0], "[cleared]");
    assert.match(seen[1], /one/);
    assert.equal(seen[2], stub);
  });
});

describe("large files", () => {
  it("are not read in full above 256 KiB; the refusal names offset and limit, and a window is read", async () => {
    const room = roomWith("0123456789abcde\n".repeat(17_000));
    const turns = [
      [read("a.txt")],
      [read("a.txt", { offset: 16_999, limit: 5 })],
      [edit("a.txt", swap("x", "y"))],
    ];
    const { outputs } = await play(room, turns);
    assert.match(outputs[0], /^Error \(too_large\): .*offset and limit/);
    assert.match(
      outputs[1],
      /^<read_file path="a\.txt" lines="16999-17000" totalLines="17000">\n0123456789abcde\n0123456789abcde\n<\/read_file>$/,
    );
    assert.match(outputs[2], /^Error \(not_found\)/);
  });

  it("of 50 MB are refused without being sent", async () => {
    const room = makeRoom();
    writeFileSync(room.path("big.log"), Buffer.alloc(50 * 1024 * 1024, "0123456789abcde\n"));
    const { outputs } = await play(room, [
      [read("big.log")],
      [read("big.log", { offset: 3_000_000, limit: 1 })],
    ]);
    assert.match(outputs[0], /^Error \(too_large\)/);
    assert.match(outputs[1], /lines="3000000-3000000" totalLines="3276800"/);
  });
});

describe("the states that are remembered", () => {
  it("are 200; the oldest goes first", async () => {
    const room = makeRoom();
    const names = Array.from({ length: 201 }, (_, at) => `f${at}.txt`);
    for (const name of names) writeFileSync(room.path(name), `text of ${name}\n`);
    const reads = names.map((name) => [read(name)]).slice(0, 1);
    const turns = [
      ...reads,
      names.slice(1).map((name) => read(name)),
      [write("f0.txt", "x\n"), write("f200.txt", "x\n")],
    ];
    const { outputs } = await play(room, turns);
    assert.match(outputs[201], /^Error \(not_read\)/);
    assert.match(outputs[202], /^OK \(applied\)/);
    assert.equal(existsSync(room.path("f0.txt")), true);
  });
});
