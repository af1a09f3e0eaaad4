import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha } from "../support.js";
import { type Call, type Figures, paths, World } from "./world.js";

/** `HOLDFAST_RUNS=5000` for a long run. */
const runs = Number(process.env.HOLDFAST_RUNS ?? 60);

const kinds = [
  ...Array.from({ length: 14 }, () => "answer" as const),
  "say",
  "say",
  "start",
  "complete",
  "pop",
  "cancel",
  "rewind",
  "rewind",
  "resume",
  "fork",
  "overlay",
  "overlay",
  "reform",
  "compact",
  "foreign",
  "foreign",
] as const;

const operation = fc.record({
  kind: fc.constantFrom(...kinds),
  picks: fc.array(fc.nat({ max: 9999 }), { minLength: 12, maxLength: 12 }),
});
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

/** Numbers that were drawn, one after the other. */
class Picks {
  private at = 0;

  constructor(private readonly numbers: readonly number[]) {}

  next(below: number): number {
    const number = this.numbers[this.at % this.numbers.length] ?? 0;
    this.at += 1;
    return (number + this.at * 31) % below;
  }

  of<const Items extends readonly [unknown, ...unknown[]]>(items: Items): Items[number] {
    return items[this.next(items.length)] ?? items[0];
  }
}

async function perform(world: World, { kind, picks }: Operation): Promise<void> {
  const pick = new Picks(picks);
  const { manager } = world;
  switch (kind) {
    case "answer":
      return world.answer(Array.from({ length: pick.of([1, 1, 2, 3]) }, () => callOf(world, pick)));
    case "say":
      return world.say();
    case "start":
      manager.startTask({
        name: "sub",
        transformation: pick.of([
          { kind: "clone" },
          { kind: "clear" },
          { kind: "compress", summary: "What came before." },
        ]),
      });
      return world.say();
    case "complete":
      manager.completeTask({ summary: "It is done." });
      return;
    case "pop":
      manager.popTask();
      return;
    case "cancel":
      manager.cancelTask();
      return;
    case "rewind":
      if (pick.next(2) === 0) manager.rewind();
      else manager.rewind(world.nodes()[pick.next(manager.context.nodes.size)]?.id);
      return world.say();
    case "resume":
      return world.resume();
    case "fork":
      return world.fork();
    case "overlay":
    case "reform": {
      const nodes = world
        .nodes()
        .filter(({ payload }) => payload.kind === "tool_result" || payload.kind === "tool_call");
      const target = nodes[pick.next(Math.max(1, nodes.length))];
      if (target === undefined) return;
      const form = pick.of([
        { form: "replaced", by: "cleared", text: "(cleared)" },
        { form: "hidden" },
        { form: "original" },
      ] as const);
      if (kind === "overlay") manager.overlay(target.id, form);
      else manager.reform([{ targetId: target.id, form }]);
      return;
    }
    case "compact": {
      const keepFromId = pick.next(3) === 0 ? null : world.safeCut(pick.next(9999));
      if (keepFromId !== undefined)
        manager.addSummary({ kind: "summary", of: "compaction", text: "Before.", keepFromId });
      return;
    }
    case "foreign":
      return world.foreign(pick.of(paths), (text) => {
        const lines: string[] = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const at = pick.next(lines.length + 1);
        lines.splice(at, pick.next(2), `${world.line()}\n`);
        return lines.join("");
      });
    default:
      return kind satisfies never;
  }
}

