import { type Case, checkGroups, claude } from "./cases.js";
import {
  call,
  compaction,
  file,
  hash,
  model,
  overlay,
  result,
  Tree,
  task,
  taskSummary,
  user,
} from "./support.js";

const framed = (text: string, attributes = ' total_lines="2"') =>
  `<file path="src/a.ts" version="1" sha256="${hash("a")}"${attributes} end="</file>">\n${text}</file>`;
const active = (expiresAt: number) => ({
  fileApi: { uri: "https://f/1", mimeType: "text/plain", state: "ACTIVE", expiresAt },
});
const minute = 60_000;

const conversation = () =>
  new Tree()
    .add("u", user("hi"))
    .add("m", model("look", { thought: "first", signature: "s1", step: "1", from: claude }))
    .add("a", call("A", { step: "1" }))
    .add("r", result("A", "long"))
    .add("n", model("then", { thought: "second", signature: "s2", step: "2", from: claude }))
    .add("b", call("B", { step: "2" }))
    .add("s", result("B", "short"));

const looks = ["U hi", "M thought first ~s1", "  look"];
const thenB = ["M thought second ~s2", "  then", "  call B", "U result B: short"];

const overlays: readonly Case[] = [
  {
    name: "hiding a result hides the pair, and says where the bytes change",
    tree: () => conversation().add("o", overlay("r", { form: "hidden" })),
    shows: [...looks, "U [Go on.]", ...thenB],
    reports: {
      boundaries: [{ rule: "hidden", nodeId: "o", targetId: "a", firstPart: 3 }, { targetId: "r" }],
    },
  },
  {
    name: "a replaced output stands where the output stood",
    tree: () => conversation().add("o", overlay("r", { form: "replaced", by: "cleared", text: "[cleared]" })),
    shows: [...looks, "  call A", "U result A: [cleared]", ...thenB],
    reports: {
      boundaries: [{ rule: "replaced", nodeId: "o", targetId: "r", firstPart: 4 }],
      thinking: "kept",
    },
  },
  {
    name: "a thought that is bound to changed bytes goes, and thinking is off in the open loop",
    tree: () => conversation().add("o", overlay("r", { form: "replaced", by: "cleared", text: "[cleared]" })),
    options: { target: claude },
    shows: [...looks, "  call A", "U result A: [cleared]", "M then", "  call B", "U result B: short"],
    reports: { dropped: [{ nodeId: "n", what: "bound_thought" }], thinking: "off" },
  },
  {
    name: "overlays on what is pending, unknown or of no such form are ignored and reported",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("a", call("A"))
        .add("o", overlay("a", { form: "hidden" }))
        .add("p", overlay("nowhere", { form: "hidden" }))
        .add("q", overlay("u", { form: "inline" }))
        .add("x", overlay("p", { form: "hidden" }))
        .add("r", result("A", "ok")),
    shows: ["U hi", "M call A", "U result A: ok"],
    reports: {
      ignored: [
        { nodeId: "o", targetId: "a", reason: "pending" },
        { nodeId: "p", targetId: "nowhere", reason: "unknown_target" },
        { nodeId: "q", reason: "form_does_not_fit" },
        { nodeId: "x", reason: "not_rendered" },
      ],
      boundaries: [],
    },
  },
];

