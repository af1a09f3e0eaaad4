import { describe, expect, it } from "vitest";
import type { Guards } from "../../src/files/values/index.js";
import { type Call, numbered, openSession, openTalk, type SessionScene, type Setting, sha } from "./scene.js";

/**
 * A call that replaces all of a file needs that every line of the state on disk was shown to its caller, or
 * written by it. A table: tools × what was shown.
 */
const ten = numbered(10);
const path = "memories/f.md";
const blind = "blind\n";

interface Replacing {
  readonly name: string;
  readonly guards?: Partial<Guards>;
  /** Of the hash of what is on disk. */
  readonly call: (base_content_sha256: string) => Call;
}

const tools: readonly Replacing[] = [
  {
    name: "write_file with the hash of a header",
    call: (base_content_sha256) => ["write_file", { file_path: path, content: blind, base_content_sha256 }],
  },
  {
    name: "write_file under the guard `read`",
    guards: { overwriteGuard: "read" },
    call: () => ["write_file", { file_path: path, content: blind }],
  },
  {
    name: "create of the text editor",
    call: () => ["str_replace_based_edit_tool", { command: "create", path, file_text: blind }],
  },
  { name: "create of fs_write", call: () => ["fs_write", { command: "create", path, file_text: blind }] },
  {
    name: "apply_changes with content",
    call: (base_content_sha256) => [
      "apply_changes",
      { changes: [{ file_path: path, base_content_sha256, content: blind }] },
    ],
  },
];

interface Showing {
  readonly name: string;
  readonly calls: readonly Call[];
  readonly codes: readonly string[];
}

/** `not_read` says that nothing was shown; a host that named a hash may as well be told the lines. */
const nothing = ["not_read", "unseen_lines"];

const window = (offset: number, limit: number): Call => ["read_file", { file_path: path, offset, limit }];
const shownBefore: readonly Showing[] = [
  { name: "no line was shown", calls: [], codes: nothing },
  { name: "one line was shown", calls: [window(1, 1)], codes: ["unseen_lines"] },
  { name: "all lines but the last were shown", calls: [window(1, 9)], codes: ["unseen_lines"] },
  {
    name: "a line was shown, and another edited",
    calls: [
      window(1, 1),
      ["edit_file", { file_path: path, edits: [{ old_string: "line 9", new_string: "LINE 9" }] }],
    ],
    codes: ["unseen_lines"],
  },
  { name: "a search showed a line", calls: [["search_files", { pattern: "line 5" }]], codes: nothing },
  { name: "the whole file was shown", calls: [["read_file", { file_path: path }]], codes: ["applied"] },
  { name: "two windows showed it all", calls: [window(1, 6), window(5, 6)], codes: ["applied"] },
  {
    name: "the text editor showed it all",
    calls: [["str_replace_based_edit_tool", { command: "view", path }]],
    codes: ["applied"],
  },
];

/** Both ways in which a model's calls reach the tools: a session, and a path of a conversation. */
const doors: readonly (readonly [string, (setting: Setting) => Door | Promise<Door>])[] = [
  ["in a session", openSession],
  ["in a conversation", openTalk],
];
type Door = Pick<SessionScene, "call" | "text">;

for (const [where, open] of doors) {
  for (const tool of tools) {
    describe(`${tool.name}, ${where},`, () => {
      for (const showing of shownBefore) {
        it(`is ${showing.codes.join(" or ")} where ${showing.name}`, async () => {
          const door = await open({ files: { [path]: ten }, guards: tool.guards ?? {} });
          for (const call of showing.calls) await door.call(...call);
          const before = door.text(path) ?? "";
          const { code } = await door.call(...tool.call(sha(before)));
          expect(showing.codes).toContain(code);
          expect(door.text(path)).toBe(code === "applied" ? blind : before);
        });
      }
    });
  }
}

