import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { Commands } from "../../../../packages/agent/src/host/commands.js";
import { shellTool } from "../../../../packages/agent/src/host/shell-tool.js";
import { watchFiles } from "../../../../packages/agent/src/host/touched-files.js";
import type { ScriptedCall } from "../../../../packages/agent/src/index.js";
import { changedFiles } from "../../../../packages/agent/src/slash/changes.js";
import { runCommand } from "../../../../packages/agent/src/slash/run-command.js";
import { openStage } from "../../../../packages/agent/test/loop/stage.js";
import { afterThisTest } from "../../../../test/cleanups.js";
import { changesModal } from "../../src/windows/changes-modal.js";
import { contextPicture } from "../../src/windows/context-picture.js";
import { press, shown, text } from "./pressed.js";

/** A file that was changed twice. */
async function twice() {
  const edit = (oldText: string, newText: string) => ({
    calls: [
      {
        name: "edit_file",
        args: {
          file_path: "a.txt",
          base_content_sha256: "{{sha256:a.txt}}",
          edits: [{ old_string: oldText, new_string: newText }],
        },
      },
    ],
  });
  const answers = [
    { calls: [{ name: "read_file", args: { file_path: "a.txt" } }] },
    edit("one", "two"),
    edit("two", "three"),
    { text: "Done." },
    { text: "I see it." },
  ];
  const stage = await openStage(answers, { mode: "yolo" }, { "a.txt": "one\n" });
  await stage.turn("Change it twice.");
  const host = { agent: stage.agent, manager: stage.manager, workspace: stage.workspace };
  const content = () => readFileSync(join(stage.root, "a.txt"), "utf8");
  return { stage, host, content };
}

describe("the files of a conversation", () => {
  it("are listed with each state, and any two of one file are compared", async () => {
    const { stage, host } = await twice();
    expect(changedFiles(stage.manager.context)).toMatchObject([
      { path: "a.txt", made: 2, states: [{}, {}, {}] },
    ]);
    expect(await runCommand("/changes", host)).toMatchObject({
      kind: "told",
      message: "1 file has changed:",
    });
    expect(await runCommand("/changes b.txt", host)).toMatchObject({ kind: "refused", code: "not_found" });
    const modal = changesModal(host);
    const rows = await shown(modal);
    expect(rows[1]).toContain("a.txt");
    expect(rows.find((row) => row.startsWith("▸"))).toContain("made here  now");
    expect((await shown(modal, "enter")).join("\n")).toMatch(/-two\n\+three/u);
    expect((await shown(modal, "d", "up", "up", "d")).join("\n")).toMatch(/-three\n\+one/u);
    expect((await shown(modal, "d", "d")).join("\n")).toContain("The content of the two states is the same.");
    for (const columns of [1, 20, 200]) expect(text(modal.view({ columns, rows: 3 }))).toHaveLength(3);
  });

  it("go back to a state by a command, which the model is told and /undo takes back", async () => {
    const { stage, host, content } = await twice();
    const step = await press(changesModal(host), "up", "up", "r");
    if (step.kind !== "closed" || step.line === undefined) throw new Error("no command");
    expect(await runCommand(step.line, host)).toMatchObject({ kind: "told" });
    expect(content()).toBe("one\n");
    const { payload } = stage.manager.getCurrentNode();
    expect(payload).toMatchObject({ kind: "note", audience: "model" });
    expect(await runCommand("/undo", host)).toMatchObject({ kind: "told" });
    expect(content()).toBe("three\n");
  });

  it("stay where others changed them since", async () => {
    const { stage, host, content } = await twice();
    writeFileSync(join(stage.root, "a.txt"), "four\n");
    const [file] = changedFiles(stage.manager.context);
    const line = `/changes a.txt --to ${file?.states[0]?.sha256}`;
    expect(await runCommand(line, host)).toMatchObject({ kind: "refused", code: "state_mismatch" });
    expect(content()).toBe("four\n");
  });
});

describe("a mode that a command of the model changed", () => {
  /** What the model does in turn, and what it changes is listed then. */
  async function listedAfter(...calls: readonly ScriptedCall[]) {
    const answers = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
    const kept: { tools: HostTool[] } = { tools: [] };
    const stage = await openStage(answers, { hostTools: () => kept.tools }, { "a.txt": "one\n" });
    chmodSync(join(stage.root, "a.txt"), 0o644);
    const roots = [stage.root];
    const tempDir = join(stage.root, "..", "tmp");
    const commands = new Commands({ roots, tempDir, environment: { PATH: process.env.PATH ?? "" } });
    afterThisTest(() => commands.close());
    const list = async () => ["a.txt"];
    // A tool with parameters of its own is one of any.
    kept.tools = [shellTool({ commands, watchFiles: watchFiles({ roots, list }) }) as unknown as HostTool];
    await stage.turn("Go.");
    const host = { agent: stage.agent, manager: stage.manager, workspace: stage.workspace };
    const outcome = await runCommand("/changes", host);
    const rows = await shown(changesModal(host));
    const compared = await shown(changesModal(host), "enter");
    return { said: outcome?.kind === "told" ? outcome.text : undefined, rows, compared };
  }
  const chmod = { name: "run_shell_command", args: { command: "chmod 755 a.txt" } };
  const read = { name: "read_file", args: { file_path: "a.txt" } };

  it.each([
    { what: "a file that nobody read", calls: [chmod], content: "unread" },
    { what: "a file that was read before", calls: [read, chmod], content: "2c8b08da5ce60398" },
    { what: "a file that was read after", calls: [chmod, read], content: "2c8b08da5ce60398" },
  ])("of $what is a change, though no byte is another", async ({ calls, content }) => {
    const { said, rows, compared } = await listedAfter(...calls);
    expect(said).toBe(`a.txt: 2 states, 0 made here; now ${content}, mode 755`);
    expect(rows.join("\n")).toMatch(/mode 644.*\n.*mode 755/u);
    expect(compared.join("\n")).toContain("The content of the two states is the same.");
  });

  it("is none where it stays", async () => {
    const { said } = await listedAfter(read, { ...chmod, args: { command: "chmod 644 a.txt" } });
    expect(said).toBeUndefined();
  });
});

describe("the picture of the prompt", () => {
  it("says for any line of a file where the model sees it", async () => {
    const { host } = await twice();
    const seen = await runCommand("/why a.txt:1", host);
    expect(seen).toMatchObject({ kind: "told", message: expect.stringMatching(/sees line 1 of a\.txt at/u) });
    expect(seen?.kind === "told" && seen.text).toMatch(/older than what is on the disk/u);
    expect(await runCommand("/why a.txt:9", host)).toMatchObject({
      message: "The model does not see line 9 of a.txt.",
    });
    expect(await runCommand("/why nothing", host)).toMatchObject({ code: "unknown_node" });
  });

  it("shows kinds and files with their share, and what a clearing would bring", async () => {
    const { stage } = await twice();
    const { agent } = stage;
    const lines = text(contextPicture(agent.contextMap, agent.clearingNow(), 80)).join("\n");
    expect(lines).toMatch(/Prompt {2}about [\d,]+ tokens/u);
    expect(lines).toMatch(/system text and tools/u);
    expect(lines).toMatch(/% █.* a\.txt/u);
    expect(lines).toMatch(/clearing would bring/u);
  });
});
