import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../../../packages/agent/src/slash/run-command.js";
import { cellsOf } from "../../../../packages/agent/src/ui/lines/cells.js";
import { openStage, type Stage } from "../../../../packages/agent/test/loop/stage.js";
import type { Modal } from "../../src/screen/modal.js";
import { lastPrompt, treeModal } from "../../src/windows/tree-modal.js";
import { treeSource } from "../../src/windows/tree-source.js";
import { press, shown, text } from "./pressed.js";

const content = ({ root }: Stage) => readFileSync(join(root, "a.txt"), "utf8");

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
const read = { calls: [{ name: "read_file", args: { file_path: "a.txt" } }] };

/** A conversation of two branches, each of which has changed the same file otherwise. */
async function twoBranches(): Promise<{
  stage: Stage;
  modal: () => Modal;
  run: (line: string) => Promise<void>;
}> {
  const answers = [
    read,
    edit("one", "two"),
    { text: "It is two." },
    read,
    edit("one", "three"),
    { text: "It is three." },
  ];
  const stage = await openStage(answers, { mode: "yolo" }, { "a.txt": "one\n" });
  const host = { agent: stage.agent, manager: stage.manager, workspace: stage.workspace };
  const run = async (line: string) => {
    const result = await runCommand(line, host);
    if (result?.kind !== "told") throw new Error(JSON.stringify(result));
  };
  await stage.turn("Make it two.");
  await run("/history rewind --files restore");
  await stage.turn("Make it three.");
  return { stage, run, modal: () => treeModal(treeSource(host)) };
}

