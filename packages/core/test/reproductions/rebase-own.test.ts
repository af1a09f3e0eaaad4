import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/conversation/values/index.js";
import { type Call, codesOf, openTalk, sha, type Talk } from "./scene.js";

/**
 * Calls that were written against a state that an earlier call of the same path has replaced. They are made
 * where the lines they change are now, if nobody has touched those; else they are refused. Under `rebase` the
 * lines are mapped in the same way, through foreign states, too.
 */
const policies = ["default", "rebase"] as const;
type Policy = (typeof policies)[number];

interface Case {
  readonly name: string;
  readonly before: string;
  /** Sent together in one answer, after a read. */
  readonly calls: (base: JsonObject) => readonly Call[];
  readonly codes: readonly string[];
  readonly after: string;
  /** Where `rebase`, which allows more, need not refuse it. */
  readonly onlyByDefault?: true;
  /** The tools take the call without a hash, too. */
  readonly alsoWithoutHash?: true;
}

const edit = (base: JsonObject, old_string: string, new_string: string, more: JsonObject = {}): Call => [
  "edit_file",
  { file_path: "f", edits: [{ old_string, new_string, ...more }], ...base },
];

const movedBefore = "def f():\n  t = 30\n  run(t)\n\ndef g():\n  pass\n";
const movedAfter = "def f():\n  run(DEFAULT)\n\ndef g():\n  t = 30\n  slow(t)\n";

const cases: readonly Case[] = [
  {
    name: "two edits of one line: the second is refused, not joined to the first",
    before: "retry:\n  timeout: 1\n",
    calls: (base) => [
      edit(base, "timeout: 1", "timeout: 10"),
      edit(base, "timeout: 1", "timeout: 1, retries: 3"),
    ],
    codes: ["applied", "state_mismatch"],
    after: "retry:\n  timeout: 10\n",
    alsoWithoutHash: true,
  },
  {
    name: "two insertions at one point: the second is refused, not put before the first",
    before: "1. open\n9. close\n",
    calls: (base) => [edit(base, "1. open", "1. open\n2. read"), edit(base, "1. open", "1. open\n3. write")],
    codes: ["applied", "state_mismatch"],
    after: "1. open\n2. read\n9. close\n",
    alsoWithoutHash: true,
  },
  {
    name: "an edit of text that was moved into another function is refused",
    before: movedBefore,
    calls: (base) => [
      edit(base, movedBefore.trimEnd(), movedAfter.trimEnd()),
      edit(base, "t = 30", "t = 60"),
    ],
    codes: ["applied", "state_mismatch"],
    after: movedAfter,
    alsoWithoutHash: true,
  },
  {
    name: "an edit of a piece of an identifier that was renamed is refused",
    before: "const user = load();\n",
    calls: (base) => [edit(base, "user", "userName"), edit(base, "const user", "let user")],
    codes: ["applied", "state_mismatch"],
    after: "const userName = load();\n",
    alsoWithoutHash: true,
  },
  {
    name: "the same insertion again, after another edit, was applied already",
    before: "import x\nrun()\n",
    calls: (base) => [
      edit(base, "import x", "import x\nimport a"),
      edit(base, "run()", "go()"),
      edit(base, "import x", "import x\nimport a"),
    ],
    codes: ["applied", "applied", "already_applied"],
    after: "import x\nimport a\ngo()\n",
    alsoWithoutHash: true,
  },
  {
    name: "an edit of a file that was written as a whole since is refused",
    before: "a = 1\nb = 2\nc = 3\n",
    calls: (base) => [
      ["write_file", { file_path: "f", content: "# new\nc = 9\na = 1\n", ...base }],
      edit(base, "a = 1", "a = 7"),
    ],
    codes: ["applied", "state_mismatch"],
    after: "# new\nc = 9\na = 1\n",
    onlyByDefault: true,
  },
  {
    name: "a replacement of all occurrences is refused where their places were rewritten",
    before: "a=1\na=1\nb=2\n",
    calls: (base) => [
      edit(base, "a=1\na=1\nb=2", "a=1\nb=2\na=1\n# a=?"),
      edit(base, "a=1", "a=5", { replace_all: true }),
    ],
    codes: ["applied", "state_mismatch"],
    after: "a=1\nb=2\na=1\n# a=?\n",
    alsoWithoutHash: true,
  },
  {
    name: "the same section rewritten twice: the second is refused",
    before: "# A\nold\n# B\nx\n",
    calls: (base) => [
      ["update_section", { file_path: "f", section_header: "# A", new_content: "new 1\n", ...base }],
      ["update_section", { file_path: "f", section_header: "# A", new_content: "new 2\n", ...base }],
    ],
    codes: ["applied", "state_mismatch"],
    after: "# A\nnew 1\n# B\nx\n",
  },
  {
    name: "five edits of five lines, two of them neighbours, are all made",
    before: "a\nb\nc\nd\ne\nf\ng\n",
    calls: (base) => [
      edit(base, "a", "A"),
      edit(base, "c", "C\nC2"),
      edit(base, "e", "E"),
      edit(base, "g", "G"),
      edit(base, "b", "B"),
    ],
    codes: ["applied", "applied", "applied", "applied", "applied"],
    after: "A\nB\nC\nC2\nd\nE\nf\nG\n",
    alsoWithoutHash: true,
  },
  {
    name: "insertions after two lines by their numbers are both made where they were meant",
    before: "1\n2\n3\n",
    calls: (base) => [
      ["insert_lines", { file_path: "f", after_line: 1, content: "x\n", ...base }],
      ["insert_lines", { file_path: "f", after_line: 2, content: "y\n", ...base }],
    ],
    codes: ["applied", "applied"],
    after: "1\nx\n2\ny\n3\n",
  },
];

