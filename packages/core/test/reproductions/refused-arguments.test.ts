import { describe, expect, it } from "vitest";
import { type Call, openSession, sha } from "./scene.js";

/** A refusal of arguments says what is allowed, and brings the state of the file that was meant. */
const text = "one\ntwo\n";

interface Case {
  readonly tool: string;
  readonly call: Call;
  readonly allowed: readonly string[];
}

const cases: readonly Case[] = [
  {
    tool: "fs_write",
    call: ["fs_write", { command: "nope", path: "f.txt" }],
    allowed: ["create", "str_replace", "insert", "append"],
  },
  {
    tool: "the text editor",
    call: ["str_replace_based_edit_tool", { command: "nope", path: "f.txt" }],
    allowed: ["view", "create", "str_replace", "insert", "undo_edit"],
  },
  {
    tool: "memory",
    call: ["memory", { command: "nope", path: "/memories/f.txt" }],
    allowed: ["view", "create", "str_replace", "insert", "delete", "rename"],
  },
];

for (const { tool, call, allowed } of cases) {
  describe(`a command that ${tool} does not have`, () => {
    it("is refused with the commands that it has", async () => {
      const answer = await openFile().call(...call);
      expect(answer.code).toBe("invalid_arguments");
      const [sentence = ""] = answer.text.split("\n");
      expect(allowed.filter((word) => !sentence.includes(word))).toEqual([]);
    });

    it("is refused with the state of the file, where answers are full", async () => {
      const answer = await openFile().call(...call);
      expect(answer.text).toContain(sha(text));
      expect(answer.text).toContain(text);
    });
  });
}

describe("an argument that a command of the text editor lacks", () => {
  it("is named, with the state of the file, where answers are full", async () => {
    const answer = await openFile().call("str_replace_based_edit_tool", { command: "create", path: "f.txt" });
    expect(answer.code).toBe("invalid_arguments");
    expect(answer.text).toContain("file_text");
    expect(answer.text).toContain(sha(text));
  });
});

describe("a wrong argument of a tool of ours", () => {
  it("is refused with the state of the file, where answers are full", async () => {
    const answer = await openFile().call("safe_patch", { file_path: "f.txt", unified_diff: 7 });
    expect(answer.code).toBe("invalid_arguments");
    expect(answer.text).toContain(sha(text));
  });
});

function openFile() {
  return openSession({ files: { "f.txt": text, "memories/f.txt": text }, resultContent: "full" });
}
