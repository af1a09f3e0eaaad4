import { describe, expect, it } from "vitest";
import { type Call, codesOf, numbered, only, openSession, openTalk, sha, type Talk } from "./scene.js";

/**
 * What a model knows of a file is what the path of the conversation showed it that led to its answer: not
 * what another branch saw, not what the process happens to remember.
 */
const four = "one\ntwo\nthree\nfour\n";
const read: Call = ["read_file", { file_path: "f.txt" }];
const create: Call = [
  "str_replace_based_edit_tool",
  { command: "create", path: "f.txt", file_text: "blind\n" },
];
const edit: Call = ["edit_file", { file_path: "f.txt", edits: [{ old_string: "two", new_string: "2" }] }];

const writeOver: Call = [
  "write_file",
  { file_path: "f.txt", content: "new\n", base_content_sha256: sha(four) },
];
const patch: Call = [
  "safe_patch",
  { file_path: "f.txt", unified_diff: "@@ -2,1 +2,1 @@\n-two\n+2\n", base_content_sha256: sha(four) },
];

async function readTalk(): Promise<Talk> {
  const talk = await openTalk({ files: { "f.txt": four } });
  await talk.call(...read);
  expect(talk.visibleStates()).toBe(1);
  return talk;
}

const rewound = (talk: Talk) => {
  talk.manager.rewind();
  return talk;
};
type Way = readonly [where: string, go: (talk: Talk) => Talk | Promise<Talk>];
const started = (kind: "clear" | "compress" | "clone") => (talk: Talk) => {
  const transformation = kind === "compress" ? { kind, summary: "f.txt was read." } : { kind };
  talk.manager.startTask({ name: "sub", transformation });
  return talk;
};

describe("what a path was not shown is not known on it", () => {
  const ways: readonly Way[] = [
    ["after a rewind to before the read", rewound],
    ["in a task that began with a clear history", started("clear")],
    ["in a task that began with a summary of the history", started("compress")],
    ["in another conversation about the same files", () => openTalk({ files: { "f.txt": four } })],
  ];
  it.each(ways)("%s: the file is neither replaced nor, without a hash, edited", async (_, go) => {
    const talk = await go(await readTalk());
    talk.say("Change f.txt.");
    expect(talk.visibleStates()).toBe(0);
    for (const call of [create, edit]) expect((await talk.call(...call)).code).toBe("not_read");
    expect(talk.text("f.txt")).toBe(four);
  });
});

describe("what a path was shown stays known on it", () => {
  const rewindBehind = (talk: Talk) => {
    talk.say("Something else.");
    return rewound(talk);
  };
  const ways: readonly Way[] = [
    ["when the process ends and another resumes the conversation", (talk) => talk.resume()],
    ["in a fork of the conversation", (talk) => talk.fork()],
    ["in a task that inherits the history", started("clone")],
    ["after a rewind to behind the read", rewindBehind],
  ];
  it.each(ways)("%s: for a repeated read, an edit and a whole replacement", async (_, go) => {
    const talk = await go(await readTalk());
    talk.say("Change f.txt.");
    expect(talk.visibleStates()).toBe(1);
    expect((await talk.call(...read)).text).toContain("File unchanged since last read.");
    expect((await talk.call(...edit)).code).toBe("applied");
    expect(talk.text("f.txt")).toBe("one\n2\nthree\nfour\n");
    expect((await talk.call(...create)).code).toBe("applied");
  });
});

describe("what a path knows of a file that is gone", () => {
  const goneCalls: readonly (readonly [string, Call])[] = [
    ["an edit without a hash", edit],
    ["a read", read],
    ["a whole write with its hash", writeOver],
    ["a patch with its hash", patch],
  ];
  it.each(goneCalls)("is answered with a code and a sentence, also after a resume: %s", async (_, call) => {
    const talk = await readTalk();
    talk.remove("f.txt");
    const again = await talk.resume();
    const { code, text } = await again.call(...call);
    expect(code).toBe("file_missing");
    expect(text).toMatch(/[a-z]+ [a-z]+.*\./);
    expect(again.visibleStates()).toBe(1);
  });

  it("does not keep it from being made anew, and nothing of the conversation is lost", async () => {
    const talk = await readTalk();
    talk.remove("f.txt");
    const nodes = talk.manager.context.nodes.size;
    const again = await talk.resume();
    expect(again.manager.context.nodes.size).toBe(nodes);
    expect((await again.call(...create)).code).toBe("applied");
    expect(again.text("f.txt")).toBe("blind\n");
  });
});

describe("a guard asks what was shown before the answer that holds the call", () => {
  it("so a read in the same answer does not license a create", async () => {
    const talk = await openTalk({ files: { "f.txt": four } });
    expect(codesOf(await talk.answer([read, create]))).toEqual(["ok", "not_read"]);
    expect(talk.text("f.txt")).toBe(four);
  });

  it("so a read that is sent together with a create does not license it in a session", async () => {
    const session = openSession({ files: { "f.txt": four } });
    expect(codesOf(await session.together([read, create]))).toEqual(["ok", "not_read"]);
    expect(session.text("f.txt")).toBe(four);
  });

  it("but an edit that quotes its text may follow a read in the same answer", async () => {
    const talk = await openTalk({ files: { "f.txt": four } });
    expect(codesOf(await talk.answer([read, edit]))).toEqual(["ok", "applied"]);
  });

  it("and what an earlier call of the same answer wrote is known to the later ones", async () => {
    const talk = await openTalk();
    const write: Call = ["write_file", { file_path: "f.txt", content: numbered(3) }];
    expect(codesOf(await talk.answer([write, create]))).toEqual(["applied", "applied"]);
    expect(talk.text("f.txt")).toBe("blind\n");
  });

  it("and the next answer knows what this one read", async () => {
    const talk = await openTalk({ files: { "f.txt": four } });
    await talk.answer([read]);
    expect(only(await talk.answer([create])).code).toBe("applied");
  });
});