describe.each(policies)("under the policy %s", (policy) => {
  for (const one of cases) {
    if (one.onlyByDefault === true && policy !== "default") continue;
    it(`${one.name} (with the hash of the base)`, () =>
      check(policy, one, { base_content_sha256: sha(one.before) }));
    if (one.alsoWithoutHash === true) it(`${one.name} (without a hash)`, () => check(policy, one, {}));
  }

  it("a request is not already applied whose lines do not stand any more", async () => {
    const talk = await openRead(policy, "a\nb\nc\n");
    const insertion = edit({ base_content_sha256: sha("a\nb\nc\n") }, "a", "a\nX");
    const removal: Call = [
      "edit_file",
      {
        file_path: "f",
        edits: [
          { old_string: "X\n", new_string: "" },
          { old_string: "c", new_string: "C" },
        ],
        base_content_sha256: sha("a\nX\nb\nc\n"),
      },
    ];
    const codes: string[] = [];
    for (const call of [insertion, removal, insertion]) codes.push((await talk.call(...call)).code);
    expect(codes).toEqual(["applied", "applied", "state_mismatch"]);
    expect(talk.text("f")).toBe("a\nb\nC\n");
  });
});

describe("under the policy default", () => {
  const before = "limit = 10\nmode = fast\n";
  const bases = [
    { name: "with the hash of the base", base: { base_content_sha256: sha(before) } },
    { name: "without a hash", base: {} },
  ];
  for (const { name, base } of bases) {
    it(`an edit after a rewind is not made on what the abandoned branch wrote (${name})`, async () => {
      const talk = await openRead("default", before);
      talk.manager.addNode({ kind: "model_message", text: "Read." });
      talk.say("Try a limit of 99.");
      expect((await talk.call(...edit(base, "limit = 10", "limit = 99"))).code).toBe("applied");
      talk.manager.rewind();
      talk.say("No: only the mode.");
      const { code } = await talk.call(...edit(base, "mode = fast", "mode = slow"));
      expect([code, talk.text("f")]).toEqual(["state_mismatch", "limit = 99\nmode = fast\n"]);
    });
  }

  it("an edit is not made on what somebody else wrote", async () => {
    const talk = await openRead("default", "a\nb\nc\n");
    talk.put("f", "a\nb\nforeign\n");
    const { code } = await talk.call(...edit({ base_content_sha256: sha("a\nb\nc\n") }, "a", "A"));
    expect([code, talk.text("f")]).toEqual(["state_mismatch", "a\nb\nforeign\n"]);
  });
});

async function check(policy: Policy, { before, calls, codes, after }: Case, base: JsonObject) {
  const talk = await openRead(policy, before);
  const answers = await talk.answer(calls(base));
  expect({ codes: codesOf(answers), after: talk.text("f") }).toEqual({ codes, after });
}

async function openRead(policy: Policy, before: string): Promise<Talk> {
  const guards = policy === "default" ? {} : { onMismatch: policy };
  const talk = await openTalk({ files: { f: before }, guards });
  await talk.call("read_file", { file_path: "f" });
  return talk;
}
