import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@holdfast/core/conversation";
import { tools as defaultTools, findTool } from "@holdfast/core/tools";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import { openStage, type Stage } from "./stage.js";

const opened: Stage[] = [];
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

async function called(name: string, args: JsonObject, parts: Partial<AgentParts>) {
  const stage = await openStage([{ calls: [{ name, args }] }, { text: "Done." }], { mode: "yolo", ...parts });
  opened.push(stage);
  await stage.turn("Go.");
  const call = stage.events.find((event) => event.kind === "call_ended")?.call;
  return { code: call?.code, text: call?.text ?? "", isThere: existsSync(join(stage.root, "new.txt")) };
}

const reading = defaultTools.filter(({ annotations }) => annotations.readOnly);
const fsWrite = { command: "create", path: "new.txt", file_text: "x\n" };
const byChanges = { changes: [{ file_path: "new.txt", content: "x\n" }] };

describe("a tool that is not offered", () => {
  it.each<readonly [string, JsonObject]>([
    ["fs_write", fsWrite],
    ["str_replace_based_edit_tool", fsWrite],
    ["apply_changes", byChanges],
    ["write_file", { file_path: "new.txt", content: "x\n" }],
    ["run_anything", {}],
  ])("is not carried out: %s", async (name, args) => {
    const { code, text, isThere } = await called(name, args, { fileTools: reading });
    expect({ code, isThere }).toEqual({ code: "invalid_arguments", isThere: false });
    expect(text).toContain("there is no tool of this name here; those you have are read_file, ");
  });

  it("is, where it is another vendor's name for the work of one that is", async () => {
    expect(await called("fs_write", fsWrite, {})).toMatchObject({ isThere: true });
    expect(await called("apply_changes", byChanges, {})).toMatchObject({ isThere: false });
  });

  it("is, where it is offered by its own name", async () => {
    const own = findTool("fs_write");
    if (own === undefined) throw new Error("no fs_write");
    expect(await called("fs_write", fsWrite, { fileTools: [own] })).toMatchObject({ isThere: true });
  });
});

describe("another vendor's name", () => {
  it("is judged as the tool that it stands for", async () => {
    const rules = [{ tool: "write_file", decision: "deny" }] as const;
    expect(await called("fs_write", fsWrite, { rules })).toMatchObject({ code: "denied", isThere: false });
    const looks = [{ tool: "read_file", decision: "deny" }] as const;
    const view = { command: "view", path: "new.txt" };
    expect(await called("str_replace_based_edit_tool", view, { rules: looks })).toMatchObject({
      code: "denied",
    });
  });
});