const files: readonly Case[] = [
  {
    name: "a file's lines stand in a frame, raw",
    tree: () => new Tree().add("f", file("one\ntwo")),
    shows: [`U ${framed("one\ntwo")}`],
  },
  {
    name: "an address is used while it is good for ten minutes more",
    tree: () => new Tree().add("f", file("a\nb\n", active(20 * minute))),
    options: { now: 10 * minute - 1 },
    shows: [
      `U <file path="src/a.ts" version="1" sha256="${hash("a")}" total_lines="2" content="attached"/>`,
      "  file https://f/1",
    ],
    reports: { boundaries: [] },
  },
  {
    name: "an address that is about to expire gives way to the text, which is a boundary",
    tree: () => new Tree().add("f", file("a\nb\n", active(20 * minute))),
    options: { now: 10 * minute },
    shows: [`U ${framed("a\nb\n")}`],
    reports: { boundaries: [{ rule: "uri_expired", nodeId: "f", firstPart: 0 }] },
  },
  {
    name: "an overlay brings an address, another takes it back",
    tree: () =>
      new Tree()
        .add("f", file("a\nb\n"))
        .add("o", overlay("f", { form: "uri", ...(active(20 * minute) as { fileApi: never }) }))
        .add("p", overlay("f", { form: "inline" })),
    options: { now: 0 },
    shows: [`U ${framed("a\nb\n")}`],
    reports: { boundaries: [{ rule: "inline", nodeId: "p", firstPart: 0 }] },
  },
  {
    name: "a restore says what was put back",
    tree: () =>
      new Tree().add("x", {
        kind: "restore",
        restoreId: "1",
        fromId: "root",
        toId: "root",
        files: [{ path: "a.ts", from: hash("a"), to: null }],
      }),
    shows: [
      "U [The conversation was moved, and files were put back with it.]\nFiles:\n- a.ts: aaaaaaaaaaaa → no file",
    ],
  },
];

const png = { mimeType: "image/png", data: "iVBORw==" };
const pictured = (...media: readonly { readonly mimeType: string; readonly data: string }[]) =>
  new Tree().add("u", { kind: "user_message", text: "look", media });
const byAddress = { form: "uri", ...(active(20 * minute) as { fileApi: never }) } as const;

const media: readonly Case[] = [
  {
    name: "the one medium of a message stands by its address, and by its bytes again",
    tree: () => pictured(png).add("o", overlay("u", byAddress)),
    options: { now: 0 },
    shows: ["U look", "  file https://f/1"],
    reports: { boundaries: [{ rule: "uri", nodeId: "o", targetId: "u", firstPart: 0 }] },
  },
  {
    name: "an address of a medium that is about to expire gives way to its bytes, which is a boundary",
    tree: () => pictured(png).add("o", overlay("u", byAddress)),
    options: { now: 10 * minute },
    shows: ["U look", "  media image/png"],
    reports: {
      boundaries: [{ rule: "uri_expired", nodeId: "u", targetId: "u", firstPart: 0 }, { rule: "uri" }],
    },
  },
  {
    name: "an address of a medium is of no use to other providers, nor once it was taken back",
    tree: () => pictured(png).add("o", overlay("u", byAddress)),
    options: { now: 0, target: claude },
    shows: ["U look", "  media image/png"],
  },
  {
    name: "an address is of one medium: a message with two keeps their bytes",
    tree: () => pictured(png, png).add("o", overlay("u", byAddress)),
    options: { now: 0 },
    shows: ["U look", "  media image/png", "  media image/png"],
    reports: { ignored: [{ nodeId: "o", targetId: "u", reason: "form_does_not_fit" }] },
  },
];

const inTask = (kind: "clone" | "clear") =>
  new Tree()
    .add("u", user("hi"))
    .add("t", task("dig", { kind }, { goal: "find it", hint: "look left" }))
    .add("x", user("inside"))
    .add("y", model("found", { step: "y" }));

const taskText = '[Task "dig" begins here.]\nGoal: find it\nHint: look left';

