import type { ServedAnswer, ServedCall } from "../loopback/index.js";
import type { Session } from "./on-wire.js";

const read = (path: string): ServedCall => ({ name: "read_file", args: { file_path: path } });
const edit = (path: string, from: string, to: string): ServedCall => ({
  name: "edit_file",
  args: {
    file_path: path,
    base_content_sha256: `{{sha256:${path}}}`,
    edits: [{ old_string: from, new_string: to }],
  },
});
const patch = (path: string, diff: string): ServedCall => ({
  name: "safe_patch",
  args: { file_path: path, base_content_sha256: `{{sha256:${path}}}`, unified_diff: diff },
});
const append = (line: string): ServedCall => ({
  name: "append_to_file",
  args: { file_path: "log.txt", content: `${line}\n` },
});
const call = (name: string, args: ServedCall["args"] = {}): ServedCall => ({ name, args });

/** An answer that goes wrong in its middle, and the same once more, whole. */
const afterFault = (answer: ServedAnswer, fault: ServedAnswer["fault"]): readonly ServedAnswer[] => [
  { ...answer, ...(fault === undefined ? {} : { fault }) },
  answer,
];

const code = 'const greeting = "grüß 🌊";\nconst one = 1;\nexport { greeting, one };\n';

/** Sessions that every provider has to end in the same way. */
export const sessions: readonly Session[] = [
  {
    name: "an edit over three turns",
    files: { "a.ts": code },
    turns: ["Look at a.ts.", "Call it two.", "And export it as number."],
    script: [
      { thought: "I look first.", text: "I look.", calls: [read("a.ts")] },
      { text: "It has one constant." },
      { thought: "Now I change it.", calls: [edit("a.ts", "const one = 1", "const two = 2")] },
      { calls: [edit("a.ts", "greeting, one", "greeting, two")] },
      { thought: "All done.", text: "It is two now." },
      { calls: [edit("a.ts", "two }", "two as number }")] },
      { text: "Exported." },
    ],
    after: { "a.ts": code.replace("one = 1", "two = 2").replace(", one", ", two as number") },
  },
  {
    name: "an answer that uses up its tokens and goes on",
    files: { "a.ts": code },
    turns: ["Tell me about it.", "And then?"],
    script: [
      { text: "It is", isCut: true },
      { text: " a file.", isCut: true },
      { text: " Yes." },
      { text: "Then." },
    ],
    after: { "a.ts": code },
  },
  {
    name: "parallel reads and edits",
    files: { "a.ts": "one\n// between\n// between\ntwo\n", "b.ts": "three\n" },
    turns: ["All in capitals."],
    script: [
      { thought: "Both at once.", calls: [read("a.ts"), read("b.ts"), call("list_files")] },
      {
        thought: 'They are "small".\nI change all.',
        text: "All at once.",
        calls: [edit("a.ts", "one", "ONE"), edit("b.ts", "three", "THREE"), edit("a.ts", "two", "TWO")],
      },
      { text: "Done." },
    ],
    after: { "a.ts": "ONE\n// between\n// between\nTWO\n", "b.ts": "THREE\n" },
  },
  {
    name: "a patch that fails, and its repair",
    files: { "a.ts": "const a = 1;\nconst b = 2;\nconst c = 3;\n" },
    turns: ["b is 20."],
    script: [
      { calls: [read("a.ts")] },
      { thought: "A diff.", calls: [patch("a.ts", "@@ -2,1 +2,1 @@\n-const b = 3;\n+const b = 20;\n")] },
      { thought: "It was 2.", calls: [patch("a.ts", "@@ -2,1 +2,1 @@\n-const b = 2;\n+const b = 20;\n")] },
      { text: "Now it is 20." },
    ],
    after: { "a.ts": "const a = 1;\nconst b = 20;\nconst c = 3;\n" },
  },
  {
    name: "a task on a branch, and its merge",
    files: { "log.txt": "begin\n" },
    turns: ["Write the log.", "What was done?"],
    script: [
      { thought: "A task.", calls: [call("task_start", { name: "log", goal: "two lines" })] },
      { calls: [append("first")] },
      { thought: "And the second.", calls: [append("second")] },
      { calls: [call("task_complete", { summary: "Two lines were written." })] },
      { text: "Done." },
      { thought: "From the summary.", text: "Two lines." },
    ],
    after: { "log.txt": "begin\nfirst\nsecond\n" },
  },
  {
    name: "a rewind that takes the files with it",
    files: { "log.txt": "begin\n" },
    turns: ["Write a line.", "Not that one.", "Another."],
    script: [
      { thought: "A line.", calls: [append("wrong")] },
      { text: "Written." },
      { thought: "Back.", calls: [call("history_view")] },
      {
        calls: [
          call("rewind", {
            turn_id: "{{found:([0-9a-zA-Z]{20,}|[0-9a-f-]{36})[^\\n]*Write a line}}",
            files: "restore",
          }),
        ],
      },
      { text: "It is back." },
      { calls: [append("right")] },
      { text: "Written." },
    ],
    after: { "log.txt": "begin\nright\n" },
  },
  {
    name: "a task, a rewind and an undo, by the tools that stand for others",
    files: { "log.txt": "begin\n" },
    turns: ["Write the log.", "Not the last line.", "And back to before the first one."],
    script: [
      {
        thought: "A task.",
        calls: [call("conversation", { action: "task start", name: "log", goal: "lines" })],
      },
      { calls: [append("first")] },
      { calls: [call("conversation", { action: "task complete", summary: "One line." })] },
      { calls: [append("second")] },
      { text: "Two lines." },
      { calls: [call("more_tools", { find: "take back the latest write" })] },
      { calls: [call("more_tools", { name: "undo_edit", args: { file_path: "log.txt" } })] },
      { text: "One line." },
      { calls: [call("conversation", { action: "history view" })] },
      {
        calls: [
          call("conversation", {
            action: "history rewind",
            turn_id: "{{found:([0-9a-zA-Z]{20,}|[0-9a-f-]{36})[^\\n]*Write the log}}",
            files: "restore",
          }),
        ],
      },
      { text: "It is empty." },
    ],
    after: { "log.txt": "begin\n" },
  },
  {
    name: "a change that nobody approves",
    files: { "a.ts": "one\n" },
    turns: ["Two!", "Why not?"],
    parts: { mode: "ask" },
    script: [
      { calls: [read("a.ts")] },
      { thought: "I change it.", calls: [edit("a.ts", "one", "two"), read("a.ts")] },
      { text: "I may not." },
      { text: "Nobody was there." },
    ],
    after: { "a.ts": "one\n" },
  },
  {
    name: "streams that break, stall, hold nonsense, and providers that fail",
    files: { "log.txt": "begin\n" },
    turns: ["Five lines."],
    script: [
      ...afterFault({ thought: "One.", calls: [append("one")] }, { kind: "cut" }),
      ...afterFault({ text: "Two.", calls: [append("two"), append("three")] }, { kind: "malformed" }),
      ...afterFault({ calls: [append("four")] }, { kind: "stall" }),
      ...afterFault({}, { kind: "status", status: 529 }).slice(0, 1),
      ...afterFault({}, { kind: "status", status: 500 }).slice(0, 1),
      ...afterFault({}, { kind: "status", status: 429, headers: { "retry-after": "1" } }).slice(0, 1),
      { thought: "The last one.", calls: [append("five")], fault: { kind: "slow", pauseMs: 1 } },
      ...afterFault({ thought: "Hm.", text: "Five lines were written." }, { kind: "cut" }),
    ],
    after: { "log.txt": "begin\none\ntwo\nthree\nfour\nfive\n" },
  },
];
