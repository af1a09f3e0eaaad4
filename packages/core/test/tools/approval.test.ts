import { describe, expect, it } from "vitest";
import { carryOut } from "../../src/tools/index.js";
import { carryApproved } from "../../src/tools/tool/approval.js";
import { must, openSession, openTalk } from "../reproductions/scene.js";
import { sha } from "../support.js";

describe("a person who is asked before a change", () => {
  it("is asked about one that was refused when it was previewed and could be made by then", async () => {
    const scene = openSession({ files: { "f.txt": "one\n" } });
    await scene.call("read_file", { file_path: "f.txt" });
    const { workspace } = scene;
    let asked = 0;
    scene.put("f.txt", "other\n");
    const moved = {
      preview: async (...given: Parameters<typeof workspace.preview>) => {
        const outcome = await workspace.preview(...given);
        // Somebody puts the file back between the look and the step.
        scene.put("f.txt", "one\n");
        return outcome;
      },
      run: workspace.run.bind(workspace),
      begin: () => workspace.begin(),
    };
    const request = { kind: "write", path: "f.txt", content: "two\n", base: sha("one\n") } as const;
    const outcome = await carryApproved(moved, request, {}, async () => {
      asked += 1;
      return { kind: "no" };
    });
    expect([outcome.kind === "refusal" && outcome.code, asked, scene.text("f.txt")]).toEqual([
      "denied",
      1,
      "one\n",
    ]);
  });

  it("and gives another text does not make the model know that text", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\n" } });
    const { manager, workspace } = talk;
    await talk.call("read_file", { file_path: "f.txt" });
    const args = { file_path: "f.txt", content: "two\n", base_content_sha256: sha("one\n") };
    must(
      manager.addAnswer({ step: "s", parts: [{ kind: "tool_call", callId: "c", name: "write_file", args }] }),
    );
    const content = Array.from({ length: 40 }, (_, at) => `mine ${at}\n`).join("");
    const request = { kind: "write", path: "f.txt", content, base: sha("one\n") } as const;
    const approve = async () => ({ kind: "instead", request }) as const;
    const carried = must(
      await carryOut({ callId: "c" }, { manager, workspace, approve, resultContent: "none" }),
    );
    expect([carried.code, talk.text("f.txt")]).toEqual(["applied", content]);
    const blind = { command: "create", path: "f.txt", file_text: "blind\n" };
    expect((await talk.call("str_replace_based_edit_tool", blind)).code).not.toBe("applied");
    expect(talk.text("f.txt")).toBe(content);
  });
});