const tasks: readonly Case[] = [
  {
    name: "a cloned task sees what came before",
    tree: () => inTask("clone"),
    shows: ["U hi", `  ${taskText}`, "  inside", "M found"],
  },
  {
    name: "a cleared task does not",
    tree: () => inTask("clear"),
    shows: [`U ${taskText}`, "  inside", "M found"],
    reports: { start: { rule: "clear", nodeId: "t" }, boundaries: [{ rule: "clear", firstPart: 0 }] },
  },
  {
    name: "a compressed task sees the summary",
    tree: () =>
      new Tree().add("u", user("hi")).add("t", task("dig", { kind: "compress", summary: "We met." })),
    shows: ['U [Task "dig" begins here.]\nWhat came before, in short:\nWe met.'],
    reports: { start: { rule: "compress", nodeId: "t" } },
  },
  {
    name: "a completed task stands as its summary, with the files that it changed",
    tree: () =>
      inTask("clear").add(
        "s",
        taskSummary("t", "y", { files: [{ path: "a.ts", from: null, to: hash("b") }] }),
        {},
        "u",
      ),
    shows: [
      "U hi",
      '  [Task "a task" is complete.]\nIt is done.\nFiles that it changed:\n- a.ts: no file → bbbbbbbbbbbb\n[Its full history can be shown: its task_id is "t".]',
    ],
  },
  {
    name: "an expanded task stands in full in its place, its own clear not in force",
    tree: () => inTask("clear").add("s", taskSummary("t", "y"), {}, "u").add("v", user("more")),
    options: { expand: new Set(["t"]) },
    shows: ["U hi", `  ${taskText}`, "  inside", "M found", "U more"],
    reports: { boundaries: [{ rule: "expansion", nodeId: "s", firstPart: 1 }] },
  },
  {
    name: "a task whose branch is not what the summary says stays a summary",
    tree: () => inTask("clear").add("s", taskSummary("t", "nowhere"), {}, "u"),
    options: { expand: new Set(["t"]) },
    shows: [
      "U hi",
      '  [Task "a task" is complete.]\nIt is done.\n[Its full history can be shown: its task_id is "t".]',
    ],
    reports: { ignored: [{ nodeId: "s", targetId: "t", reason: "unknown_branch" }] },
  },
  {
    name: "a thought that was made while a task was shown in full is void when it is not any more",
    tree: () =>
      inTask("clear")
        .add("s", taskSummary("t", "y"), {}, "u")
        .add("v", user("more"))
        .add("w", model("I see", { thought: "all of it", signature: "s", from: claude }), {
          provenance: { expanded: ["t"] },
        }),
    options: { target: claude },
    shows: [
      "U hi",
      '  [Task "a task" is complete.]\nIt is done.\n[Its full history can be shown: its task_id is "t".]',
      "  more",
      "M I see",
    ],
    reports: {
      boundaries: [{ rule: "expansion_ended", nodeId: "s", firstPart: 1 }],
      dropped: [{ nodeId: "w", what: "bound_thought" }],
    },
  },
];

const compactions: readonly Case[] = [
  {
    name: "a compaction stands for everything before what it keeps",
    tree: () => conversation().add("k", compaction("n")).add("v", user("next")),
    shows: ["U [What came before this point is left out. In short:]\nAll before.", ...thenB, "  next"],
    reports: {
      start: { rule: "compaction", nodeId: "k" },
      boundaries: [{ rule: "compaction", firstPart: 0 }],
    },
  },
  {
    name: "the thoughts that it keeps are void where they are bound",
    tree: () => conversation().add("k", compaction("n")),
    options: { target: claude },
    shows: [
      "U [What came before this point is left out. In short:]\nAll before.",
      "M then",
      "  call B",
      "U result B: short",
    ],
    reports: { thinking: "off" },
  },
  {
    name: "a compaction that would tear a pair or an answer apart is ignored and reported",
    tree: () =>
      conversation().add("k", compaction("r")).add("l", compaction("a")).add("m2", compaction("zzz")),
    shows: [...looks, "  call A", "U result A: long", ...thenB],
    reports: {
      ignored: [
        { nodeId: "k", reason: "unsafe_cut" },
        { nodeId: "l", reason: "unsafe_cut" },
        { nodeId: "m2", reason: "unknown_target" },
      ],
    },
  },
];

checkGroups({ overlays, files, media, tasks, compactions });