/** A call that a model could make, with a hash, an old text or a number that may be right or not. */
function callOf(world: World, pick: Picks): Call {
  const path = pick.of([...paths, "a.txt", "a.txt"]);
  const file_path = pick.of([path, path, path, `./${path}`, `/workspace/${path}`]);
  const text = world.text(path) ?? "";
  const lines: readonly string[] = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const line = lines[pick.next(Math.max(1, lines.length))] ?? "";
  const at = lines.indexOf(line) + 1;
  const states = [...world.states.keys()];
  const known: string = pick.next(4) === 0 ? (states[pick.next(states.length)] ?? sha(text)) : sha(text);
  const base_content_sha256 = pick.next(2) === 0 ? known : known.slice(0, 12);
  const next = () => [...lines.slice(0, pick.next(3)), ...lines.slice(5), `${world.line()}\n`].join("");
  const based = { isBased: true } as const;
  switch (
    pick.of([
      "read",
      "read",
      "read",
      "window",
      "window",
      "many",
      "search",
      "edit",
      "edit",
      "edit",
      "word",
      "many_edits",
      "patch",
      "append",
      "append",
      "prepend",
      "insert",
      "write",
      "write",
      "create",
      "create",
      "fs_create",
      "set",
      "rename",
      "set_write",
      "undo",
    ] as const)
  ) {
    case "read":
      return { tool: "read_file", args: { file_path } };
    case "window":
      return { tool: "read_file", args: { file_path, offset: 1 + pick.next(6), limit: 1 + pick.next(4) } };
    case "many":
      return { tool: "read_many_files", args: { paths: [...paths] } };
    case "search":
      return { tool: "search_files", args: { pattern: line.trim() || "x", literal: true } };
    case "edit": {
      const edits = [
        {
          old_string: line,
          new_string: pick.of(["", `${world.line()}\n`, `${world.line()}\n${line}`, world.line()]),
        },
      ];
      return { tool: "edit_file", args: { file_path, edits } };
    }
    case "word": {
      const edits = [{ old_string: line.split(" ")[0] ?? "x", new_string: world.word() }];
      const base = pick.next(2) === 0 ? { base_content_sha256 } : {};
      return {
        tool: "edit_file",
        args: { file_path, edits, ...base },
        isBased: "base_content_sha256" in base,
      };
    }
    case "many_edits": {
      const fresh = world.word();
      const edits = [
        { old_string: line.split(" ")[0] ?? "x", new_string: fresh },
        { old_string: fresh, new_string: `${world.word()}\n${world.word()}` },
      ];
      return { tool: "edit_file", args: { file_path, edits } };
    }
    case "patch": {
      const before = lines[at - 2];
      const context = before === undefined ? "" : ` ${before}`;
      const count = before === undefined ? 1 : 2;
      const first = before === undefined ? at : at - 1;
      const unified_diff = `--- a/${path}\n+++ b/${path}\n@@ -${first},${count} +${first},${count} @@\n${context}-${line.trimEnd()}\n+${world.line()}\n`;
      return { tool: "safe_patch", args: { file_path, unified_diff, base_content_sha256 }, ...based };
    }
    case "append":
      return {
        tool: "append_to_file",
        args: { file_path, content: `${pick.of(["", "\n"])}${world.line()}${pick.of(["", "\n"])}` },
        isFree: true,
      };
    case "prepend":
      return {
        tool: "prepend_to_file",
        args: { file_path, content: `${world.line()}${pick.of(["", "\n"])}` },
        isFree: true,
      };
    case "insert":
      return {
        tool: "insert_lines",
        args: {
          file_path,
          after_line: pick.next(lines.length + 1),
          content: world.line(),
          base_content_sha256,
        },
        ...based,
      };
    case "write":
      return {
        tool: "write_file",
        args: { file_path, content: next(), ...(pick.next(4) === 0 ? {} : { base_content_sha256 }) },
        whole: true,
        ...based,
      };
    case "create":
      return {
        tool: "str_replace_based_edit_tool",
        args: { command: "create", path: file_path, file_text: next() },
        whole: true,
      };
    case "fs_create":
      return {
        tool: "fs_write",
        args: { command: "create", path: file_path, file_text: next() },
        whole: true,
      };
    case "set":
      return {
        tool: "apply_changes",
        args: {
          changes: [
            {
              file_path,
              base_content_sha256,
              edits: [{ old_string: line, new_string: `${world.line()}\n` }],
            },
            { file_path: "e.txt", content: world.lines(2), ...hashOf(world, "e.txt") },
          ],
        },
        whole: true,
        ...based,
      };
    case "rename":
      return {
        tool: "apply_changes",
        args: {
          changes: [
            { file_path: path, base_content_sha256, rename_to: path === "a.txt" ? "b.txt" : "a.txt" },
          ],
        },
        isFree: true,
      };
    case "set_write":
      return {
        tool: "apply_changes",
        args: { changes: [{ file_path, base_content_sha256, content: next() }] },
        whole: true,
        ...based,
      };
    case "undo":
      return { tool: "undo_edit", args: { file_path }, isFree: true };
  }
}

function hashOf(world: World, path: string) {
  const text = world.text(path);
  return text === undefined ? {} : { base_content_sha256: sha(text) };
}

describe("what a path of a conversation knows of files", () => {
  const figures: Figures = { truth: 0, known: 0, codes: new Map(), stubs: 0, broken: 0 };

  it(
    "was shown by its prompts or stood in its calls, and licenses nothing else",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { minLength: 5, maxLength: 40, size: "max" }),
          async (operations) => {
            const world = await World.begin(figures);
            for (const one of operations) {
              await perform(world, one);
              expect(world.problems).toEqual([]);
            }
          },
        ),
        {
          numRuns: runs,
          endOnFailure: true,
        },
      );
    },
    Math.max(120_000, runs * 2_000),
  );

  it("is spoken of instead of being shown again where it stands in the next prompt", () => {
    // The law above held for some; few of them lose later what they speak of.
    expect(figures.stubs).toBeGreaterThan(0);
    if (runs >= 1_000) expect(figures.broken).toBeGreaterThan(0);
  });

  it("is nearly all of what they really showed", () => {
    console.log(
      `known ${figures.known} of ${figures.truth} lines, ${figures.stubs} stubs, ${figures.broken} broken`,
      Object.fromEntries(figures.codes),
    );
    // Over a few conversations the share varies by more than it is short of all.
    expect(figures.known / figures.truth).toBeGreaterThanOrEqual(runs < 1_000 ? 0.95 : 0.98);
  });
});
