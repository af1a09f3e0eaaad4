import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { holdfastTools } from "../../src/ai-sdk.js";
import { executeToolUse } from "../../src/anthropic.js";
import { holdfastBackend } from "../../src/deepagents.js";
import { openRoom } from "../room.js";

/** Whole to replace whole, one budget and one's own words, at the doors of the frameworks. */
const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");
const blind = "blind\n";
const path = "memories/f.md";
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

type Room = Awaited<ReturnType<typeof openRoom>>;

interface Answer {
  readonly success: boolean;
  readonly text: string;
}

interface Door {
  readonly name: string;
  open(room: Room): {
    show(lines: "first" | "all"): Promise<unknown>;
    /** @param base the text that is replaced, for a tool that takes a hash. */
    replace(content: string, base?: string): Promise<Answer>;
  };
}

const anthropicDoor = (name: string, tool: string): Door => ({
  name,
  open({ workspace }) {
    const use = async (input: object): Promise<Answer> => {
      const result = await executeToolUse(workspace, { id: "t", name: tool, input });
      if (result === undefined) throw new Error(`${tool} is not known`);
      return { success: result.is_error !== true, text: result.content };
    };
    const file = path;
    return {
      show: (lines) =>
        use({ command: "view", path: file, ...(lines === "first" ? { view_range: [1, 1] } : {}) }),
      replace: (content) => use({ command: "create", path: file, file_text: content }),
    };
  },
});

const doors: readonly Door[] = [
  {
    name: "the AI SDK's write_file, with the hash of a header",
    open({ workspace }) {
      const { read_file: read, write_file: write } = holdfastTools(workspace);
      if (read === undefined || write === undefined) throw new Error("the tools are not offered");
      return {
        show: (lines) =>
          read.execute({ file_path: path, ...(lines === "first" ? { offset: 1, limit: 1 } : {}) }),
        replace: (content, base) => {
          const hash = base === undefined ? {} : { base_content_sha256: sha(base) };
          return write.execute({ file_path: path, content, ...hash });
        },
      };
    },
  },
  anthropicDoor("the text editor of the Anthropic SDK", "str_replace_based_edit_tool"),
  {
    name: "the backend of deepagents",
    open({ workspace }) {
      const backend = holdfastBackend(workspace);
      return {
        show: (lines) => backend.read(`/${path}`, 0, lines === "first" ? 1 : 500),
        replace: async (content) => {
          const { error } = await backend.write(`/${path}`, content);
          return { success: error === undefined, text: error ?? "" };
        },
      };
    },
  },
];

for (const door of doors) {
  describe(door.name, () => {
    it("does not replace a file of which one line was shown", async () => {
      const room = await openFile(ten);
      const { show, replace } = door.open(room);
      await show("first");
      expect(await replace(blind, ten)).toMatchObject({
        success: false,
        text: expect.stringContaining("unseen_lines"),
      });
      expect(room.text(path)).toBe(ten);
    });

    it("replaces a file that was shown as a whole", async () => {
      const room = await openFile(ten);
      const { show, replace } = door.open(room);
      await show("all");
      expect(await replace(blind, ten)).toMatchObject({ success: true });
      expect(room.text(path)).toBe(blind);
    });

    it("keeps the budget where somebody changed a line of 2 MB", async () => {
      const room = await openRoom({});
      const { replace } = door.open(room);
      const line = `${"a".repeat(2_000_000)}\n`;
      expect(await replace(line)).toMatchObject({ success: true });
      room.write(path, `${"b".repeat(2_000_000)}\n`);
      const { success, text } = await replace(blind, line);
      expect(success).toBe(false);
      expect(text).toContain("state_mismatch");
      expect(text.length).toBeLessThanOrEqual(262_144);
    });
  });
}

describe("what the text editor of the Anthropic SDK refuses", () => {
  const file = "f.txt";
  const cases: readonly (readonly [string, object])[] = [
    ["a create over a file that was not viewed", { command: "create", path: file, file_text: "x" }],
    [
      "an edit of a file that was not viewed",
      { command: "str_replace", path: file, old_str: "one", new_str: "1" },
    ],
    [
      "an insertion into a file that was not viewed",
      { command: "insert", path: file, insert_line: 1, insert_text: "x" },
    ],
    ["an edit that fits twice", { command: "str_replace", path: "seen.txt", old_str: "one", new_str: "1" }],
    ["an edit of nothing", { command: "str_replace", path: "seen.txt", old_str: "", new_str: "1" }],
    ["an insertion past the end", { command: "insert", path: "seen.txt", insert_line: 99, insert_text: "x" }],
    ["a view of a file that is not there", { command: "view", path: "none.txt" }],
  ];
  for (const [what, input] of cases) {
    it(`says so in its own words: ${what}`, async () => {
      const room = await openRoom({ [file]: "one\none\n", "seen.txt": "one\none\n" });
      const name = "str_replace_based_edit_tool";
      const use = (given: object) => executeToolUse(room.workspace, { id: "t", name, input: given });
      await use({ command: "view", path: "seen.txt" });
      const refused = await use(input);
      expect(refused?.is_error).toBe(true);
      expect(refused?.content.match(ourWords) ?? []).toEqual([]);
    });
  }
});

/** Names of tools and arguments that the text editor does not have. */
const ourWords =
  /\b(?:read_file|write_file|edit_file|safe_patch|append_to_file|prepend_to_file|update_section|insert_lines|apply_changes|base_content_sha256|base hash|old_string|new_string|replace_all|after_line|offset|limit|encoding)\b/g;

async function openFile(text: string): Promise<Room> {
  const room = await openRoom({});
  await room.workspace.write({ path, content: "" });
  room.write(path, text);
  return room;
}
