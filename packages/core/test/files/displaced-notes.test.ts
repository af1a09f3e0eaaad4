import { describe, expect, it } from "vitest";
import { type ChangeSets, type SetStep, Workspace } from "../../src/files/index.js";
import { runTool } from "../../src/tools/index.js";
import { memoryWith, sha } from "../support.js";

const foreign = "theirs\n";

/** A workspace in memory in which another program writes to one file at the moment of a change set's step. */
function scene(
  files: Readonly<Record<string, string>>,
  ending: "committed" | "stopped" = "committed",
): { readonly workspace: Workspace; strike(path: string): void } {
  const ports = memoryWith(files);
  let struck: string | undefined;
  const isStruck = ({ entry }: SetStep) => entry.realPath === `/workspace/${struck}`;
  const bytes = Buffer.from(foreign);
  const changeSets: ChangeSets = {
    commit: async (id, steps, guard) => {
      if (ending === "stopped" && steps.some(isStruck)) {
        const displaced = [{ realPath: `/workspace/${struck}`, bytes }];
        const at = steps.findIndex((step) => !isStruck(step));
        return { kind: "set_stopped", at, reason: { kind: "changed" }, leftAlone: [], displaced };
      }
      const done = await ports.changeSets.commit(id, steps, guard);
      if (done.kind !== "set_committed") return done;
      const landed = done.files.map((file, at) => {
        const step = steps[at];
        return step !== undefined && isStruck(step) ? { ...file, displaced: bytes } : file;
      });
      return { ...done, files: landed };
    },
  };
  const strike = (path: string) => {
    struck = path;
  };
  const guards = { wholeReplacement: "hash" } as const;
  return { workspace: new Workspace({ ...ports, changeSets }, { guards }), strike };
}

async function call(workspace: Workspace, ...[tool, args]: readonly [Parameters<typeof runTool>[0], object]) {
  const { text } = await runTool(tool, args, { workspace, wire: "json", resultContent: "none" });
  const { code, message }: { code: string; message: string } = JSON.parse(text);
  return { code, message, times: message.split(sha(foreign).slice(0, 12)).length - 1 };
}

/** Named once in a sentence, once in the command that brings it back. */
const told = 2;
const move = { file_path: "a", to: "b", base_content_sha256: sha("one\n") };

describe("what another program wrote at the moment of the step is said in the answer", () => {
  it("to a move", async () => {
    const { workspace, strike } = scene({ a: "one\n" });
    strike("a");
    const answer = await call(workspace, "move_file", move);
    expect(answer).toMatchObject({ code: "applied", times: told });
    expect(answer.message).toContain('another program wrote to the old file "a": it is kept');
  });

  it.each(["a", "b"])("to the undo of a move that names %s", async (named) => {
    const { workspace, strike } = scene({ a: "one\n" });
    await call(workspace, "move_file", move);
    strike("b");
    const answer = await call(workspace, "undo_edit", { file_path: named });
    expect(answer).toMatchObject({ code: "applied", times: told });
    expect(answer.message).toContain('wrote to the old file "b"');
  });

  it.each(["a", "b"])("to the undo of a set that names %s", async (named) => {
    const { workspace, strike } = scene({ a: "one\n", b: "two\n" });
    await workspace.applyChanges({
      changes: [
        { path: "a", base: sha("one\n"), content: { kind: "text", text: "new\n" } },
        { path: "b", base: sha("two\n"), content: { kind: "text", text: "newer\n" } },
      ],
    });
    strike("b");
    const answer = await call(workspace, "undo_edit", { file_path: named });
    expect(answer).toMatchObject({ code: "applied", times: told });
  });

  it("to a move that was stopped for its other name", async () => {
    const { workspace, strike } = scene({ a: "one\n" }, "stopped");
    strike("a");
    const answer = await call(workspace, "move_file", move);
    expect(answer.code).not.toBe("applied");
    expect(answer.times).toBe(told);
  });

  it("to an undo of a move that was stopped for its other name", async () => {
    const { workspace, strike } = scene({ a: "one\n" }, "stopped");
    await call(workspace, "move_file", move);
    strike("b");
    const answer = await call(workspace, "undo_edit", { file_path: "a" });
    expect(answer.code).not.toBe("applied");
    expect(answer.times).toBe(told);
  });
});
