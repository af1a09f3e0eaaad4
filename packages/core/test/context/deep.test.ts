import { describe, expect, it } from "vitest";
import { debugOutline, renderContext } from "../../src/context/index.js";
import { filesMade, listTasks, Manifests } from "../../src/conversation/index.js";
import { must, newManager } from "../conversation/support.js";
import { hangMs } from "../support.js";

/** Deeper than any call stack of ours reached. */
const depth = 3_000;

function wrote(path: string) {
  const effect = { path, before: null, after: "a".repeat(64), by: "tool" } as const;
  return { kind: "note", audience: "person", text: `wrote ${path}`, files: [effect] } as const;
}

describe("tasks inside one another", { timeout: hangMs }, () => {
  const { manager, ids } = withOneFile(depth);

  it(`are completed, listed and rendered, ${depth} of them, all expanded`, () => {
    const { contents, report } = renderContext(manager.context, { expand: new Set(ids) });
    const text = JSON.stringify(contents);
    expect(text).toContain("inside 0");
    expect(text).toContain(`inside ${depth - 1}`);
    expect(text).not.toContain("done ");
    expect(report.ignored).toEqual([]);
    let deepest = listTasks(manager.context);
    for (let at = 0; at < depth; at += 1) deepest = deepest.tasks[0] ?? deepest;
    expect(deepest.name).toBe(`task ${depth - 1}`);
    expect(debugOutline(manager.context)).toContain(`task ${depth - 1}`);
  });

  it("hand on what was written in the innermost, also where no merge was looked at before", () => {
    const { context } = manager;
    const { payload } = context.nodes.get(context.currentNodeId) ?? context.rootNode;
    expect(payload.kind === "task_summary" && payload.files.map(({ path }) => path)).toEqual(["deep.txt"]);
    const anew = filesMade(context, context.sessionId, context.currentNodeId, new Manifests((path) => path));
    expect(anew).toEqual([{ path: "deep.txt", from: null, to: "a".repeat(64) }]);
  });
});

/** The same with a file in the innermost only: lists of files would grow with each level by themselves. */
function withOneFile(levels: number) {
  const manager = newManager();
  must(manager.commitStagedItems("go"));
  for (let at = 0; at < levels; at += 1) {
    must(manager.startTask({ name: `task ${at}` }));
    must(manager.addNode({ kind: "note", audience: "model", text: `inside ${at}` }));
  }
  must(manager.addNode(wrote("deep.txt")));
  const ids = Array.from({ length: levels }, (_, at) => {
    const { payload } = must(manager.completeTask({ summary: `done ${at}` }));
    return payload.kind === "task_summary" ? payload.taskId : "";
  });
  return { manager, ids };
}
