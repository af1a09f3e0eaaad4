import { describe, expect, it } from "vitest";
import type { ToolContext, WireForm } from "../../src/tools/index.js";
import { type Call, openSession, type SessionScene, sha } from "./scene.js";

/** Whatever is in a file, no answer is longer than 262,144 characters; ../tools/long-line.test.ts asks every tool. */
const budget = 262_144;
const line = (letter: string, characters = 1_000_000) => `${letter.repeat(characters)}\n`;

type Form = readonly [WireForm, NonNullable<ToolContext["resultContent"]>];
const forms: readonly Form[] = [
  ["text", "auto"],
  ["json", "full"],
];

const base_content_sha256 = sha(line("a"));
const diff = "@@ -1,1 +1,1 @@\n-zzz\n+y\n";
const stale: readonly (readonly [string, Call])[] = [
  ["safe_patch", ["safe_patch", { file_path: "f", unified_diff: diff, base_content_sha256 }]],
  [
    "edit_file",
    ["edit_file", { file_path: "f", edits: [{ old_string: "zzz", new_string: "y" }], base_content_sha256 }],
  ],
  ["write_file", ["write_file", { file_path: "f", content: "new\n", base_content_sha256 }]],
  [
    "apply_changes",
    ["apply_changes", { changes: [{ file_path: "f", base_content_sha256, content: "n\n" }] }],
  ],
];

describe.each(forms)("answers in the form %s, content %s", (wire, resultContent) => {
  for (const [name, call] of stale) {
    it(`of ${name}, made against a long line that somebody changed, are within the budget`, async () => {
      const session = await wroteLongLine({ wire, resultContent });
      session.put("f", line("b"));
      const { code, text } = await session.call(...call);
      expect(code).toBe("state_mismatch");
      expect(text.length).toBeLessThanOrEqual(budget);
    });
  }
});

describe("a line that is longer than an answer may be", () => {
  // Today it cannot be read by any tool: the window itself is too large.
  it.fails("can be read: it is cut visibly, and a window reaches on inside it", async () => {
    const session = openSession({ files: { f: `${"a".repeat(400_000)}the end\n` } });
    const first = await session.call("read_file", { file_path: "f", offset: 1, limit: 1 });
    expect(first.code).toBe("ok");
    expect(first.text).toMatch(/ more characters/);
    const rest = { file_path: "f", offset: 1, limit: 1, char_offset: 399_990 };
    const second = await session.call("read_file", rest);
    expect(second.text).toContain("aaaaaaaaaathe end\n");
    expect(second.text.length).toBeLessThan(1_000);
  });

  // Today it cannot be shown, so an edit without a hash is refused for ever.
  it.fails("can be edited by a tool without a hash once the place was shown", async () => {
    const session = openSession({ files: { f: `${"a".repeat(400_000)}the end\n` } });
    await session.call("str_replace_based_edit_tool", { command: "view", path: "f" });
    const edit = { command: "str_replace", path: "f", old_str: "the end", new_str: "END" };
    expect((await session.call("str_replace_based_edit_tool", edit)).code).toBe("applied");
  });
});

async function wroteLongLine(form: {
  readonly wire: WireForm;
  readonly resultContent: NonNullable<ToolContext["resultContent"]>;
}): Promise<SessionScene> {
  const session = openSession(form);
  expect((await session.call("write_file", { file_path: "f", content: line("a") })).code).toBe("applied");
  return session;
}
