import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ImportedSession } from "../../../packages/core/src/conversation/import/index.js";
import { isRefusal } from "../../../packages/core/src/files/values/index.js";
import { readSessionFile } from "../src/index.js";
import { amountsIn, amountsOf, faultsOf, invented } from "./import-counts.js";
import { countingIds, folded, importedText, outline } from "./import-support.js";

/*
 * Sessions that Claude Code 2.1.330 and pi 0.73.1 wrote, run headless against a scripted model on 2026-11-23: paths
 * were made neutral, and long texts of the programs' own cut.
 */
const folder = fileURLToPath(new URL("imports/", import.meta.url));
const raw = (name: string) => readFileSync(`${folder}${name}`, "utf8");
const beside = (name: string) =>
  readdirSync(`${folder}${name}`).map((file) => ({ name: file, text: raw(`${name}/${file}`) }));

const sessions: readonly { name: string; format: string; files?: ReturnType<typeof beside> }[] = [
  { name: "claude-day.jsonl", format: "claude", files: beside("claude-day/subagents") },
  { name: "claude-killed.jsonl", format: "claude" },
  { name: "claude-stream-partial.jsonl", format: "claude-sdk" },
  { name: "claude-stream-agents.jsonl", format: "claude-sdk" },
  { name: "pi-day.jsonl", format: "pi" },
  { name: "pi-killed.jsonl", format: "pi" },
];

describe("a session that the program itself wrote", () => {
  it.each(sessions)(
    "$name comes in whole, sound, and without an invented branch",
    ({ name, format, files = [] }) => {
      const session = importedText(raw(name), { beside: files });
      expect(session).toMatchObject({ format, problems: [] });
      const texts = [
        raw(name),
        ...files.filter((file) => file.name.endsWith(".jsonl")).map(({ text }) => text),
      ];
      expect(amountsOf(folded(session).context)).toEqual(amountsIn(texts));
      expect(faultsOf(folded(session).context)).toEqual([]);
      expect(invented(folded(session).context)).toEqual([]);
    },
  );

  it("of Claude Code has each subagent below its call, and stands at its last answer", () => {
    const session = importedText(raw("claude-day.jsonl"), { beside: beside("claude-day/subagents") });
    expect(textsOf(session)).toMatchInlineSnapshot(`
      "task WISH-parallel please
      note for person: Not in the tree: 174 lines that are no turns (attachmen
      user WISH-parallel please
      model (three at once) I look at three things.
      call toolu_scripted_1 Read
      call toolu_scripted_2 Bash
      call toolu_scripted_3 Read
      result toolu_scripted_1 Read 1	one
      result toolu_scripted_3 Read 
      result toolu_scripted_2 Bash hello
      note for model: a hook looked
      note for model: a hook looked
      note for model: a hook looked
      model Now a change.
      call toolu_scripted_5 Edit
      call toolu_scripted_6 Read
      result toolu_scripted_5 Edit The file /project/a.txt has been updated su
      result toolu_scripted_6 Read File does not exist. Note: your current wor
      note for model: a hook looked
      model All three seen.
      user WISH-agents please
      call toolu_scripted_9 Agent
      call toolu_scripted_10 Agent
        result toolu_scripted_9 Agent Async agent launched successfully. (This
        result toolu_scripted_10 Agent Async agent launched successfully. (Thi
        model Both helpers are back.
        note for model: <task-notification>
        model Both helpers are back.
        note for model: <task-notification>
        model Both helpers are back.
        user WISH-interrupt please
        model This takes long.
        call toolu_scripted_22 Bash
        call toolu_scripted_23 Bash
        result toolu_scripted_22 Bash The user doesn't want to proceed with th
        result toolu_scripted_23 Bash The user doesn't want to proceed with th
        user [Request interrupted by user for tool use]
        note for person: No response requested.
        user WISH-error please
        note for person: API Error: 400 the scripted model refuses
        note for person: Conversation compacted
        summary of compaction: This session is being continued from a previous
        note for model: <local-command-caveat>The command below was run direct
        user <command-name>/compact</command-name>
        user <local-command-stdout>Compacted (ctrl+o to see full summary)</loc
        note for model: /project/a.txt:
        user WISH-after the summary
        model Done with after. <
        task subagent ad5a5a29db2c609c9: first
        user SUBONE: look at a.txt
        model (look) 
        call toolu_scripted_12 Read
        result toolu_scripted_12 Read 1	uno
        note for model: a hook looked
        model Helper one is done.
        task subagent a850fd361c4ee329e: second
        user SUBTWO: look at b.txt
        call toolu_scripted_14 Bash
        call toolu_scripted_15 Read
        result toolu_scripted_15 Read 1	bee
        result toolu_scripted_14 Bash from two
        note for model: a hook looked
        note for model: a hook looked
        model Helper two is done."
    `);
    const { tasks } = folded(session).context;
    expect([...tasks.values()].map(({ outcome }) => outcome).toSorted()).toEqual([
      "complete",
      "complete",
      "open",
    ]);
  });

  it("of a subagent alone is a session whose head is at its end", () => {
    const [agent] = beside("claude-day/subagents").filter(({ name }) => name.endsWith(".jsonl"));
    const session = importedText(agent?.text ?? "");
    expect(outline(session).at(-1)).toBe("model Helper two is done. <");
    expect(amountsOf(folded(session).context)).toEqual(amountsIn([agent?.text ?? ""]));
  });

  it("that was killed has its calls open, and a prompt in which they are interrupted", () => {
    for (const name of ["claude-killed.jsonl", "pi-killed.jsonl"]) {
      const { context } = folded(importedText(raw(name)));
      expect(amountsOf(context)).toMatchObject({ calls: 2, results: 0 });
      expect(context.nodes.get(context.currentNodeId)?.payload.kind).toBe("tool_call");
    }
  });
});

