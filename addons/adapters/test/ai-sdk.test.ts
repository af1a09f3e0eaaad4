import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { approvalWithDiff, holdfastTools } from "../src/ai-sdk.js";
import { openRoom } from "./room.js";

describe("the tools for the AI SDK", () => {
  it("ask before a change that would be made, with its diff, and before no other call", async () => {
    const room = await openRoom({ "a.txt": "one\n" });
    const tools = holdfastTools(room.workspace, { approval: true });
    const { edit_file: edit, read_file: read, write_file: write } = tools;
    const asks = (tool = read, args: object = {}, toolCallId = "c") =>
      tool!.needsApproval(args, { toolCallId });
    const change = { file_path: "a.txt", edits: [{ old_string: "one", new_string: "two" }] };
    expect(await asks(read, { file_path: "a.txt" })).toBe(false);
    expect(await asks(write, { file_path: "a.txt", content: "blind" })).toBe(false);
    expect(await asks(edit, {})).toBe(false);
    const { text } = await read!.execute({ file_path: "a.txt" });
    const base_content_sha256 = /sha256="(\w+)"/.exec(text)?.[1];
    const made = { ...change, base_content_sha256 };
    expect(await asks(edit, made)).toBe(true);
    expect(await edit!.question(made)).toEqual({
      message: expect.stringContaining("Edited a.txt"),
      diff: "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-one\n+two",
    });
    expect(await edit!.execute(made, { toolCallId: "c" })).toMatchObject({ code: "applied" });
    expect(await asks(edit, made)).toBe(false);
    const unasked = holdfastTools(room.workspace);
    const fresh = { file_path: "new.txt", content: "new" };
    expect(await unasked.write_file!.needsApproval(fresh, { toolCallId: "d" })).toBe(false);
  });

  it("make nothing else than what was asked about", async () => {
    const room = await openRoom({ "a.txt": "one\n" });
    const { append_to_file: append, write_file: write } = holdfastTools(room.workspace, { approval: true });
    const call = { toolCallId: "c" };
    const more = { file_path: "a.txt", content: "two\n" };
    expect(await append!.needsApproval(more, call)).toBe(true);
    room.write("a.txt", "other\n");
    expect(await append!.execute(more, call)).toMatchObject({ code: "denied" });
    // Refused when it was looked at, so that nobody was asked; possible by the time that it runs.
    const fresh = { file_path: "a.txt", content: "mine\n" };
    expect(await write!.needsApproval(fresh, call)).toBe(false);
    rmSync(join(room.root, "a.txt"));
    expect(await write!.execute(fresh, call)).toMatchObject({ code: "denied" });
  });

  it("put the question into the approval requests of ai 7", async () => {
    const room = await openRoom({});
    const approve = approvalWithDiff(holdfastTools(room.workspace, { approval: true }));
    const ask = (toolName: string, input: object) =>
      approve({ toolCall: { toolCallId: "c", toolName, input } });
    expect(await ask("read_file", { file_path: "a.txt" })).toBeUndefined();
    expect(await ask("another", {})).toBeUndefined();
    expect(await ask("write_file", { file_path: "new.txt", content: "new\n" })).toEqual({
      type: "user-approval",
      reason: expect.stringMatching(/\n\+new$/),
    });
  });

  it("send the model a text and give the host the code", async () => {
    const room = await openRoom({ "a.txt": "one\n" });
    const { read_file: read, write_file: write } = holdfastTools(room.workspace);
    const shown = await read!.execute({ file_path: "a.txt", offset: null });
    expect(shown).toMatchObject({ success: true, code: "ok" });
    expect(read!.toModelOutput({ output: shown })).toEqual({ type: "text", value: shown.text });
    const refused = await write!.execute({ file_path: "a.txt", content: "blind" });
    expect(refused).toMatchObject({ success: false, code: "missing_base" });
    expect(room.text("a.txt")).toBe("one\n");
  });

  it("take arguments in the shapes that models send", async () => {
    const room = await openRoom({ "a.txt": "one\n" });
    const { read_file: read, edit_file: edit } = holdfastTools(room.workspace);
    const sent = { path: "a.txt", old_str: "one", new_str: "two" };
    const judged = edit!.inputSchema["~standard"].validate(sent);
    expect(await read!.execute({ filename: "a.txt" })).toMatchObject({ success: true });
    expect(await edit!.execute(judged.value)).toMatchObject({ success: true });
    expect(room.text("a.txt")).toBe("two\n");
  });

  it("answer wrong arguments with a sentence, and a broken disk with an error", async () => {
    const { workspace } = await openRoom({});
    const { read_file: read } = holdfastTools(workspace);
    expect(await read!.execute({})).toMatchObject({ code: "invalid_arguments" });
    const told: unknown[] = [];
    const broken = Object.assign(Object.create(workspace), {
      run: () => Promise.reject(new Error("the disk is gone")),
    });
    const { read_file: failing } = holdfastTools(broken, { onError: (error) => told.push(error) });
    const output = await failing!.execute({ file_path: "a.txt" });
    expect(output).toMatchObject({ code: "internal_error" });
    expect(output.text).toContain("Error: the disk is gone");
    expect(failing!.toModelOutput({ output }).type).toBe("error-text");
    expect(told).toHaveLength(1);
  });
});