describe("a refusal for lines that were not shown", () => {
  it("says which lines are missing, and shows no licence to guess them", async () => {
    const session = openSession({ files: { [path]: ten } });
    await session.call(...window(1, 4));
    const { code, text } = await session.call("str_replace_based_edit_tool", {
      command: "create",
      path,
      file_text: blind,
    });
    expect(code).toBe("unseen_lines");
    expect(text).toContain("5-10");
  });
});

describe("where the host only warns", () => {
  it("the write is made, and what was not shown is said", async () => {
    const session = openSession({ files: { [path]: ten }, guards: { overwriteGuard: "warn" } });
    await session.call(...window(1, 1));
    const { code, text } = await session.call("write_file", { file_path: path, content: blind });
    expect([code, session.text(path)]).toEqual(["applied", blind]);
    expect(text).toContain("Warning");
  });
});

describe("a file of which the caller wrote every line", () => {
  const cases: readonly (readonly [string, readonly Call[]])[] = [
    ["by write_file", [["write_file", { file_path: "new.txt", content: ten }]]],
    [
      "by write_file and append_to_file",
      [
        ["write_file", { file_path: "new.txt", content: ten }],
        ["append_to_file", { file_path: "new.txt", content: "line 11\n" }],
      ],
    ],
    [
      "by append_to_file alone",
      [
        ["append_to_file", { file_path: "new.txt", content: "a\n" }],
        ["append_to_file", { file_path: "new.txt", content: "b\n" }],
      ],
    ],
  ];
  for (const [how, calls] of cases) {
    it(`${how} may be replaced by it`, async () => {
      const session = openSession();
      for (const call of calls) await session.call(...call);
      expect((await createOver(session, "new.txt")).code).toBe("applied");
    });
  }
});

describe("a line that was not shown whole", () => {
  const long = `{"a":1,${'"p":2,'.repeat(900)}"z":3}`;
  /** The answers show nothing of the file, so that only the call itself could teach it. */
  const quiet = { guards: { editGuard: "atomic" }, resultContent: "none" } as const;
  const editA: Call = [
    "edit_file",
    { file_path: "f.txt", edits: [{ old_string: '"a":1', new_string: '"a":2' }] },
  ];

  it("is not known by an edit inside it", async () => {
    const session = openSession({ files: { "f.txt": long }, ...quiet });
    expect((await session.call(...editA)).code).toBe("applied");
    expect((await createOver(session, "f.txt")).code).toMatch(/^(not_read|unseen_lines)$/);
    expect(session.text("f.txt")).toContain('"z":3');
  });

  it("is not known by an edit inside it beside a line that was shown", async () => {
    const session = openSession({ files: { "f.txt": `first\n${long}` }, ...quiet });
    await session.call("read_file", { file_path: "f.txt", offset: 1, limit: 1 });
    expect((await session.call(...editA)).code).toBe("applied");
    expect((await createOver(session, "f.txt")).code).toBe("unseen_lines");
    expect(session.text("f.txt")).toContain('"z":3');
  });

  it("is not known by text that was appended to it", async () => {
    const session = openSession({ files: { "f.txt": "secret plan" } });
    expect((await session.call("append_to_file", { file_path: "f.txt", content: "x\n" })).code).toBe(
      "applied",
    );
    expect((await createOver(session, "f.txt")).code).toMatch(/^(not_read|unseen_lines)$/);
    expect(session.text("f.txt")).toBe("secret planx\n");
  });

  it("is not known by text that was appended to it below a line that was shown", async () => {
    const session = openSession({ files: { "f.txt": "first\nsecret plan" } });
    await session.call("read_file", { file_path: "f.txt", offset: 1, limit: 1 });
    await session.call("append_to_file", { file_path: "f.txt", content: "x\n" });
    expect((await createOver(session, "f.txt")).code).toBe("unseen_lines");
    expect(session.text("f.txt")).toBe("first\nsecret planx\n");
  });
});

function createOver(session: SessionScene, name: string) {
  const args = { command: "create", path: name, file_text: blind };
  return session.call("str_replace_based_edit_tool", args);
}