describe("the tree in a window", () => {
  it("shows a row a node, opens at the head, and is never wider or higher than the window", async () => {
    const { modal } = await twoBranches();
    const rows = await shown(modal());
    expect(rows.find((row) => row.startsWith("▸"))).toContain("It is three. ← you are here");
    expect(rows.some((row) => /[├└]─ user: Make it two\./u.test(row))).toBe(true);
    for (const columns of [1, 7, 20, 200])
      for (const height of [1, 2, 5, 40]) {
        const lines = text(modal().view({ columns, rows: height }));
        expect(lines.length).toBeLessThanOrEqual(height);
        if (columns >= 20)
          for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(Math.max(columns, 60));
      }
  });

  it("cuts the middle of a long row and of a long text that is typed, never their ends", async () => {
    const stage = await openStage([{ text: "An answer. ".repeat(40) }]);
    await stage.turn("Go.");
    const host = { agent: stage.agent, manager: stage.manager, workspace: stage.workspace };
    const modal = treeModal(treeSource(host));
    const size = { columns: 50, rows: 8 };
    expect(text(modal.view(size)).find((row) => row.startsWith("▸"))).toMatch(/^.{30,}← you are here$/u);
    const typed = await press(modal, "l", `=${"long ".repeat(20)}😀`, "backspace", "=END");
    if (typed.kind === "closed") throw new Error("closed");
    expect(text(typed.modal.view(size)).at(-1)).toMatch(/^label: long .*….*long END▏$/u);
    expect(await press(typed.modal, "enter")).toMatchObject({
      line: expect.stringMatching(/long long END" --node/u),
    });
  });

  it("folds a branch, filters and searches", async () => {
    const { modal } = await twoBranches();
    const folded = await shown(modal(), "/", "=It is two", "enter", "left");
    expect(folded.some((row) => row.includes("It is two"))).toBe(false);
    expect(folded.find((row) => row.startsWith("▸"))).toContain("Make it two. …");
    const prompts = await shown(modal(), "t");
    expect(prompts.join("\n")).not.toContain("edit_file");
    expect((await shown(modal(), "/", "=nowhere", "enter")).at(-1)).toContain('Nothing here holds "nowhere"');
  });

  it("shows what a rewind does to the files before it does, and each way is a command", async () => {
    const { stage, modal, run } = await twoBranches();
    const keys = ["/", "=It is two", "enter", "r"];
    const plan = await shown(modal(), ...keys);
    expect(plan.join("\n")).toMatch(/a\.txt: put back/u);
    expect(content(stage)).toBe("three\n");
    for (const key of ["escape", "q", "ctrl-c"])
      expect(await shown(modal(), ...keys, key)).toContainEqual(expect.stringContaining("▸"));
    const step = await press(modal(), ...keys, "r");
    if (step.kind !== "closed" || step.line === undefined) throw new Error("no command");
    await run(step.line);
    expect(content(stage)).toBe("two\n");
  });

  it("says all that happens to a file, and how much of a long plan a low window leaves out", async () => {
    const stage = await openStage([{ text: "Done." }]);
    await stage.turn("Go.");
    const host = { agent: stage.agent, manager: stage.manager, workspace: stage.workspace };
    const plannedIn = async (rows: number, ...said: readonly string[]) => {
      const choices = [{ word: "keep", says: "leave the files as they are", line: "/x" }];
      const plan = { kind: "question", message: "Some files.", text: said.join("\n"), choices } as const;
      const step = await press(treeModal({ ...treeSource(host), plan: async () => plan }), "r");
      if (step.kind === "closed") throw new Error("closed");
      return text(step.modal.view({ columns: 50, rows })).slice(1);
    };
    const long = `a.txt: ${"x".repeat(150)} stays`;
    const whole = (await plannedIn(20, long)).slice(1, 5).map((row) => row.slice(2));
    expect(whole.join("")).toBe(long);
    const files = Array.from({ length: 40 }, (_, at) => `f${at}: put back`);
    expect(await plannedIn(9, ...files)).toEqual([
      "Some files.",
      ...["  f0: put back", "  f1: put back", "  f2: put back", "  … 37 more lines"],
      "",
      "  keep  leave the files as they are",
      "[k]eep  Esc back",
    ]);
  });

  it("puts a prompt back into the input, and goes before it", async () => {
    const { stage, modal } = await twoBranches();
    expect(stage.manager.context.nodes.get(lastPrompt(stage.manager.context) ?? "")?.payload).toMatchObject({
      text: "Make it three.",
    });
    const step = await press(modal(), "/", "=Make it two", "enter", "e", "k");
    expect(step).toMatchObject({ kind: "closed", text: "Make it two." });
    expect((await shown(modal(), "e")).at(-1)).toContain("Only a prompt of yours");
  });

  it("shows what one branch made of a file that the other knows nothing of", async () => {
    const write = (name: string) => ({
      calls: [{ name: "write_file", args: { file_path: name, content: `${name}\n` } }],
    });
    const stage = await openStage([
      write("one.txt"),
      { text: "First." },
      write("two.txt"),
      { text: "Second." },
    ]);
    const host = { agent: stage.agent, manager: stage.manager, workspace: stage.workspace };
    await stage.turn("Go.");
    await runCommand("/history rewind --files keep", host);
    await stage.turn("Go otherwise.");
    const both = await shown(treeModal(treeSource(host)), "d", "/", "=First.", "enter", "d");
    expect(both.join("\n")).toMatch(
      /--- one\.txt {2}on the second alone: none → .*\n.*\n\+one\.txt\n--- two\.txt {2}on the first alone: none/u,
    );
  });

  it("compares two branches in words and files, and names, hides and forks by commands", async () => {
    const { stage, modal } = await twoBranches();
    const both = await shown(modal(), "d", "/", "=It is two", "enter", "d");
    expect(both[0]).toBe("Two branches");
    expect(both.join("\n")).toMatch(/-three\n\+two/u);
    expect(both.join("\n")).toContain("> Make it two.");
    expect((await shown(modal(), "enter")).join("\n")).toContain("It is three.");
    const head = stage.manager.context.currentNodeId;
    expect(await press(modal(), "l", "=my point", "enter")).toEqual({
      kind: "closed",
      line: `/history label "my point" --node ${head}`,
    });
    expect(await press(modal(), "h")).toEqual({ kind: "closed", line: `/history hide ${head}` });
    expect(await press(modal(), "f")).toEqual({ kind: "closed", line: `/fork ${head}` });
  });
});
