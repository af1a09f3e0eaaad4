import { jsonSchema, readingTools, tools } from "@holdfast/core";
import { describe, expect, it } from "vitest";
import { holdfastTools } from "../src/ai-sdk.js";
import { openRoom } from "./room.js";

describe("the tools for the AI SDK", () => {
  it("are those of the catalogue, with their descriptions and published schemas", async () => {
    const { workspace } = await openRoom({});
    const made = holdfastTools(workspace);
    expect(Object.keys(made)).toEqual(tools.map(({ name }) => name));
    for (const tool of tools) {
      const { description, inputSchema } = made[tool.name]!;
      expect(description).toBe(tool.description);
      expect(inputSchema["~standard"].jsonSchema.input()).toEqual(jsonSchema(tool.parameters));
    }
  });

  it("are only the reading ones, or only those named, where that is asked for", async () => {
    const { workspace } = await openRoom({});
    expect(Object.keys(holdfastTools(workspace, { readOnly: true }))).toEqual(
      readingTools.map(({ name }) => name),
    );
    const named = holdfastTools(workspace, { tools: ["apply_changes", "read_file"] });
    expect(Object.keys(named)).toEqual(["read_file", "apply_changes"]);
  });

  it("ask before a change, and only then, where approval is wanted", async () => {
    const { workspace } = await openRoom({});
    const asking = Object.entries(holdfastTools(workspace, { approval: true }))
      .filter(([, { needsApproval }]) => needsApproval)
      .map(([name]) => name);
    expect(asking).toEqual(tools.filter((tool) => !tool.annotations.readOnly).map(({ name }) => name));
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
    expect(output.text).not.toContain("the disk is gone");
    expect(failing!.toModelOutput({ output }).type).toBe("error-text");
    expect(told).toHaveLength(1);
  });
});
