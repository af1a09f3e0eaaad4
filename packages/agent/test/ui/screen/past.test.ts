import { describe, expect, it } from "vitest";
import { pastOf } from "../../../src/ui/screen/past.js";
import { committedTexts } from "../../../src/ui/screen/rows.js";
import { themes } from "../../../src/ui/theme.js";
import { openStage } from "../../loop/stage.js";

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
    expect(committedTexts(finished, 80, themes.plain).map((text) => text.replaceAll("**", ""))).toEqual([
      "… 2 earlier nodes; /history shows them.",
      "> Second.",
      "Answer 1.",
      "> Third",
      "  of two lines\\u001b[2J.",
      "Answer 2.",
      "> Fourth.",
      "read_file a.txt ✗",
      "read_file none.txt ✗",
      "Answer 3.",
    ]);
    expect(pastOf(stage.manager.context, known).finished).toEqual([]);
  });
});
