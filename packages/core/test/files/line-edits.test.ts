import { runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { ground, sha } from "../support.js";

type Edit = readonly [lines: string, content: string];

/** A file whose lines were shown, and what edits by lines make of it. */
async function edited(before: string, edits: readonly Edit[], base = sha(before)) {
  const on = await ground({ f: before });
  await on.workspace.read({ path: "f" });
  const given = edits.map(([lines, new_string]) => ({ lines, new_string }));
  const args = { file_path: "f", base_content_sha256: base, edits: given };
  const { text, code } = await runTool("edit_file", args, { workspace: on.workspace });
  return { on, args, text, code, after: on.text("f") };
}

const seven = "1\n2\n3\n4\n5\n6\n7\n";

describe("edits by the numbers of lines", () => {
  it.each<readonly [name: string, before: string, edits: readonly Edit[], after: string]>([
    ["replace a stretch", seven, [["2-4", "two\nto four"]], "1\ntwo\nto four\n5\n6\n7\n"],
    [
      "count in the base, in any order",
      seven,
      [
        ["6", "six"],
        ["after 2", "2b"],
        ["1", ""],
      ],
      "2\n2b\n3\n4\n5\nsix\n7\n",
    ],
    [
      "insert at the top and at the end",
      seven,
      [
        ["after 0", "0"],
        ["after 7", "8"],
      ],
      `0\n${seven}8\n`,
    ],
    ["keep the endings of the file", "a\r\nb\r\n", [["2", "x\ny"]], "a\r\nx\r\ny\r\n"],
    ["keep that the file has no final newline", "a\nb", [["2", "x\ny\n"]], "a\nx\ny"],
    ["end a last line that stays", "a\nb", [["after 2", "c"]], "a\nb\nc"],
    [
      "keep the endings of lines that stay, in a file of both",
      "1\r\n2\n3\r\n4\n",
      [["1-4", "1\n2\nthree\n4"]],
      "1\r\n2\nthree\r\n4\n",
    ],
    ["join no line by a lone return", "1\n2\n3\n", [["2", "two\r"]], "1\ntwo\n3\n"],
    ["delete all", "a\nb\n", [["1-2", ""]], ""],
  ])("%s", async (_, before, edits, after) => {
    const done = await edited(before, edits);
    expect([done.code, done.after]).toEqual(["applied", after]);
  });

  it.each<readonly [name: string, edits: readonly Edit[], code: string]>([
    [
      "a line twice",
      [
        ["2-4", "x"],
        ["4", "y"],
      ],
      "invalid_arguments",
    ],
    ["a line that is not there", [["7-8", "x"]], "out_of_range"],
    ["a place that is not there", [["after 8", "x"]], "out_of_range"],
    ["line 0", [["0", "x"]], "out_of_range"],
    ["lines backwards", [["4-2", "x"]], "invalid_arguments"],
    ["a place backwards", [["3-2", "x"]], "invalid_arguments"],
    ["no numbers", [["2 to 4", "x"]], "invalid_arguments"],
  ])("are refused for %s, and nothing is written", async (_, edits, code) => {
    const done = await edited(seven, edits);
    expect([done.code, done.after]).toEqual([code, seven]);
  });

  it("need the hash of their base, and lines that were shown", async () => {
    const on = await ground({ f: seven });
    const edits = [{ lines: "2", new_string: "x" }];
    const call = async (args: object) =>
      (await runTool("edit_file", { file_path: "f", ...args }, { workspace: on.workspace })).code;
    expect(await call({ edits, base_content_sha256: sha(seven) })).toBe("unseen_lines");
    expect(await call({ edits })).toBe("missing_base");
    expect(
      await call({
        edits: [...edits, { old_string: "3", new_string: "y" }],
        base_content_sha256: sha(seven),
      }),
    ).toBe("invalid_arguments");
    expect(on.text("f")).toBe(seven);
  });

  it("show what stood there; on a newer state of this session they land where their lines are now", async () => {
    const { on, text, args } = await edited(seven, [["2-3", "x"]]);
    expect(text).toContain("Replaced lines:\n2\n3\n");
    const again = { ...args, edits: [{ lines: "5", new_string: "five" }] };
    expect((await runTool("edit_file", again, { workspace: on.workspace })).code).toBe("applied");
    expect(on.text("f")).toBe("1\nx\n4\nfive\n6\n7\n");
    const gone = { ...args, edits: [{ lines: "3", new_string: "three" }] };
    expect((await runTool("edit_file", gone, { workspace: on.workspace })).code).toBe("state_mismatch");
  });

  it("count as a numbered read shows", async () => {
    const on = await ground({ f: seven });
    const args = { file_path: "f", numbered: true, offset: 3, limit: 2 };
    const { text } = await runTool("read_file", args, { workspace: on.workspace });
    expect(text).toContain(`sha256 ${sha(seven)}`);
    expect(text).toContain("     3\t3\n     4\t4\n");
    const edits = [{ lines: "4", new_string: "four" }];
    const edit = { file_path: "f", base_content_sha256: sha(seven), edits };
    expect((await runTool("edit_file", edit, { workspace: on.workspace })).code).toBe("applied");
    expect(on.text("f")).toBe(seven.replace("4", "four"));
  });
});
