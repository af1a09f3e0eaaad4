import { describe, expect, it } from "vitest";
import { describeResult } from "../../src/slash/results.js";
import { runCommand } from "../../src/slash/run-command.js";
import { openStage, type Stage } from "../loop/stage.js";

let stage: Stage;

async function open(...given: Parameters<typeof openStage>): Promise<void> {
  stage = await openStage(...given);
}

/** Runs a line that is a command. */
async function run(line: string) {
  const { agent, manager, workspace } = stage;
  const result = await runCommand(line, { agent, manager, workspace });
  if (result === undefined) throw new Error(`no command: ${line}`);
  return result;
}

/** The same, which is done. */
async function done(line: string) {
  const result = await run(line);
  if (result.kind !== "told") throw new Error(`${line}: ${describeResult(result)}`);
  return result;
}

const editing = [
  { calls: [{ name: "read_file", args: { file_path: "a.txt" } }] },
  {
    calls: [
      {
        name: "edit_file",
        args: {
          file_path: "a.txt",
          base_content_sha256: "{{sha256:a.txt}}",
          edits: [{ old_string: "one", new_string: "two" }],
        },
      },
    ],
  },
  { text: "a.txt is changed." },
];

describe("a tree that a person reads", () => {
  it("has a call and its result on one line, ids of eight characters, and branches drawn", async () => {
    await open([...editing, { text: "No." }], {}, { "a.txt": "one\n" });
    await stage.turn("Change it.");
    const first = [...stage.manager.context.nodes.values()].find(
      ({ payload }) => payload.kind === "user_message",
    );
    await done(`/history rewind ${first?.id.slice(-8)} --files keep`);
    await stage.turn("Or not?");
    const { text = "" } = await done("/history view");
    const rows = text.split("\n").map((row) => row.replace(/[a-z0-9]{8} {2}/, ""));
    expect(rows[0]).toMatch(/^session /);
    expect(rows[1]).toBe("user: Change it.");
    expect(rows[2]).toBe("├─ read_file a.txt → 1-1 v1");
    expect(rows[3]).toBe("│  edit_file a.txt → +1 -1 v2");
    expect(rows[4]).toMatch(/^│ {2}model: a\.txt is changed\.$/);
    expect(rows.slice(5)).toEqual(["user: Or not?", "model: No. ← you are here"]);
    expect(text).not.toContain("result");
  });

  it("counts the states of each file, and one that comes back under its first number", async () => {
    const call = (name: string, args: object) => ({ calls: [{ name, args: { ...args } }] });
    const edit = (from: string, to: string) =>
      call("edit_file", {
        file_path: "a.txt",
        base_content_sha256: "{{sha256:a.txt}}",
        edits: [{ old_string: from, new_string: to }],
      });
    const words = ["one", "two", "three", "four", "five", "six", "one"];
    const edits = words.slice(1).map((word, at) => edit(words[at] ?? "", word));
    const reads = ["a.txt", "b.txt"].map((path) => call("read_file", { file_path: path }));
    await open([...reads, ...edits, { text: "Done." }], {}, { "a.txt": "one\n", "b.txt": "b\n" });
    await stage.turn("Count.");
    const { text = "" } = await done("/history view");
    const versions = [...text.matchAll(/([ab]\.txt) → .*(v\d)$/gmu)].map(
      ([, path, version]) => `${path} ${version}`,
    );
    const ofA = ["v2", "v3", "v4", "v5", "v6", "v1"].map((version) => `a.txt ${version}`);
    expect(versions).toEqual(["a.txt v1", "b.txt v1", ...ofA]);
    // What the model reads counts on.
    const told = [...stage.manager.context.nodes.values()].flatMap(({ payload }) =>
      payload.kind === "tool_result" ? (payload.files ?? []).map(({ version }) => version) : [],
    );
    expect(Math.max(...told.map((version = 0) => version))).toBe(8);
  });

  it("takes any beginning or end of an id that is one node's, and hides and shows a turn", async () => {
    await open([{ text: "Yes." }]);
    await stage.turn("Mark this.");
    const [node] = [...stage.manager.context.nodes.values()].filter(
      ({ payload }) => payload.kind === "model_message",
    );
    const end = node?.id.slice(-6) ?? "";
    // Ids of one moment have a common beginning.
    const ids = [...stage.manager.context.nodes.keys()];
    const begins = (length: number) => ids.filter((id) => id.startsWith(node?.id.slice(0, length) ?? ""));
    const unique = Array.from({ length: 26 }, (_, length) => length + 1).find((n) => begins(n).length === 1);
    expect((await done(`/why ${node?.id.slice(0, unique)}`)).message).toContain(`${node?.id} is shown`);
    await done(`/history hide ${end}`);
    expect((await done(`/why ${end}`)).message).toContain(`${node?.id} is hidden`);
    await done(`/history show ${end}`);
    expect((await done(`/why ${end}`)).message).toContain(`${node?.id} is shown`);
    expect(await run("/why 0")).toMatchObject({ kind: "refused" });
  });

  it("tells what was spent", async () => {
    await open([{ text: "Yes.", usage: { inputTokens: 100, cachedInputTokens: 50, outputTokens: 3 } }]);
    await stage.turn("Hi.");
    expect((await done("/cost")).message).toContain("100 tokens were sent (50 % from a cache), 3 came back");
  });
});