describe("a session that the program wrote and somebody damaged", () => {
  const damage = fc.record({
    how: fc.constantFrom("drop", "double", "swap", "hang", "unhang", "recall", "side"),
    at: fc.nat(),
    other: fc.nat(),
  });

  it("comes in, folds and renders without a fault, whatever lines are lost, doubled, moved or hung elsewhere", () => {
    fc.assert(
      fc.property(
        fc.nat(sessions.length - 1),
        fc.array(damage, { minLength: 1, maxLength: 12 }),
        (which, done) => {
          const { name = "", files = [] } = sessions[which] ?? {};
          const lines = done.reduce(damaged, raw(name).trim().split("\n"));
          const session = readSessionFile(lines.join("\n"), {
            from: "x",
            newId: countingIds(),
            now: 1,
            beside: files,
          });
          if (isRefusal(session)) expect(session.code).toBe("not_a_session");
          else expect(faultsOf(folded(session).context)).toEqual([]);
        },
      ),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 15) },
    );
  });
});

function damaged(
  lines: readonly string[],
  { how, at, other }: { readonly how: string; readonly at: number; readonly other: number },
): string[] {
  if (lines.length === 0) return [];
  const [here, there] = [at % lines.length, other % lines.length];
  const [line = "", far = ""] = [lines[here], lines[there]];
  const parent = /"(parentUuid|parentId)":("[^"]*"|null),?/;
  switch (how) {
    case "drop":
      return lines.toSpliced(here, 1);
    case "double":
      return lines.toSpliced(there, 0, line);
    case "swap":
      return lines.with(here, far).with(there, line);
    case "hang": {
      const [, id = "x"] = /"(?:uuid|id)":"([^"]+)"/.exec(far) ?? [];
      return lines.with(here, line.replace(parent, `"$1":"${id}",`));
    }
    case "unhang":
      return lines.with(here, line.replace(parent, ""));
    case "recall":
      return lines.with(here, line.replace(/toolu_scripted_\d+/, `toolu_scripted_${other % 30}`));
    default:
      return lines.with(here, line.replace('"isSidechain":false', '"isSidechain":true'));
  }
}

/** The tree with the beginnings of its texts. */
function textsOf(session: ImportedSession): string {
  return outline(session)
    .map((row) => [...(row.split("\n")[0] ?? "")].slice(0, 72).join(""))
    .join("\n");
}
