import type { JsonObject } from "@holdfast/core/conversation";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { ScriptedAnswer } from "../../src/models/scripted.js";
import { openStage, type Stage } from "./stage.js";

const opened: Stage[] = [];
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

const text = "const one = 1;\nconst two = 2;\nconst two = 2;\n";

/** What a turn of these answers leaves undone, each as its tool and its code. */
async function undoneAfter(
  answers: readonly (readonly Call[])[],
  parts: Partial<AgentParts> = {},
): Promise<readonly string[]> {
  const script: readonly ScriptedAnswer[] = [
    { calls: ["z.py", "y.py"].map((path) => call("read_file", { file_path: path })) },
    ...answers.map((calls) => ({ calls })),
    { text: "Done." },
  ];
  const stage = await openStage(script, { mode: "yolo", ...parts }, { "z.py": text, "y.py": text });
  opened.push(stage);
  const { reason, undone } = await stage.turn("Go.");
  expect(reason).toBe("complete");
  return undone.map(({ name, code }) => `${name} ${code}`);
}

interface Call {
  readonly name: string;
  readonly args: JsonObject;
}

function call(name: string, args: JsonObject): Call {
  return { name, args };
}

function edit(from: string, to = "three", path = "z.py"): Call {
  const base_content_sha256 = `{{sha256:${path}}}`;
  return call("edit_file", {
    file_path: path,
    base_content_sha256,
    edits: [{ old_string: from, new_string: to }],
  });
}

describe("a change that was refused is left undone, whatever the code", () => {
  it.each<readonly [string, Call, string]>([
    ["an old text that is not there", edit("nope"), "edit_file not_found"],
    ["one that stands there twice", edit("two = 2"), "edit_file occurrence_mismatch"],
    ["one that stands there already", edit("one", "one"), "edit_file equal_strings"],
    [
      "a diff that fits nowhere",
      call("safe_patch", {
        file_path: "z.py",
        base_content_sha256: "{{sha256:z.py}}",
        unified_diff: "@@ -1 +1 @@\n-nope\n+three\n",
      }),
      "safe_patch invalid_diff",
    ],
    [
      "a file to be deleted that is not there",
      call("delete_file", { file_path: "no.py", base_content_sha256: "0".repeat(64) }),
      "delete_file file_missing",
    ],
    [
      "arguments that are none",
      call("edit_file", { file_path: "z.py", edits: "nope" }),
      "edit_file invalid_arguments",
    ],
    ["a call that names no file", call("write_file", { content: "x" }), "write_file invalid_arguments"],
  ])("%s", async (_, refused, wanted) => {
    expect(await undoneAfter([[refused]])).toEqual([wanted]);
  });

  it("until a later answer changes the file, by whatever tool", async () => {
    const write = call("write_file", {
      file_path: "z.py",
      base_content_sha256: "{{sha256:z.py}}",
      content: "const three = 3;\n",
    });
    expect(await undoneAfter([[edit("nope")], [edit("one")]])).toEqual([]);
    expect(await undoneAfter([[edit("nope")], [write]])).toEqual([]);
    const unread = call("edit_file", { file_path: "z.py", edits: "nope" });
    expect(await undoneAfter([[unread], [edit("one")]])).toEqual([]);
    const nameless = call("edit_file", { edits: [] });
    expect(await undoneAfter([[nameless], [edit("one")]])).toEqual([]);
  });

  it("but neither another file, nor a read, nor a change of the same answer makes it good", async () => {
    const wanted = ["edit_file not_found"];
    expect(await undoneAfter([[edit("nope")], [edit("one", "three", "y.py")]])).toEqual(wanted);
    expect(await undoneAfter([[edit("nope")], [call("read_file", { file_path: "z.py" })]])).toEqual(wanted);
    expect(await undoneAfter([[edit("nope"), edit("one")]])).toEqual(wanted);
    expect(await undoneAfter([[edit("one"), edit("nope")]])).toEqual(["edit_file state_mismatch"]);
  });
});

describe("what is no change of a file", () => {
  it("is not on the list where it failed by itself: a read, a name that is no tool, a move of the head", async () => {
    expect(await undoneAfter([[call("read_file", { file_path: "no.py" })]])).toEqual([]);
    expect(await undoneAfter([[call("read_file", {})]])).toEqual([]);
    expect(await undoneAfter([[call("no_such_tool", { file_path: "z.py" })]])).toEqual([]);
    expect(await undoneAfter([[call("task_complete", { summary: "x" })]])).toEqual([]);
  });
});
