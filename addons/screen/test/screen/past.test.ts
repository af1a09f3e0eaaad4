import { describe, expect, it } from "vitest";
import { themes } from "../../../../packages/agent/src/ui/lines/spans.js";
import { openStage } from "../../../../packages/agent/test/loop/stage.js";
import { pastOf, placeAfter } from "../../src/screen/past.js";
import { committedTexts } from "../../src/screen/rows.js";

describe("what was said before a session is opened again", () => {
  it("is shown once: the last three prompts, each answered call as one line, and no note to the model", async () => {
    const read = { calls: [{ name: "read_file", args: { file_path: "a.txt" } }] };
    const missing = { calls: [{ name: "read_file", args: { file_path: "none.txt" } }] };
    const said = [1, 2, 3].map((turn) => ({ text: `**Answer** ${turn}.` }));
    const stage = await openStage([
      { text: "Long ago." },
      ...said.slice(0, 2),
      read,
      missing,
      ...said.slice(2),
    ]);
    for (const words of ["First.", "Second.", "Third\nof two lines\u001b[2J.", "Fourth."])
      await stage.turn(words);
    const { finished, known } = pastOf(stage.manager.context);
    const texts = committedTexts(finished, 80, themes.plain);
    expect(texts.map((text) => text.replaceAll("**", "").replaceAll(/(?<=\S) +/gu, " "))).toEqual([
      "… 2 earlier nodes; /history view shows them.",
      "> Second.",
      "Answer 1.",
      "> Third",
      "  of two lines\\u001b[2J.",
      "Answer 2.",
      "> Fourth.",
      "read_file a.txt ✗ FAILED (file_missing): There is no file a.txt. write_file creates it.",
      "read_file none.txt ✗ FAILED (file_missing): There is no file none.txt. write_file creates it.",
      "Answer 3.",
    ]);
    expect(pastOf(stage.manager.context, known).finished).toEqual([]);
  });

  const wordsOf = (past: ReturnType<typeof pastOf>) => committedTexts(past.finished, 80, themes.plain);

  it("says where it goes on after the conversation went back", async () => {
    const stage = await openStage([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    await stage.turn("First.");
    const { currentNodeId } = stage.manager.context;
    await stage.turn("Second.");
    const { known } = pastOf(stage.manager.context);
    stage.manager.rewind(currentNodeId);
    expect(pastOf(stage.manager.context, known).finished).toEqual([]);
    await stage.turn("Third.");
    const past = pastOf(stage.manager.context, known);
    expect(wordsOf(past)).toEqual(["… goes on after: model: One.", "> Third.", "Three."]);
    expect(pastOf(stage.manager.context, past.known).finished).toEqual([]);
  });

  it("says in one line where one is after a move back, and what came back", async () => {
    const stage = await openStage([{ text: "One." }]);
    expect(placeAfter(stage.manager.context)).toBe("You are at the beginning; no file came back.");
    await stage.turn("First.");
    const files = [
      { path: "a.txt", kind: "put_back" },
      { path: "b.txt", kind: "put_back" },
    ];
    expect(placeAfter(stage.manager.context, { files })).toBe(
      'You are behind your prompt "First."; a.txt, b.txt came back.',
    );
  });

  it("leaves out the middle of a long log that was piped in", async () => {
    const stage = await openStage([{ text: "Of the disk." }]);
    await stage.turn(`${"line\n".repeat(3_000)}\nWhy does it fail?`);
    const words = wordsOf(pastOf(stage.manager.context));
    expect(words).toHaveLength(42);
    expect(words.slice(19, 22)).toEqual(["  line", "  … 2962 lines …", "  line"]);
    expect(words.slice(-2)).toEqual(["  Why does it fail?", "Of the disk."]);
  });
});
